// The only importer of socket.io: the namespace `/markets` (rules §12.8) on the gateway's port. The
// caller is decided once, at the handshake. A client with valid credentials receives
// `authenticated` when it joins. A client with invalid or stale credentials joins as anonymous and
// receives `exception`, because a client that signs its handshake once reuses it when it
// reconnects. A fault of one connection costs only that connection (design §11).

import { Server, type Socket } from 'socket.io'
import { LIMITS } from '../../../engine/domain/limits.ts'
import { edgePoint } from '../../../engine/thread/fault-point.ts'
import { type Refusal, refuse } from '../../messages/refusal.ts'
import type { Guest, SocketBounds, SocketPort } from '../http/gateway/socket-port.ts'
import type { Streams } from './account-stream.ts'
import { type Channels, receive } from './channels.ts'
import {
  type ConnectionBounds,
  type ConnectionCounts,
  ConnectionSlot,
  type SocketRefusal,
} from './connection-counts.ts'
import { FRAME_RATES, type FrameRates } from './frame-rates.ts'
import { type HandshakeParts, Handshakes, type Proof } from './handshakes.ts'
import { type FrameCounts, Member } from './member.ts'
import { isTakenMessage, NAMESPACE } from './packets.ts'

export type AllSocketBounds = SocketBounds & ConnectionBounds

export const SOCKET_BOUNDS: AllSocketBounds = {
  socketsMax: LIMITS.socketsMax,
  anonymousMax: LIMITS.anonymousSocketsMax,
  perAddressMax: LIMITS.socketsPerAddressMax,
  perProfileMax: LIMITS.socketsPerProfileMax,
  marketsPerProfileMax: LIMITS.socketMarketsPerProfileMax,
  marketsPerAddressMax: LIMITS.socketMarketsPerAddressMax,
  ownerMarketsRequestedMax: LIMITS.ownerMarketsRequestedMax,
  messageBytesMax: LIMITS.socketMessageBytesMax,
  messagesPerSecondMax: LIMITS.socketMessagesPerSecondMax,
  ownerMessagesMax: LIMITS.ownerMessagesMax,
  bufferedBytesMax: LIMITS.socketBufferedBytesMax,
}

/** The timeouts and intervals of a socket, and its frame rates. */
export interface SocketWaits extends FrameRates {
  /** Time until a client must have joined a namespace. */
  readonly joinMs: number
  /** Time between pings, and time for the reply to each. */
  readonly pingMs: number
  readonly pongMs: number
  /** Least time between two frames of one book, and time until a quiet book is sent again. */
  readonly bookMs: number
  readonly quietBookMs: number
}

const BOOK_WAITS = { bookMs: 20, quietBookMs: 10_000 }

export const SOCKET_WAITS: SocketWaits = {
  joinMs: 10_000,
  pingMs: 25_000,
  pongMs: 20_000,
  ...BOOK_WAITS,
  ...FRAME_RATES,
}

export interface SocketParts extends HandshakeParts {
  readonly port: SocketPort
  readonly channels: Channels
  readonly connectionCounts: ConnectionCounts
  readonly streams: Streams
  readonly market: { stop(): void }
  readonly counts: FrameCounts
  /** Resolves when every stamped command is durable. */
  readonly durable: () => Promise<void>
  /** Counts and reports a fault; returns its id. */
  readonly onFault: (error: unknown, edge: 'socket' | 'frame') => string
  readonly waits: SocketWaits
}

/** A connection from its upgrade on: its slot, its credentials, and its member once it joined. */
class Visit implements Guest {
  readonly connectionSlot: ConnectionSlot
  readonly proof: Proof
  member: Member | null = null

  constructor(connectionSlot: ConnectionSlot, proof: Proof) {
    this.connectionSlot = connectionSlot
    this.proof = proof
  }

  entered(): void {
    this.connectionSlot.entered()
  }

  whyNot(message: Uint8Array): string {
    if (!this.connectionSlot.takes()) return 'too many messages'
    return isTakenMessage(message) ? '' : 'not a message of this namespace'
  }

  drained(): void {
    this.member?.drained()
  }

  left(): void {
    this.connectionSlot.left()
  }
}

export class SocketGateway {
  readonly counts: FrameCounts
  readonly connectionCounts: ConnectionCounts
  readonly #parts: SocketParts
  readonly #server: Server
  readonly #handshakes: Handshakes

