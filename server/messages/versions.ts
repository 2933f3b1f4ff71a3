// Versions of what public reads show, in memory that edge threads share. The core raises the
// version of a subject when it changes, before any reply shows the change. So bytes that were made
// at a version are the answer for as long as their subject has it.

import type { MarketId } from '../../engine/domain/ids.ts'

/** Markets that share a version only make each other's bytes short-lived. */
const CELLS = 1 << 14
const LIST = 0
/** What stays the same until the process ends. */
const CONSTANT = 1
/** From when on orders are remembered. */
const ORDER_MEMORY = 2
const MARKETS = 3

/** A subject of public reads. */
type Subject = number

/** The bytes of a reply are the answer while their subject has this version, within these times. */
export interface Freshness {
  readonly subject: Subject
  readonly version: number
  /** Wall clock of the exchange in ms. */
  readonly fromMs: number
  readonly untilMs: number
  /** The bytes are the `timeText` of the moment at which they are sent. */
  readonly isTime?: boolean
}

export class Versions {
  readonly shared: SharedArrayBuffer
  readonly #cells: Int32Array

  constructor(shared = new SharedArrayBuffer(CELLS * Int32Array.BYTES_PER_ELEMENT)) {
    this.shared = shared
    this.#cells = new Int32Array(shared)
  }

  /** Something that is shown of a market changed. */
  raiseMarket(marketId: MarketId): void {
    Atomics.add(this.#cells, subjectOf(marketId), 1)
  }

  /** A market was added, or the status of one changed. */
  raiseList(): void {
    Atomics.add(this.#cells, LIST, 1)
  }

  /** Older orders were forgotten. */
  raiseOrderMemory(): void {
    Atomics.add(this.#cells, ORDER_MEMORY, 1)
  }

  /** Bytes of a market that were made just now. */
  ofMarket(marketId: MarketId, untilMs = Number.POSITIVE_INFINITY): Freshness {
    return this.#now(subjectOf(marketId), untilMs)
  }

  /** Bytes of the list of markets that were made just now. */
  ofList(untilMs = Number.POSITIVE_INFINITY, fromMs = Number.NEGATIVE_INFINITY): Freshness {
    return { ...this.#now(LIST, untilMs), fromMs }
  }

  /** Bytes made just now that say from when on orders are remembered. */
  ofOrderMemory(untilMs = Number.POSITIVE_INFINITY): Freshness {
    return this.#now(ORDER_MEMORY, untilMs)
  }

  /** Bytes that stay the same until the process ends. */
  ofConstant(): Freshness {
    return this.#now(CONSTANT, Number.POSITIVE_INFINITY)
  }

  /** The time, which is made for each reply. */
  ofTime(): Freshness {
    return { ...this.ofConstant(), isTime: true }
  }

  #now(subject: Subject, untilMs: number): Freshness {
    const version = Atomics.load(this.#cells, subject)
    return { subject, version, fromMs: Number.NEGATIVE_INFINITY, untilMs }
  }

  isFresh({ subject, version, fromMs, untilMs }: Freshness, nowMs: number): boolean {
    return nowMs >= fromMs && nowMs < untilMs && Atomics.load(this.#cells, subject) === version
  }
}

function subjectOf(marketId: MarketId): Subject {
  return MARKETS + (marketId % (CELLS - MARKETS))
}
