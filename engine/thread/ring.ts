import { assert } from '../domain/assert.ts'
import { RestCollector } from './rest-collector.ts'
import { type SleepWord, wake } from './wake-ups.ts'

// Hot path. Frames in order from one writer to one reader, over one SharedArrayBuffer.
//
// Header words (i32): 0 written │ 16 read │ 32 asleep (the reader waits on it or a wake word) │
//                     48 armed (main wants a wake-up) │ 52 probe │ 56 reply (liveness)
// `written` and `read` count bytes and wrap at 2^32; data starts at DATA_BYTES. A frame is { i32
// payload bytes, i32 tag } and its payload, padded to eight. A frame that would cross the end of
// the buffer starts at its beginning, after a SKIP frame, so payloads are never split.
// Invariants: only the writer moves `written`, only the reader moves `read`, and written − read ≤
// capacity.

const WRITTEN = 0
const READ = 16
const ASLEEP = 32
const ARMED = 48
const REQUESTED = 52
const ANSWERED = 56
const DATA_BYTES = 256
const FRAME_BYTES = 8
const SKIP = -1

export class Ring {
  readonly shared: SharedArrayBuffer
  /** A view of all of `shared`, header included, for readers that read fields in place. */
  readonly view: DataView
  readonly words: Int32Array
  readonly #words: Int32Array
  readonly #sleep: SleepWord
  readonly #bytes: Uint8Array
  readonly #mask: number
  readonly #collector = new RestCollector()
  readonly capacity: number
  #head: number
  #sent: number
  #tail: number
  #readTail: number
  #seenHead: number
  #seenRead: number
  /** The current frame's tag, after `next()` and until `free()`. */
  tag = 0
  /** Start of the current payload in `shared`; a multiple of eight. */
  byteOffset = 0
  payloadBytes = 0

  /** Both sides use the same `sleep`. If absent, it is a word of the ring itself. */
  constructor(shared: SharedArrayBuffer, sleep?: SleepWord) {
    this.shared = shared
    this.capacity = shared.byteLength - DATA_BYTES
    assert((this.capacity & (this.capacity - 1)) === 0, 'the capacity of a ring is a power of two')
    this.#words = new Int32Array(shared)
    this.words = this.#words
    this.#sleep = sleep ?? { words: this.#words, at: ASLEEP }
    this.view = new DataView(shared)
    this.#bytes = new Uint8Array(shared)
    this.#mask = this.capacity - 1
    this.#head = Atomics.load(this.#words, WRITTEN)
    this.#sent = this.#head
    this.#tail = Atomics.load(this.#words, READ)
    this.#readTail = this.#tail
    this.#seenHead = this.#head
    this.#seenRead = this.#tail
  }

  static allocate(capacityBytes: number): SharedArrayBuffer {
    return new SharedArrayBuffer(DATA_BYTES + capacityBytes)
  }

  /**
   * Writer: payload bytes that certainly fit in one frame now. With `wanted`, the result may be too
   * low, but not below `wanted`, because the reader is checked only when necessary.
   */
  freeBytes(wanted?: number): number {
    if (wanted !== undefined) {
      const known = this.#knownFreeBytes()
      if (known >= wanted) return known
    }
    this.#seenRead = Atomics.load(this.#words, READ)
    return this.#knownFreeBytes()
  }