  constructor(parts: SocketParts) {
    this.#parts = parts
    this.connectionCounts = parts.connectionCounts
    this.counts = parts.counts
    this.#handshakes = new Handshakes(parts)
    this.#server = new Server({
      transports: ['websocket'],
      serveClient: false,
      allowUpgrades: false,
      connectTimeout: parts.waits.joinMs,
      pingInterval: parts.waits.pingMs,
      pingTimeout: parts.waits.pongMs,
      maxHttpBufferSize: LIMITS.socketMessageBytesMax,
    })
    parts.port.keep({
      admit: (headers, address, target) => this.#admit(headers, address, target),
      broke: (error, guest) => this.#broke(error, guest instanceof Visit ? guest.member : null),
    })
    this.#server.attachApp(parts.port)
    this.#server.use((_socket, next) => next(new Error('Connect to /markets')))
    this.#server.of(NAMESPACE).on('connection', (socket) => this.#join(socket))
  }

  get openCount(): number {
    return this.#parts.port.openCount
  }

  /** Readers that were too slow for their limit. */
  get slowCount(): number {
    return this.counts.slowReaders + this.#parts.port.overflowedCount
  }

  /** Bytes of built frames that wait for readers. */
  get heldBytes(): number {
    return this.#parts.streams.heldBytes
  }

  /** Bytes that were written and wait in the process for their readers. */
  get unreadBytes(): number {
    return this.#parts.port.unreadBytes
  }

  /** Ends every connection; clients see a closed transport and reconnect. */
  stop(): void {
    this.#parts.market.stop()
    this.#server.engine.close()
  }

  /** Checks in the order of cost, the cheapest first. */
  #admit(headers: ReadonlyMap<string, string>, address: string, target: string): Refusal | Guest {
    edgePoint('at-socket-upgrade')
    const { connectionCounts } = this.#parts
    const refusalOf = (full: SocketRefusal) =>
      refuse(full === 'address' ? 'SOCKET_LIMIT' : 'OVERLOADED')
    const full = connectionCounts.listenerFull(address)
    if (full !== null) return refusalOf(full)
    const proof = this.#handshakes.proofOf(headers, target)
    const connectionSlot = connectionCounts.connectionSlotFor({
      address,
      profileId: proof.caller?.profileId ?? 0,
    })
    return connectionSlot instanceof ConnectionSlot
      ? new Visit(connectionSlot, proof)
      : refusalOf(connectionSlot)
  }

  /** Ends the member that broke, and sends it the fault id. */
  #broke(error: unknown, member: Member | null): Refusal {
    const faultId = this.#parts.onFault(error, 'socket')
    const refusal = refuse('INTERNAL', { faultId })
    member?.end(refusal)
    return refusal
  }

  /** Wraps the callbacks of the library, because nothing above them would catch an exception. */
  #contained(member: Member, work: () => void): void {
    try {
      work()
    } catch (error) {
      this.#broke(error, member)
    }
  }

  #join(socket: Socket): void {
    const visit = this.#parts.port.guestOf(socket.conn.transport)
    // The connection ended meanwhile.
    if (!(visit instanceof Visit)) return
    const { channels, streams } = this.#parts
    const member = this.#memberOf(socket, visit)
    visit.member = member
    socket.onAny((event: unknown, ...given: unknown[]) => {
      this.#contained(member, () => {
        edgePoint('at-socket-message')
        receive(channels, member, event, given)
      })
    })
    socket.on('disconnect', () => {
      visit.member = null
      this.#contained(member, () => {
        edgePoint('at-socket-leave')
        member.left()
        streams.left(member)
        for (const channel of channels.values()) channel.left(member)
      })
    })
    this.#contained(member, () => {
      edgePoint('at-socket-join')
      this.#greet(member, visit)
    })
  }

  #memberOf(socket: Socket, { proof, connectionSlot }: Visit): Member {
    // The data of the handshake is read; an open socket must not keep it in memory.
    socket.handshake.auth = {}
    const { port, streams } = this.#parts
    const caller = proof.isStillGood() ? proof.caller : null
    const stream = caller === null ? null : streams.open(caller.profileId)
    const { isStillGood: isStillProven } = proof
    const { counts } = this
    const whenDurable = (work: () => void) => {
      void this.#parts.durable().then(() => this.#contained(member, work))
    }
    const parts = {
      socket,
      port,
      caller,
      stream,
      isStillProven,
      whenDurable,
      counts,
      connectionSlot,
    }
    const member: Member = new Member(parts)
    stream?.join(member)
    return member
  }

  #greet(member: Member, { connectionSlot, proof }: Visit): void {
    if (connectionSlot.isOver) {
      member.end(refuse('SOCKET_LIMIT'))
      return
    }
    const { caller } = member
    if (caller !== null) {
      const { profileId, account } = caller
      member.send('authenticated', { message: 'Authenticated', profileId, account })
      return
    }
    const refusal = proof.caller === null ? proof.refusal : refuse('UNAUTHENTICATED')
    if (refusal === null) return
    // Replies to later requests of the client follow this exception.
    member.pauseUntilDurable()
    member.except(refusal)
  }
}
