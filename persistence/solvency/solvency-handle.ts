import type { Worker } from 'node:worker_threads'
import { reasonOf } from '../../engine/domain/error-code.ts'
import { shareOf, shareRule } from '../../engine/domain/fair-share.ts'
import type { Seq } from '../../engine/domain/ids.ts'
import { MOVE_LIMITS } from '../../engine/domain/moves/move-limits.ts'
import { spawn } from '../../engine/thread/spawn.ts'
import type { KeyedFolder } from '../keyed-folder.ts'
import type { CollateralContracts } from './solvency-format.ts'
import type {
  ProofPage,
  ProofRequest,
  SolvencyMessage,
  SolvencyRequest,
  SolvencySummary,
  SolvencyThreadData,
  TokensPage,
  TokensRequest,
} from './solvency-thread.ts'

export type { ProofPage, SolvencySummary, TokensPage } from './solvency-thread.ts'

// Main's side of the thread that counts obligations, which starts with the first count. Its state
// is derived from snapshots, so its death stops nothing: the next count starts another thread.
// Requests are limited in total and per owner, and have a deadline.

export interface SolvencyOptions {
  readonly folder: KeyedFolder
  /** Receives a sentence for the log. Nothing is lost. */
  readonly onWarning: (sentence: string) => void
}

const { proofsUnderWayMax, proofsOfProfileMax } = MOVE_LIMITS
const PROOF_SHARE = shareRule(proofsUnderWayMax, proofsOfProfileMax, 1)

interface Open {
  readonly owner: number
  /** Receives the answer to its request. */
  readonly settle: (answer: never) => void
  readonly giveUp: () => void
}

export class SolvencyHandle {
  readonly #options: SolvencyOptions
  readonly #open = new Map<number, Open>()
  #worker: Worker | null = null
  #nextId = 0
  #isOver = false
  #summary: SolvencySummary | null = null
  #counting: ((isCounted: boolean) => void) | null = null

  constructor(options: SolvencyOptions) {
    this.#options = options
  }

  /** The last count; null before the first count and after a failure of the thread. */
  get summary(): SolvencySummary | null {
    return this.#summary
  }

  /** Counts a saved snapshot; resolves to false on failure. Counts run one at a time. */
  count(seq: Seq, contracts: CollateralContracts | null): Promise<boolean> {
    if (this.#isOver || this.#counting !== null) return Promise.resolve(false)
    return new Promise((resolve) => {
      this.#counting = resolve
      this.#send({ kind: 'count', seq, contracts })
    })
  }

  /** Undefined if the limit or the deadline of requests is reached. */
  prove(requested: ProofRequest): Promise<ProofPage | undefined> {
    return this.#request(requested.profileId, (id) => ({ kind: 'prove', id, ...requested }))
  }

  /** A request of the operator, which has its own share of the queue. */
  tokens(requested: TokensRequest): Promise<TokensPage | undefined> {
    return this.#request(0, (id) => ({ kind: 'tokens', id, ...requested }))
  }

  #request<Answer>(
    owner: number,
    requestOf: (id: number) => SolvencyRequest,
  ): Promise<Answer | undefined> {
    const { proofDeadlineMs } = MOVE_LIMITS
    let ofOwner = 0
    for (const each of this.#open.values()) if (each.owner === owner) ofOwner++
    const all = this.#open.size
    const hasCapacity = all < proofsUnderWayMax && ofOwner < shareOf(PROOF_SHARE, all - ofOwner)
    if (this.#summary === null || !hasCapacity) return Promise.resolve(undefined)
    const id = this.#nextId++
    return new Promise((resolve) => {
      const settle = (answer: Answer | undefined) => {
        clearTimeout(timer)
        this.#open.delete(id)
        resolve(answer)
      }
      // A late request keeps its slot, because the thread still works on it.
      const timer = setTimeout(() => resolve(undefined), proofDeadlineMs)
      this.#open.set(id, { owner, settle, giveUp: () => settle(undefined) })
      this.#send(requestOf(id))
    })
  }

  #send(request: SolvencyRequest): void {
    this.#worker ??= this.#start()
    this.#worker.postMessage(request)
  }

  #start(): Worker {
    const workerData: SolvencyThreadData = { folder: this.#options.folder }
    const entry = new URL('./solvency.worker.ts', import.meta.url)
    const worker = spawn(entry, { name: 'solvency', workerData })
    let reason = ''
    worker.on('message', (message: SolvencyMessage<never>) => this.#receive(message))
    worker.on('error', (error) => {
      reason = reasonOf(error)
    })
    worker.on('exit', () => this.#ended(reason))
    return worker
  }

  #receive(message: SolvencyMessage<never>): void {
    switch (message.kind) {
      case 'counted':
        this.#summary = message.summary
        this.#counted(true)
        return
      case 'uncounted':
        this.#options.onWarning(`The obligations were not counted: ${message.reason}`)
        this.#counted(false)
        return
      case 'answer': {
        const open = this.#open.get(message.id)
        if (message.answer === null) open?.giveUp()
        else open?.settle(message.answer)
      }
    }
  }

  #counted(isCounted: boolean): void {
    const report = this.#counting
    this.#counting = null
    report?.(isCounted)
  }

  #ended(reason: string): void {
    this.#worker = null
    this.#summary = null
    for (const { giveUp } of this.#open.values()) giveUp()
    if (!this.#isOver) {
      this.#options.onWarning(
        `The solvency thread ended: ${reason}; the next count starts another.`,
      )
    }
    this.#counted(false)
  }

  /** Ends the thread, which has nothing to save. */
  async stop(): Promise<void> {
    this.#isOver = true
    await this.#worker?.terminate()
  }

  /** Ends the thread like a crash. */
  async crash(): Promise<void> {
    await this.#worker?.terminate()
  }
}
