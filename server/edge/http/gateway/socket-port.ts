// Sits between a WebSocket library and the gateway; to the library, it looks like the native app.
// It passes on only admitted upgrades that are valid WebSocket handshakes, and text messages within
// their limits. It passes on no plain request, because anyone can crash the library's long polling.
// Invariant: a link is in `#links` from its open to its close, and its guest is entered for the
// same time.

import type { us_socket_context_t } from 'uWebSockets.js'
import { assert } from '../../../../engine/domain/assert.ts'
import type { Header } from '../../../messages/call.ts'
import { joinHeader, NO_BYTES } from '../../../messages/call.ts'
import { invalid, Refusal } from '../../../messages/refusal.ts'
import { framingRefusal, handshakeRefusal } from './framing.ts'
import type {
  Listener,
  NativeRequest,
  NativeResponse,
  NativeSocket,
  SocketBehavior,
} from './native.ts'
import { encoded } from './replies/outgoing.ts'
import { writeAndClose, writeNow } from './replies/unread-replies.ts'

export interface SocketBounds {
  readonly messageBytesMax: number
  /**
   * Bytes written but not read. Above this limit a connection ends without a reason, as it accepts
   * no more bytes. Writers of frames stop far below it, so only uncounted replies can reach it.
   */
  readonly bufferedBytesMax: number
  /** Messages of one socket per second. A client that exceeds it is disconnected. */
  readonly messagesPerSecondMax: number
}

type Headers = ReadonlyMap<string, string>

/** An admitted connection, from the end of its upgrade on. */
export interface Guest {
  entered(): void
  /** Why a message ends the connection; '' for an accepted message. A ping has no bytes. */
  whyNot(message: Uint8Array): string
  /** The reader took some of the waiting bytes. */
  drained(): void
  left(): void
}

/** Decides which connections are admitted. */
export interface Keeper {
  /** `target` is the path of the request with its query. */
  admit(headers: Headers, address: string, target: string): Refusal | Guest
  /** Reports an exception of a connection; the guest is null before it opens. Returns the reply. */
  broke(error: unknown, guest: Guest | null): Refusal
}

/** Checked before every upgrade: returns a refusal, or the address of the caller. */
export type UpgradeGate = (response: NativeResponse, headers: Headers) => Refusal | string

/** The data stored with each connection. */
interface Kept {
  readonly transport: object
  readonly guest: Guest
}

type Socket = NativeSocket<Kept>

/** The callbacks of the library. */
interface Library {
  upgrade(response: NativeResponse, request: NativeRequest, context: us_socket_context_t): void
  open(socket: Socket): void
  message(socket: Socket, message: ArrayBuffer, isBinary: boolean): void
  close(socket: Socket, code: number, message: ArrayBuffer): void
}

/** Longer than the ping interval of the library, so the library decides which peer is gone. */
const IDLE_SEC = 60
const UNSUPPORTED_DATA = 1003
const POLICY = 1008

export class SocketPort {
  readonly #apps: Listener
  readonly #bounds: SocketBounds
  readonly #gate: UpgradeGate
  readonly #onEnded: () => void
  readonly #links = new Set<Socket>()
  readonly #socketOf = new WeakMap<object, Socket>()
  #keeper: Keeper | null = null
  /** Connections closed because too many bytes waited for their readers. */
  overflowedCount = 0

  /** `onEnded` is called once for each admitted connection, when it closes. */
  constructor(apps: Listener, bounds: SocketBounds, gate: UpgradeGate, onEnded: () => void) {
    this.#apps = apps
    this.#bounds = bounds
    this.#gate = gate
    this.#onEnded = onEnded
  }

  get openCount(): number {
    return this.#links.size
  }

