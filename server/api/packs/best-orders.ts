// The best orders of one side of a book, as many as price packs: best first, and oldest first among
// equal prices. They are stored in columns, which a later read reuses. An object per order of a
// deep book lived long enough to become garbage that only a full collection frees.

import type { Generation, Seq, Slot } from '../../../engine/domain/ids.ts'
import { PACK_LIMITS } from '../../../engine/domain/packs/pack-limits.ts'

const { ordersOfSideMax } = PACK_LIMITS
/** The number of orders added before the worst are dropped. */
const ROWS = 2 * ordersOfSideMax

/** Used while one side is sorted: the indexes of its orders, and a column in its new order. */
const places = new Uint32Array(ROWS)
const moved = new Float64Array(ROWS)

export class BestOrders {
  /** 1 when the lowest price is the best, else -1. */
  readonly #direction: number
  readonly #slots = new Float64Array(ROWS)
  readonly #generations = new Float64Array(ROWS)
  readonly #seqs = new Float64Array(ROWS)
  readonly #ticks = new Float64Array(ROWS)
  #count = 0

  constructor(order: 'lowestFirst' | 'highestFirst') {
    this.#direction = order === 'lowestFirst' ? 1 : -1
  }

  get count(): number {
    return this.#count
  }

  slotAt(place: number): Slot {
    return this.#slots[place]
  }

  generationAt(place: number): Generation {
    return this.#generations[place]
  }

  /** On the YES ladder. */
  ticksAt(place: number): number {
    return this.#ticks[place]
  }

  clear(): void {
    this.#count = 0
  }

  add(slot: Slot, generation: Generation, { ticks, seq }: { ticks: number; seq: Seq }): void {
    const place = this.#count++
    this.#slots[place] = slot
    this.#generations[place] = generation
    this.#ticks[place] = ticks
    this.#seqs[place] = seq
    if (this.#count === ROWS) this.sort()
  }

  /** Sorts the best first, and drops orders beyond those that price packs. */
  sort(): void {
    const count = this.#count
    const sorted = places.subarray(0, count)
    for (let place = 0; place < count; place++) sorted[place] = place
    const [direction, ticks, seqs] = [this.#direction, this.#ticks, this.#seqs]
    sorted.sort((a, b) => direction * (ticks[a] - ticks[b]) || seqs[a] - seqs[b])
    this.#count = Math.min(count, ordersOfSideMax)
    for (const column of [this.#slots, this.#generations, this.#seqs, this.#ticks]) {
      for (let place = 0; place < this.#count; place++) moved[place] = column[sorted[place]]
      column.set(moved.subarray(0, this.#count))
    }
  }
}
