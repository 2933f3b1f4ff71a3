// Turns bytes into calls and outcomes into bytes.
// Invariants: a native request is copied before anything waits. A response is written at most once,
// in a cork, and never after its connection ended. Each turn ends exactly once; a room counts it
// until its reply is out. A fault costs its call (500 with a fault id) and its connection (design
// §11).

import type * as library from 'uWebSockets.js'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { assert } from '../../../../engine/domain/assert.ts'
import { LIMITS } from '../../../../engine/domain/limits.ts'
import { edgePoint } from '../../../../engine/thread/fault-point.ts'
import { announcedBytes, type Caller, copied } from '../call.ts'
import { Refusal, refuse } from '../refusal.ts'
import { type Header, Pending } from '../reply.ts'
import { Router } from '../router.ts'
import { Admission } from './admission.ts'
import { BodyReader } from './body-reader.ts'
import { Bulkheads } from './bulkheads.ts'
import { CallerAddresses } from './caller-address.ts'
import { CallsWithin } from './calls-within.ts'
import { ANY_ADDRESS, Connections } from './connections.ts'
import { type Entry, entryOf, ofForm, readCall } from './entry.ts'
import type { GatewayOptions } from './gateway-options.ts'
import { Apps } from './listening/apps.ts'
import { uWS } from './native-library.ts'
import { ParseEnd } from './parse-end.ts'
import { rateLines } from './rate-lines.ts'
import { cacheOf, encoded, type Outgoing, statedBy, verify } from './replies/outgoing.ts'
import { ReplyHeads } from './replies/reply-heads.ts'
import { UnreadReplies, writeAndClose } from './replies/unread-replies.ts'
import { type SocketBounds, SocketPort, type UpgradeGate } from './socket-port.ts'
import { begun, type Turn } from './turn.ts'

export class Gateway<S> {
  readonly apps: Apps
  private readonly options: GatewayOptions<S>
  private readonly clock: () => number
  private readonly bodyBytesMax: number
  private readonly addresses: CallerAddresses
  private readonly router = new Router<Entry<S>>()
  private readonly bodies: BodyReader<S>
  private readonly within: CallsWithin<S>
  private readonly admission: Admission<S>
  readonly bulkheads: Bulkheads
  readonly connections: Connections
  readonly replies: UnreadReplies
  readonly heads: ReplyHeads
  private listenSocket: library.us_listen_socket | null = null
  private onIdle: (() => void) | null = null
  private stopping = false
  private readonly parseEnd = new ParseEnd()
  /** The turn whose request the library is handing over. */
  private receiving: Turn<S> | null = null

  constructor(options: GatewayOptions<S>) {
    this.options = options
    this.clock = options.clock ?? (() => performance.now())
    this.bodyBytesMax = options.bodyBytesMax ?? LIMITS.bodyBytesMax
    this.bulkheads = new Bulkheads(options.bulkheads)
    this.connections = new Connections(options.connections ?? ANY_ADDRESS, this.clock)
    this.replies = new UnreadReplies(options.unreadReplyBytes ?? LIMITS.unreadReplyBytes)
    this.heads = new ReplyHeads(options.cors ?? null, (error) => options.onFault(error, 'reply'))
    this.bodies = new BodyReader({
      clock: this.clock,
      firstMs: options.bodyFirstMs ?? LIMITS.bodyFirstMs,
      deadlineMs: options.bodyDeadlineMs ?? LIMITS.bodyDeadlineMs,
      bytesMax: this.bodyBytesMax,
      onWhole: (turn) => this.whole(turn),
      onRefused: (turn, refusal) => this.refuseEarly(turn, refusal, true),
      onFault: (turn, error) => this.fault(turn, error),
    })
    this.addresses = new CallerAddresses(options)
    this.within = new CallsWithin(options, this.bulkheads)
    const { bulkheads, addresses } = this
    const isStopping = () => this.stopping
    this.admission = new Admission({ options, bulkheads, addresses, isStopping })
    this.apps = new Apps(uWS, options.tls)
    for (const each of options.routes) this.router.add(each.method, each.path, entryOf(each))
    this.apps.each((app) => {
      app.any('/*', (response, request) => this.receive(response, request))
      app.filter((response, change) => this.count(response, change))
    })
  }

  /** The library does not say which connection ended; of a WebSocket's end it says nothing. */
  private count(response: library.HttpResponse, change: number): void {
    try {
      if (change > 0) this.connections.opened(response)
      else this.connections.ended()
    } catch (error) {
      this.options.onFault(error, 'http')
    }
  }

  /** Gives the port to which a WebSocket library attaches; call before `listen`. */
  sockets(bounds: SocketBounds): SocketPort {
    const gate: UpgradeGate = (response, headers) => {
      if (this.stopping) return refuse('NOT_READY')
      const key = this.addresses.keyOf(response, headers)
      const waitSec = this.addresses.waitSec(key, 'public', this.clock())
      if (waitSec > 0) return refuse('RATE_LIMITED', undefined, waitSec)
      return this.addresses.ownerOf(response, headers)
    }
    return new SocketPort(this.apps, bounds, gate, () => this.connections.ended())
  }

