// The requests of an edge thread, from their heads until their replies are out or their connections
// have ended. The core gets the frames of a request in their order. A signed order is checked here,
// so the core gets its verdict in place of the last bytes of its body. When the whole order came in
// one read, the core gets its head only then, and no head if nothing in it matters there.

import type * as library from 'uWebSockets.js'
import { assert } from '../../../engine/domain/assert.ts'
import { type BulkheadName, LIMITS } from '../../../engine/domain/limits.ts'
import { MS_PER_SEC } from '../../../engine/domain/units.ts'
import { threadPoint } from '../../../engine/thread/fault-point.ts'
import { type ApiHeaders, apiHeaders } from '../../auth/guard.ts'
import { headerTarget, ON_BEHALF_OF } from '../../auth/on-behalf.ts'
import { announcedBytes, type Call } from '../../messages/call.ts'
import { partsBytes, writeParts } from '../../messages/parts.ts'
import { type Refusal, refuse } from '../../messages/refusal.ts'
import { TOKEN } from '../http/access/charges.ts'
import { IDEMPOTENCY_KEY, idempotencyKeyOf } from '../http/access/idempotency-key.ts'
import { OWN_CALL_HEADER } from '../http/access/own-calls.ts'
import { Buckets, type RateLimiter, type Rates } from '../http/access/rate-limit.ts'
import { ClusterCell, MIN_SEQ } from '../http/forwarding/cluster-cell.ts'
import { copied } from '../http/gateway/body-reader.ts'
import { type BulkheadSizes, Bulkheads, type Guest } from '../http/gateway/bulkheads.ts'
import { CallerAddresses } from '../http/gateway/caller-address.ts'
import { framingRefusal } from '../http/gateway/framing.ts'
import type { NativeRequest, NativeResponse } from '../http/gateway/native.ts'
import { encoded, statusLine } from '../http/gateway/replies/outgoing.ts'
import { writeAndClose, written } from '../http/gateway/replies/unread-replies.ts'
import type { Intake } from '../intake/intake.ts'
import { hasOnePath, orderFormOf } from '../intake/order-forms.ts'
import type { EdgeCounter } from './edge-counts.ts'
import type { EdgeFrames } from './edge-frames.ts'
import { BODY, FLAG, FROM_EDGE, paddedBytes, REPLY_TEXT, TO_EDGE } from './edge-layout.ts'
import type { HeldResponse } from './held-response.ts'
import type { KeptReplies } from './kept-replies.ts'

/** How the orders of an exchange are checked. */
export interface OrderChecks {
  /** Edge threads of the exchange. */
  readonly threads: number
  readonly headerPrefixes: readonly string[]
  /** Null without limits. */
  readonly rates: { readonly address: Rates; readonly profile: Rates } | null
  readonly addressHeader?: string | undefined
  /** The header with the country of a caller; absent when no country is blocked. */
  readonly regionHeader?: string | undefined
  /** What a ClusterCell holds; absent for an exchange of one node. */
  readonly cluster?: SharedArrayBuffer | undefined
}

interface EdgeRequestsParts {
  readonly frames: EdgeFrames
  /** The commands of the core. */
  readonly commands: Buffer
  readonly checks: OrderChecks
  readonly intake: Intake
  readonly kept: KeptReplies
  readonly counter: EdgeCounter
  /** Null without limits. */
  readonly limit: AddressLimit | null
  /** True when new connections may be refused. */
  readonly isCrowded: () => boolean
  /** The wall clock of the exchange. */
  readonly nowMs: () => number
  /** Makes the changes of the directory that came before a request. */
  readonly beforeRequest: () => void
  readonly nextId: () => number
  /** Ends the thread. */
  readonly onBroken: (error: unknown) => void
}

interface Head {
  /** The index of the path in LISTEN. */
  readonly handler: number
  readonly call: Call
}

interface SignedOrder {
  readonly call: Call
  readonly form: number
  /** Nothing in its head matters to the core. */
  readonly isPlain: boolean
}

interface EdgeRequest extends Guest {
  readonly response: NativeResponse
  /** What the core does not know yet; null once it has the head. */
  head: Head | null
  /** Null for a request that is not checked here. */
  readonly order: SignedOrder | null
  /** The body of an order. */
  readonly chunks: Uint8Array[]
  /** Present for a request for a WebSocket. */
  readonly upgrade: Upgrade | null
  /** What its reader did not take of a long reply, and the offset of these bytes. */
  piece: Uint8Array | null
  pieceStart: number
  totalBytes: number
  /** The core has done its part; what is left counts in the bound of this thread. */
  isBounded: boolean
}

