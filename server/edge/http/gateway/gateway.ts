// Turns bytes into calls, and replies into bytes.
// Invariants: a native request is copied before anything awaits. A response is written at most
// once, in a cork, and never after its connection ended. Each request ends exactly once; its
// bulkhead counts it until its reply is out. A fault costs its call (500 with a fault id) and its
// connection (design §11).

import { setImmediate as nextTick } from 'node:timers/promises'
import { assert } from '../../../../engine/domain/assert.ts'
import { LIMITS } from '../../../../engine/domain/limits.ts'
import { edgePoint } from '../../../../engine/thread/fault-point.ts'
import { announcedBytes, type Header } from '../../../messages/call.ts'
import { bytesOf } from '../../../messages/payload.ts'
import { invalid, Refusal, refuse } from '../../../messages/refusal.ts'
import type { Freshness } from '../../../messages/versions.ts'
import { MIN_SEQ } from '../forwarding/cluster-cell.ts'
import { Router } from '../router.ts'
import { Admission } from './admission.ts'
import { BodyReader, checkedCall, copied } from './body-reader.ts'
import { Bulkheads } from './bulkheads.ts'
import { CallDesk } from './call-desk.ts'
import { CallerAddresses } from './caller-address.ts'
import { ANY_ADDRESS, Connections } from './connections.ts'
import { type Entry, entryOf } from './entry.ts'
import type { ClusterLink, GatewayOptions } from './gateway-options.ts'
import { begun, type IncomingRequest } from './incoming-request.ts'
import { Apps } from './listening/apps.ts'
import type {
  CheckedOrders,
  Listener,
  NativeRequest,
  NativeResponse,
  OpenConnections,
} from './native.ts'
import { uWS } from './native-library.ts'
import { ParseEnd } from './parse-end.ts'
import { rateLines } from './rate-lines.ts'
import { codingOf, type Outgoing } from './replies/outgoing.ts'
import { ReplyHeads } from './replies/reply-heads.ts'
import { headText, UnreadReplies, writeAndClose } from './replies/unread-replies.ts'
import { type SocketBounds, SocketPort, type UpgradeGate } from './socket-port.ts'

const OK = 200

export class Gateway<S> {
  readonly apps: Listener
  private readonly options: GatewayOptions<S>
  private readonly clock: () => number
  private readonly bodyBytesMax: number
  private readonly addresses: CallerAddresses
  private readonly router = new Router<Entry<S>>()
  private readonly bodies: BodyReader<S>
  private readonly desk: CallDesk<S, IncomingRequest<S>>
  private readonly admission: Admission<S>
  readonly bulkheads: Bulkheads
  readonly connections: OpenConnections
  readonly replies: UnreadReplies
  readonly heads: ReplyHeads
  private onIdle: (() => void) | null = null
  private stopping = false
  private readonly parseEnd = new ParseEnd()
  /** The request that the library is handing over. */
  private receiving: IncomingRequest<S> | null = null

  constructor(options: GatewayOptions<S>) {
    this.options = options
    this.clock = options.clock ?? (() => performance.now())
    this.bodyBytesMax = options.bodyBytesMax ?? LIMITS.bodyBytesMax
    this.bulkheads = new Bulkheads(options.bulkheads)
    this.replies = new UnreadReplies(options.unreadReplyBytes ?? LIMITS.unreadReplyBytes)
    this.heads = new ReplyHeads(options.cors ?? null, (error) => options.onFault(error, 'reply'))
    this.bodies = new BodyReader({
      clock: this.clock,
      firstMs: options.bodyFirstMs ?? LIMITS.bodyFirstMs,
      deadlineMs: options.bodyDeadlineMs ?? LIMITS.bodyDeadlineMs,
      bytesMax: this.bodyBytesMax,
      onWhole: (incoming) => this.whole(incoming),
      onRefused: (incoming, refusal) => this.refuseEarly(incoming, refusal, true),
      onFault: (incoming, error) => this.fault(incoming, error),
    })
    this.addresses = new CallerAddresses({ ...options, cell: options.cluster?.cell })
    const { bulkheads, addresses, heads, clock } = this
    this.desk = new CallDesk({
      options,
      clock,
      bulkheads,
      heads,
      onReply: (incoming, out) => this.reply(incoming, out),
      onFault: (incoming, error, edge) => this.fault(incoming, error, edge),
    })
    const isStopping = () => this.stopping
    this.admission = new Admission({ options, bulkheads, addresses, isStopping })
    this.apps = options.listener ?? this.own(options)
    this.connections = this.apps.connections
    for (const each of options.routes) this.router.add(each.method, each.path, entryOf(each))
    this.apps.each((app) => {
      app.any('/*', (response, request) => this.receive(response, request))
      app.orders?.((response, orders) => this.receiveOrders(response, orders))
    })
  }

