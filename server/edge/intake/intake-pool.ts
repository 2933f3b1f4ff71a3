import { assert } from '../../../engine/domain/assert.ts'
import type { ProfileId, TokenNo } from '../../../engine/domain/ids.ts'
import { LIMITS } from '../../../engine/domain/limits.ts'
import { IdleDeaths } from '../../../engine/thread/idle-deaths.ts'
import { keccakReady } from '../../crypto/keccak.ts'
import {
  Directory,
  type DirectoryChange,
  type MarketEntry,
  type SigningDomain,
} from './directory.ts'
import { Intake, type IntakeRequest } from './intake.ts'
import { IntakeLane } from './intake-lane.ts'
import { FROM_INTAKE, RESULT, TO_INTAKE, WHOLE_GROUP } from './intake-layout.ts'
import { frameKey, openKey } from './intake-request.ts'
import {
  brokenResult,
  type GroupPart,
  type IntakeResult,
  type RefusedOrder,
  ResultReader,
  type VerifiedOrder,
} from './intake-result.ts'
import { RecalledMarkets } from './recalled-markets.ts'

export type { GroupPart, IntakeResult, RefusedOrder, VerifiedOrder }

// Main's side of the intake pool. Invariants: a thread gets directory changes and orders in the
// order in which main gave them. While a change waits for room, no order passes it. The unanswered
// orders of a thread never exceed its bound. A thread that breaks is replaced: the order at which
// it broke is never given to another thread, all others are (design §11).

export interface TokenEntry {
  readonly tokenNo: TokenNo
  readonly tokenId: string
  readonly profileId: ProfileId
  readonly account: string
  readonly scopes: Extract<DirectoryChange, { kind: 'token' }>['scopes']
  /** The secret of the token, opened. */
  readonly secret: Uint8Array
}

export type ProfileEntry = Omit<Extract<DirectoryChange, { kind: 'profile' }>, 'kind'>

export type { MarketEntry }

export interface IntakePoolOptions {
  /** 0 checks orders on the calling thread: for tests and profiling. */
  readonly threads: number
  readonly domain: SigningDomain
  readonly onResult: (result: IntakeResult) => void
  /** Gets each result of a group of orders, in their order. */
  readonly onPart?: (result: IntakeResult, part: GroupPart) => void
  /** Called when threads died too often: the process cannot go on. */
  readonly onFault: (reason: Error) => void
  /**
   * Tells the pool the whole directory, a little with each step, to teach a new thread. When it is
   * absent, the death of a thread is a fault.
   */
  readonly teach?: () => Iterator<unknown>
  /** Gets a sentence when a thread died and was replaced. */
  readonly onReplaced?: (sentence: string) => void
  /** Orders inside the pool; above it `submit` refuses. */
  readonly inFlightMax?: number
  /** Must be a power of two. */
  readonly ringBytes?: number
}

const FLUSH_RETRY_MS = 1
const SEND_AT = 64
/** Main teaches a new thread no longer than this at a time. */
const TEACH_SLICE_MS = 4
const PARTS = 256

export class IntakePool {
  readonly #options: IntakePoolOptions
  readonly #lanes: IntakeLane[] = []
  readonly #laneInFlightMax: number
  /** Used without threads: the directory, and the token ids by their references. */
  readonly #directory: Directory
  readonly #intake: Intake
  readonly #reader = new ResultReader()
  readonly recalled = new RecalledMarkets(this)
  readonly #deaths = new IdleDeaths()
  readonly #ready: Promise<void>
  #onReady: () => void = () => {}
  #flushTimer: NodeJS.Timeout | undefined
  /** The thread that gets the current step of teaching; null outside a step. */
  #pupil: IntakeLane | null = null
  #isStopping = false
  #isPaused = false
  #sendDue = false
  #unsent = 0

  constructor(options: IntakePoolOptions) {
    this.#options = options
    this.#directory = new Directory(options.domain)
    this.#intake = new Intake(this.#directory)
    const inFlightMax = options.inFlightMax ?? LIMITS.inFlightMax
    this.#laneInFlightMax = Math.max(1, Math.floor(inFlightMax / Math.max(1, options.threads)))
    const threadsReady = new Promise<void>((resolve) => {
      this.#onReady = resolve
      if (options.threads === 0) resolve()
    })
    // Main hashes too: for logins and checksums, and for orders when there are no threads.
    this.#ready = Promise.all([threadsReady, keccakReady]).then(() => {})
    for (let index = 0; index < options.threads; index++) this.#lanes.push(this.#start(index))
  }

  /** Resolves when main and every thread can hash. Without threads, submit no order before. */
  ready(): Promise<void> {
    return this.#ready
  }

