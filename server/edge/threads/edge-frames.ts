// The ring from an edge thread to the core. Frames that find it full wait up to a limit; the core
// gets all frames in their order. Frames given in one event-loop tick are sent together, when the
// library has parsed what it read: so the end of a connection comes with what it ended.

import { RingQueue } from '../../../engine/thread/ring-queue.ts'
import { partsBytes, writeParts } from '../../messages/parts.ts'
import { BODY, FROM_EDGE } from './edge-layout.ts'

/** Above this, frames with bytes are refused. */
const WAITING_BYTES_MAX = 8 << 20
const NOTHING = new Uint8Array(0)

export class EdgeFrames {
  readonly buffer: Buffer
  readonly #queue: RingQueue
  readonly #wake: () => void
  /** Called before the frames of a tick are sent; true when there is more to send. */
  #onSend: () => boolean = () => false
  #isSendDue = false

  constructor(shared: SharedArrayBuffer, wake: () => void) {
    this.#queue = new RingQueue(shared)
    this.buffer = this.#queue.buffer
    this.#wake = wake
  }

  onSend(work: () => boolean): void {
    this.#onSend = work
  }

  /** Whether frames wait for the ring; `reserve` then fails. */
  get isFull(): boolean {
    return !this.#queue.isFlushed
  }

  /** Reserves a frame and returns where to write it in `buffer`; -1 when the ring is full. */
  reserve(tag: number, bytes: number): number {
    const at = this.#queue.reserve(tag, bytes)
    if (at >= 0) this.sendSoon()
    return at
  }

  /** Adds a frame with a head of two words. False when too much waits: then nothing was added. */
  give(tag: number, id: number, word = 0, bytes: Uint8Array = NOTHING): boolean {
    const at = this.reserve(tag, BODY + bytes.length)
    if (at < 0) return this.#wait(tag, id, word, bytes)
    put(this.buffer, at, id, word, bytes)
    return true
  }

  /** Like `give`, with parts (parts.ts) that are written straight into the ring. */
  giveParts(tag: number, id: number, parts: readonly Uint8Array[]): boolean {
    const bytes = partsBytes(parts)
    const at = this.reserve(tag, BODY + bytes)
    if (at < 0) {
      const all = Buffer.alloc(bytes)
      writeParts(all, parts, 0)
      return this.#wait(tag, id, 0, all)
    }
    put(this.buffer, at, id, 0, NOTHING)
    writeParts(this.buffer, parts, at + BODY)
    return true
  }

  fault(error: unknown): void {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
    this.give(FROM_EDGE.FAULT, 0, 0, Buffer.from(text))
  }

  /** Frames without bytes always wait: each is about a connection. */
  #wait(tag: number, id: number, word: number, bytes: Uint8Array): boolean {
    const isFull = this.#queue.waitingBytes + bytes.length > WAITING_BYTES_MAX
    if (bytes.length > 0 && isFull) return false
    const whole = Buffer.alloc(BODY + bytes.length)
    put(whole, 0, id, word, bytes)
    this.#queue.wait(tag, whole)
    this.#queue.flushLater(() => this.send())
    return true
  }

  sendSoon(): void {
    if (this.#isSendDue) return
    this.#isSendDue = true
    setImmediate(() => {
      const isMore = this.#onSend()
      this.#isSendDue = false
      this.send()
      if (isMore) this.sendSoon()
    })
  }

  send(): void {
    const { ring } = this.#queue
    ring.show()
    if (ring.takeWakeUp()) this.#wake()
  }
}

function put(buffer: Buffer, at: number, id: number, word: number, bytes: Uint8Array): void {
  buffer.writeUInt32LE(id, at)
  buffer.writeUInt32LE(word >>> 0, at + 4)
  buffer.set(bytes, at + BODY)
}