  /** A listener whose connections are on this thread. */
  private own({ connections = ANY_ADDRESS, tls, onFault }: GatewayOptions<S>): Listener {
    return new Apps(uWS, {
      tls,
      connections: new Connections(connections, this.clock),
      onFault: (error) => onFault(error, 'http'),
    })
  }

  /** Returns the port to which a WebSocket library attaches; call before `listen`. */
  sockets(bounds: SocketBounds): SocketPort {
    const gate: UpgradeGate = (response, headers) => {
      if (this.stopping) return refuse('NOT_READY')
      const key = this.addresses.keyOfSocket(response, headers)
      const waitSec = this.addresses.waitSec(key, 'public', this.clock())
      if (waitSec > 0) return refuse('RATE_LIMITED', undefined, waitSec)
      return this.addresses.ownerOf(response, headers)
    }
    return new SocketPort(this.apps, bounds, gate, () => this.connections.ended())
  }

  /** Starts to listen and returns the port; 0 picks one. */
  listen(host: string, port: number): Promise<number> {
    return this.apps.listen(host, port)
  }

  /** Requests under way, including those whose reply is not out. */
  get inFlight(): number {
    return this.bulkheads.count
  }

  /** Accepts no more connections, waits for requests in flight, then closes the connections. */
  async stop(): Promise<void> {
    this.stopping = true
    this.apps.stopListening()
    this.bodies.stop()
    if (this.inFlight > 0) {
      await new Promise<void>((resolve) => {
        this.onIdle = resolve
      })
    }
    // One event-loop tick later, the kernel has the last reply.
    await nextTick()
    await this.apps.close()
  }

  /** The library ends the process when this throws. */
  private receive(response: NativeResponse, request: NativeRequest): void {
    let incoming: IncomingRequest<S> | null = null
    try {
      incoming = this.sliceOf(response, request)
      this.receiving = incoming
      this.admit(incoming)
    } catch (error) {
      if (incoming !== null) this.fault(incoming, error)
      else {
        this.options.onFault(error, 'http')
        response.close()
      }
    }
    this.receiving = null
    if (incoming !== null) this.watch(incoming)
  }

  /** The edge thread has read the call, and nothing in its head matters here. */
  private receiveOrders(response: NativeResponse, { path, address, verdict }: CheckedOrders): void {
    const call = checkedCall(path, verdict, this.clock())
    const found = this.router.find(call.method, path)
    const incoming = begun(response, call, found, { from: '', address })
    this.receiving = incoming
    try {
      edgePoint('at-receive')
      const refusal = this.admission.ofHead(incoming, false)
      if (refusal === null) this.whole(incoming)
      else this.refuseEarly(incoming, refusal, this.stopping)
    } catch (error) {
      this.fault(incoming, error)
    }
    // The memory of the verdict is reused.
    call.verdict = undefined
    this.receiving = null
    this.watch(incoming)
  }

  /** Most requests have ended by now and have nothing left to abort. */
  private watch(incoming: IncomingRequest<S>): void {
    if (incoming.ended && incoming.unread === null) return
    incoming.response.onAborted(() => this.abort(incoming))
  }

  private sliceOf(response: NativeResponse, request: NativeRequest): IncomingRequest<S> {
    const call = copied(request, this.clock())
    // HEAD is GET without the body.
    const method = call.method === 'HEAD' ? 'GET' : call.method
    const found = this.router.find(method, call.path)
    const isOperators = found.target?.route.rateClass === 'admin'
    const from = isOperators ? this.addresses.of(response, call) : ''
    call.isOwn = this.options.ownCalls?.isMarked(call.headers) === true
    const address = call.isOwn === true ? '' : this.addresses.keyOf(response, call)
    const incoming = begun(response, call, found, { from, address })
    if (incoming.route?.rateClass === 'auth') call.from = this.addresses.of(response, call)
    return incoming
  }

