// A simulated PostgreSQL server with a synchronous standby, which is called its replica here: in a
// cluster, a standby is a node.
//
// A transaction that changes something gets its locks, is written, and is visible once the replica
// has it; then it frees its locks and returns. If its wait is interrupted, it is visible although
// the replica may lack it, and its caller gets no reply.

import type { Environment } from './environment.ts'
import { type Change, LogImage } from './log-image.ts'

/** What a transaction is about to do, by what is visible now. */
export interface Plan {
  /** Null for a transaction that only reads. */
  readonly change: Change | null
  /** Sends the reply. */
  readonly answer: () => void
}

export interface Statement {
  /** Whose backend executes it. */
  readonly owner: object
  /** Its lock on the row of the leadership, until it is visible. */
  readonly lock: 'none' | 'shared' | 'exclusive'
  /** Called again after each wait for a lock, with what is visible then. */
  readonly plan: (image: LogImage) => Plan
  readonly fail: (error: Error) => void
}

interface Transaction extends Statement {
  answer: () => void
  change: Change | null
  /** Its place in the write-ahead log; 0 until it is written. */
  lsn: number
  isOver: boolean
  /** Transactions that insert the same key. */
  readonly rivals: Transaction[]
}

interface Written {
  readonly lsn: number
  readonly change: Change
  readonly transaction: Transaction
}

export interface ServerParts {
  readonly environment: Environment
  readonly image: LogImage
  /** Called before a change is applied to what is visible. */
  readonly onVisible: (image: LogImage, change: Change) => void
}

/** SQLSTATE 23505. */
export class UniqueViolation extends Error {
  override name = 'UniqueViolation'
}

export class LogServer {
  readonly image: LogImage
  /** What the replica has. */
  readonly #replica: LogImage
  readonly #environment: Environment
  readonly #onVisible: ServerParts['onVisible']
  /** Ahead of virtual time. */
  readonly clockAheadMs: number
  /** Rises when the server starts again: older connections are broken then. */
  incarnation = 0
  isUp = true
  #isReplicating = true
  #isSynchronous = true
  #isCovered = true
  #isLost = false
  #lsn = 0
  /** Written, but not on the replica. */
  #unreplicated: Written[] = []
  readonly #running = new Set<Transaction>()
  readonly #holders = new Set<Transaction>()
  #waiting: Transaction[] = []

  constructor({ environment, image, onVisible }: ServerParts, clockAheadMs: number) {
    this.#environment = environment
    this.#onVisible = onVisible
    this.image = image
    this.#replica = new LogImage(image)
    this.clockAheadMs = clockAheadMs
  }

  get nowMs(): number {
    return this.#environment.queue.nowMs + this.clockAheadMs
  }

  /** Whether commits wait for the replica. */
  get isSynchronous(): boolean {
    return this.#isSynchronous
  }

  /** Whether the replica has every commit that returned. */
  get isCovered(): boolean {
    return this.#isCovered
  }

  /** Backends that wait for the replica. */
  get committing(): object[] {
    return [...this.#running].filter(({ lsn }) => lsn > 0).map(({ owner }) => owner)
  }

  execute(statement: Statement): void {
    const state = { answer: () => {}, change: null, lsn: 0, isOver: false, rivals: [] }
    const transaction: Transaction = { ...statement, ...state }
    this.#running.add(transaction)
    this.#proceed(transaction)
  }

  #proceed(transaction: Transaction): void {
    if (transaction.isOver) return
    const { change, answer } = transaction.plan(this.image)
    if (change === null) {
      this.#end(transaction)
      answer()
      return
    }
    if (!this.#mayLock(transaction)) {
      this.#waiting.push(transaction)
      return
    }
    this.#holders.add(transaction)
    const rival = this.#rivalOf(change)
    if (rival !== undefined) {
      rival.rivals.push(transaction)
      return
    }
    transaction.change = change
    transaction.answer = answer
    this.#write(transaction, change)
  }

