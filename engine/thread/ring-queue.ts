import { Ring } from './ring.ts'

// The writer's side of a ring whose frames may wait while it is full. Invariant: the reader gets
// all frames in the order in which they were added.

export interface Frame {
  readonly tag: number
  readonly bytes: Uint8Array
}

const RETRY_MS = 1

export class RingQueue {
  readonly ring: Ring
  /** Where the payloads of reserved frames are written. */
  readonly buffer: Buffer
  readonly #waiting: Frame[] = []
  #waitingBytes = 0
  #isRetryDue = false

  constructor(shared: SharedArrayBuffer) {
    this.ring = new Ring(shared)
    this.buffer = Buffer.from(shared)
  }

  /** Frames that wait, oldest first. */
  get waiting(): readonly Frame[] {
    return this.#waiting
  }

  get waitingBytes(): number {
    return this.#waitingBytes
  }

  /** Whether no frame waits, so that a new frame goes straight into the ring. */
  get isFlushed(): boolean {
    return this.#waiting.length === 0
  }

  /** Like `Ring.reserve`; -1 also while other frames wait. */
  reserve(tag: number, payloadBytes: number): number {
    return this.isFlushed ? this.ring.reserve(tag, payloadBytes) : -1
  }

  /** Queues a frame after all waiting frames; `flush` moves it into the ring. */
  wait(tag: number, bytes: Uint8Array): void {
    this.#waiting.push({ tag, bytes })
    this.#waitingBytes += bytes.length
  }

  /** Moves waiting frames into the ring; true when none is left. The caller shows them. */
  flush(): boolean {
    let moved = 0
    for (const { tag, bytes } of this.#waiting) {
      if (!this.ring.push(tag, bytes)) break
      this.#waitingBytes -= bytes.length
      moved++
    }
    this.#waiting.splice(0, moved)
    return this.isFlushed
  }

  /** Drops the waiting frames, because the reader has ended. */
  drop(): void {
    this.#waiting.length = 0
    this.#waitingBytes = 0
  }

  /** Flushes every millisecond until no frame waits; `show` shows the moved frames. */
  flushLater(show: () => void): void {
    if (this.#isRetryDue || this.isFlushed) return
    this.#isRetryDue = true
    setTimeout(() => {
      this.#isRetryDue = false
      this.flush()
      show()
      this.flushLater(show)
    }, RETRY_MS)
  }
}