  /** Starts to listen and gives the port; 0 picks one. */
  async listen(host: string, port: number): Promise<number> {
    this.listenSocket = await this.apps.listen(host, port)
    return uWS.us_socket_local_port(this.listenSocket)
  }

  /** Requests under way, including those whose reply is not out. */
  get inFlight(): number {
    return this.bulkheads.count
  }

  /** Takes no more connections, waits for requests in flight, then closes the connections. */
  async stop(): Promise<void> {
    this.stopping = true
    if (this.listenSocket !== null) uWS.us_listen_socket_close(this.listenSocket)
    this.listenSocket = null
    this.bodies.stop()
    if (this.inFlight > 0) {
      await new Promise<void>((resolve) => {
        this.onIdle = resolve
      })
    }
    // One turn later the last reply is with the kernel.
    await nextTurn()
    this.apps.close()
  }

  /** The library ends the process when this throws. */
  private receive(response: library.HttpResponse, request: library.HttpRequest): void {
    let turn: Turn<S> | null = null
    try {
      turn = this.turnOf(response, request)
      this.receiving = turn
      this.admit(turn)
    } catch (error) {
      if (turn !== null) this.fault(turn, error)
      else {
        this.options.onFault(error, 'http')
        response.close()
      }
    }
    this.receiving = null
    if (turn !== null) this.watch(turn)
  }

  /** Most turns have ended here, and nothing of them is left to abort. */
  private watch(turn: Turn<S>): void {
    if (turn.ended && turn.unread === null) return
    turn.response.onAborted(() => this.abort(turn))
  }

  private turnOf(response: library.HttpResponse, request: library.HttpRequest): Turn<S> {
    const call = copied(request, this.clock())
    // HEAD is GET without the body.
    const method = call.method === 'HEAD' ? 'GET' : call.method
    const found = this.router.find(method, call.path)
    const isOperators = found.target?.route.rateClass === 'admin'
    const from = isOperators ? this.addresses.of(response, call.headers) : ''
    call.isOwn = this.options.ownCalls?.isMarked(call.headers) === true
    const address = call.isOwn === true ? '' : this.addresses.keyOf(response, call.headers)
    const turn = begun(response, call, found, { from, address })
    if (turn.route?.rateClass === 'auth') call.from = this.addresses.of(response, call.headers)
    return turn
  }

  private admit(turn: Turn<S>): void {
    edgePoint('at-receive')
    const { call } = turn
    const misframed = this.admission.framing(turn)
    if (misframed !== null) {
      this.refuseMisframed(turn, misframed)
      return
    }
    const bodyBytes = announcedBytes(call)
    const isTooLarge = bodyBytes > this.bodyBytesMax
    const refusal = this.admission.ofHead(turn, bodyBytes > 0)
    if (refusal !== null) {
      this.refuseEarly(turn, refusal, isTooLarge || this.stopping)
      return
    }
    if (isTooLarge) {
      this.refuseEarly(turn, refuse('BODY_TOO_LARGE'), true)
      return
    }
    if (bodyBytes === 0) this.whole(turn)
    else {
      this.bulkheads.enter(turn, 'bodies')
      this.bodies.read(turn)
    }
  }

  /** The request is complete: from here on it is counted in the room of its own kind. */
  private whole(turn: Turn<S>): void {
    const { entry, address } = turn
    assert(entry !== null, 'an admitted turn has a route')
    const { bulkhead } = entry.route
    const refusal = this.bulkheads.refusal(bulkhead, address)
    if (refusal !== null) {
      this.refuseEarly(turn, refusal, false)
      return
    }
    this.bulkheads.enter(turn, bulkhead)
    if (entry.changes) this.later(turn, this.parseEnd.next(), () => this.begin(turn, entry))
    else this.prove(turn, entry)
  }

  /** From here on, later bytes of the connection stay in the kernel until the reply is written. */
  private begin(turn: Turn<S>, entry: Entry<S>): void {
    if (turn.aborted) {
      this.end(turn, 0, null)
      return
    }
    turn.response.pause()
    turn.paused = true
    this.prove(turn, entry)
  }

  private prove(turn: Turn<S>, entry: Entry<S>): void {
    try {
      edgePoint('at-prove')
      const { raw, auth } = entry.route
      const isOpen = auth.accepts.length === 0 && auth.welcomes === undefined
      if (raw || isOpen) {
        this.run(turn, entry, null)
        return
      }
      const proof = this.options.authenticate(turn.call, auth)
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
      this.finish(turn, entry, proof)
      return
    }
    turn.caller = proof
    const outcome = this.admission.ofCaller(turn, entry, proof) ?? this.handle(turn, entry, proof)
    if (outcome instanceof Pending) {
      outcome.whenDone(
        (settled) => this.finish(turn, entry, settled),
        (error) => this.fault(turn, error, 'reply'),
      )
      return
    }
    if (!(outcome instanceof Promise)) {
      this.finish(turn, entry, outcome)
      return
    }
    this.later(turn, outcome, (settled) => this.finish(turn, entry, settled))
  }

