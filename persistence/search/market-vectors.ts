import { assert } from '../../engine/domain/assert.ts'
import type { MarketId } from '../../engine/domain/ids.ts'
import { scaleOf } from './word-vectors.ts'

// The vectors of all markets that are searched, side by side in memory. To compare a text with all
// of them is one pass: half a millisecond for 5,000 markets. A row that is freed takes the last
// row, so there are no holes. Invariant: `#rowOf` names each of the rows below `count` once.

const ROWS_AT_FIRST = 64

export interface MarketLabels {
  readonly groupId: number | null
  readonly categories: readonly string[]
}

/** How near one market is to another: first by group, then by category, then by meaning. */
interface Neighbour {
  readonly marketId: MarketId
  /** 2 for one of the group, and 1 more for one that shares a category. */
  readonly rank: number
  readonly cosine: number
}

/** Of the market itself. */
const NO_RANK = -1

export class MarketVectors {
  readonly #dimensions: number
  #steps: Int8Array
  #scales: Float64Array
  readonly #ids: MarketId[] = []
  readonly #labels: MarketLabels[] = []
  readonly #rowOf = new Map<MarketId, number>()

  constructor(dimensions: number) {
    this.#dimensions = dimensions
    this.#steps = new Int8Array(ROWS_AT_FIRST * dimensions)
    this.#scales = new Float64Array(ROWS_AT_FIRST)
  }

  get count(): number {
    return this.#ids.length
  }

  idAt(row: number): MarketId {
    return this.#ids[row]
  }

  /** The row of a market; undefined for a market that is not searched. */
  rowOf(marketId: MarketId): number | undefined {
    return this.#rowOf.get(marketId)
  }

  /** A copy of the steps in that row. */
  stepsAt(row: number): Int8Array {
    return this.#steps.slice(row * this.#dimensions, (row + 1) * this.#dimensions)
  }

  labelsAt(row: number): MarketLabels {
    return this.#labels[row]
  }

  put(marketId: MarketId, steps: Int8Array, labels: MarketLabels): void {
    assert(steps.length === this.#dimensions, 'all vectors have the same dimensions')
    const row = this.#rowOf.get(marketId) ?? this.count
    if (row === this.#scales.length) this.#grow()
    this.#steps.set(steps, row * this.#dimensions)
    this.#scales[row] = scaleOf(steps)
    this.#ids[row] = marketId
    this.#labels[row] = labels
    this.#rowOf.set(marketId, row)
  }

  remove(marketId: MarketId): void {
    const row = this.#rowOf.get(marketId)
    if (row === undefined) return
    const last = this.count - 1
    const from = last * this.#dimensions
    this.#steps.copyWithin(row * this.#dimensions, from, from + this.#dimensions)
    this.#scales[row] = this.#scales[last]
    this.#ids[row] = this.#ids[last]
    this.#labels[row] = this.#labels[last]
    this.#rowOf.set(this.#ids[row], row)
    this.#rowOf.delete(marketId)
    this.#ids.pop()
    this.#labels.pop()
  }

  clear(): void {
    this.#ids.length = 0
    this.#labels.length = 0
    this.#rowOf.clear()
  }

  #grow(): void {
    const steps = new Int8Array(2 * this.#steps.length)
    const scales = new Float64Array(2 * this.#scales.length)
    steps.set(this.#steps)
    scales.set(this.#scales)
    this.#steps = steps
    this.#scales = scales
  }

  /** The cosine of these steps with each market, by row. */
  cosines(steps: Int8Array): Float64Array {
    const scale = scaleOf(steps)
    const cosines = new Float64Array(this.count)
    for (let row = 0; row < cosines.length; row++) cosines[row] = this.#cosine(row, steps, scale)
    return cosines
  }

  #cosine(row: number, steps: Int8Array, scale: number): number {
    const all = this.#steps
    const from = row * this.#dimensions
    let sum = 0
    for (let at = 0; at < steps.length; at++) sum += all[from + at] * steps[at]
    return sum * scale * this.#scales[row]
  }

  /**
   * The markets nearest to one that may be among them, but is not among its own neighbours. Only
   * markets that can be among the first are compared: mostly those that share a category.
   */
  nearest(
    { marketId, steps, labels }: { marketId: MarketId; steps: Int8Array; labels: MarketLabels },
    countMax: number,
  ): MarketId[] {
    const { ranks, rankMin } = this.#ranks(marketId, labels, countMax)
    const scale = scaleOf(steps)
    const nearest: Neighbour[] = []
    for (let row = 0; row < ranks.length; row++) {
      if (ranks[row] < rankMin) continue
      const cosine = this.#cosine(row, steps, scale)
      const each = { marketId: this.#ids[row], rank: ranks[row], cosine }
      const last = nearest.at(-1)
      const isFull = nearest.length === countMax
      if (isFull && last !== undefined && nearestFirst(last, each) < 0) continue
      if (isFull) nearest.pop()
      nearest.push(each)
      nearest.sort(nearestFirst)
    }
    return nearest.map((each) => each.marketId)
  }

  /** The rank of each row, and the lowest rank that has a place among the first. */
  #ranks(marketId: MarketId, labels: MarketLabels, countMax: number) {
    const wanted = new Set(labels.categories)
    const ranks = new Int8Array(this.count)
    const counts = [0, 0, 0, 0]
    for (let row = 0; row < ranks.length; row++) {
      const { groupId, categories } = this.#labels[row]
      const isOfGroup = groupId !== null && groupId === labels.groupId
      const sharesCategory = categories.some((each) => wanted.has(each))
      const isOwn = this.#ids[row] === marketId
      ranks[row] = isOwn ? NO_RANK : 2 * Number(isOfGroup) + Number(sharesCategory)
      if (!isOwn) counts[ranks[row]]++
    }
    let rankMin = counts.length - 1
    for (let found = counts[rankMin]; rankMin > 0 && found < countMax; ) found += counts[--rankMin]
    return { ranks, rankMin }
  }
}

function nearestFirst(one: Neighbour, other: Neighbour): number {
  return other.rank - one.rank || other.cosine - one.cosine || other.marketId - one.marketId
}
