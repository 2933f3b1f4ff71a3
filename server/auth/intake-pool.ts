import { availableParallelism } from 'node:os'
import type { Worker } from 'node:worker_threads'
import { assert } from '../../engine/domain/assert.ts'
import { LIMITS } from '../../engine/domain/limits.ts'
import { REJECT } from '../../engine/domain/reject.ts'
import { PLACE } from '../../engine/wire/layout.ts'
import { Ring } from '../../engine/wire/ring.ts'
import { spawn } from '../../engine/wire/spawn.ts'
import { Directory, type DirectoryChange, type SigningDomain } from './directory.ts'
import { Intake, type IntakeRequest } from './intake.ts'
import { FORM, FROM_INTAKE, RESULT, TO_INTAKE, VERDICT, WHOLE_GROUP } from './intake-layout.ts'
import { pushRequest } from './intake-request.ts'
import { keccakReady } from './keccak.ts'

// Main's side of the intake pool. Invariants: a thread gets directory changes and orders in the
// order main gave them; while a change waits for room no order passes it; `inFlight` counts orders
// given and not yet answered, and never passes its bound.

/**
 * An order whose sender, shape, amounts and hash the intake has checked; the verdict on its
 * signature is a finding that the sequencer judges. Only this file can make one. The object is
 * reused and its bytes lie in a ring: both are valid only during `onResult`.
 */
class VerifiedOrder {
  readonly kind = 'verified'
  readonly #minted = true
  requestId = 0
  /** Profile and token that signed the call. */
  profileId = 0
  /** Whom the order is for: that profile, or a sub-account of it. */
  actorId = 0
  tokenId = ''
  /** The `ownerId` of the body: a claim. */
  ownerId = 0
  /** 0 when not given. */
  timestampMs = 0
  /** 0 = no receive window. */
  recvWindowMs = 0
  signedFeeBps = 0
  /** Always false unless `signerIsAccount`: another account's signature is not even recovered. */
  signatureOk = false
  signerIsMaker = false
  signerIsAccount = false
  makerIsAccount = false
  /** PLACE record without seq, nowMs, slot, generation, reserveRaw and feeBps. */
  record: Uint8Array = NOTHING
  /** JSON fields of the reply's `order`, without braces. */
  echo = ''

  isMinted(): boolean {
    return this.#minted
  }
}

export type { VerifiedOrder }

export interface RefusedOrder {
  readonly kind: 'refused'
  readonly requestId: number
  readonly rejectCode: number
  /** 0 and '' when the refusal came before the token was proven. */
  readonly profileId: number
  /** The caller too when the refusal came before the body was read, or is for acting for others. */
  readonly actorId: number
  readonly tokenId: string
  /** JSON array of { field, message }; '' unless the code is VALIDATION. */
  readonly issues: string
}

export type IntakeResult = VerifiedOrder | RefusedOrder

/** Which order of its request a result is. */
export interface GroupPart {
  readonly index: number
  /** Orders in the request; 0 when it is refused as a whole. */
  readonly count: number
  /** JSON of what else is asked, '' for nothing. */
  readonly task: string
}

export interface TokenEntry {
  readonly tokenId: string
  readonly profileId: number
  readonly account: string
  readonly scopes: Extract<DirectoryChange, { kind: 'token' }>['scopes']
  /** Opened. */
  readonly secret: Uint8Array
}

export type ProfileEntry = Omit<Extract<DirectoryChange, { kind: 'profile' }>, 'kind'>

export type MarketEntry = Omit<Extract<DirectoryChange, { kind: 'market' }>, 'kind'>

export interface IntakePoolOptions {
  /** 0 checks orders on the calling thread: for tests and profiling. */
  readonly threads: number
  readonly domain: SigningDomain
  readonly onResult: (result: IntakeResult) => void
  /** A result of a request that holds several orders; they come in order. */
  readonly onPart?: (result: IntakeResult, part: GroupPart) => void
  /** A thread died: the process cannot go on. */
  readonly onFault: (reason: Error) => void
  /** Orders inside the pool; above it `submit` refuses. */
  readonly inFlightMax?: number
  /** A power of two. */
  readonly ringBytes?: number
}

const NOTHING = new Uint8Array(0)
const FLUSH_RETRY_MS = 1
const PUBLISH_AT = 64

/** One core is main's; the rest recover signatures. */
export function defaultIntakeThreads(): number {
  return Math.max(1, availableParallelism() - 1)
}

interface Lane {
  inFlight: number
  readonly worker: Worker
  readonly requests: Ring
  readonly shared: Buffer
  readonly results: Ring
  /** Changes that found the ring full, oldest first. */
  readonly waiting: Uint8Array[]
  isReady: boolean
}

