// A copy of one book, kept by frames of changes. Each frame has the number after that of the frame
// before. A frame that is further ahead means a loss: the copy is stale then, and takes nothing
// until a whole book comes (design §6). It knows neither sockets nor the page.

import type { BookFrame, DeltaFrame, Level } from './shapes.ts'

export type Taken = 'current' | 'gap' | 'ignored'

/** Prices are keyed in tenths of a cent, so that equal prices are one key. */
const TICKS = 1000
const ticks = (price: number): number => Math.round(price * TICKS)

export class BookCopy {
  readonly #bids = new Map<number, number>()
  readonly #asks = new Map<number, number>()
  #sequence = 0
  #isCurrent = false
  lastTradePrice: number | null = null
  midpoint: number | null = null

  /** Whether it shows the newest book that was sent. */
  get isCurrent(): boolean {
    return this.#isCurrent
  }

  get sequence(): number {
    return this.#sequence
  }

  /** A whole book ends every gap; one that is older than the copy changes nothing. */
  takeWhole({ orderbook, sequence }: BookFrame): Taken {
    if (this.#isCurrent && sequence < this.#sequence) return 'ignored'
    this.#bids.clear()
    this.#asks.clear()
    for (const { price, size } of orderbook.bids) this.#bids.set(ticks(price), size)
    for (const { price, size } of orderbook.asks) this.#asks.set(ticks(price), size)
    this.#sequence = sequence
    this.#isCurrent = true
    this.lastTradePrice = orderbook.lastTradePrice
    this.midpoint = orderbook.midpoint
    return 'current'
  }

  takeChanges(frame: DeltaFrame): Taken {
    if (!this.#isCurrent || frame.sequence <= this.#sequence) return 'ignored'
    if (frame.sequence !== this.#sequence + 1) {
      this.#isCurrent = false
      return 'gap'
    }
    change(this.#bids, frame.bids)
    change(this.#asks, frame.asks)
    this.#sequence = frame.sequence
    this.lastTradePrice = frame.lastTradePrice
    this.midpoint = frame.midpoint
    return 'current'
  }

  /** The connection was lost: only a whole book helps. A server that restarted counts from 1. */
  lose(): void {
    this.#isCurrent = false
    this.#sequence = 0
  }

  get bestBid(): number | null {
    let best = 0
    for (const price of this.#bids.keys()) if (price > best) best = price
    return best === 0 ? null : best / TICKS
  }

  get bestAsk(): number | null {
    let best = TICKS
    for (const price of this.#asks.keys()) if (price < best) best = price
    return best === TICKS ? null : best / TICKS
  }

  /** Best first. */
  get bids(): readonly Level[] {
    return levels(this.#bids, -1)
  }

  get asks(): readonly Level[] {
    return levels(this.#asks, 1)
  }
}

function change(side: Map<number, number>, changed: readonly Level[]): void {
  for (const { price, size } of changed) {
    if (size === 0) side.delete(ticks(price))
    else side.set(ticks(price), size)
  }
}

function levels(side: ReadonlyMap<number, number>, order: 1 | -1): Level[] {
  const sorted = [...side].sort(([a], [b]) => order * (a - b))
  return sorted.map(([price, size]) => ({ price: price / TICKS, size }))
}
