// One connection to the namespace: its caller, and its frames in the order of their events. Each
// frame of an account is sent, or its reader is disconnected: no frame is silently dropped.
// Invariant: it writes the same bytes that the library would write, but bypasses the library's
// queue. That queue is empty while a transport is open (packets.ts builds the bytes, a test
// compares them).

import type { Socket } from 'socket.io'
import type { Seq } from '../../../engine/domain/ids.ts'
import { LIMITS } from '../../../engine/domain/limits.ts'
import { edgePoint } from '../../../engine/thread/fault-point.ts'
import type { Caller } from '../../messages/call.ts'
import { type Refusal, refuse } from '../../messages/refusal.ts'
import type { SocketPort } from '../http/gateway/socket-port.ts'
import type { ConnectionSlot } from './connection-counts.ts'
import { PING, packetOf } from './packets.ts'

/** Besides its channel, this decides whether a member receives a frame. */
export interface Place {
  readonly number: number
  /** The command that caused the frame; null where a replay never sends such frames. */
  readonly seq: Seq | null
}

/** The listeners of a frame: those of a channel, or of one market in it. */
export interface Receivers {
  /** Whether the member subscribed before the frame, still is subscribed, and lacks the frame. */
  receives(member: Member, place: Place): boolean
}

/** A built and encoded frame. */
export interface Frame extends Place {
  readonly to: Receivers
  readonly packet: Uint8Array
  /** Bytes of the stream up to and including this frame. */
  readonly endBytes: number
}

/** The frames of an account as read by its members. */
export interface SharedFrames {
  /** Numbers of the newest posted frame and of the newest built frame. */
  readonly postedNumber: number
  readonly madeNumber: number
  /** Position of the next frame to be built. */
  readonly endPlace: number
  /** Returns undefined past the newest frame. */
  frameAt(place: number): Frame | undefined
  /** Bytes of the built frames from a position on. */
  bytesFrom(place: number): number
  /** Called when a member has something to send, or may send again. */
  wake(): void
}

export interface MemberParts {
  readonly socket: Socket
  readonly port: SocketPort
  /** Null for an anonymous reader. */
  readonly caller: Caller | null
  /** The stream of its account; null for an anonymous reader. */
  readonly stream: SharedFrames | null
  /** Whether the credentials are still valid: tokens are revoked, and sessions end. */
  readonly isStillProven: () => boolean
  /** Runs the work when every stamped command is durable; an exception ends only this member. */
  readonly whenDurable: (work: () => void) => void
  readonly counts: FrameCounts
  readonly connectionSlot: ConnectionSlot
}

/** Has frames for a member that could not take them. */
export interface Waiter {
  /** The member can take frames again. */
  hasCapacity(member: Member): void
}

/** Counts over all connections. */
export interface FrameCounts {
  framesSent: number
  bytesSent: number
  slowReaders: number
}