  #mayLock({ lock }: Transaction): boolean {
    if (lock === 'none') return true
    const others = [...this.#holders].filter((holder) => holder.lock !== 'none')
    return others.length === 0 || (lock === 'shared' && others.every((it) => it.lock === 'shared'))
  }

  /** The transaction that has inserted the same row and is not visible. */
  #rivalOf(change: Change): Transaction | undefined {
    if (change.kind !== 'row') return undefined
    if (this.#environment.planted.has('append ignores the end of the log')) return undefined
    const { firstSeq } = change.row
    return [...this.#running].find((other) => {
      return other.change?.kind === 'row' && other.change.row.firstSeq === firstSeq
    })
  }

  #write(transaction: Transaction, change: Change): void {
    const lsn = ++this.#lsn
    transaction.lsn = lsn
    this.#unreplicated.push({ lsn, change, transaction })
    this.#replicateSoon(lsn)
    if (this.#isSynchronous) return
    const { queue } = this.#environment
    queue.after(this.#environment.latencyMs(), () => this.#finish(transaction, true))
  }

  /** An operator empties the setting that names the replica, and restores it later. */
  setSynchronous(isSynchronous: boolean): void {
    this.#isSynchronous = isSynchronous
    if (isSynchronous) {
      this.#isCovered ||= this.#unreplicated.length === 0
      return
    }
    this.#isCovered = false
    // PostgreSQL wakes the backends that wait, and their commits return.
    for (const transaction of [...this.#running]) this.#finish(transaction, true)
  }

  #replicateSoon(lsn: number): void {
    const { queue } = this.#environment
    const delayMs = this.#environment.latencyMs()
    queue.after(delayMs, () => {
      if (!this.#isReplicating) return
      while (this.#unreplicated.length > 0 && this.#unreplicated[0].lsn <= lsn) {
        const [{ change, transaction }] = this.#unreplicated.splice(0, 1)
        this.#replica.apply(change)
        queue.after(this.#environment.latencyMs(), () => this.#finish(transaction, true))
      }
      this.#isCovered ||= this.#isSynchronous && this.#unreplicated.length === 0
    })
  }

  /** The transaction becomes visible. */
  #finish(transaction: Transaction, isAnswered: boolean): void {
    const { isOver, change } = transaction
    if (isOver || change === null) return
    this.#onVisible(this.image, change)
    this.image.apply(change)
    this.#end(transaction)
    if (isAnswered) transaction.answer()
    else this.#environment.count('interrupted commits')
  }

  /** Frees the locks. */
  #end(transaction: Transaction): void {
    transaction.isOver = true
    this.#running.delete(transaction)
    this.#holders.delete(transaction)
    for (const rival of transaction.rivals) {
      if (rival.isOver) continue
      this.#end(rival)
      rival.fail(new UniqueViolation('duplicate key value violates unique constraint'))
    }
    const waiting = this.#waiting
    this.#waiting = []
    for (const each of waiting) this.#proceed(each)
  }

  /** Ends the backend of `owner`, which interrupts the wait of its transaction. */
  terminate(owner: object): void {
    for (const transaction of [...this.#running]) {
      if (transaction.owner !== owner) continue
      if (transaction.lsn > 0) this.#finish(transaction, false)
      else this.#end(transaction)
    }
  }

  /** Every backend ends. What was written is visible afterwards. */
  stop(): void {
    this.isUp = false
    this.incarnation++
    for (const transaction of [...this.#running]) {
      if (transaction.lsn === 0) transaction.isOver = true
    }
    for (const transaction of [...this.#running]) this.#finish(transaction, false)
    this.#running.clear()
    this.#holders.clear()
    this.#waiting = []
  }

  start(): void {
    this.isUp = true
  }

  /** The replica gets nothing more until `attach`, so no commit returns. */
  detach(): void {
    this.#isReplicating = false
  }

  attach(): void {
    if (this.#isReplicating || this.#isLost) return
    this.#isReplicating = true
    this.#replicateSoon(this.#lsn)
  }

  /** The replica gets nothing more for ever. Returns what it has. */
  promoted(): LogImage {
    this.#isLost = true
    this.#isReplicating = false
    return this.#replica
  }
}
