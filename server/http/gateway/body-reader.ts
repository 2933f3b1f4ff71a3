// Bodies on their way. Invariant: a turn is among them from its head to its last byte, or to its
// end, whichever comes first.

import { Slab } from '../../../engine/domain/slab.ts'
import { joinChunks, NO_BYTES } from '../call.ts'
import { type Refusal, refuse } from '../refusal.ts'
import type { Turn } from './turn.ts'

export interface BodyReaderParts<S> {
  readonly clock: () => number
  /** From its head to its first byte, and to its last. */
  readonly firstMs: number
  readonly deadlineMs: number
  readonly bytesMax: number
  /** The body of a call is whole. */
  readonly onWhole: (turn: Turn<S>) => void
  /** It came too slowly or was too long. */
  readonly onRefused: (turn: Turn<S>, refusal: Refusal) => void
  readonly onFault: (turn: Turn<S>, error: unknown) => void
}

interface Reading<S> {
  readonly turn: Turn<S>
  sizeBytes: number
}

export class BodyReader<S> {
  readonly #parts: BodyReaderParts<S>
  readonly #reading = new Slab<Reading<S>>()
  /** One for all of them. */
  #timer: NodeJS.Timeout | null = null

  constructor(parts: BodyReaderParts<S>) {
    this.#parts = parts
  }

  read(turn: Turn<S>): void {
    const chunks: Uint8Array[] = []
    const reading = { turn, sizeBytes: 0 }
    turn.readingAt = this.#reading.put(reading)
    const { firstMs, deadlineMs } = this.#parts
    this.#timer ??= setInterval(() => this.#dropSlow(), Math.min(firstMs, deadlineMs) / 4).unref()
    const take = (chunk: ArrayBuffer, isLast: boolean) => {
      reading.sizeBytes += chunk.byteLength
      if (reading.sizeBytes > this.#parts.bytesMax) {
        this.#refuse(turn, refuse('BODY_TOO_LARGE'))
        return
      }
      // The chunk's memory is taken back when this returns; a raw route is done with it by then.
      const isWhole = isLast && chunks.length === 0 && turn.entry?.route.raw === true
      if (chunk.byteLength > 0) chunks.push(new Uint8Array(isWhole ? chunk : chunk.slice(0)))
      if (!isLast) return
      this.ends(turn)
      turn.call.body = chunks.length === 1 ? chunks[0] : joinChunks(chunks, reading.sizeBytes)
      this.#parts.onWhole(turn)
      if (isWhole) turn.call.body = NO_BYTES
    }
    turn.response.onData((chunk, isLast) => {
      if (turn.ended) return
      try {
        take(chunk, isLast)
      } catch (error) {
        this.#parts.onFault(turn, error)
      }
    })
  }

  /** Its body is awaited no longer; false when it was not on its way. */
  ends(turn: Turn<S>): boolean {
    if (turn.readingAt === 0) return false
    this.#reading.take(turn.readingAt)
    turn.readingAt = 0
    return true
  }

  /** Nothing was done for a body that is not whole: its caller asks again elsewhere. */
  stop(): void {
    for (const { turn } of this.#reading.all()) this.#refuse(turn, refuse('NOT_READY'))
    this.#stopTimer()
  }

  #refuse(turn: Turn<S>, refusal: Refusal): void {
    this.ends(turn)
    this.#parts.onRefused(turn, refusal)
  }

  #dropSlow(): void {
    const { clock, firstMs, deadlineMs } = this.#parts
    const nowMs = clock()
    for (const { turn, sizeBytes } of this.#reading.all()) {
      const waitMs = sizeBytes === 0 ? Math.min(firstMs, deadlineMs) : deadlineMs
      if (turn.call.receivedMs <= nowMs - waitMs) this.#refuse(turn, refuse('BODY_TIMEOUT'))
    }
    if (this.#reading.count === 0) this.#stopTimer()
  }

  #stopTimer(): void {
    if (this.#timer !== null) clearInterval(this.#timer)
    this.#timer = null
  }
}
