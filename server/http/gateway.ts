// The only importer of uWebSockets.js: bytes from sockets become calls, outcomes become bytes.
// Invariants: everything is copied out of the native request before anything may wait; a response
// is written at most once, in a cork, and never after its connection ended; `inFlight` counts the
// turns between their admission and their end, and each turn ends exactly once.

import uWS from 'uWebSockets.js'
import { assert } from '../../engine/domain/assert.ts'
import { LIMITS } from '../../engine/domain/limits.ts'
import { Slab } from '../../engine/domain/slab.ts'
import {
  announcedBytes,
  type Call,
  type Caller,
  copied,
  header,
  joinChunks,
  NO_BYTES,
} from './call.ts'
import { CallerAddresses } from './caller-address.ts'
import { listenAlone } from './listen.ts'
import { encoded, type Outgoing, sizeOf, statusLine, verify } from './outgoing.ts'
import type { RateLimiter } from './rate-limit.ts'
import { invalid, Refusal, refuse } from './refusal.ts'
import { isBarred, isTrading, type Regions } from './regions.ts'
import { type Header, Pending } from './reply.ts'
import { type Field, readingOf, readJson, readParams, readQuery } from './request-text.ts'
import type { Guarded, Route, Seen } from './route.ts'
import { assertNames, type Found, pathNames, Router } from './router.ts'
import { type SocketBounds, SocketPort } from './socket-port.ts'

export interface GatewayOptions<S> {
  readonly routes: readonly Route<S>[]
  readonly services: S
  /** Proves the caller of every route that is neither open nor raw. */
  readonly authenticate: (call: Call, auth: Guarded) => Caller | Refusal | Promise<Caller | Refusal>
  /** An exception is a bug: this ends the process. */
  readonly onFault: (error: unknown) => void
  readonly addressLimiter?: RateLimiter<string> | null
  readonly profileLimiter?: RateLimiter<number> | null
  /** In which a trusted proxy names the caller's address, lower case; absent: there is none. */
  readonly addressHeader?: string | undefined
  /** Where trading is refused; absent: nowhere. */
  readonly regions?: Regions | undefined
  readonly observe?: (seen: Seen) => void
  /** Monotonic milliseconds. */
  readonly clock?: () => number
  readonly tls?: { readonly certFile: string; readonly keyFile: string }
  readonly bodyDeadlineMs?: number
  readonly bodyBytesMax?: number
  readonly inFlightMax?: number
  /**
   * Tests: a reply its route's schema does not allow, or a refusal it does not name, is a fault.
   */
  readonly verifyReplies?: boolean
}

/** A route with what the router works out once. */
interface Entry<S> {
  readonly route: Route<S>
  readonly params: readonly Field[]
  readonly query: ReadonlyMap<string, Field>
}

/** One request on its way: from its first byte to its end, when it is also what was seen. */
interface Turn<S> extends Seen {
  readonly response: uWS.HttpResponse
  readonly entry: Entry<S> | null
  readonly values: readonly string[]
  status: number
  refusal: string | null
  endedMs: number
  admitted: boolean
  aborted: boolean
  ended: boolean
  /** Among those whose body is on its way; 0 for none. */
  readingAt: number
}

export class Gateway<S> {
  private readonly app: uWS.TemplatedApp
  private readonly options: GatewayOptions<S>
  private readonly clock: () => number
  private readonly bodyDeadlineMs: number
  private readonly bodyBytesMax: number
  private readonly inFlightMax: number
  private readonly addresses: CallerAddresses
  private readonly router = new Router<Entry<S>>()
  /** Turns whose body is on its way: one timer serves them all. */
  private readonly reading = new Slab<Turn<S>>()
  private readingTimer: NodeJS.Timeout | null = null
  private listenSocket: uWS.us_listen_socket | null = null
  private onIdle: (() => void) | null = null
  private stopping = false
  inFlight = 0