/** A frame for this member alone; it follows all frames that were posted before it. */
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
  /** The reader has not read enough of the written bytes. */
  #isBlocked = false
  /** Its next frames depend on a command that may not be durable. */
  #isPaused = false
  #isGone = false
  /** Bytes of shared frames since its unread bytes were last checked. */
  #uncheckedBytes = 0
  readonly #waiters = new Set<Waiter>()
  /** Position of the next frame of the stream that it was not offered. */
  place: number

  constructor(parts: MemberParts) {
    this.caller = parts.caller
    this.stream = parts.stream
    this.place = parts.stream?.endPlace ?? 0
    this.#parts = parts
  }

  get connectionSlot(): ConnectionSlot {
    return this.#parts.connectionSlot
  }

  /** Whether it accepts a shared frame now: it keeps up, and none of its own frames waits. */
  get takesShared(): boolean {
    if (this.#isGone || this.#isPaused || this.#own.length > 0) return false
    return this.#unreadBytes <= LIMITS.socketTopicAheadBytesMax
  }

  /**
   * Counts a shared frame before it is published; true when its reader lags too far to receive it.
   * The unread bytes are checked only once per so many bytes, because a check costs part of a
   * frame.
   */
  lagsBefore(bytes: number): boolean {
    this.#uncheckedBytes += bytes
    if (this.#uncheckedBytes <= LIMITS.socketTopicAheadBytesMax) return false
    this.#uncheckedBytes = 0
    return this.#unreadBytes > LIMITS.socketTopicAheadBytesMax
  }

  /** Bytes that were written and not read. */
  get #unreadBytes(): number {
    const { socket, port } = this.#parts
    return port.bufferedBytes(socket.conn.transport)
  }

  /** Calls `waiter` once, when the member accepts shared frames again. */
  waitForCapacity(waiter: Waiter): void {
    if (!this.#isGone) this.#waiters.add(waiter)
  }

  /** Writes shared frames to this member alone; it must accept them. */
  giveShared(packets: readonly Uint8Array[]): void {
    const { socket, port, counts } = this.#parts
    edgePoint('at-socket-send')
    port.send(socket.conn.transport, packets)
    count(counts, packets)
  }

  joinTopic(topic: string): void {
    const { socket, port } = this.#parts
    if (!this.#isGone) port.subscribe(socket.conn.transport, topic)
  }

  leaveTopic(topic: string): void {
    const { socket, port } = this.#parts
    if (!this.#isGone) port.unsubscribe(socket.conn.transport, topic)
  }

  /** Sends one frame to this member alone. */
  send(event: string, payload: unknown): void {
    this.sendPacket(packetOf(event, payload))
  }

  /** Sends one encoded frame to this member alone. */
  sendPacket(packet: Uint8Array): void {
    if (this.#isGone) return
    const { stream } = this
    this.#own.push({ afterNumber: stream?.postedNumber ?? 0, packet })
    this.#ownBytes += packet.length
    const isNext = this.#own.length === 1 && (stream === null || this.#isNextOwn())
    if (isNext || stream === null) this.#writeOwn()
    else stream.wake()
  }

  /**
   * Sends an encoded frame that only its caller may see. It is sent in order, while the caller's
   * credentials are valid. A member with too many waiting bytes is ended, with the reason.
   */
  sendLater(packet: Uint8Array): void {
    const { stream } = this
    if (this.#isGone || stream === null) return
    this.#own.push({ afterNumber: stream.postedNumber, packet })
    this.#ownBytes += packet.length
    if (this.#isLost(this.#ownBytes)) this.endSlow()
    else stream.wake()
  }

  /** Writes its next frames while the reader keeps up; true when it could write more. */
  catchUp(isFull: boolean): boolean {
    const { stream } = this
    if (this.#isGone || stream === null) return false
    if (this.#isBlocked || this.#isPaused) {
      const isLost = isFull || this.#isLost(this.#waitingBytes(stream))
      if (isLost) this.endSlow()
      return false
    }
    const packets = this.#next(stream)
    if (packets.length === 0) return false
    if (!this.provesItself()) return false
    this.#write(packets)
    return !this.#isBlocked
  }

  /** False once the credentials of its caller ended; it is then ended too. */
  provesItself(): boolean {
    if (this.#parts.isStillProven()) return true
    this.pauseUntilDurable(() => this.end(refuse('UNAUTHENTICATED')))
    return false
  }

  /** Sends a ping, which the client answers at once. */
  ping(): void {
    const { socket, port } = this.#parts
    if (!this.#isGone) port.send(socket.conn.transport, [PING])
  }

  /** Calls the listener for each message of the client, also the answer to a ping. */
  onReceived(listener: () => void): void {
    this.#parts.socket.conn.on('packet', listener)
  }

  /** Called when the reader took some of the written bytes. */
  drained(): void {
    if (this.#isGone) return
    if (this.#isBlocked && this.#unreadBytes <= LIMITS.socketAheadBytesMax) {
      this.#isBlocked = false
      this.#goOn()
    }
    this.#publishGroup()
  }

  /**
   * Sends nothing until every stamped command is durable, then runs the work, if any. So no client
   * learns that its credentials ended before the command that ended them is durable (invariant 1).
   */
  pauseUntilDurable(work?: () => void): void {
    this.#isPaused = true
    this.#parts.whenDurable(() => {
      this.#isPaused = false
      work?.()
      this.#goOn()
    })
  }

  /** Notifies the client why its request was refused. */
  except(refusal: Refusal, channel?: string): void {
    this.send('exception', exceptionOf(refusal, channel))
  }

  left(): void {
    this.#isGone = true
    this.#waiters.clear()
  }

  /** Sends the reason and ends the transport, not only the namespace, so that clients reconnect. */
  end(why: Refusal): void {
    this.#end(exceptionOf(why))
  }

  /** Ends the member because its frames were not read in time. */
  endSlow(): void {
    if (this.#isGone) return
    this.#parts.counts.slowReaders++
    this.#end({ code: 'SLOW_READER', message: SLOW_READER })
  }

  #goOn(): void {
    if (this.#isBlocked || this.#isGone) return
    if (this.stream === null) this.#writeOwn()
    else this.stream.wake()
    this.#publishGroup()
  }

  #publishGroup(): void {
    if (this.#waiters.size === 0 || !this.takesShared) return
    const waiters = [...this.#waiters]
    this.#waiters.clear()
    for (const waiter of waiters) waiter.hasCapacity(this)
  }

  #waitingBytes(stream: SharedFrames): number {
    return this.#ownBytes + stream.bytesFrom(this.place)
  }

  /** Whether it was offered every frame of its account up to this number. */
  hasTaken(number: number): boolean {
    const { stream } = this
    if (stream === null) return true
    const frame = stream.frameAt(this.place)
    return frame === undefined ? stream.madeNumber >= number : frame.number > number
  }

  /** Whether every frame that was posted before its own next frame was offered. */
  #isNextOwn(): boolean {
    return this.#own.length > 0 && this.hasTaken(this.#own[0].afterNumber)
  }

  /** Takes its next frames, up to a batch; its position moves past frames for others. */
  #next(stream: SharedFrames): Uint8Array[] {
    const packets: Uint8Array[] = []
    let bytes = 0
    while (bytes < LIMITS.socketBatchBytes) {
      const packet = this.#isNextOwn() ? this.#takeOwn() : this.#takeShared(stream)
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

  /** Returns null for a frame that is not for this member, undefined when there is no frame. */
  #takeShared(stream: SharedFrames): Uint8Array | null | undefined {
    const frame = stream.frameAt(this.place)
    if (frame === undefined) return undefined
    this.place++
    return frame.to.receives(this, frame) ? frame.packet : null
  }

  /**
   * Writes frames for this member alone, a batch at a time and only while its reader keeps up. A
   * reader that falls too far behind is ended.
   */
  #writeOwn(): void {
    while (this.#own.length > 0 && !this.#isBlocked && !this.#isPaused) {
      const packets: Uint8Array[] = []
      let bytes = 0
      while (bytes < LIMITS.socketBatchBytes) {
        const packet = this.#takeOwn()
        if (packet === undefined) break
        packets.push(packet)
        bytes += packet.length
      }
      this.#write(packets)
    }
    if (this.#isLost(this.#ownBytes)) this.endSlow()
  }

  /**
   * Whether so many bytes wait because its reader lags. More of them may wait for an edge thread,
   * or for a command to be durable.
   */
  #isLost(waitingBytes: number): boolean {
    const { socket, port } = this.#parts
    if (waitingBytes <= LIMITS.socketLagBytesMax) return false
    if (waitingBytes > LIMITS.socketWaitingBytesMax) return true
    return port.unreadBytesOf(socket.conn.transport) > LIMITS.socketAheadBytesMax
  }

  #write(packets: readonly Uint8Array[]): void {
    const { socket, port, counts } = this.#parts
    edgePoint('at-socket-send')
    port.send(socket.conn.transport, packets)
    count(counts, packets)
    this.#isBlocked = this.#unreadBytes > LIMITS.socketAheadBytesMax
    this.#publishGroup()
  }

  #end(why: object): void {
    if (this.#isGone) return
    this.#isGone = true
    const { socket, port } = this.#parts
    port.send(socket.conn.transport, [packetOf('exception', why)])
    socket.conn.close()
  }
}

const SLOW_READER = 'The frames of this connection were not read in time; fetch the missed events.'

function count(counts: FrameCounts, packets: readonly Uint8Array[]): void {
  counts.framesSent += packets.length
  for (const { length } of packets) counts.bytesSent += length
}

/** The body that a REST call would get, and the channel of the refusal. */
export function exceptionOf(refusal: Refusal, channel?: string): object {
  const body: object = JSON.parse(refusal.body)
  return channel === undefined ? body : { ...body, channel }
}