interface OpenOrder {
  readonly id: number
  readonly incoming: EdgeRequest
}

interface WholeOrder extends OpenOrder {
  readonly order: SignedOrder
}

export interface Upgrade {
  readonly key: string
  readonly protocol: string
  readonly extensions: string
  readonly context: library.us_socket_context_t
}

/** The data of a socket, for the library. */
export interface SocketData {
  readonly id: number
  readonly slot: number
}

const ORDERS_MIN = 128

/**
 * Orders of all threads are bounded like those in progress, so that others have capacity in the
 * rings and wait only briefly.
 */
function sizesFor(threads: number): BulkheadSizes {
  const all = Math.max(ORDERS_MIN, Math.ceil(LIMITS.ordersUnderWayMax / threads))
  return { ...LIMITS.bulkheads, orders: { ...LIMITS.bulkheads.orders, all } }
}

/** A check takes a tenth of a millisecond. */
const CHECK_SLICE_MS = 2

/** Headers for which a reply has other headers or limits. */
const NEEDS_CORE = ['origin', OWN_CALL_HEADER, 'upgrade', MIN_SEQ]
/** Headers of an order that the core reads. */
const ORDER_NEEDS_CORE = [...NEEDS_CORE, 'content-encoding', ON_BEHALF_OF, IDEMPOTENCY_KEY]

/** What the library writes by itself. */
const SWITCHING = '101 Switching Protocols'
/** Above it, a reader that does not take a bounded reply is disconnected. */
const UNREAD_BYTES_MAX = 8 << 20
const OVERLOADED = refuse('OVERLOADED')
const REFUSAL = { isLast: false, isCorked: true, more: '' }

/** The limit of an address on all threads together. */
export interface AddressLimit {
  readonly limiter: RateLimiter<string>
  /** The clock of its times, in ms. */
  readonly nowMs: () => number
}

/**
 * The rates of orders that one thread checks for an address, and for a token at an address. The
 * core counts the orders of all threads, so it would refuse what exceeds them. Nobody can use up
 * the rate of another caller's token, because the token counts together with the address.
 */
class CheckRates {
  readonly #addresses: Buckets<string>
  readonly #tokens: Buckets<string>

  constructor({ address, profile }: NonNullable<OrderChecks['rates']>) {
    this.#addresses = new Buckets(address.trade)
    this.#tokens = new Buckets(profile.trade)
  }

  /** Seconds that a caller must wait; 0 for none. */
  waitSec(address: string, apiKey: string): number {
    const nowMs = performance.now()
    const callerKey = `${address} ${apiKey}`
    const waitMs = this.#addresses.take(address, nowMs) || this.#tokens.take(callerKey, nowMs)
    return Math.ceil(waitMs / MS_PER_SEC)
  }
}

export class EdgeRequests {
  readonly #parts: EdgeRequestsParts
  /** Null without limits. */
  readonly #rates: CheckRates | null
  readonly #addresses: CallerAddresses
  /** Null for an exchange of one node. */
  readonly #cell: ClusterCell | null
  /** Requests that the core has not answered; they bound what is in the ring. */
  readonly #bulkheads: Bulkheads
  readonly #open = new Map<number, EdgeRequest>()
  /** Bytes of bounded replies that their readers did not take. */
  #unreadBytes = 0
  /** Orders with their whole bodies. */
  readonly #whole: WholeOrder[] = []
  /** Orders of this tick. The core gets the head of each that is not whole by its end. */
  #begun: OpenOrder[] = []