  /** Bytes written to all connections and not taken by their readers. */
  get unreadBytes(): number {
    let bytes = 0
    for (const socket of this.#links) bytes += socket.getBufferedAmount()
    return bytes
  }

  /** Call before the library attaches. */
  keep(keeper: Keeper): void {
    this.#keeper = keeper
  }

  /** Bytes that wait for the reader of a connection; 0 when it is gone. */
  bufferedBytes(transport: object): number {
    return this.#socketOf.get(transport)?.getBufferedAmount() ?? 0
  }

  /** The same without bytes that their reader cannot have yet. */
  unreadBytesOf(transport: object): number {
    const socket = this.#socketOf.get(transport)
    return socket?.getUnreadAmount?.() ?? socket?.getBufferedAmount() ?? 0
  }

  /** Writes encoded text in one cork; does nothing when the connection is gone. */
  send(transport: object, packets: readonly Uint8Array[]): void {
    const socket = this.#socketOf.get(transport)
    socket?.cork(() => {
      for (const packet of packets) if (this.#links.has(socket)) socket.send(packet, false, false)
    })
  }

  /** Subscribes the connection to the messages of the topic. */
  subscribe(transport: object, topic: string): void {
    this.#socketOf.get(transport)?.subscribe(topic)
  }

  unsubscribe(transport: object, topic: string): void {
    this.#socketOf.get(transport)?.unsubscribe(topic)
  }

  /** Writes encoded text to every connection of the topic when this event-loop tick ends. */
  announce(topic: string, packet: Uint8Array): void {
    this.#apps.publish(topic, packet)
  }

  /** Whether announcements should wait. */
  get isCongested(): boolean {
    return this.#apps.isCongested
  }

  /** Returns undefined when the connection is gone. */
  guestOf(transport: object): Guest | undefined {
    return this.#socketOf.get(transport)?.getUserData().guest
  }

  /** Called by the library, which must get no plain request: each is refused here. */
  any(path: string, _handler: unknown): this {
    this.#apps.each((app) =>
      app.any(path, (response, request) => {
        this.#refuseOr(response, headersOf(request), (headers) => {
          const isUpgrade = headers.has('upgrade')
          answer(response, (isUpgrade ? handshakeRefusal(headers) : null) ?? NO_POLLING)
        })
      }),
    )
    return this
  }

  /** Called by the library. */
  ws(path: string, library: Library): this {
    const { messageBytesMax, bufferedBytesMax, messagesPerSecondMax } = this.#bounds
    const behavior: SocketBehavior<Kept> = {
      maxPayloadLength: messageBytesMax,
      maxBackpressure: bufferedBytesMax,
      closeOnBackpressureLimit: true,
      idleTimeout: IDLE_SEC,
      sendPingsAutomatically: false,
      messagesPerSecondMax,
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
        this.#contained(socket, () => this.#receive(library, socket, message, isBinary))
      },
      // The pong is written before this is called. Pings are counted too: a client that sends many
      // and reads nothing must not fill memory.
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
    }
    this.#apps.each((app) => app.ws(path, behavior))
    return this
  }

  /** Called by the library. */
  publish(topic: string, message: string, isBinary?: boolean): boolean {
    return this.#apps.publish(topic, message, isBinary)
  }

  #upgrade(
    library: Library,
    response: NativeResponse,
    request: NativeRequest,
    context: us_socket_context_t,
  ): void {
    this.#refuseOr(response, headersOf(request), (headers, keeper, address) => {
      const query = request.getQuery()
      const refusal = handshakeRefusal(headers) ?? (isHandshake(query) ? null : NO_POLLING)
      const guest = refusal ?? keeper.admit(headers, address, `${request.getUrl()}?${query}`)
      if (guest instanceof Refusal) {
        answer(response, guest)
        return
      }
      // Only this object passes from the request to its connection, so it carries the guest.
      const native = response.upgrade.bind(response)
      const upgrade: typeof native = (kept, ...rest) => native({ ...kept, guest }, ...rest)
      response.upgrade = upgrade
      library.upgrade(response, request, context)
    })
  }

  /** Refuses the request when its address exceeds its rate or its framing is ambiguous. */
  #refuseOr(
    response: NativeResponse,
    headers: Headers,
    take: (headers: Headers, keeper: Keeper, address: string) => void,
  ): void {
    const keeper = this.#keeper
    assert(keeper !== null, 'a keeper is set before a connection is admitted')
    try {
      const misframed = framingRefusal({ headers, target: '' })
      const address = this.#gate(response, headers)
      if (misframed !== null) {
        const refusal = address instanceof Refusal ? address : misframed
        writeAndClose(response, encoded(refusal, refusal.status))
      } else if (address instanceof Refusal) answer(response, address)
      else take(headers, keeper, address)
    } catch (error) {
      answer(response, keeper.broke(error, null))
    }
  }

  #receive(library: Library, socket: Socket, message: ArrayBuffer, isBinary: boolean): void {
    if (!this.#takes(socket, new Uint8Array(message))) return
    // No channel accepts bytes; the library would buffer announced parts until all have arrived.
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

/**
 * Each parameter must appear once: of two values, the library might read the other. A `sid` would
 * upgrade a polling session.
 */
function isHandshake(query: string | undefined): boolean {
  const words = new URLSearchParams(query ?? '')
  const isOnly = (name: string, value: string) => {
    const all = words.getAll(name)
    return all.length === 1 && all[0] === value
  }
  return isOnly('transport', 'websocket') && isOnly('EIO', '4') && !words.has('sid')
}

function headersOf(request: NativeRequest): Headers {
  const headers = new Map<string, string>()
  request.forEach((name, value) => {
    joinHeader(headers, name, value)
  })
  return headers
}

/** Headers that inform a client of another version of the supported one. */
const VERSIONS: readonly Header[] = [
  ['sec-websocket-version', '13'],
  ['upgrade', 'websocket'],
]

function answer(response: NativeResponse, refusal: Refusal): void {
  const own = refusal.name === 'HANDSHAKE_VERSION' ? VERSIONS : []
  writeNow(response, encoded(refusal, refusal.status, own), true)
}
