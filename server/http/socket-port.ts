// Where a WebSocket library meets the gateway. The library believes it holds the native app; what
// it gets are upgrades that are WebSocket handshakes from their first byte, messages within their
// bounds, and no plain request at all: its long polling can be crashed by anyone.
// Invariant: a link is in `links` from its open to its close.

import type {
  HttpRequest,
  HttpResponse,
  TemplatedApp,
  us_socket_context_t,
  WebSocket,
} from 'uWebSockets.js'
import { encoded, statusLine } from './outgoing.ts'
import { invalid, type Refusal, refuse } from './refusal.ts'

export interface SocketBounds {
  readonly socketsMax: number
  readonly messageBytesMax: number
  readonly messagesPerSecondMax: number
  /**
   * What the owner of a socket asks before each frame, and ends the connection with a reason. Twice
   * that ends it here without one: the transport then takes no byte more, of a close frame neither.
   * No frame is half as long, so only answers that nobody asks before get there.
   */
  readonly bufferedBytesMax: number
}

/** What the library keeps with each connection. */
interface Kept {
  readonly transport: object
}

type Socket = WebSocket<Kept>

/** What the library does with its connections. */
interface Library {
  upgrade(response: HttpResponse, request: HttpRequest, context: us_socket_context_t): void
  open(socket: Socket): void
  message(socket: Socket, message: ArrayBuffer, isBinary: boolean): void
  close(socket: Socket, code: number, message: ArrayBuffer): void
}

/** Messages of one connection in one second. */
interface Link {
  second: number
  count: number
}

/** Longer than the pings of the library, so that it decides who is gone. */
const IDLE_SEC = 60
const TOO_MANY = 1008

export class SocketPort {
  readonly #app: TemplatedApp
  readonly #bounds: SocketBounds
  readonly #gate: (response: HttpResponse, request: HttpRequest) => Refusal | null
  readonly #links = new Map<Socket, Link>()
  readonly #socketOf = new WeakMap<object, Socket>()
  /** Connections that were ended for what they did. */
  floodedCount = 0
  overflowedCount = 0

  constructor(
    app: TemplatedApp,
    bounds: SocketBounds,
    gate: (response: HttpResponse, request: HttpRequest) => Refusal | null,
  ) {
    this.#app = app
    this.#bounds = bounds
    this.#gate = gate
  }

  get openCount(): number {
    return this.#links.size
  }

  /** Bytes that wait for the reader of a connection; 0 when it is gone. */
  bufferedBytes(transport: object): number {
    return this.#socketOf.get(transport)?.getBufferedAmount() ?? 0
  }

  /** For the library: plain requests are none of its business. */
  any(path: string, _handler: unknown): this {
    this.#app.any(path, (response) => answer(response, NO_POLLING))
    return this
  }

  /** For the library. */
  ws(path: string, library: Library): this {
    const { messageBytesMax, bufferedBytesMax } = this.#bounds
    this.#app.ws<Kept>(path, {
      maxPayloadLength: messageBytesMax,
      maxBackpressure: bufferedBytesMax * 2,
      closeOnBackpressureLimit: 1,
      idleTimeout: IDLE_SEC,
      sendPingsAutomatically: false,
      upgrade: (response, request, context) => {
        const refusal = this.#refusalOf(response, request)
        if (refusal === null) library.upgrade(response, request, context)
        else answer(response, refusal)
      },
      open: (socket) => {
        this.#links.set(socket, { second: 0, count: 0 })
        this.#socketOf.set(socket.getUserData().transport, socket)
        library.open(socket)
      },
      message: (socket, message, isBinary) => {
        if (this.#takes(socket)) library.message(socket, message, isBinary)
      },
      // Answered before this is called: whoever sends many and reads nothing must not fill memory.
      ping: (socket) => void this.#takes(socket),
      pong: (socket) => void this.#takes(socket),
      dropped: () => {
        this.overflowedCount++
      },
      close: (socket, code, message) => {
        this.#links.delete(socket)
        this.#socketOf.delete(socket.getUserData().transport)
        library.close(socket, code, message)
      },
    })
    return this
  }

  /** For the library. */
  publish(topic: string, message: string, isBinary?: boolean): boolean {
    return this.#app.publish(topic, message, isBinary)
  }

  #refusalOf(response: HttpResponse, request: HttpRequest): Refusal | null {
    const refusal = this.#gate(response, request)
    if (refusal !== null) return refusal
    if (!isHandshake(request.getQuery())) return NO_POLLING
    return this.#links.size < this.#bounds.socketsMax ? null : refuse('OVERLOADED')
  }

  #takes(socket: Socket): boolean {
    const link = this.#links.get(socket)
    if (link === undefined) return false
    const second = Math.floor(performance.now() / 1000)
    if (link.second !== second) {
      link.second = second
      link.count = 0
    }
    if (++link.count <= this.#bounds.messagesPerSecondMax) return true
    this.floodedCount++
    socket.end(TOO_MANY, 'too many messages')
    return false
  }
}

const NO_POLLING = invalid({ field: 'transport', message: 'must be websocket, with EIO 4' })

/** Each word once: of two the library might read the other one. A `sid` would upgrade a polling. */
function isHandshake(query: string | undefined): boolean {
  const words = new URLSearchParams(query ?? '')
  const isOnly = (name: string, value: string) => {
    const all = words.getAll(name)
    return all.length === 1 && all[0] === value
  }
  return isOnly('transport', 'websocket') && isOnly('EIO', '4') && !words.has('sid')
}

function answer(response: HttpResponse, refusal: Refusal): void {
  const { status, type, payload, headers } = encoded(refusal, refusal.status, [])
  response.cork(() => {
    response.writeStatus(statusLine(status)).writeHeader('content-type', type)
    for (const [name, value] of headers) response.writeHeader(name, value)
    response.end(payload, true)
  })
}