  /** `before` is the thread that this one replaces. */
  #start(index: number, before?: IntakeLane): IntakeLane {
    const { domain, ringBytes = LIMITS.ringBytes } = this.#options
    return new IntakeLane({
      ...{ index, domain, ringBytes, open: before?.open, stretches: before?.stretches },
      onResults: (lane) => this.#drain(lane),
      onEnd: (lane) => {
        // While the pool is paused, the thread's last results are read first, by `resume`.
        if (!this.#isStopping && !this.#isPaused) this.#replace(lane)
      },
    })
  }

  /** Checks one request; `onResult` gets its result. Does nothing and gives false when full. */
  submit(request: IntakeRequest): boolean {
    if (this.#lanes.length === 0) {
      this.#checkHere(request)
      return true
    }
    const lane = this.#leastLoaded()
    if (!lane.isOpen || lane.open.size >= this.#laneInFlightMax) return false
    if (!lane.isFlushed && !this.#flush(lane)) return false
    if (!lane.submit(request)) return false
    this.#sendSoon()
    lane.open.set(openKey(request.requestId, (request.form ?? 0) !== 0), 0)
    return true
  }

  #checkHere(request: IntakeRequest): void {
    const results: Uint8Array[] = []
    // The results are copied first: an error in the pipeline is no fault of the check.
    this.#intake.answer(request, (result) => results.push(new Uint8Array(result)))
    const open = new Map([[openKey(request.requestId, (request.form ?? 0) !== 0), 0]])
    for (const result of results) {
      this.#reader.read(result)
      this.#settle(open)
    }
  }

  /**
   * One wake-up serves all orders of a turn of the loop, because each costs main as much as an
   * order does. In a flood one turn reads thousands of orders, so every SEND_AT of them are sent
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
    for (const lane of this.#lanes) lane.send()
  }

  /** The thread with the fewest open orders, among those that take orders if there are any. */
  #leastLoaded(): IntakeLane {
    let [least] = this.#lanes
    for (const lane of this.#lanes) {
      if (!lane.isOpen) continue
      if (!least.isOpen || lane.open.size < least.open.size) least = lane
    }
    return least
  }

  addToken(token: TokenEntry): void {
    const { tokenNo, tokenId, profileId, account, scopes } = token
    const secretBase64 = Buffer.from(token.secret).toString('base64')
    this.#tell({ kind: 'token', tokenNo, tokenId, profileId, account, scopes, secretBase64 })
  }

  revokeToken(tokenId: string): void {
    this.#tell({ kind: 'revoke', tokenId })
  }

  addMarket(market: MarketEntry): void {
    const { marketId, book, slug, yesTokenId, noTokenId, feeEnabled } = market
    const { exchangeAddress, adapterAddress = null, poolAddress } = market
    const ids = { marketId, book, slug, yesTokenId, noTokenId }
    const venue = { exchangeAddress, adapterAddress, poolAddress }
    this.#tell({ kind: 'market', ...ids, ...venue, feeEnabled })
  }

  archiveMarket(slug: string): void {
    this.#tell({ kind: 'archive', slug })
  }

  /** Forgets a profile; its tokens stay known. */
  forgetProfile(profileId: ProfileId): void {
    this.#tell({ kind: 'forget', profileId })
  }

  /** Adds or replaces a profile; does nothing for a profile without partner and wallet. */
  putProfile(profile: ProfileEntry | null): void {
    if (profile !== null) this.#tell({ kind: 'profile', ...profile })
  }