  constructor(options: GatewayOptions<S>) {
    this.options = options
    this.clock = options.clock ?? (() => performance.now())
    this.bodyDeadlineMs = options.bodyDeadlineMs ?? 10_000
    this.bodyBytesMax = options.bodyBytesMax ?? LIMITS.bodyBytesMax
    this.inFlightMax = options.inFlightMax ?? LIMITS.inFlightMax
    this.addresses = new CallerAddresses(
      options.addressLimiter ?? null,
      options.addressHeader ?? '',
    )
    const { tls } = options
    this.app =
      tls === undefined
        ? uWS.App()
        : uWS.SSLApp({ cert_file_name: tls.certFile, key_file_name: tls.keyFile })
    for (const route of options.routes) this.add(route)
    this.app.any('/*', (response, request) => this.receive(response, request))
  }

  private add(route: Route<S>): void {
    assertNames(route.path, route.params)
    const reading = readingOf(route.params)
    const params = pathNames(route.path).flatMap((name) => reading.get(name) ?? [])
    this.router.add(route.method, route.path, { route, params, query: readingOf(route.query) })
  }

  /** Where a WebSocket library may attach; call before `listen`. */
  sockets(bounds: SocketBounds): SocketPort {
    return new SocketPort(this.app, bounds, (response, request) => {
      if (this.stopping) return refuse('NOT_READY')
      const waitSec = this.addresses.upgradeWaitSec(response, request, this.clock())
      return waitSec > 0 ? refuse('RATE_LIMITED', undefined, waitSec) : null
    })
  }

  /** Starts to listen and gives the port; 0 picks one. */
  async listen(host: string, port: number): Promise<number> {
    this.listenSocket = await listenAlone(this.app, host, port)
    return uWS.us_socket_local_port(this.listenSocket)
  }

  /** Takes no more connections, lets what is in flight finish, then closes what is left. */
  async stop(): Promise<void> {
    this.stopping = true
    if (this.listenSocket !== null) uWS.us_listen_socket_close(this.listenSocket)
    this.listenSocket = null
    if (this.inFlight > 0) {
      await new Promise<void>((resolve) => {
        this.onIdle = resolve
      })
    }
    // One more turn of the loop: the last reply is then with the kernel.
    await new Promise((resolve) => setImmediate(resolve))
    this.app.close()
    if (this.readingTimer !== null) clearInterval(this.readingTimer)
  }

  private receive(response: uWS.HttpResponse, request: uWS.HttpRequest): void {
    const call = copied(request, this.clock())
    // HEAD is GET without the body.
    const method = call.method === 'HEAD' ? 'GET' : call.method
    const found = this.router.find(method, call.path)
    const turn: Turn<S> = {
      response,
      call,
      entry: found.target,
      route: found.target?.route ?? null,
      values: found.values,
      status: 0,
      refusal: null,
      endedMs: 0,
      from: found.target?.route.lane === 'admin' ? this.addresses.of(response, call.headers) : '',
      admitted: false,
      aborted: false,
      ended: false,
      readingAt: 0,
    }
    response.onAborted(() => this.abort(turn))
    const bodyBytes = announcedBytes(call)
    if (Number.isNaN(bodyBytes)) {
      this.refuseEarly(turn, refuse('BODY_MALFORMED'), true)
      return
    }
    const isTooLarge = bodyBytes > this.bodyBytesMax
    const refusal = this.gate(turn, found)
    if (refusal !== null) {
      this.refuseEarly(turn, refusal, isTooLarge || this.stopping)
      return
    }
    if (isTooLarge && bodyBytes !== Infinity) {
      this.refuseEarly(turn, refuse('BODY_TOO_LARGE'), true)
      return
    }
    turn.admitted = true
    this.inFlight++
    if (bodyBytes === 0) this.prove(turn)
    else this.readBody(turn)
  }