  private admit(incoming: IncomingRequest<S>): void {
    edgePoint('at-receive')
    const { call } = incoming
    const misframed = this.admission.framing(incoming)
    if (misframed !== null) {
      this.refuseMisframed(incoming, misframed)
      return
    }
    const bodyBytes = announcedBytes(call)
    const isTooLarge = bodyBytes > this.bodyBytesMax
    const refusal = this.admission.ofHead(incoming, bodyBytes > 0)
    if (refusal !== null) {
      this.refuseEarly(incoming, refusal, isTooLarge || this.stopping)
      return
    }
    if (isTooLarge) {
      this.refuseEarly(incoming, refuse('BODY_TOO_LARGE'), true)
      return
    }
    if (bodyBytes === 0) this.whole(incoming)
    else {
      this.bulkheads.enter(incoming, 'bodies')
      this.bodies.read(incoming)
    }
  }

  /** The request is complete: from here on, the bulkhead of its own kind counts it. */
  private whole(incoming: IncomingRequest<S>): void {
    const { entry, address } = incoming
    assert(entry !== null, 'an admitted request has a route')
    const { bulkhead } = entry.route
    const refusal = this.bulkheads.refusal(bulkhead, address)
    if (refusal !== null) {
      this.refuseEarly(incoming, refusal, false)
      return
    }
    this.bulkheads.enter(incoming, bulkhead)
    if (entry.changes) {
      const parsed = incoming.response.parsed?.() ?? this.parseEnd.next()
      this.later(incoming, parsed, () => this.begin(incoming, entry))
    } else this.answer(incoming, entry)
  }

  /** Answers here, or by the node that leads. */
  private answer(incoming: IncomingRequest<S>, entry: Entry<S>): void {
    const { cluster } = this.options
    const isRead = entry.route.method === 'GET'
    if (cluster === undefined || (!isRead && !cluster.leader.areNeeded)) {
      this.desk.answer(incoming, entry)
      return
    }
    const { call, response } = incoming
    if (!isRead) {
      const address = this.addresses.of(response, call)
      this.later(incoming, cluster.leader.forward(call, address), (answer) => {
        if (answer instanceof Refusal) this.refuseEarly(incoming, answer, false)
        else {
          incoming.isForwarded = true
          this.send(incoming, answer)
        }
      })
      return
    }
    const minSeq = call.headers.get(MIN_SEQ)
    if (minSeq === undefined) this.desk.answer(incoming, entry)
    else this.answerFrom(incoming, entry, minSeq, cluster)
  }

  /** Answers a read once it shows everything up to a seq. */
  private answerFrom(
    incoming: IncomingRequest<S>,
    entry: Entry<S>,
    minSeq: string,
    cluster: ClusterLink,
  ): void {
    if (!/^\d{1,16}$/.test(minSeq)) {
      const message = 'X-Min-Seq is the X-Seq of an earlier reply, a whole number'
      this.refuseEarly(incoming, invalid({ field: MIN_SEQ, message }), false)
      return
    }
    this.later(incoming, cluster.whenShown(Number(minSeq)), (isShown) => {
      if (isShown) this.desk.answer(incoming, entry)
      else this.refuseEarly(incoming, refuse('SEQ_TIMEOUT'), false)
    })
  }

  /** From here on, later bytes of the connection stay in the kernel until the reply is written. */
  private begin(incoming: IncomingRequest<S>, entry: Entry<S>): void {
    if (incoming.aborted) {
      this.end(incoming, 0, null)
      return
    }
    incoming.response.pause()
    incoming.paused = true
    this.answer(incoming, entry)
  }

  /** A fault of the connection costs its call, and the desk does not see it. */
  private reply(incoming: IncomingRequest<S>, out: Outgoing | null): void {
    try {
      if (out === null) this.end(incoming, 0, null)
      else this.send(incoming, out)
    } catch (error) {
      this.fault(incoming, error, 'reply')
    }
  }

  private refuseEarly(incoming: IncomingRequest<S>, refusal: Refusal, close: boolean): void {
    const { call, allow } = incoming
    const isMethod = refusal.name === 'METHOD_NOT_ALLOWED'
    const preflight = isMethod ? this.heads.preflight(call, allow) : null
    const headers: Header[] = isMethod ? [this.heads.allow(allow)] : []
    this.send(incoming, { ...(preflight ?? this.heads.ofRefusal(call, refusal, headers)), close })
  }

