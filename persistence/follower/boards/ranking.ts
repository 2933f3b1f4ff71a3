import type { MarketId } from '../../../engine/domain/ids.ts'
import { BestRows, type Order } from './best-rows.ts'

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