  /** What can be refused from the first lines alone, in the precedence of the refusals. */
  private gate({ response, call }: Turn<S>, found: Found<Entry<S>>): Refusal | null {
    if (this.stopping) return refuse('NOT_READY')
    if (this.inFlight >= this.inFlightMax) return refuse('OVERLOADED')
    const lane = found.target?.route.lane ?? 'public'
    const waitSec = this.addresses.waitSec(response, call.headers, lane, call.receivedMs)
    if (waitSec > 0) return refuse('RATE_LIMITED', undefined, waitSec)
    if (found.target !== null) {
      const { route } = found.target
      if (!route.hasRoom(this.options.services)) return refuse('OVERLOADED')
      const { regions } = this.options
      const isRefused = regions !== undefined && isTrading(route) && isBarred(regions, call.headers)
      return isRefused ? refuse('REGION_BLOCKED') : null
    }
    if (found.allow.length === 0) return refuse('PATH_NOT_FOUND')
    return refuse('METHOD_NOT_ALLOWED')
  }

  private readBody(turn: Turn<S>): void {
    const chunks: Uint8Array[] = []
    let sizeBytes = 0
    turn.readingAt = this.reading.put(turn)
    this.readingTimer ??= setInterval(() => this.dropSlow(), this.bodyDeadlineMs / 4).unref()
    turn.response.onData((chunk, isLast) => {
      if (turn.ended) return
      sizeBytes += chunk.byteLength
      if (sizeBytes > this.bodyBytesMax) {
        this.readingEnds(turn)
        this.refuseEarly(turn, refuse('BODY_TOO_LARGE'), true)
        return
      }
      // The chunk's memory is taken back when this returns; a raw route is done with it by then.
      const isWhole = isLast && chunks.length === 0 && turn.entry?.route.raw === true
      if (chunk.byteLength > 0) chunks.push(new Uint8Array(isWhole ? chunk : chunk.slice(0)))
      if (!isLast) return
      this.readingEnds(turn)
      turn.call.body = chunks.length === 1 ? chunks[0] : joinChunks(chunks, sizeBytes)
      this.prove(turn)
      if (isWhole) turn.call.body = NO_BYTES
    })
  }

  private dropSlow(): void {
    const startedBeforeMs = this.clock() - this.bodyDeadlineMs
    for (const turn of this.reading.all()) {
      if (turn.call.receivedMs > startedBeforeMs) continue
      this.readingEnds(turn)
      this.refuseEarly(turn, refuse('BODY_TIMEOUT'), true)
    }
    if (this.reading.count > 0 || this.readingTimer === null) return
    clearInterval(this.readingTimer)
    this.readingTimer = null
  }

  private prove(turn: Turn<S>): void {
    try {
      const { entry } = turn
      assert(entry !== null, 'a turn that was let in has a route')
      const isProven = entry.route.raw || entry.route.auth.accepts.length === 0
      if (isProven) {
        this.run(turn, entry, null)
        return
      }
      const proof = this.options.authenticate(turn.call, entry.route.auth)
      if (!(proof instanceof Promise)) {
        this.run(turn, entry, proof)
        return
      }
      this.later(turn, proof, (settled) => this.run(turn, entry, settled))
    } catch (error) {
      this.fault(turn, error)
    }
  }

  private run(turn: Turn<S>, entry: Entry<S>, proof: Caller | Refusal | null): void {
    if (turn.aborted) {
      this.end(turn, 0, null)
      return
    }
    if (proof instanceof Refusal) {
      this.answer(turn, entry, proof)
      return
    }
    const outcome = this.checkCaller(turn, entry, proof) ?? this.handle(turn, entry, proof)
    if (outcome instanceof Pending) {
      outcome.whenSettled((settled) => this.answerLater(turn, entry, settled))
      return
    }
    if (!(outcome instanceof Promise)) {
      this.answer(turn, entry, outcome)
      return
    }
    this.later(turn, outcome, (settled) => this.answer(turn, entry, settled))
  }

  private checkCaller(turn: Turn<S>, entry: Entry<S>, caller: Caller | null): Refusal | null {
    if (caller === null) return null
    const { route } = entry
    const key = caller.profileId
    const waitSec = this.options.profileLimiter?.take(key, route.lane, turn.call.receivedMs) ?? 0
    if (waitSec > 0) return refuse('RATE_LIMITED', undefined, waitSec)
    // A form on a foreign page can send a cookie, but never this content type.
    if (caller.via !== 'session' || route.method === 'GET') return null
    const type = header(turn.call, 'content-type').split(';')[0].trim().toLowerCase()
    return type === 'application/json' ? null : refuse('JSON_CONTENT_TYPE')
  }

