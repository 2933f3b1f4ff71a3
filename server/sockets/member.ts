// One connection to the namespace: who speaks there, and the frames it gets, in the order in which
// they came about. A frame of an account is sent or its reader is disconnected: none is dropped in
// silence. Invariant: what is written is what the library would write, past its queue, which is
// empty whenever a transport is open (packets.ts holds the words, a test compares them).

import type { Socket } from 'socket.io'
import { LIMITS } from '../../engine/domain/limits.ts'
import { edgePoint } from '../../engine/wire/fault-point.ts'
import type { Caller } from '../http/call.ts'
import type { SocketPort } from '../http/gateway/socket-port.ts'
import { type Refusal, refuse } from '../http/refusal.ts'
import { packetOf } from './packets.ts'

/** Who hears a frame: a channel, or one market of it. */
export interface Hearers {
  /** Whether it listened before the frame of this number, and does so still. */
  hears(member: Member, number: number): boolean
}

/** A made one. */
export interface Frame {
  readonly number: number
  readonly to: Hearers
  readonly packet: Uint8Array
  /** Of the stream, up to and with it. */
  readonly endBytes: number
}

/** The frames of an account, as its members see them. */
export interface SharedFrames {
  /** Of the newest frame that was posted, and of the newest that was made. */
  readonly postedNumber: number
  readonly madeNumber: number
  /** Place of the next frame that is made. */
  readonly endPlace: number
  /** Undefined past the newest. */
  frameAt(place: number): Frame | undefined
  /** Bytes made from a place on. */
  bytesFrom(place: number): number
  /** A member has something to send, or room for it again. */
  wake(): void
}

export interface MemberParts {
  readonly socket: Socket
  readonly port: SocketPort
  /** Null for an anonymous reader. */
  readonly caller: Caller | null
  /** Of its account; null for an anonymous reader. */
  readonly stream: SharedFrames | null
  /** Whether the proof still holds: tokens are revoked, sessions end. */
  readonly isStillProven: () => boolean
  /** Does it when all that is stamped is durable; a throw ends this member alone. */
  readonly whenDurable: (work: () => void) => void
  readonly counts: FrameCounts
}

/** Of all connections. */
export interface FrameCounts {
  framesSent: number
  slowReaders: number
}

/** A frame for this member alone, after all that was posted before it. */
interface Own {
  readonly afterNumber: number
  readonly packet: Uint8Array
}

export class Member {
  readonly caller: Caller | null
  readonly stream: SharedFrames | null
  readonly #parts: MemberParts
  #own: Own[] = []
  #ownBytes = 0
  /** Its reader is behind. */
  #isBlocked = false
  /** Its next frames rest on a command that may not be durable. */
  #isPaused = false
  #isGone = false
  /** In the stream, of the next frame that it was not offered. */
  place: number

  constructor(parts: MemberParts) {
    this.caller = parts.caller
    this.stream = parts.stream
    this.place = parts.stream?.endPlace ?? 0
    this.#parts = parts
  }

  /** Sends one frame to this member alone. */
  send(event: string, payload: unknown): void {
    this.sendPacket(packetOf(event, payload))
  }

