// Where a WebSocket library meets the gateway. The library believes it holds the native app; what
// it gets are upgrades that are WebSocket handshakes from their first byte and were let in, text
// messages within their bounds, and no plain request at all: its long polling can be crashed by
// anyone. Invariant: a link is in `links` from its open to its close, and its guest is in between.

import type {
  HttpRequest,
  HttpResponse,
  TemplatedApp,
  us_socket_context_t,
  WebSocket,
} from 'uWebSockets.js'
import { assert } from '../../../engine/domain/assert.ts'
import { joinHeader, NO_BYTES } from '../call.ts'
import { invalid, Refusal } from '../refusal.ts'
import { encoded, statusLine } from './outgoing.ts'

export interface SocketBounds {
  readonly messageBytesMax: number
  /**
   * What was written and not read. Above it a connection ends without a reason: it takes no byte
   * more. Whoever writes frames stops far below it, so only answers that nobody counts get there.
   */
  readonly bufferedBytesMax: number
}

type Headers = ReadonlyMap<string, string>

/** Who was let in, from the end of the upgrade on. */
export interface Guest {
  entered(): void
  /** Why a message is not heard and ends the connection; '' when it is. A ping has no bytes. */
  whyNot(message: Uint8Array): string
  /** Some of what waited for its reader was read. */
  drained(): void
  left(): void
}

/** Decides who comes in. */
export interface Keeper {
  admit(headers: Headers, address: string): Refusal | Guest
  /** What a connection threw; null for one that is not open. Gives the answer to an upgrade. */
  broke(error: unknown, guest: Guest | null): Refusal
}

/** What stands before every upgrade: a refusal, or where the caller comes from. */
export type UpgradeGate = (response: HttpResponse, headers: Headers) => Refusal | string

/** What is kept with each connection. */
interface Kept {
  readonly transport: object
  readonly guest: Guest
}

type Socket = WebSocket<Kept>

/** What the library does with its connections. */
interface Library {
  upgrade(response: HttpResponse, request: HttpRequest, context: us_socket_context_t): void
  open(socket: Socket): void
  message(socket: Socket, message: ArrayBuffer, isBinary: boolean): void
  close(socket: Socket, code: number, message: ArrayBuffer): void
}

/** Longer than the pings of the library, so that it decides who is gone. */
const IDLE_SEC = 60
const UNSUPPORTED_DATA = 1003
const POLICY = 1008

export class SocketPort {
  readonly #app: TemplatedApp
  readonly #bounds: SocketBounds
  readonly #gate: UpgradeGate
  readonly #onEnded: () => void
  readonly #links = new Set<Socket>()
  readonly #socketOf = new WeakMap<object, Socket>()
  #keeper: Keeper | null = null
  /** Connections that took no more of their frames. */
  overflowedCount = 0

  /** `onEnded` is called for each connection that was let in, when it is over. */
  constructor(app: TemplatedApp, bounds: SocketBounds, gate: UpgradeGate, onEnded: () => void) {
    this.#app = app
    this.#bounds = bounds
    this.#gate = gate
    this.#onEnded = onEnded
  }

  get openCount(): number {
    return this.#links.size
  }

  /** Call before the library attaches. */
  keep(keeper: Keeper): void {
    this.#keeper = keeper
  }

  /** Bytes that wait for the reader of a connection; 0 when it is gone. */
  bufferedBytes(transport: object): number {
    return this.#socketOf.get(transport)?.getBufferedAmount() ?? 0
  }

  /** Writes text that is encoded already, in one piece; nothing when the connection is gone. */
  send(transport: object, packets: readonly Uint8Array[]): void {
    const socket = this.#socketOf.get(transport)
    socket?.cork(() => {
      for (const packet of packets) if (this.#links.has(socket)) socket.send(packet, false, false)
    })
  }

  /** Undefined when it is gone. */
  guestOf(transport: object): Guest | undefined {
    return this.#socketOf.get(transport)?.getUserData().guest
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
      maxBackpressure: bufferedBytesMax,
      closeOnBackpressureLimit: true,
      idleTimeout: IDLE_SEC,
      sendPingsAutomatically: false,
      upgrade: (response, request, context) => {
        this.#upgrade(library, response, request, context)
      },
      open: (socket) => {
        this.#links.add(socket)
        const { transport, guest } = socket.getUserData()
        this.#socketOf.set(transport, socket)
        this.#contained(socket, () => {
          guest.entered()
          library.open(socket)
        })
      },
      message: (socket, message, isBinary) => {
        this.#contained(socket, () => this.#hear(library, socket, message, isBinary))
      },
      // Answered before this is called: whoever sends many and reads nothing must not fill memory.
      ping: (socket) => void this.#takes(socket, NO_BYTES),
      pong: (socket) => void this.#takes(socket, NO_BYTES),
      dropped: () => {
        this.overflowedCount++
      },
      drain: (socket) => {
        this.#contained(socket, () => socket.getUserData().guest.drained())
      },
      close: (socket, code, message) => {
        this.#links.delete(socket)
        this.#onEnded()
        const { transport, guest } = socket.getUserData()
        this.#socketOf.delete(transport)
        this.#contained(socket, () => {
          guest.left()
          library.close(socket, code, message)
        })
      },
    })
    return this
  }

  /** For the library. */
  publish(topic: string, message: string, isBinary?: boolean): boolean {
    return this.#app.publish(topic, message, isBinary)
  }

  #upgrade(
    library: Library,
    response: HttpResponse,
    request: HttpRequest,
    context: us_socket_context_t,
  ): void {
    assert(this.#keeper !== null, 'nobody comes in before there is a keeper')
    try {
      const guest = this.#admit(this.#keeper, response, request)
      if (guest instanceof Refusal) {
        answer(response, guest)
        return
      }
      // The one thing of a request that the library hands on to its connection.
      const native = response.upgrade.bind(response)
      const upgrade: typeof native = (kept, ...rest) => native({ ...kept, guest }, ...rest)
      response.upgrade = upgrade
      library.upgrade(response, request, context)
    } catch (error) {
      answer(response, this.#keeper.broke(error, null))
    }
  }

  #admit(keeper: Keeper, response: HttpResponse, request: HttpRequest): Refusal | Guest {
    const headers = new Map<string, string>()
    request.forEach((name, value) => {
      joinHeader(headers, name, value)
    })
    const address = this.#gate(response, headers)
    if (address instanceof Refusal) return address
    if (!isHandshake(request.getQuery())) return NO_POLLING
    return keeper.admit(headers, address)
  }

  #hear(library: Library, socket: Socket, message: ArrayBuffer, isBinary: boolean): void {
    if (!this.#takes(socket, new Uint8Array(message))) return
    // No channel takes bytes; the library would keep what is announced until all of it has come.
    if (isBinary) socket.end(UNSUPPORTED_DATA, 'text only')
    else library.message(socket, message, isBinary)
  }

  #takes(socket: Socket, message: Uint8Array): boolean {
    if (!this.#links.has(socket)) return false
    const why = socket.getUserData().guest.whyNot(message)
    if (why === '') return true
    socket.end(POLICY, why)
    return false
  }

  /** The native library ends the process when one of its callbacks throws. */
  #contained(socket: Socket, work: () => void): void {
    try {
      work()
    } catch (error) {
      const { guest } = socket.getUserData()
      this.#keeper?.broke(error, guest)
      if (this.#links.has(socket)) socket.close()
    }
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