export class IntakePool {
  readonly #options: IntakePoolOptions
  readonly #lanes: Lane[] = []
  readonly #laneInFlightMax: number
  /** Without threads. */
  readonly #directory: Directory
  readonly #intake: Intake
  readonly #order = new VerifiedOrder()
  /** Token id by token reference. References are never used again. */
  readonly #tokenIds: string[] = ['']
  readonly #ready: Promise<void>
  #onReady: () => void = () => {}
  #flushTimer: NodeJS.Timeout | undefined
  #isStopping = false
  #isHeld = false
  #publishDue = false
  #unpublished = 0

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
    // Main hashes too: logins, checksums, and all of it when there are no threads.
    this.#ready = Promise.all([threadsReady, keccakReady]).then(() => {})
    for (let index = 0; index < options.threads; index++) this.#lanes.push(this.#start(index))
  }

  /** Resolves when every thread and this one can hash; nothing before it without threads. */
  ready(): Promise<void> {
    return this.#ready
  }

  #start(index: number): Lane {
    const ringBytes = this.#options.ringBytes ?? LIMITS.ringBytes
    const requests = Ring.allocate(ringBytes)
    const results = Ring.allocate(ringBytes)
    const worker = spawn(new URL('./intake.worker.ts', import.meta.url), {
      name: `intake-${index}`,
      workerData: { requests, results, domain: this.#options.domain },
    })
    const lane: Lane = {
      inFlight: 0,
      worker,
      requests: new Ring(requests),
      shared: Buffer.from(requests),
      results: new Ring(results),
      waiting: [],
      isReady: false,
    }
    worker.on('message', () => this.#drain(lane))
    worker.on('error', (error) => {
      this.#fault(new Error(`intake-${index} died: ${error.message}`))
    })
    worker.on('exit', (code) => this.#fault(new Error(`intake-${index} ended with code ${code}`)))
    lane.results.arm()
    return lane
  }

  #fault(reason: Error): void {
    if (!this.#isStopping) this.#options.onFault(reason)
  }

  /** Checks one order; its result comes to `onResult`. False, and nothing done, when full. */
  submit(request: IntakeRequest): boolean {
    if (this.#lanes.length === 0) {
      if ((request.form ?? FORM.ORDER) === FORM.ORDER) this.#deliver(this.#intake.check(request))
      else this.#intake.checkGroup(request, (result) => this.#deliver(result))
      return true
    }
    const lane = this.#leastLoaded()
    if (lane.inFlight >= this.#laneInFlightMax) return false
    if (lane.waiting.length > 0 && !this.#flush(lane)) return false
    if (!pushRequest(lane.requests, lane.shared, request)) return false
    this.#publishSoon()
    lane.inFlight++
    return true
  }

  /**
   * One wake-up for all orders of a turn of the loop: each costs main as much as an order does. In
   * a flood one turn reads thousands, so many enough are shown before it ends.
   */
  #publishSoon(): void {
    if (++this.#unpublished === PUBLISH_AT) this.#publish()
    if (this.#publishDue) return
    this.#publishDue = true
    setImmediate(() => {
      this.#publishDue = false
      this.#publish()
    })
  }

  #publish(): void {
    this.#unpublished = 0
    for (const lane of this.#lanes) lane.requests.publish()
  }

  #leastLoaded(): Lane {
    let least = this.#lanes[0]
    for (const lane of this.#lanes) if (lane.inFlight < least.inFlight) least = lane
    return least
  }

  addToken(token: TokenEntry): void {
    const { tokenId, profileId, account, scopes } = token
    const secretBase64 = Buffer.from(token.secret).toString('base64')
    const tokenRef = this.#tokenIds.push(tokenId) - 1
    this.#tell({ kind: 'token', tokenId, tokenRef, profileId, account, scopes, secretBase64 })
  }

  revokeToken(tokenId: string): void {
    this.#tell({ kind: 'revoke', tokenId })
  }

  addMarket(market: MarketEntry): void {
    const { marketId, slug, yesTokenId, noTokenId, exchangeAddress, feeEnabled } = market
    const ids = { marketId, slug, yesTokenId, noTokenId, exchangeAddress }
    this.#tell({ kind: 'market', ...ids, feeEnabled })
  }

  /** Makes a profile known, or known anew; nothing for one without partner and wallet. */
  putProfile(profile: ProfileEntry | null): void {
    if (profile !== null) this.#tell({ kind: 'profile', ...profile })
  }

  #tell(change: DirectoryChange): void {
    if (this.#lanes.length === 0) {
      this.#directory.apply(change)
      return
    }
    const bytes = Buffer.from(JSON.stringify(change), 'utf8')
    for (const lane of this.#lanes) {
      lane.waiting.push(bytes)
      this.#flush(lane)
    }
  }

  /** True when no change of this lane waits any more. */
  #flush(lane: Lane): boolean {
    let sent = 0
    while (sent < lane.waiting.length && lane.requests.push(TO_INTAKE.CHANGE, lane.waiting[sent])) {
      sent++
    }
    lane.waiting.splice(0, sent)
    lane.requests.publish()
    if (lane.waiting.length === 0) return true
    this.#flushSoon()
    return false
  }

  /** A thread that takes changes gives no results, so nothing else would say that there is room. */
  #flushSoon(): void {
    if (this.#flushTimer !== undefined || this.#isStopping) return
    this.#flushTimer = setTimeout(() => {
      this.#flushTimer = undefined
      for (const lane of this.#lanes) if (lane.waiting.length > 0) this.#flush(lane)
    }, FLUSH_RETRY_MS)
  }

  /** Results stay in their rings until `resume`; a thread whose ring is full waits. */
  hold(): void {
    this.#isHeld = true
  }

  resume(): void {
    this.#isHeld = false
    for (const lane of this.#lanes) this.#drain(lane)
  }

  #drain(lane: Lane): void {
    if (this.#isHeld) return
    const { results } = lane
    do {
      while (results.next()) {
        if (results.tag === FROM_INTAKE.READY) this.#laneReady(lane)
        else this.#answer(lane, results.bytes)
      }
      results.release()
    } while (!results.arm())
  }

  #laneReady(lane: Lane): void {
    lane.isReady = true
    if (this.#lanes.every((each) => each.isReady)) this.#onReady()
  }

  #answer(lane: Lane, result: Uint8Array): void {
    if (this.#deliver(result)) lane.inFlight--
    assert(lane.inFlight >= 0, 'a result answers a request')
  }

  /** True when it was the last of its request. */
  #deliver(result: Uint8Array): boolean {
    const view = Buffer.from(result.buffer, result.byteOffset, result.length)
    const recordEnd = RESULT.record + view.readUInt32LE(RESULT.recordBytes)
    const textEnd = recordEnd + view.readUInt32LE(RESULT.textBytes)
    const taskEnd = textEnd + view.readUInt16LE(RESULT.taskBytes)
    assert(taskEnd === view.length, 'a result is its parts')
    const found = this.#resultOf(view, recordEnd, textEnd)
    const count = view[RESULT.count]
    if (count === 0) {
      this.#options.onResult(found)
      return true
    }
    const index = view[RESULT.index]
    const task = view.toString('utf8', textEnd, taskEnd)
    const isWhole = count === WHOLE_GROUP
    this.#options.onPart?.(found, { index, count: isWhole ? 0 : count, task })
    return isWhole || index === count - 1
  }

  #resultOf(view: Buffer, recordEnd: number, textEnd: number): IntakeResult {
    const rejectCode = view.readUInt16LE(RESULT.rejectCode)
    const tokenId = this.#tokenIds[view.readUInt32LE(RESULT.tokenRef)]
    if (rejectCode !== REJECT.NONE) {
      return {
        kind: 'refused',
        requestId: view.readUInt32LE(RESULT.requestId),
        rejectCode,
        profileId: view.readUInt32LE(RESULT.profileId),
        actorId: view.readUInt32LE(RESULT.actorId),
        tokenId,
        issues: view.toString('utf8', recordEnd, textEnd),
      }
    }
    const order = this.#order
    const verdict = view[RESULT.verdict]
    order.requestId = view.readUInt32LE(RESULT.requestId)
    order.profileId = view.readUInt32LE(RESULT.profileId)
    order.actorId = view.readUInt32LE(RESULT.actorId)
    order.tokenId = tokenId
    order.ownerId = view.readDoubleLE(RESULT.ownerId)
    order.timestampMs = view.readDoubleLE(RESULT.timestampMs)
    order.recvWindowMs = view.readUInt32LE(RESULT.recvWindowMs)
    order.signedFeeBps = view.readUInt16LE(RESULT.record + PLACE.signedFeeBps)
    order.signatureOk = (verdict & VERDICT.signatureOk) !== 0
    order.signerIsMaker = (verdict & VERDICT.signerIsMaker) !== 0
    order.signerIsAccount = (verdict & VERDICT.signerIsAccount) !== 0
    order.makerIsAccount = (verdict & VERDICT.makerIsAccount) !== 0
    order.record = view.subarray(RESULT.record, recordEnd)
    // Digits, addresses and names of ours: nothing in it is outside ASCII.
    order.echo = view.toString('latin1', recordEnd, textEnd)
    return order
  }

  /** Requests given and not yet answered, for metrics and for a stop that waits. */
  inFlight(): number {
    let count = 0
    for (const lane of this.#lanes) count += lane.inFlight
    return count
  }

  async stop(): Promise<void> {
    this.#isStopping = true
    clearTimeout(this.#flushTimer)
    await Promise.all(this.#lanes.map((lane) => lane.worker.terminate()))
  }
}
