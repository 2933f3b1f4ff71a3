// A copy of one book, kept by frames of changes. Each frame has the number after that of the frame
// before. A frame that is further ahead means a loss: the copy is stale then, and takes nothing
// until a whole book comes (design §6). It knows neither sockets nor the page.

import type { BookFrame, DeltaFrame, Level } from './shapes.ts'

export type Taken = 'current' | 'gap' | 'ignored'

/** Prices are keyed in tenths of a cent, so that equal prices are one key. */
const TICKS = 1000
const ticks = (price: number): number => Math.round(price * TICKS)

/** The sizes of one side by price; sorted when it is read after a change. */
class BookSide {
  readonly #order: 1 | -1
  readonly #sizes = new Map<number, number>()
  #levels: readonly Level[] | null = null

  constructor(order: 1 | -1) {
    this.#order = order
  }

  replace(levels: readonly Level[]): void {
    this.#sizes.clear()
    this.change(levels)
  }

  /** A size of 0 takes the level away. */
  change(levels: readonly Level[]): void {
    this.#levels = null
    for (const { price, size } of levels) {
      if (size === 0) this.#sizes.delete(ticks(price))
      else this.#sizes.set(ticks(price), size)
    }
  }

  /** Best first. */
  get levels(): readonly Level[] {
    this.#levels ??= [...this.#sizes]
      .sort(([a], [b]) => this.#order * (a - b))
      .map(([price, size]) => ({ price: price / TICKS, size }))
    return this.#levels
  }
}

export class BookCopy {
  readonly #bids = new BookSide(-1)
  readonly #asks = new BookSide(1)
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
    this.#bids.replace(orderbook.bids)
    this.#asks.replace(orderbook.asks)
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
    this.#bids.change(frame.bids)
    this.#asks.change(frame.asks)
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
    return this.#bids.levels.at(0)?.price ?? null
  }

  get bestAsk(): number | null {
    return this.#asks.levels.at(0)?.price ?? null
  }

  /** Best first. */
  get bids(): readonly Level[] {
    return this.#bids.levels
  }

  get asks(): readonly Level[] {
    return this.#asks.levels
  }
}