  /** The end of such a request is ambiguous, so the library must parse nothing after its head. */
  private refuseMisframed(incoming: IncomingRequest<S>, refusal: Refusal): void {
    const { call, response } = incoming
    if (call.method === 'HEAD') {
      // A reply without a body is only buffered. While the call is pending, no other request runs.
      this.later(incoming, nextTick(), () => this.refuseEarly(incoming, refusal, true))
      return
    }
    const out = this.heads.ofRefusal(call, refusal, [])
    incoming.written = true
    writeAndClose(response, out, rateLines(this.options, incoming, out))
    this.end(incoming, out.status, out.refusal)
  }

  private send(incoming: IncomingRequest<S>, out: Outgoing): void {
    if (incoming.ended) return
    if (incoming.aborted) {
      this.end(incoming, 0, null)
      return
    }
    const { response, address, call } = incoming
    incoming.written = true
    call.charges?.replied(out.payload.length)
    if (incoming.paused) response.resume()
    incoming.paused = false
    const isOut = this.replies.write(response, out, {
      isHead: call.method === 'HEAD',
      isLast: this.connections.isCrowded,
      isCorked: this.receiving === incoming,
      more: this.linesOf(incoming, out),
    })
    if (incoming.freshness !== null) this.keep(incoming, out, incoming.freshness)
    if (!isOut) {
      const unread = this.replies.keep(response, out, address, () => this.letGo(incoming))
      if (unread === 'full') response.close()
      else incoming.unread = unread
    }
    this.end(incoming, out.status, out.refusal)
  }

  private linesOf(incoming: IncomingRequest<S>, out: Outgoing): string {
    if (incoming.isForwarded) return ''
    const { cluster } = this.options
    const lines = rateLines(this.options, incoming, out)
    return cluster === undefined ? lines : lines + cluster.cell.seqLine
  }

  /** A reply with a query or to a page of another host has headers or bytes of its own. */
  private keep(incoming: IncomingRequest<S>, out: Outgoing, freshness: Freshness): void {
    const { call, response, route } = incoming
    const { target, method, headers } = call
    const isSame = target === call.path && method === 'GET' && !headers.has('origin')
    if (response.keep === undefined || route === null || !isSame || out.status !== OK) return
    const { path } = route
    const body = bytesOf(out.payload)
    if (body.length > LIMITS.keptReplyBytesMax) return
    const coding = codingOf(out)
    response.keep({ path, target, freshness, coding, head: headText(out, false), body })
  }

  private later<T>(
    incoming: IncomingRequest<S>,
    promise: Promise<T>,
    next: (value: T) => void,
  ): void {
    promise.then(next).catch((error: unknown) => this.fault(incoming, error))
  }

  /** Never throws, because none of its callers would catch. */
  private fault(
    incoming: IncomingRequest<S>,
    error: unknown,
    edge: 'http' | 'reply' = 'http',
  ): void {
    const faultId = this.options.onFault(error, edge)
    this.bodies.ends(incoming)
    if (incoming.ended) return
    try {
      if (!incoming.written) this.refuseEarly(incoming, refuse('INTERNAL', { faultId }), true)
    } catch (again) {
      this.options.onFault(again, 'reply')
    }
    if (incoming.ended) return
    if (!incoming.aborted) incoming.response.close()
    this.end(incoming, 0, null)
  }

  private abort(incoming: IncomingRequest<S>): void {
    incoming.aborted = true
    incoming.call.isGone = true
    if (incoming.unread !== null) this.letGo(incoming)
    // A running handler ends its own request when it is done.
    if (this.bodies.ends(incoming)) this.end(incoming, 0, null)
  }

  private end(incoming: IncomingRequest<S>, status: number, refusal: string | null): void {
    if (incoming.ended) return
    incoming.ended = true
    incoming.status = status
    incoming.refusal = refusal
    incoming.endedMs = this.clock()
    this.observe(incoming)
    if (incoming.unread === null) this.letGo(incoming)
  }

  /** Frees the resources of a request when its reply is out or its connection has ended. */
  private letGo(incoming: IncomingRequest<S>): void {
    if (incoming.unread !== null) this.replies.free(incoming.unread)
    incoming.unread = null
    this.bulkheads.leave(incoming)
    if (this.inFlight === 0) this.onIdle?.()
  }

  /** A fault of the observer does not change the call. */
  private observe(incoming: IncomingRequest<S>): void {
    try {
      this.options.observe?.(incoming)
    } catch (error) {
      this.options.onFault(error, 'http')
    }
  }
}