  constructor(parts: EdgeRequestsParts) {
    this.#parts = parts
    const { limit, checks } = parts
    const { rates, threads, addressHeader, cluster } = checks
    this.#cell = cluster === undefined ? null : new ClusterCell(cluster)
    this.#rates = rates === null ? null : new CheckRates(rates)
    this.#bulkheads = new Bulkheads(sizesFor(threads))
    this.#addresses = new CallerAddresses({
      addressLimiter: limit?.limiter,
      addressHeader,
      cell: this.#cell ?? undefined,
    })
    parts.frames.onSend(() => this.#checkOrders())
  }

  has(id: number): boolean {
    return this.#open.has(id)
  }

  /** An exception ends the connection that it is about. */
  contained(response: NativeResponse, work: () => void): void {
    try {
      work()
    } catch (error) {
      this.#parts.frames.fault(error)
      response.close()
    }
  }

  receive(
    handler: number,
    response: NativeResponse,
    request: NativeRequest,
    upgrade: Upgrade | null,
  ): void {
    const { frames, beforeRequest, nextId } = this.#parts
    beforeRequest()
    const call = copied(request, 0)
    const misframed = framingRefusal(call)
    if (misframed !== null) {
      refuseMisframed(response, call, misframed)
      return
    }
    const address = this.#addresses.keyOf(response, call)
    if (this.#sendKept(response, call, address)) return
    const form = orderFormOf(call.path)
    const isOrder = form !== undefined && call.method === 'POST'
    const bulkhead = isOrder ? 'orders' : bulkheadOf(call, upgrade)
    const full = this.#bulkheads.refusal(bulkhead, address)
    if (full !== null) {
      this.#refuse(response, call, full)
      return
    }
    const id = nextId()
    const bodyBytes = announcedBytes(call)
    // The core refuses an order without a body, or with one that is too long.
    const isWhole = bodyBytes > 0 && bodyBytes <= LIMITS.bodyBytesMax
    // The node that leads checks the orders that others give it.
    const isChecked = isOrder && isWhole && this.#cell?.decides !== false
    const head = { handler, call }
    const order = isChecked
      ? { call, form, isPlain: hasOnePath(form) && this.#isPlain(call) }
      : null
    const incoming = begun(response, address, { head, order, upgrade })
    if (!isChecked && !this.#giveHead(id, incoming, head)) {
      this.#refuse(response, call, OVERLOADED)
      return
    }
    this.#bulkheads.enter(incoming, bulkhead)
    this.#open.set(id, incoming)
    if (isChecked) {
      this.#begun.push({ id, incoming })
      frames.sendSoon()
    }
    response.onAborted(() => {
      if (!this.#close(id, incoming)) return
      if (incoming.isBounded) this.#unreadBytes -= incoming.piece?.length ?? 0
      else if (incoming.head === null) frames.give(FROM_EDGE.GONE, id)
    })
    if (bodyBytes === 0) return
    response.onData((chunk, isLast) => {
      this.contained(response, () => this.#takeData(id, incoming, new Uint8Array(chunk), isLast))
    })
  }

  #isPlain({ target, path, headers }: Call): boolean {
    const { regionHeader } = this.#parts.checks
    if (regionHeader !== undefined && headers.has(regionHeader)) return false
    return target === path && !ORDER_NEEDS_CORE.some((name) => headers.has(name))
  }

  /** Must be corked. */
  #refuse(response: NativeResponse, call: Call, refusal: Refusal): void {
    this.#parts.counter.refused(refusal.status)
    const isHead = call.method === 'HEAD'
    written(response, encoded(refusal, refusal.status), { ...REFUSAL, isHead })
  }

  /** False when the request was closed before. */
  #close(id: number, incoming: EdgeRequest): boolean {
    this.#bulkheads.leave(incoming)
    return this.#open.delete(id)
  }

  /** Answers with bytes that the core gave before; false when it must answer. */
  #sendKept(response: NativeResponse, call: Call, address: string): boolean {
    const { kept, counter, limit, isCrowded, nowMs } = this.#parts
    if (call.method !== 'GET' || kept.targets === 0 || announcedBytes(call) > 0) return false
    if (NEEDS_CORE.some((name) => call.headers.has(name)) || isCrowded()) return false
    const found = kept.find(call.target, call.headers, nowMs())
    if (found === null) return false
    const lines = limit === null ? '' : this.#paid(limit, address, found.body?.length ?? 0)
    if (lines === null) return false
    counter.answered(found.path, found.body === null)
    response.writeStatus(found.head + lines + (this.#cell?.seqLine ?? ''))
    if (found.body === null) response.endWithoutBody()
    else this.#sendShared(response, found.body, address)
    return true
  }

  /** Charges the address for a reply, and returns its RateLimit lines; null when it must wait. */
  #paid({ limiter, nowMs }: AddressLimit, address: string, bytes: number): string | null {
    const atMs = nowMs()
    if (limiter.take(address, 'public', atMs) > 0) return null
    const tokens = Math.floor(bytes / TOKEN.replyBytes)
    if (tokens > 0) limiter.charge(address, 'public', atMs, tokens)
    return limiter.linesOf(address, 'public', atMs)
  }

  /** All readers of a reply share its bytes, so unread ones are not counted. */
  #sendShared(response: NativeResponse, body: Uint8Array, address: string): void {
    const [, isOut] = response.tryEnd(body, body.length)
    if (isOut) return
    const id = this.#parts.nextId()
    const incoming = begun(response, address)
    this.#open.set(id, incoming)
    response.onAborted(() => void this.#close(id, incoming))
    response.onWritable((offset) => {
      const [isTaken, isAllOut] = response.tryEnd(body.subarray(offset), body.length)
      if (isAllOut) this.#close(id, incoming)
      return isTaken
    })
  }

  /** False when the ring is full: then the core does not know the request. */
  #giveHead(id: number, incoming: EdgeRequest, { handler, call }: Head): boolean {
    const { response, upgrade } = incoming
    const { frames } = this.#parts
    const address = Buffer.from(response.getRemoteAddressAsText()).toString()
    let lines = `${call.method}\n${call.path}\n${call.query}\n${address}\n`
    for (const [name, value] of call.headers) lines += `${name}\n${oneLine(value)}\n`
    const at = frames.reserve(FROM_EDGE.HEAD, BODY + Buffer.byteLength(lines))
    if (at < 0) return false
    let flags = upgrade === null ? 0 : FLAG.UPGRADE
    if (call.target !== call.path) flags |= FLAG.QUERY
    frames.buffer.writeUInt32LE(id, at)
    frames.buffer.writeUInt16LE(handler, at + 4)
    frames.buffer.writeUInt16LE(flags, at + 6)
    frames.buffer.write(lines, at + BODY)
    incoming.head = null
    return true
  }

  /** Gives the head of an order unless the core has it; false when the order was refused. */
  #announce(id: number, incoming: EdgeRequest): boolean {
    const { head } = incoming
    if (head === null || this.#giveHead(id, incoming, head)) return true
    this.#overload(id, incoming)
    return false
  }

  /** Refuses a call that the core does not know. */
  #overload(id: number, incoming: EdgeRequest): void {
    const { response, head } = incoming
    assert(head !== null, 'the core does not know a call that is refused here')
    this.#close(id, incoming)
    response.cork(() => this.#refuse(response, head.call, OVERLOADED))
  }

  /** Gives the heads of orders whose bodies are to come; the core bounds the time for these. */
  #announceBegun(): void {
    const orders = this.#begun
    this.#begun = []
    for (const { id, incoming } of orders) {
      const isDue = incoming.chunks.length === 0 && this.#open.get(id) === incoming
      if (isDue) this.contained(incoming.response, () => void this.#announce(id, incoming))
    }
  }

  #takeData(id: number, incoming: EdgeRequest, bytes: Uint8Array, isLast: boolean): void {
    if (this.#open.get(id) !== incoming) return
    const { order } = incoming
    if (order === null) {
      this.#giveData(id, incoming, bytes, isLast)
      return
    }
    // The library reuses the memory of the chunk.
    incoming.chunks.push(bytes.slice())
    if (isLast) {
      this.#whole.push({ id, incoming, order })
      this.#parts.frames.sendSoon()
    } else if (this.#announce(id, incoming)) {
      // The core bounds the bodies of all callers, and their time.
      this.#giveData(id, incoming, bytes, false)
    }
  }

  #giveData(id: number, incoming: EdgeRequest, bytes: Uint8Array, isLast: boolean): void {
    const { frames } = this.#parts
    const { response } = incoming
    if (frames.give(FROM_EDGE.DATA, id, isLast ? FLAG.LAST : 0, bytes)) return
    this.#close(id, incoming)
    frames.give(FROM_EDGE.GONE, id)
    response.close()
  }

  /**
   * Checks orders for a slice of time, so that other calls of the thread are read and answered in
   * between; true when more wait. Nothing is done for an order whose connection was ended by the
   * bytes behind it.
   */
  #checkOrders(): boolean {
    this.#announceBegun()
    const untilMs = performance.now() + CHECK_SLICE_MS
    let next = 0
    while (next < this.#whole.length && (next === 0 || performance.now() < untilMs)) {
      const { id, incoming, order } = this.#whole[next++]
      if (threadPoint('edge-ends')) this.#parts.onBroken(new Error('edge-ends'))
      if (this.#open.get(id) !== incoming) continue
      this.contained(incoming.response, () => this.#checkOrder(id, incoming, order))
    }
    this.#whole.splice(0, next)
    return this.#whole.length > 0
  }

  /** The core refuses an order that names no token. */
  #checkOrder(id: number, incoming: EdgeRequest, order: SignedOrder): void {
    const { chunks, head } = incoming
    const { frames, checks } = this.#parts
    const proof = apiHeaders(order.call, checks.headerPrefixes)
    const isPlain = head !== null && order.isPlain && proof.apiKey !== ''
    if (isPlain && !frames.isFull) {
      const results = this.#resultsOf(order, proof, incoming)
      if (!this.#giveOrders(id, incoming, order.form, results)) this.#overload(id, incoming)
      return
    }
    if (!this.#announce(id, incoming)) return
    if (proof.apiKey !== '') {
      const results = this.#resultsOf(order, proof, incoming)
      if (frames.giveParts(FROM_EDGE.VERDICT, id, results)) return
    }
    this.#giveData(id, incoming, chunks[chunks.length - 1], true)
  }

  /** The RESULTs of an order with its whole body. */
  #resultsOf({ call, form }: SignedOrder, proof: ApiHeaders, incoming: EdgeRequest): Uint8Array[] {
    const { intake, nowMs } = this.#parts
    const { address, chunks } = incoming
    const body = chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)
    const { method, target: pathWithQuery } = call
    const { apiKey, timestamp, signature } = proof
    const results: Uint8Array[] = []
    const waitSec = this.#rates?.waitSec(address, apiKey) ?? 0
    if (waitSec > 0) results.push(intake.limited(form, waitSec))
    else {
      const signed = { method, pathWithQuery, body, form, apiKey, timestamp, signature }
      const names = { onBehalfOf: headerTarget(call), idempotencyKey: idempotencyKeyOf(call) }
      intake.answer({ nowMs: nowMs(), ...signed, ...names }, (result) => {
        results.push(new Uint8Array(result))
      })
    }
    return results
  }

  /** Gives a call with its RESULTs. False when the ring is full: then the core does not know it. */
  #giveOrders(id: number, incoming: EdgeRequest, form: number, results: Uint8Array[]): boolean {
    const { frames } = this.#parts
    const { address } = incoming
    const addressBytes = Buffer.byteLength(address)
    const resultsAt = BODY + paddedBytes(addressBytes)
    const at = frames.reserve(FROM_EDGE.ORDERS, resultsAt + partsBytes(results))
    if (at < 0) return false
    frames.buffer.writeUInt32LE(id, at)
    frames.buffer.writeUInt16LE(form, at + 4)
    frames.buffer.writeUInt16LE(addressBytes, at + 6)
    frames.buffer.write(address, at + BODY)
    writeParts(frames.buffer, results, at + resultsAt)
    incoming.head = null
    return true
  }

  /** A command of the core for a request; false when the thread does not have it. */
  take(tag: number, id: number, at: number, end: number, held: HeldResponse): boolean {
    const incoming = this.#open.get(id)
    if (incoming === undefined) return false
    const { response } = incoming
    switch (tag) {
      case TO_EDGE.REPLY:
        this.#reply(id, incoming, at, end)
        break
      case TO_EDGE.PIECE:
        this.#piece(id, incoming, at, end)
        break
      case TO_EDGE.END:
        this.#close(id, incoming)
        response.close()
        break
      case TO_EDGE.PAUSE:
        response.pause()
        break
      case TO_EDGE.RESUME:
        response.resume()
        break
      case TO_EDGE.UPGRADE:
        this.#upgrade(id, incoming, at, end, held)
    }
    return true
  }

  #upgrade(id: number, incoming: EdgeRequest, at: number, end: number, held: HeldResponse): void {
    const { response, upgrade } = incoming
    if (upgrade === null) return
    this.#close(id, incoming)
    const { commands } = this.#parts
    const slot = commands.readUInt32LE(at + 4)
    const head = commands.toString('utf8', at + BODY, end)
    const { key, protocol, extensions, context } = upgrade
    held.cork(() => {
      if (head !== SWITCHING) response.writeStatus(head)
      response.upgrade<SocketData>({ id, slot }, key, protocol, extensions, context)
    })
  }

  #reply(id: number, incoming: EdgeRequest, at: number, end: number): void {
    const { commands } = this.#parts
    const { response } = incoming
    const flags = commands.readUInt32LE(at + 4)
    incoming.isBounded = (flags & FLAG.BOUNDED) !== 0
    if (incoming.isBounded) this.#bulkheads.leave(incoming)
    else this.#close(id, incoming)
    const bodyAt = at + REPLY_TEXT + commands.readUInt32LE(at + 8)
    const lengthPlus = commands.readUInt32LE(at + 12)
    const head = commands.toString('utf8', at + REPLY_TEXT, bodyAt)
    response.cork(() => {
      response.writeStatus(head)
      if (lengthPlus > 0) response.writeHeader('content-length', `${lengthPlus - 1}`)
      if (incoming.isBounded) {
        incoming.totalBytes = end - bodyAt
        this.#write(id, incoming, commands.subarray(bodyAt, end))
      } else if ((flags & FLAG.NO_BODY) !== 0) response.endWithoutBody()
      else response.end(commands.subarray(bodyAt, end), (flags & FLAG.CLOSE) !== 0)
    })
  }

  #piece(id: number, incoming: EdgeRequest, at: number, end: number): void {
    const { commands } = this.#parts
    const headBytes = commands.readUInt32LE(at + 4)
    const bodyAt = at + REPLY_TEXT + headBytes
    incoming.totalBytes = commands.readDoubleLE(at + 8)
    const { response } = incoming
    response.cork(() => {
      if (headBytes > 0) response.writeStatus(commands.toString('utf8', at + REPLY_TEXT, bodyAt))
      this.#write(id, incoming, commands.subarray(bodyAt, end))
    })
  }

  /** Writes the next bytes of a long reply, and asks for more once its reader took them. */
  #write(id: number, incoming: EdgeRequest, piece: Uint8Array): void {
    const { response, totalBytes, pieceStart } = incoming
    const [isTaken, isOut] = response.tryEnd(piece, totalBytes)
    const next = pieceStart + piece.length
    if (isOut || isTaken) {
      this.#written(id, incoming, isOut ? totalBytes : next)
      return
    }
    // The ring is reused, so what is left is kept here until the kernel drains.
    incoming.piece = Uint8Array.prototype.slice.call(piece)
    if (incoming.isBounded) {
      this.#unreadBytes += piece.length
      if (this.#unreadBytes > UNREAD_BYTES_MAX) {
        response.close()
        return
      }
    }
    response.onWritable((offset) => {
      const { piece: left } = incoming
      if (left === null) return true
      const rest = left.subarray(offset - incoming.pieceStart)
      const [isRestTaken, isAllOut] = response.tryEnd(rest, totalBytes)
      if (!isRestTaken && !isAllOut) return false
      this.#written(id, incoming, isAllOut ? totalBytes : next)
      return true
    })
  }

  #written(id: number, incoming: EdgeRequest, offset: number): void {
    if (incoming.isBounded) {
      this.#unreadBytes -= incoming.piece?.length ?? 0
      this.#close(id, incoming)
      return
    }
    incoming.piece = null
    incoming.pieceStart = offset
    if (offset === incoming.totalBytes) this.#close(id, incoming)
    const bytes = Buffer.alloc(8)
    bytes.writeDoubleLE(offset)
    this.#parts.frames.give(FROM_EDGE.WANT, id, 0, bytes)
  }
}

