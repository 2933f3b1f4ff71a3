import { Random } from '../../support/random.ts'
import { EventQueue } from './event-queue.ts'
import type { Planted } from './planted-faults.ts'

export const LEASE_MS = 1000

/** What a run has seen, by name. */
export type Counts = Map<string, number>

export interface LogRun {
  readonly seed: number
  readonly steps: number
  readonly planted?: Planted
  readonly onTrace?: (line: string) => void
}

/** What all parts of one run share. */
export class Environment {
  readonly queue = new EventQueue()
  readonly random: Random
  readonly planted: Planted
  readonly counts: Counts = new Map()
  /** Nothing fails any more. */
  isQuiet = false
  /** The part of requests, and of replies, that get lost or are late. */
  lossOdds = 0
  /** Leaders decide commands. */
  isDeciding = true
  /** The content of the next record: each has another one. */
  #contents = 0
  readonly #onTrace: ((line: string) => void) | null

  constructor({ seed, planted, onTrace }: LogRun) {
    this.random = new Random(seed)
    this.planted = planted ?? new Set()
    this.#onTrace = onTrace ?? null
  }

  newContent(): number {
    return ++this.#contents
  }

  count(what: string, more = 1): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + more)
  }

  /** Notes what happens, for the reader of a failed run. */
  trace(line: () => string): void {
    if (this.#onTrace === null) return
    this.#onTrace(`${this.queue.nowMs.toFixed(3).padStart(11)} ms  ${line()}`)
  }

  /** False during a quiet period. */
  chance(part: number): boolean {
    return !this.isQuiet && this.random.chance(part)
  }

  /** A time in [`lowMs`, `highMs`). */
  between(lowMs: number, highMs: number): number {
    return lowMs + this.random.next() * (highMs - lowMs)
  }

  /** The time of a message from one machine to another. */
  latencyMs(): number {
    if (this.chance(0.01)) return this.between(5, 300)
    if (this.chance(0.05)) return this.between(1, 10)
    return this.between(0.1, 1)
  }
}
