// One connection to the namespace: who speaks there, and the frames it gets. A frame of an account
// is sent or its reader is disconnected: none is dropped in silence.

import type { Socket } from 'socket.io'
import type { Caller } from '../http/call.ts'
import { type Refusal, refuse } from '../http/refusal.ts'
import type { SocketPort } from '../http/socket-port.ts'

export interface MemberParts {
  readonly socket: Socket
  readonly port: SocketPort
  /** Null for an anonymous reader. */
  readonly caller: Caller | null
  /** Whether the proof still holds: tokens are revoked, sessions end. */
  readonly isStillProven: () => boolean
  readonly bufferedBytesMax: number
  readonly counts: FrameCounts
}

/** Of all connections. */
export interface FrameCounts {
  framesSent: number
  slowReaders: number
}

export class Member {
  readonly caller: Caller | null
  readonly #parts: MemberParts
  #isGone = false

  constructor(parts: MemberParts) {
    this.caller = parts.caller
    this.#parts = parts
  }

  /** Sends one frame; a reader with too much before it is disconnected instead. */
  send(event: string, payload: unknown): void {
    if (this.#isGone) return
    const { socket, port, bufferedBytesMax, counts } = this.#parts
    if (port.bufferedBytes(socket.conn.transport) > bufferedBytesMax) {
      counts.slowReaders++
      this.#end(socket, { code: 'SLOW_READER', message: SLOW_READER })
      return
    }
    socket.emit(event, payload)
    counts.framesSent++
  }

  /** Sends what only its caller may see, while the proof of the caller holds. */
  sendPrivate(event: string, payload: unknown): void {
    if (this.#isGone) return
    if (this.#parts.isStillProven()) this.send(event, payload)
    else this.#end(this.#parts.socket, exceptionOf(refuse('UNAUTHENTICATED')))
  }

  /** Says why something the client asked for is not done. */
  except(refusal: Refusal, channel?: string): void {
    this.send('exception', exceptionOf(refusal, channel))
  }

  left(): void {
    this.#isGone = true
  }

  /** Ends the transport, not the namespace alone: clients come back from that by themselves. */
  #end(socket: Socket, why: object): void {
    this.#isGone = true
    socket.emit('exception', why)
    socket.conn.close()
  }
}

const SLOW_READER = 'The frames of this connection were not read in time; read what was missed.'

/** The body a REST call would get, and the channel it is about. */
export function exceptionOf(refusal: Refusal, channel?: string): object {
  const body: object = JSON.parse(refusal.body)
  return channel === undefined ? body : { ...body, channel }
}
