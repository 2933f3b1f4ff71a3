import { assert } from '../../../engine/domain/assert.ts'
import type { ProfileId, TokenNo } from '../../../engine/domain/ids.ts'
import { LIMITS } from '../../../engine/domain/limits.ts'
import { IdleDeaths } from '../../../engine/thread/idle-deaths.ts'
import { keccakReady } from '../../crypto/keccak.ts'
import {
  FROM_INTAKE,
  openKey,
  RESULT,
  TO_INTAKE,
  WHOLE_GROUP,
} from '../../messages/intake-layout.ts'
import {
  brokenResult,
  type GroupPart,
  type IntakeRefusal,
  type IntakeResult,
  ResultReader,
  type VerifiedOrder,
} from '../../messages/intake-result.ts'
import type { IntakeRequest } from '../../messages/order-intake.ts'
import { eachPart } from '../../messages/parts.ts'
import {
  Directory,
  type DirectoryChange,
  type MarketEntry,
  RecalledMarkets,
  type SigningDomain,
} from './directory.ts'
import { Intake } from './intake.ts'
import { frameKey } from './intake-request.ts'
import { IntakeWorker } from './intake-worker.ts'
import { replicate } from './replication.ts'

export type { GroupPart, IntakeRefusal, IntakeResult, VerifiedOrder }

// Main's side of the intake pool. Invariants: a thread receives directory changes and orders in the
// order in which main submitted them. While a change waits for ring space, no order passes it. The
// unanswered orders of a thread never exceed its limit. A thread that breaks is replaced: the order
// at which it broke is never given to another thread, all others are (design §11).

export interface TokenEntry {
  readonly tokenNo: TokenNo
  readonly tokenId: string
  readonly profileId: ProfileId
  readonly account: string
  readonly scopes: Extract<DirectoryChange, { kind: 'token' }>['scopes']
  /** The decrypted secret of the token. */
  readonly secret: Uint8Array
}

export type ProfileEntry = Omit<Extract<DirectoryChange, { kind: 'profile' }>, 'kind'>

export type { MarketEntry }

export interface IntakePoolOptions {
  /** 0 checks orders on the calling thread: for tests and profiling. */
  readonly threads: number
  readonly domain: SigningDomain
  /** Maximum clock difference of a call; LIMITS.signatureSkewMs when absent. */
  readonly orderSkewMs?: number | undefined
  readonly onResult: (result: IntakeResult) => void
  /** Receives each result of a group of orders, in their order. */
  readonly onPart?: (result: IntakeResult, part: GroupPart) => void
  /** Called when threads died too often: the process cannot go on. */
  readonly onFault: (reason: Error) => void
  /**
   * Sends the whole directory to a new thread, a little with each step. When absent, the death of a
   * thread is a fault.
   */
  readonly replicate?: () => Iterator<unknown>
  /** Receives a sentence when a thread died and was replaced. */
  readonly onReplaced?: (sentence: string) => void
  /** Receives each change; absent when no other thread checks orders. */
  readonly mirror?: ((change: DirectoryChange) => void) | undefined
  /** Orders inside the pool; at the limit, `submit` refuses. */
  readonly inFlightMax?: number
  /** Must be a power of two. */
  readonly ringBytes?: number
}

const FLUSH_RETRY_MS = 1
const SEND_AT = 64
const PARTS = 256

export class IntakePool {
  readonly #options: IntakePoolOptions
  readonly #workers: IntakeWorker[] = []
  readonly #workerInFlightMax: number
  /** Used without threads: the directory, and the token ids by their references. */
  readonly #directory: Directory
  readonly #intake: Intake
  readonly #reader = new ResultReader()
  readonly recalled = new RecalledMarkets(this)
  readonly #deaths = new IdleDeaths()
  readonly #ready: Promise<void>
  #onReady: () => void = () => {}
  #flushTimer: NodeJS.Timeout | undefined
  /** The thread that receives the current catch-up step; null outside a step. */
  #replica: IntakeWorker | null = null
  #isStopping = false
  #isPaused = false
  #sendDue = false
  #unsent = 0