  /** Writer: bytes of frames whose space the reader has not returned. */
  get unreadBytes(): number {
    this.#seenRead = Atomics.load(this.#words, READ)
    return (this.#head - this.#seenRead) >>> 0
  }

  #knownFreeBytes(): number {
    const free = this.capacity - ((this.#head - this.#seenRead) >>> 0)
    const toEnd = this.capacity - (this.#head & this.#mask)
    const best = free <= toEnd ? free : Math.max(toEnd, free - toEnd)
    return Math.max(0, (Math.min(best, free) & ~7) - 2 * FRAME_BYTES)
  }

  /**
   * Writer: adds one frame. Returns false, without effect, if it does not fit. The reader sees it
   * after `send`.
   */
  push(tag: number, payload: Uint8Array): boolean {
    const offset = this.reserve(tag, payload.length)
    if (offset < 0) return false
    this.#bytes.set(payload, offset)
    return true
  }

  /**
   * Like `push`, for `wordCount` words from `fromWord` on, without an object for a part of a
   * record.
   */
  pushWords(tag: number, from: Int32Array, fromWord: number, wordCount: number): boolean {
    const offset = this.reserve(tag, wordCount * 4)
    if (offset < 0) return false
    const to = offset >> 2
    for (let word = 0; word < wordCount; word++) this.#words[to + word] = from[fromWord + word]
    return true
  }

  /**
   * Writer: adds a frame and returns the byte offset of its payload, which the caller writes; -1 if
   * full.
   */
  reserve(tag: number, payloadBytes: number): number {
    const frameBytes = FRAME_BYTES + ((payloadBytes + 7) & ~7)
    const at = this.#head & this.#mask
    const toEnd = this.capacity - at
    const skipBytes = frameBytes <= toEnd ? 0 : toEnd
    if (!this.#fits(frameBytes + skipBytes)) return -1
    if (skipBytes > 0) {
      this.#words[(DATA_BYTES + at) >> 2] = SKIP
      this.#head = (this.#head + skipBytes) | 0
    }
    const start = DATA_BYTES + (this.#head & this.#mask)
    this.#words[start >> 2] = payloadBytes
    this.#words[(start >> 2) + 1] = tag
    this.#head = (this.#head + frameBytes) | 0
    return start + FRAME_BYTES
  }

  #fits(bytes: number): boolean {
    if (bytes <= this.capacity - ((this.#head - this.#seenRead) >>> 0)) return true
    this.#seenRead = Atomics.load(this.#words, READ)
    return bytes <= this.capacity - ((this.#head - this.#seenRead) >>> 0)
  }

  /**
   * Writer: publishes all pushed frames and wakes the reader if it sleeps. Call it once per batch.
   */
  send(): void {
    if (this.show()) wake(this.#sleep)
  }

  /**
   * Writer: like `send`, but another thread wakes the reader. Returns false if nothing was pushed.
   */
  show(): boolean {
    if (this.#sent === this.#head) return false
    this.#sent = this.#head
    Atomics.store(this.#words, WRITTEN, this.#head)
    return true
  }

  /** Writer: requests a sign of life. The reader gives it when it next checks for frames. */
  request(): void {
    Atomics.add(this.#words, REQUESTED, 1)
    wake(this.#sleep)
  }

  /** Writer: whether the reader gave a sign of life since the last `request`. */
  get isAnswered(): boolean {
    return Atomics.load(this.#words, ANSWERED) === Atomics.load(this.#words, REQUESTED)
  }

  /**
   * Writer, for a ring that main reads: true if main sleeps in its event loop and wants one
   * message.
   */
  takeWakeUp(): boolean {
    if (Atomics.load(this.#words, ARMED) === 0) return false
    return Atomics.exchange(this.#words, ARMED, 0) === 1
  }

  /** Writer in a worker: waits briefly for the reader, which may be slow but always exists. */
  waitForSpace(): void {
    // Readers do not notify: a wake-up per freed frame took a tenth of the intake's time. A wait of
    // a millisecond is far below every deadline.
    Atomics.wait(this.#words, READ, Atomics.load(this.#words, READ), 1)
  }

  /** Reader: moves to the next frame; false if there is none. */
  next(): boolean {
    if (this.#readTail === this.#seenHead) {
      this.#seenHead = Atomics.load(this.#words, WRITTEN)
      if (this.#readTail === this.#seenHead) return false
    }
    let start = DATA_BYTES + (this.#readTail & this.#mask)
    if (this.#words[start >> 2] === SKIP) {
      this.#readTail = (this.#readTail + this.capacity - (this.#readTail & this.#mask)) | 0
      start = DATA_BYTES
    }
    const payloadBytes = this.#words[start >> 2]
    this.payloadBytes = payloadBytes
    this.tag = this.#words[(start >> 2) + 1]
    this.byteOffset = start + FRAME_BYTES
    this.#readTail = (this.#readTail + FRAME_BYTES + ((payloadBytes + 7) & ~7)) | 0
    return true
  }

  /** Reader: the current payload as a separate object. The hottest readers avoid it. */
  get bytes(): Uint8Array {
    return this.#bytes.subarray(this.byteOffset, this.byteOffset + this.payloadBytes)
  }

  /** Reader: the position after the current frame, for `freeTo`. */
  get position(): number {
    return this.#readTail
  }

  /** Reader: the position after all frames that were sent. */
  get sentPosition(): number {
    return Atomics.load(this.#words, WRITTEN)
  }

  /** Reader: whether all frames before a `position` are read. */
  isPast(position: number): boolean {
    return ((this.#readTail - position) | 0) >= 0
  }

  /** Reader: returns the space of all frames read so far to the writer. */
  free(): void {
    this.freeTo(this.#readTail)
  }

  /** Reader: returns the space of all frames up to a `position`. */
  freeTo(position: number): void {
    if (this.#tail === position) return
    this.#tail = position
    Atomics.store(this.#words, READ, this.#tail)
  }

  /** Reader in a worker: sleeps until a frame arrives, at most `timeoutMs`. */
  waitForData(timeoutMs: number): boolean {
    const { words, at } = this.#sleep
    Atomics.store(words, at, 1)
    if (Atomics.load(this.#words, WRITTEN) === this.#readTail && this.isAnswered) {
      Atomics.wait(words, at, 1, timeoutMs)
    }
    Atomics.store(words, at, 0)
    this.answer()
    const hasData = Atomics.load(this.#words, WRITTEN) !== this.#readTail
    this.#collector.waited(hasData)
    return hasData
  }

  /** Reader: gives a requested sign of life. */
  answer(): void {
    Atomics.store(this.#words, ANSWERED, Atomics.load(this.#words, REQUESTED))
  }

  /**
   * Reader on main: requests a wake-up. Returns false if frames arrived meanwhile: then drain
   * again.
   */
  arm(): boolean {
    Atomics.store(this.#words, ARMED, 1)
    return Atomics.load(this.#words, WRITTEN) === this.#readTail
  }

  /** Bytes sent and not freed yet, for metrics. */
  usedBytes(): number {
    const written = Atomics.load(this.#words, WRITTEN)
    return (written - Atomics.load(this.#words, READ)) >>> 0
  }
}
