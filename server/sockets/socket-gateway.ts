// The only importer of socket.io: the namespace `/markets` (domain §12.8) on the gateway's port.
// Who speaks is settled once, when a client joins: a good proof gets `authenticated`, a bad or
// stale one joins as nobody and gets `exception`, because a client that signs its handshake once
// reuses it when it reconnects.

import { Server, type Socket } from 'socket.io'
import { LIMITS } from '../../engine/domain/limits.ts'
import type { TimeMs } from '../../engine/domain/units.ts'
import type { AuthState, Guard } from '../auth/guard.ts'
import { hmacOrSession } from '../http/auth-scheme.ts'
import { type Call, type Caller, joinHeader } from '../http/call.ts'
import { Refusal, refuse } from '../http/refusal.ts'
import type { SocketBounds, SocketPort } from '../http/socket-port.ts'
import { type Channels, hear } from './channels.ts'
import { exceptionOf, type FrameCounts, Member } from './member.ts'

/** What the handshake signs, whatever else its query says (domain §12.1). */
export const HANDSHAKE_TARGET = '/socket.io/?EIO=4&transport=websocket'

export const SOCKET_BOUNDS: SocketBounds = {
  socketsMax: LIMITS.socketsMax,
  messageBytesMax: LIMITS.socketMessageBytesMax,
  messagesPerSecondMax: LIMITS.socketMessagesPerSecondMax,
  bufferedBytesMax: LIMITS.socketBufferedBytesMax,
}

/** How long a client may do nothing of what it must. */
export interface SocketWaits {
  /** Until it joins a namespace. */
  readonly joinMs: number
  /** Between pings, and until the answer of each. */
  readonly pingMs: number
  readonly pongMs: number
}

export const SOCKET_WAITS: SocketWaits = { joinMs: 10_000, pingMs: 25_000, pongMs: 20_000 }

export interface SocketParts {
  readonly port: SocketPort
  readonly guard: Guard
  readonly auth: AuthState
  readonly clock: () => TimeMs
  readonly channels: Channels
  readonly waits: SocketWaits
}

const ACCEPTED = hmacOrSession().accepts

export class SocketGateway {
  readonly counts: FrameCounts = { framesSent: 0, slowReaders: 0 }
  readonly #parts: SocketParts
  readonly #server: Server

  constructor(parts: SocketParts) {
    this.#parts = parts
    this.#server = new Server({
      transports: ['websocket'],
      serveClient: false,
      allowUpgrades: false,
      connectTimeout: parts.waits.joinMs,
      pingInterval: parts.waits.pingMs,
      pingTimeout: parts.waits.pongMs,
      maxHttpBufferSize: LIMITS.socketMessageBytesMax,
    })
    this.#server.attachApp(parts.port)
    this.#server.use((_socket, next) => next(new Error('Connect to /markets')))
    this.#server.of('/markets').on('connection', (socket) => this.#joined(socket))
  }

  get openCount(): number {
    return this.#parts.port.openCount
  }

  /** Readers that were too slow for their bound. */
  get slowCount(): number {
    return this.counts.slowReaders + this.#parts.port.overflowedCount
  }

  /** Ends every connection; clients see a transport that closed, and come back. */
  stop(): void {
    this.#server.engine.close()
  }

  #joined(socket: Socket): void {
    const { port, channels } = this.#parts
    const call = handshakeCall(socket)
    const proof = this.#prove(call)
    const caller = proof instanceof Refusal ? null : proof
    const member = new Member({
      socket,
      port,
      caller,
      isStillProven: () => caller !== null && this.#isStillProven(call, caller),
      bufferedBytesMax: SOCKET_BOUNDS.bufferedBytesMax,
      counts: this.counts,
    })
    socket.onAny((event: unknown, ...given: unknown[]) => hear(channels, member, event, given))
    socket.on('disconnect', () => {
      member.left()
      for (const channel of channels.values()) channel.left(member)
    })
    if (proof instanceof Refusal) member.send('exception', exceptionOf(proof))
    if (caller === null) return
    const { profileId, account } = caller
    member.send('authenticated', { message: 'Authenticated', profileId, account })
  }

  /** Null when the client showed no proof at all. */
  #prove(call: Call): Caller | Refusal | null {
    const { guard, clock } = this.#parts
    const proof = guard.authenticate(call, { accepts: ACCEPTED }, clock())
    // Identity tokens alone take a promise, and they are not accepted here.
    if (proof instanceof Promise) return refuse('UNAUTHENTICATED')
    if (!(proof instanceof Refusal) || proof.name !== 'UNAUTHENTICATED') return proof
    // A key without a signature was good long ago.
    return call.headers.has('x-api-key') ? proof : null
  }

  /** A signature ages, its token does not; a cookie can be asked again. */
  #isStillProven(call: Call, caller: Caller): boolean {
    if (caller.tokenId === null) return !(this.#prove(call) instanceof Refusal)
    const token = this.#parts.auth.tokenById(caller.tokenId)
    return token !== undefined && !token.revoked
  }
}

/** The handshake as the call whose signature it carries. */
function handshakeCall({ handshake }: Socket): Call {
  const headers = new Map<string, string>()
  for (const [name, value] of Object.entries(handshake.headers)) {
    if (typeof value === 'string') joinHeader(headers, name, value)
  }
  const [path, query] = HANDSHAKE_TARGET.split('?')
  return {
    method: 'GET',
    path,
    target: HANDSHAKE_TARGET,
    query,
    headers,
    body: new Uint8Array(0),
    receivedMs: 0,
    readMs: 0,
    timesRow: 0,
  }
}