  constructor(options: IntakePoolOptions) {
    this.#options = options
    this.#directory = new Directory(options.domain)
    this.#intake = new Intake(this.#directory, options.orderSkewMs)
    const inFlightMax = options.inFlightMax ?? LIMITS.inFlightMax
    this.#workerInFlightMax = Math.max(1, Math.floor(inFlightMax / Math.max(1, options.threads)))
    const threadsReady = new Promise<void>((resolve) => {
      this.#onReady = resolve
      if (options.threads === 0) resolve()
    })
    // Main hashes too: for logins and checksums, and for orders when there are no threads.
    this.#ready = Promise.all([threadsReady, keccakReady]).then(() => {})
    for (let index = 0; index < options.threads; index++) this.#workers.push(this.#start(index))
  }

  /** Resolves when main and every thread can hash. Without threads, submit no order before. */
  ready(): Promise<void> {
    return this.#ready
  }

  /** `before` is the thread that this one replaces. */
  #start(index: number, before?: IntakeWorker): IntakeWorker {
    const { domain, orderSkewMs, ringBytes = LIMITS.ringBytes } = this.#options
    return new IntakeWorker({
      index,
      domain,
      orderSkewMs,
      ringBytes,
      open: before?.open,
      busyTimes: before?.busyTimes,
      onResults: (worker) => this.#drain(worker),
      onEnd: (worker) => {
        // While the pool is paused, `resume` reads the thread's last results first.
        if (!this.#isStopping && !this.#isPaused) this.#replace(worker)
      },
    })
  }

  /** Checks one request; `onResult` receives its result. False, and nothing is done, when full. */
  submit(request: IntakeRequest): boolean {
    if (request.verdict !== undefined) {
      this.#takeVerdict(request, request.verdict)
      return true
    }
    if (this.#workers.length === 0) {
      this.#checkHere(request)
      return true
    }
    const worker = this.#leastLoaded()
    if (!worker.isOpen || worker.open.size >= this.#workerInFlightMax) return false
    if (!worker.isFlushed && !this.#flush(worker)) return false
    if (!worker.submit(request)) return false
    this.#sendSoon()
    worker.open.set(openKey(request.requestId, (request.form ?? 0) !== 0), 0)
    return true
  }

  /** An edge thread checked the request under no id. */
  #takeVerdict({ requestId, form = 0 }: IntakeRequest, verdict: Uint8Array): void {
    const open = new Map([[openKey(requestId, form !== 0), 0]])
    const view = Buffer.from(verdict.buffer, verdict.byteOffset, verdict.length)
    eachPart(view, 0, view.length, (result) => {
      result.writeUInt32LE(requestId, RESULT.requestId)
      this.#reader.read(result)
      this.#settle(open)
    })
  }

  #checkHere(request: IntakeRequest): void {
    const results: Uint8Array[] = []
    // The results are copied first: an error in the pipeline is not a fault of the check.
    this.#intake.answer(request, (result) => results.push(new Uint8Array(result)))
    const open = new Map([[openKey(request.requestId, (request.form ?? 0) !== 0), 0]])
    for (const result of results) {
      this.#reader.read(result)
      this.#settle(open)
    }
  }

  /**
   * One wake-up serves all orders of an event-loop tick, because each costs main as much as an
   * order does. In a flood one tick reads thousands of orders, so every SEND_AT of them are sent
   * earlier.
   */
  #sendSoon(): void {
    if (++this.#unsent === SEND_AT) this.#send()
    if (this.#sendDue) return
    this.#sendDue = true
    setImmediate(() => {
      this.#sendDue = false
      this.#send()
    })
  }

  #send(): void {
    this.#unsent = 0
    for (const worker of this.#workers) worker.send()
  }

  /** The thread with the fewest open orders, preferably among those that accept orders. */
  #leastLoaded(): IntakeWorker {
    let [least] = this.#workers
    for (const worker of this.#workers) {
      if (!worker.isOpen) continue
      if (!least.isOpen || worker.open.size < least.open.size) least = worker
    }
    return least
  }