  #tell(change: DirectoryChange): void {
    if (this.#lanes.length === 0) {
      this.#directory.apply(change)
      return
    }
    const bytes = Buffer.from(JSON.stringify(change), 'utf8')
    for (const lane of this.#pupil === null ? this.#lanes : [this.#pupil]) {
      lane.wait(TO_INTAKE.CHANGE, bytes)
      this.#flush(lane)
    }
  }

  /** True when no frame of this lane waits any more. */
  #flush(lane: IntakeLane): boolean {
    if (lane.flush()) return true
    this.#flushSoon()
    return false
  }

  /** Retries by a timer: a thread that takes changes gives no results, which would show room. */
  #flushSoon(): void {
    if (this.#flushTimer !== undefined || this.#isStopping) return
    this.#flushTimer = setTimeout(() => {
      this.#flushTimer = undefined
      for (const lane of this.#lanes) if (!lane.isFlushed) this.#flush(lane)
    }, FLUSH_RETRY_MS)
  }

  /** Leaves results in their rings until `resume`; a thread whose ring is full waits. */
  pause(): void {
    this.#isPaused = true
  }

  resume(): void {
    this.#isPaused = false
    for (const lane of [...this.#lanes]) {
      if (lane.isEnded) this.#replace(lane)
      else this.#drain(lane)
    }
  }

  #drain(lane: IntakeLane): void {
    if (this.#isPaused) return
    const { results } = lane
    do {
      while (results.next()) this.#hear(lane)
      results.free()
    } while (!results.arm())
  }

  #hear(lane: IntakeLane): void {
    const { results } = lane
    if (results.tag === FROM_INTAKE.READY) {
      lane.isReady = true
      if (this.#lanes.every((each) => each.isReady)) this.#onReady()
      return
    }
    const { bytes } = results
    try {
      this.#reader.read(bytes)
      if (lane.lost.has(this.#reader.key)) return
      assert(this.#isAwaited(lane), 'a result answers an open request, its parts in order')
    } catch (error) {
      this.#garbled(lane, bytes, error)
      return
    }
    this.#settle(lane.open)
  }

  #isAwaited({ open }: IntakeLane): boolean {
    const { key, index } = this.#reader
    const told = open.get(key)
    return told !== undefined && index <= told % PARTS
  }

  /** A result did not decode: its request breaks, and the thread is ended. */
  #garbled(lane: IntakeLane, bytes: Uint8Array, error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error)
    const isWhole = bytes.length >= RESULT.record
    const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
    const key = isWhole
      ? openKey(view.readUInt32LE(RESULT.requestId), view[RESULT.count] !== 0)
      : openKey(0, false)
    if (lane.open.has(key)) this.#break(lane.open, key, `a result did not decode: ${reason}`)
    lane.lost.add(key)
    lane.isClosing = true
    lane.end(`gave a result that is none: ${reason}`)
  }

  /** Passes on the result that the reader read last. */
  #settle(open: Map<number, number>): void {
    const { key, result, count, index, task } = this.#reader
    const told = open.get(key)
    assert(told !== undefined, 'a result answers an open request')
    if (result.kind === 'refused' && result.broke !== undefined) {
      this.#break(open, key, result.broke.error.message)
    } else if (count === 0) {
      open.delete(key)
      this.#options.onResult(result)
    } else if (count === WHOLE_GROUP) {
      open.delete(key)
      this.#options.onPart?.(result, { index: 0, count: 0, task: null })
    } else if (index === told % PARTS) {
      // A thread that took over may give a part again that came before; that part is ignored.
      if (index === count - 1) open.delete(key)
      else open.set(key, count * PARTS + index + 1)
      this.#options.onPart?.(result, { index, count, task })
    }
  }

  /** Answers a request, or its remaining parts, with the fault that broke it. */
  #break(open: Map<number, number>, key: number, reason: string): void {
    const told = open.get(key) ?? 0
    open.delete(key)
    const result = brokenResult(Math.floor(key / 2), reason)
    if (key % 2 === 0) this.#options.onResult(result)
    else if (told === 0) this.#options.onPart?.(result, { index: 0, count: 0, task: null })
    const count = Math.floor(told / PARTS)
    for (let index = told % PARTS; index < count; index++) {
      this.#options.onPart?.(result, { index, count, task: null })
    }
  }

  /** Replaces a thread that ended. */
  #replace(ended: IntakeLane): void {
    this.#drain(ended)
    const { teach, onFault, onReplaced } = this.#options
    const { name, reason, open, workingAt } = ended
    const sentence = `${name} died: ${reason}`
    const isToBlame = open.has(workingAt) && !ended.isClosing
    const isTooOften = !isToBlame && this.#deaths.tooMany(performance.now())
    if (teach === undefined || isTooOften) {
      onFault(new Error(`${sentence}${isTooOften ? '; too often, and no order is to blame' : ''}`))
      return
    }
    const lane = this.#start(ended.index, ended)
    this.#lanes[ended.index] = lane
    if (isToBlame) this.#break(open, workingAt, `the thread ${sentence}`)
    const orders = ended.unanswered()
    const kept = new Set(orders.map(frameKey))
    // These requests are no longer in the ring, and their answers were lost.
    for (const key of [...open.keys()]) {
      if (!kept.has(key)) this.#break(open, key, `the thread ${sentence}`)
    }
    lane.inherit(orders)
    onReplaced?.(`The thread ${sentence}; another has its place.`)
    this.#teach(lane, teach())
  }

  #teach(lane: IntakeLane, steps: Iterator<unknown>): void {
    if (this.#isStopping || this.#lanes[lane.index] !== lane) return
    const untilMs = performance.now() + TEACH_SLICE_MS
    let isOver = false
    this.#pupil = lane
    while (!isOver && performance.now() < untilMs) isOver = steps.next().done === true
    this.#pupil = null
    if (!isOver) {
      setImmediate(() => this.#teach(lane, steps))
      return
    }
    lane.taught()
    this.#flush(lane)
  }

  /** The threads by their names, for metrics; none when main checks the orders itself. */
  get threads(): readonly Pick<IntakeLane, 'name' | 'stretches'>[] {
    return this.#lanes
  }

  /** Unanswered requests, for metrics and for a stop that waits. */
  inFlight(): number {
    return this.#lanes.reduce((count, lane) => count + lane.open.size, 0)
  }

  async stop(): Promise<void> {
    this.#isStopping = true
    clearTimeout(this.#flushTimer)
    await Promise.all(this.#lanes.map((lane) => lane.stop()))
  }
}