  /** The same, encoded already. */
  sendPacket(packet: Uint8Array): void {
    if (this.#isGone) return
    const { stream } = this
    this.#own.push({ afterNumber: stream?.postedNumber ?? 0, packet })
    this.#ownBytes += packet.length
    const isNext = this.#own.length === 1 && (stream === null || this.#isNextOwn(stream))
    if (isNext || stream === null) this.#writeOwn()
    else stream.wake()
  }

  /**
   * What only its caller may see, encoded already: it goes out in its turn, while the proof of the
   * caller holds. Whoever asks for more than goes out is told.
   */
  sendLater(packet: Uint8Array): void {
    const { stream } = this
    if (this.#isGone || stream === null) return
    this.#own.push({ afterNumber: stream.postedNumber, packet })
    this.#ownBytes += packet.length
    if (this.#ownBytes > LIMITS.socketLagBytesMax) this.endSlow()
    else stream.wake()
  }

  /** Writes what it has not got, as far as its reader keeps up; true when it could go on. */
  catchUp(isFull: boolean): boolean {
    const { stream } = this
    if (this.#isGone || stream === null) return false
    if (this.#isBlocked || this.#isPaused) {
      const isLost = isFull || this.#waitingBytes(stream) > LIMITS.socketLagBytesMax
      if (isLost) this.endSlow()
      return false
    }
    const packets = this.#next(stream)
    if (packets.length === 0) return false
    if (!this.#parts.isStillProven()) {
      this.pauseUntilDurable(() => this.end(refuse('UNAUTHENTICATED')))
      return false
    }
    this.#write(packets)
    return !this.#isBlocked
  }

  /** Some of what was written was read. */
  drained(): void {
    const { socket, port } = this.#parts
    if (!this.#isBlocked || this.#isGone) return
    if (port.bufferedBytes(socket.conn.transport) > LIMITS.socketAheadBytesMax) return
    this.#isBlocked = false
    this.#goOn()
  }

  /**
   * Sends nothing until every stamped command is durable, then does the work, if any, and goes on.
   * So no client hears that a proof ended before the command that ended it is durable (law 1).
   */
  pauseUntilDurable(work?: () => void): void {
    this.#isPaused = true
    this.#parts.whenDurable(() => {
      this.#isPaused = false
      work?.()
      this.#goOn()
    })
  }

  /** Says why something the client asked for is not done. */
  except(refusal: Refusal, channel?: string): void {
    this.send('exception', exceptionOf(refusal, channel))
  }

  left(): void {
    this.#isGone = true
  }

  /** Says why, and ends the transport, not the namespace alone: clients come back by themselves. */
  end(why: Refusal): void {
    this.#end(exceptionOf(why))
  }

  /** Its frames were not read in time. */
  endSlow(): void {
    if (this.#isGone) return
    this.#parts.counts.slowReaders++
    this.#end({ code: 'SLOW_READER', message: SLOW_READER })
  }

  #goOn(): void {
    if (this.#isBlocked || this.#isGone) return
    if (this.stream === null) this.#writeOwn()
    else this.stream.wake()
  }

  #waitingBytes(stream: SharedFrames): number {
    return this.#ownBytes + stream.bytesFrom(this.place)
  }

  /** Whether all that was posted before its own next frame was offered. */
  #isNextOwn(stream: SharedFrames): boolean {
    if (this.#own.length === 0) return false
    const { afterNumber } = this.#own[0]
    const frame = stream.frameAt(this.place)
    return frame === undefined ? stream.madeNumber >= afterNumber : frame.number > afterNumber
  }

  /** Up to a batch of what is next; its place moves over what others alone hear. */
  #next(stream: SharedFrames): Uint8Array[] {
    const packets: Uint8Array[] = []
    let bytes = 0
    while (bytes < LIMITS.socketBatchBytes) {
      const packet = this.#isNextOwn(stream) ? this.#takeOwn() : this.#takeShared(stream)
      if (packet === undefined) break
      if (packet === null) continue
      packets.push(packet)
      bytes += packet.length
    }
    return packets
  }

  #takeOwn(): Uint8Array | undefined {
    const own = this.#own.shift()
    this.#ownBytes -= own?.packet.length ?? 0
    return own?.packet
  }

  /** Null for a frame that it does not hear, undefined when there is none. */
  #takeShared(stream: SharedFrames): Uint8Array | null | undefined {
    const frame = stream.frameAt(this.place)
    if (frame === undefined) return undefined
    this.place++
    return frame.to.hears(this, frame.number) ? frame.packet : null
  }

  /** Without anything before it: a reader that does not keep up is told. */
  #writeOwn(): void {
    if (this.#isBlocked || this.#isPaused) {
      if (this.#ownBytes > LIMITS.socketLagBytesMax) this.endSlow()
      return
    }
    const packets = this.#own.map(({ packet }) => packet)
    this.#own = []
    this.#ownBytes = 0
    this.#write(packets)
  }

  #write(packets: readonly Uint8Array[]): void {
    const { socket, port, counts } = this.#parts
    edgePoint('at-socket-send')
    port.send(socket.conn.transport, packets)
    counts.framesSent += packets.length
    this.#isBlocked = port.bufferedBytes(socket.conn.transport) > LIMITS.socketAheadBytesMax
  }

  #end(why: object): void {
    if (this.#isGone) return
    this.#isGone = true
    const { socket, port } = this.#parts
    port.send(socket.conn.transport, [packetOf('exception', why)])
    socket.conn.close()
  }
}

const SLOW_READER = 'The frames of this connection were not read in time; read what was missed.'

/** The body a REST call would get, and the channel it is about. */
export function exceptionOf(refusal: Refusal, channel?: string): object {
  const body: object = JSON.parse(refusal.body)
  return channel === undefined ? body : { ...body, channel }
}