  addToken(token: TokenEntry): void {
    const { tokenNo, tokenId, profileId, account, scopes } = token
    const secretBase64 = Buffer.from(token.secret).toString('base64')
    this.#report({ kind: 'token', tokenNo, tokenId, profileId, account, scopes, secretBase64 })
  }

  revokeToken(tokenId: string): void {
    this.#report({ kind: 'revoke', tokenId })
  }

  addMarket(market: MarketEntry): void {
    const { marketId, book, slug, yesTokenId, noTokenId, feeEnabled } = market
    const { exchangeAddress, adapterAddress = null, poolAddress } = market
    const ids = { marketId, book, slug, yesTokenId, noTokenId }
    const venue = { exchangeAddress, adapterAddress, poolAddress }
    this.#report({ kind: 'market', ...ids, ...venue, feeEnabled })
  }

  archiveMarket(slug: string): void {
    this.#report({ kind: 'archive', slug })
  }

  /** Forgets a profile; its tokens stay known. */
  forgetProfile(profileId: ProfileId): void {
    this.#report({ kind: 'forget', profileId })
  }

  /** Adds or replaces a profile; does nothing for a profile without partner and wallet. */
  putProfile(profile: ProfileEntry | null): void {
    if (profile !== null) this.#report({ kind: 'profile', ...profile })
  }