  private handle(turn: Turn<S>, entry: Entry<S>, caller: Caller | null): unknown {
    const { route } = entry
    const { call, address } = turn
    call.readMs = this.clock()
    this.within.charged.begin({ call, route, address, caller })
    edgePoint('at-parse')
    const read = readCall(entry, turn.values, call, caller)
    if (read instanceof Refusal) return ofForm(route, read)
    edgePoint('at-handle')
    const { services, ownerOfCall } = this.options
    return ofForm(route, route.run(read, services, ownerOfCall, this.within.call))
  }

  private answer(turn: Turn<S>, { route }: Entry<S>, outcome: unknown): void {
    edgePoint('at-reply')
    const stated = statedBy(outcome)
    if (this.options.verifyReplies === true) verify(route, stated)
    this.send(
      turn,
      this.heads.of(turn.call, cacheOf(route, outcome), encoded(stated, route.status)),
    )
  }

  /** May run in the code that settles the outcome, which must not feel a fault of the reply. */
  private finish(turn: Turn<S>, entry: Entry<S>, outcome: unknown): void {
    try {
      this.answer(turn, entry, outcome)
    } catch (error) {
      this.fault(turn, error, 'reply')
    }
  }

  private refuseEarly(turn: Turn<S>, refusal: Refusal, close: boolean): void {
    const { call, allow } = turn
    const isMethod = refusal.name === 'METHOD_NOT_ALLOWED'
    const preflight = isMethod ? this.heads.preflight(call, allow) : null
    const headers: Header[] = isMethod ? [this.heads.allow(allow)] : []
    this.send(turn, { ...(preflight ?? this.heads.ofRefusal(call, refusal, headers)), close })
  }

  /** Where such a request ends is in doubt, so the library must parse nothing behind its head. */
  private refuseMisframed(turn: Turn<S>, refusal: Refusal): void {
    const { call, response } = turn
    if (call.method === 'HEAD') {
      // Without a body the reply is gathered. While the call is pending, no other request is run.
      this.later(turn, nextTurn(), () => this.refuseEarly(turn, refusal, true))
      return
    }
    const out = this.heads.ofRefusal(call, refusal, [])
    turn.written = true
    writeAndClose(response, out, rateLines(this.options, turn, out))
    this.end(turn, out.status, out.refusal)
  }

  private send(turn: Turn<S>, out: Outgoing): void {
    if (turn.ended) return
    if (turn.aborted) {
      this.end(turn, 0, null)
      return
    }
    const { response, address, call } = turn
    turn.written = true
    call.charges?.replied(out.payload.length)
    if (turn.paused) response.resume()
    turn.paused = false
    const isOut = this.replies.write(response, out, {
      isHead: call.method === 'HEAD',
      isLast: this.connections.isCrowded,
      isCorked: this.receiving === turn,
      more: rateLines(this.options, turn, out),
    })
    if (!isOut) {
      const unread = this.replies.keep(response, out, address, () => this.letGo(turn))
      if (unread === 'full') response.close()
      else turn.unread = unread
    }
    this.end(turn, out.status, out.refusal)
  }

  private later<T>(turn: Turn<S>, promise: Promise<T>, next: (value: T) => void): void {
    promise.then(next).catch((error: unknown) => this.fault(turn, error))
  }

  /** Never throws, because no caller of it would catch. */
  private fault(turn: Turn<S>, error: unknown, edge: 'http' | 'reply' = 'http'): void {
    const faultId = this.options.onFault(error, edge)
    this.bodies.ends(turn)
    if (turn.ended) return
    try {
      if (!turn.written) this.refuseEarly(turn, refuse('INTERNAL', { faultId }), true)
    } catch (again) {
      this.options.onFault(again, 'reply')
    }
    if (turn.ended) return
    if (!turn.aborted) turn.response.close()
    this.end(turn, 0, null)
  }

  private abort(turn: Turn<S>): void {
    turn.aborted = true
    turn.call.isGone = true
    if (turn.unread !== null) this.letGo(turn)
    // A handler at work ends its own turn when it is done.
    if (this.bodies.ends(turn)) this.end(turn, 0, null)
  }

  private end(turn: Turn<S>, status: number, refusal: string | null): void {
    if (turn.ended) return
    turn.ended = true
    turn.status = status
    turn.refusal = refusal
    turn.endedMs = this.clock()
    this.observe(turn)
    if (turn.unread === null) this.letGo(turn)
  }

  /** Frees what a turn occupies, when its reply is out or its connection has ended. */
  private letGo(turn: Turn<S>): void {
    if (turn.unread !== null) this.replies.free(turn.unread)
    turn.unread = null
    this.bulkheads.leave(turn)
    if (this.inFlight === 0) this.onIdle?.()
  }

  /** A fault of the observer does not change the call. */
  private observe(turn: Turn<S>): void {
    try {
      this.options.observe?.(turn)
    } catch (error) {
      this.options.onFault(error, 'http')
    }
  }
}
