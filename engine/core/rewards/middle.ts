// The adjusted midpoint of a book (rules §11.1). Only orders of at least minSize count; on a side
// without one, all orders count.

import { PRICE_ONE_TICKS, type SizeRaw } from '../../domain/units.ts'

export class Middle {
  readonly #minSizeRaw: SizeRaw
  #bid = 0
  #ask = PRICE_ONE_TICKS
  #largeBid = 0
  #largeAsk = PRICE_ONE_TICKS

  constructor(minSizeRaw: SizeRaw) {
    this.#minSizeRaw = minSizeRaw
  }

  /** Returns true if the order is large enough to count. */
  rests(isBid: boolean, yesTicks: number, leftRaw: SizeRaw): boolean {
    if (isBid) this.#bid = Math.max(this.#bid, yesTicks)
    else this.#ask = Math.min(this.#ask, yesTicks)
    if (leftRaw < this.#minSizeRaw) return false
    if (isBid) this.#largeBid = Math.max(this.#largeBid, yesTicks)
    else this.#largeAsk = Math.min(this.#largeAsk, yesTicks)
    return true
  }

  get isEmpty(): boolean {
    return this.#bid === 0 && this.#ask === PRICE_ONE_TICKS
  }

  get halfTicks(): number {
    const bidTicks = this.#largeBid || this.#bid
    return bidTicks + (this.#largeAsk === PRICE_ONE_TICKS ? this.#ask : this.#largeAsk)
  }
}