  #report(change: DirectoryChange): void {
    this.#options.mirror?.(change)
    if (this.#workers.length === 0) {
      this.#directory.apply(change)
      return
    }
    const bytes = Buffer.from(JSON.stringify(change), 'utf8')
    for (const worker of this.#replica === null ? this.#workers : [this.#replica]) {
      worker.wait(TO_INTAKE.CHANGE, bytes)
      this.#flush(worker)
    }
  }

  /** True when no frame waits for this thread. */
  #flush(worker: IntakeWorker): boolean {
    if (worker.flush()) return true
    this.#flushSoon()
    return false
  }

  /** Retries by a timer: a thread that applies changes returns no results. */
  #flushSoon(): void {
    if (this.#flushTimer !== undefined || this.#isStopping) return
    this.#flushTimer = setTimeout(() => {
      this.#flushTimer = undefined
      for (const worker of this.#workers) if (!worker.isFlushed) this.#flush(worker)
    }, FLUSH_RETRY_MS)
  }

  /** Leaves results in their rings until `resume`; a thread whose ring is full waits. */
  pause(): void {
    this.#isPaused = true
  }

  resume(): void {
    this.#isPaused = false
    for (const worker of [...this.#workers]) {
      if (worker.isEnded) this.#replace(worker)
      else this.#drain(worker)
    }
  }

  #drain(worker: IntakeWorker): void {
    if (this.#isPaused) return
    const { results } = worker
    do {
      while (results.next()) this.#receive(worker)
      results.free()
    } while (!results.arm())
  }

  #receive(worker: IntakeWorker): void {
    const { results } = worker
    if (results.tag === FROM_INTAKE.READY) {
      worker.isReady = true
      if (this.#workers.every((each) => each.isReady)) this.#onReady()
      return
    }
    const { bytes } = results
    try {
      this.#reader.read(bytes)
      if (worker.lost.has(this.#reader.key)) return
      assert(this.#isAwaited(worker), 'a result answers an open request, its parts in order')
    } catch (error) {
      this.#garbled(worker, bytes, error)
      return
    }
    this.#settle(worker.open)
  }

  #isAwaited({ open }: IntakeWorker): boolean {
    const { key, index } = this.#reader
    const reported = open.get(key)
    return reported !== undefined && index <= reported % PARTS
  }

  /** Breaks the request of an undecodable result and ends the thread. */
  #garbled(worker: IntakeWorker, bytes: Uint8Array, error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error)
    const isWhole = bytes.length >= RESULT.record
    const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
    const key = isWhole
      ? openKey(view.readUInt32LE(RESULT.requestId), view[RESULT.count] !== 0)
      : openKey(0, false)
    if (worker.open.has(key)) this.#break(worker.open, key, `a result did not decode: ${reason}`)
    worker.lost.add(key)
    worker.isClosing = true
    worker.end(`returned an undecodable result: ${reason}`)
  }

  /** Passes on the most recently read result. */
  #settle(open: Map<number, number>): void {
    const { key, result, count, index, task } = this.#reader
    const reported = open.get(key)
    assert(reported !== undefined, 'a result answers an open request')
    if (result.kind === 'refused' && result.broke !== undefined) {
      this.#break(open, key, result.broke.error.message)
    } else if (count === 0) {
      open.delete(key)
      this.#options.onResult(result)
    } else if (count === WHOLE_GROUP) {
      open.delete(key)
      this.#options.onPart?.(result, { index: 0, count: 0, task: null })
    } else if (index === reported % PARTS) {
      // A thread that took over may return a part again; such a part is ignored.
      if (index === count - 1) open.delete(key)
      else open.set(key, count * PARTS + index + 1)
      this.#options.onPart?.(result, { index, count, task })
    }
  }

  /** Answers a request, or its remaining parts, with the fault that broke it. */
  #break(open: Map<number, number>, key: number, reason: string): void {
    const reported = open.get(key) ?? 0
    open.delete(key)
    const result = brokenResult(Math.floor(key / 2), reason)
    if (key % 2 === 0) this.#options.onResult(result)
    else if (reported === 0) this.#options.onPart?.(result, { index: 0, count: 0, task: null })
    const count = Math.floor(reported / PARTS)
    for (let index = reported % PARTS; index < count; index++) {
      this.#options.onPart?.(result, { index, count, task: null })
    }
  }

  /** Replaces a thread that ended. */
  #replace(ended: IntakeWorker): void {
    this.#drain(ended)
    const { replicate, onFault, onReplaced } = this.#options
    const { name, reason, open, workingAt } = ended
    const sentence = `${name} died: ${reason}`
    const isToBlame = open.has(workingAt) && !ended.isClosing
    const isTooOften = !isToBlame && this.#deaths.tooMany(performance.now())
    if (replicate === undefined || isTooOften) {
      onFault(new Error(`${sentence}${isTooOften ? '; too often, without a faulty order' : ''}`))
      return
    }
    const worker = this.#start(ended.index, ended)
    this.#workers[ended.index] = worker
    if (isToBlame) this.#break(open, workingAt, `the thread ${sentence}`)
    const orders = ended.unanswered()
    const kept = new Set(orders.map(frameKey))
    // These requests are no longer in the ring, and their answers were lost.
    for (const key of [...open.keys()]) {
      if (!kept.has(key)) this.#break(open, key, `the thread ${sentence}`)
    }
    worker.inherit(orders)
    onReplaced?.(`The thread ${sentence}; it was replaced.`)
    this.#replicate(worker, replicate())
  }

  #replicate(worker: IntakeWorker, steps: Iterator<unknown>): void {
    replicate(steps, {
      isWanted: () => !this.#isStopping && this.#workers[worker.index] === worker,
      alone: (work) => {
        this.#replica = worker
        work()
        this.#replica = null
      },
      onDone: () => {
        worker.replicated()
        this.#flush(worker)
      },
    })
  }

  /** The threads by name, for metrics; none when main checks the orders itself. */
  get threads(): readonly Pick<IntakeWorker, 'name' | 'busyTimes'>[] {
    return this.#workers
  }

  /** Unanswered requests, for metrics and for a graceful stop. */
  inFlight(): number {
    return this.#workers.reduce((count, worker) => count + worker.open.size, 0)
  }

  async stop(): Promise<void> {
    this.#isStopping = true
    clearTimeout(this.#flushTimer)
    await Promise.all(this.#workers.map((worker) => worker.stop()))
  }
}