function begun(
  response: NativeResponse,
  address: string,
  {
    head = null,
    order = null,
    upgrade = null,
  }: Partial<Pick<EdgeRequest, 'head' | 'order' | 'upgrade'>> = {},
): EdgeRequest {
  return {
    response,
    head,
    order,
    chunks: [],
    upgrade,
    piece: null,
    pieceStart: 0,
    totalBytes: 0,
    isBounded: false,
    address,
    bulkhead: null,
    profileId: 0,
  }
}

const VITAL: ReadonlySet<string> = new Set(['/health', '/ready'])

/** The bulkhead of a request other than an order, as far as its head shows it. */
function bulkheadOf({ method, path }: Call, upgrade: Upgrade | null): BulkheadName {
  // A client may open hundreds of sockets at once.
  if (method === 'DELETE' || upgrade !== null) return 'frees'
  if (VITAL.has(path)) return 'vital'
  return method === 'GET' ? 'reads' : 'others'
}

/** The end of such a request is ambiguous, so the library must parse nothing after its head. */
function refuseMisframed(response: NativeResponse, call: Call, refusal: Refusal): void {
  const out = encoded(refusal, refusal.status)
  if (call.method !== 'HEAD') {
    writeAndClose(response, out)
    return
  }
  // A reply without a body is only buffered. While the call is pending, no other request runs.
  let isGone = false
  response.onAborted(() => {
    isGone = true
  })
  setImmediate(() => {
    if (isGone) return
    response.cork(() => {
      response.writeStatus(statusLine(refusal.status))
      response.end('', true)
    })
  })
}

/** A value must not look like two lines: a line feed cannot be part of a valid one. */
function oneLine(value: string): string {
  return value.includes('\n') ? value.replaceAll('\n', ' ') : value
}
