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
export interface Neighbour {
  readonly marketId: MarketId
  readonly isOfGroup: boolean
  readonly sharesCategory: boolean
  readonly cosine: number
}

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
    const dimensions = this.#dimensions
    const cosines = new Float64Array(this.count)
    let from = 0
    for (let row = 0; row < cosines.length; row++) {
      let sum = 0
      for (let at = 0; at < dimensions; at++) sum += this.#steps[from + at] * steps[at]
      cosines[row] = sum * scale * this.#scales[row]
      from += dimensions
    }
    return cosines
  }

  /** The markets nearest to one that may be among them, but is not among its own neighbours. */
  nearest(
    { marketId, steps, labels }: { marketId: MarketId; steps: Int8Array; labels: MarketLabels },
    countMax: number,
  ): MarketId[] {
    const categories = new Set(labels.categories)
    const neighbours: Neighbour[] = []
    for (const [row, cosine] of this.cosines(steps).entries()) {
      const { groupId, categories: others } = this.#labels[row]
      if (this.#ids[row] === marketId) continue
      const isOfGroup = groupId !== null && groupId === labels.groupId
      const sharesCategory = others.some((each) => categories.has(each))
      neighbours.push({ marketId: this.#ids[row], isOfGroup, sharesCategory, cosine })
    }
    neighbours.sort(nearestFirst)
    return neighbours.slice(0, countMax).map((each) => each.marketId)
  }
}

function nearestFirst(one: Neighbour, other: Neighbour): number {
  return (
    Number(other.isOfGroup) - Number(one.isOfGroup) ||
    Number(other.sharesCategory) - Number(one.sharesCategory) ||
    other.cosine - one.cosine ||
    other.marketId - one.marketId
  )
}
