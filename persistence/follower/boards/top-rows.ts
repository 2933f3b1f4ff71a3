import type { MarketId } from '../../../engine/domain/ids.ts'

/** Negative if `one` comes before `other`. No two rows are equal. */
type Order<Row> = (one: Row, other: Row) => number

/** The first `max` of all added rows, in order. */
export class BestRows<Row> {
  readonly #max: number
  readonly #order: Order<Row>
  readonly rows: Row[] = []

  constructor(max: number, order: Order<Row>) {
    this.#max = max
    this.#order = order
  }

  hasPlaceFor(row: Row): boolean {
    const last = this.rows.at(-1)
    return this.rows.length < this.#max || last === undefined || this.#order(row, last) < 0
  }

  /** Returns the row that is not among them now: this one, or the last of the others. */
  add(row: Row): Row | null {
    if (!this.hasPlaceFor(row)) return row
    const out = this.rows.length === this.#max ? this.rows.pop() : undefined
    this.rows.splice(this.#placeOf(row), 0, row)
    return out ?? null
  }

  drop(isGone: (row: Row) => boolean): void {
    const kept = this.rows.filter((row) => !isGone(row))
    this.rows.splice(0, this.rows.length, ...kept)
  }

  #placeOf(row: Row): number {
    let [low, high] = [0, this.rows.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#order(this.rows[middle], row) < 0) low = middle + 1
      else high = middle
    }
    return low
  }
}

interface OfMarket {
  readonly marketId: MarketId
}

/**
 * The first rows of all markets in order, and for each market its first row that is not among them.
 * So the next ranking reuses the rows of an unchanged market, and reads its other rows only if the
 * first missing one would now be included.
 */
export class Ranking<Row extends OfMarket> {
  readonly #best: BestRows<Row>
  readonly #order: Order<Row>
  readonly #missed = new Map<MarketId, Row>()

  constructor(max: number, order: Order<Row>) {
    this.#best = new BestRows(max, order)
    this.#order = order
  }

  get rows(): readonly Row[] {
    return this.#best.rows
  }

  add(row: Row): void {
    const out = this.#best.add(row)
    if (out === null) return
    const known = this.#missed.get(out.marketId)
    if (known === undefined || this.#order(out, known) < 0) this.#missed.set(out.marketId, out)
  }

  /** Copies the rows of unchanged markets from an earlier ranking. */
  keep(marketIds: ReadonlySet<MarketId>, before: Ranking<Row>): void {
    for (const [marketId, missed] of before.#missed) {
      if (marketIds.has(marketId)) this.#missed.set(marketId, missed)
    }
    for (const row of before.rows) if (marketIds.has(row.marketId)) this.add(row)
  }

  /** Whether a missing row of the market would be included. */
  misses(marketId: MarketId): boolean {
    const missed = this.#missed.get(marketId)
    return missed !== undefined && this.#best.hasPlaceFor(missed)
  }

  /** All rows of the market will be added again. */
  forget(marketId: MarketId): void {
    this.#missed.delete(marketId)
    this.#best.drop((row) => row.marketId === marketId)
  }
}