  private handle(turn: Turn<S>, entry: Entry<S>, caller: Caller | null): unknown {
    const { route } = entry
    const { call } = turn
    call.readMs = this.clock()
    const isRead = route.body !== null && !route.raw
    const json = isRead ? readJson(call.body) : { value: undefined }
    if (json === null) return refuse('BODY_MALFORMED')
    const params = readParams(entry.params, turn.values)
    const query = readQuery(entry.query, call.query)
    const issues = [...params.issues, ...query.issues]
    if (issues.length > 0) return invalid(...issues)
    const unchecked = { params: params.values, query: query.values, body: json.value, caller, call }
    return route.run(unchecked, this.options.services)
  }

  private answer(turn: Turn<S>, entry: Entry<S>, outcome: unknown): void {
    const { route } = entry
    if (this.options.verifyReplies === true) verify(route, outcome)
    // What one caller may see must not stay in a shared cache.
    const headers: Header[] = route.auth.accepts.length > 0 ? [['cache-control', 'no-store']] : []
    this.send(turn, encoded(outcome, route.status, headers))
  }

  /** Runs inside whoever settles: a fault must not become theirs. */
  private answerLater(turn: Turn<S>, entry: Entry<S>, outcome: unknown): void {
    try {
      this.answer(turn, entry, outcome)
    } catch (error) {
      this.fault(turn, error)
    }
  }

  private refuseEarly(turn: Turn<S>, refusal: Refusal, close: boolean): void {
    const isMethod = refusal.name === 'METHOD_NOT_ALLOWED'
    const allow = isMethod ? this.router.find('', turn.call.path).allow : []
    const headers: Header[] = isMethod ? [['allow', allow.join(', ')]] : []
    this.send(turn, { ...encoded(refusal, refusal.status, headers), close })
  }

  private send(turn: Turn<S>, out: Outgoing): void {
    if (turn.ended) return
    if (turn.aborted) {
      this.end(turn, 0, null)
      return
    }
    const { response } = turn
    response.cork(() => {
      response.writeStatus(statusLine(out.status))
      if (out.payload.length > 0) response.writeHeader('content-type', out.type)
      for (const [name, value] of out.headers) response.writeHeader(name, value)
      // Not even undefined: the library would print it as a length of 2^63.
      if (out.status === 204) response.endWithoutBody()
      else if (turn.call.method === 'HEAD') response.endWithoutBody(sizeOf(out), out.close)
      else response.end(out.payload, out.close)
    })
    this.end(turn, out.status, out.refusal)
  }

  private later<T>(turn: Turn<S>, promise: Promise<T>, next: (value: T) => void): void {
    promise.then(next).catch((error: unknown) => this.fault(turn, error))
  }

  private fault(turn: Turn<S>, error: unknown): void {
    if (!turn.ended && !turn.aborted) turn.response.close()
    this.end(turn, 0, null)
    this.options.onFault(error)
  }

  private abort(turn: Turn<S>): void {
    turn.aborted = true
    // A handler at work ends its turn itself, when it is done.
    if (this.readingEnds(turn)) this.end(turn, 0, null)
  }

  /** False when its body was not on its way. */
  private readingEnds(turn: Turn<S>): boolean {
    if (turn.readingAt === 0) return false
    this.reading.take(turn.readingAt)
    turn.readingAt = 0
    return true
  }

  private end(turn: Turn<S>, status: number, refusal: string | null): void {
    if (turn.ended) return
    turn.ended = true
    if (turn.admitted) this.inFlight--
    turn.status = status
    turn.refusal = refusal
    turn.endedMs = this.clock()
    this.options.observe?.(turn)
    if (this.inFlight === 0) this.onIdle?.()
  }
}
