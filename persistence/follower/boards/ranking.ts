import type { MarketId } from '../../../engine/domain/ids.ts'
import { BestRows, type Order } from './best-rows.ts'

interface OfMarket {
  readonly marketId: MarketId
}

/**
 * The first rows of all markets in their order, and for each market the first row that is not among
 * them. So the next ranking takes over the rows of a market that did not change, and looks at its
 * other rows only where the one that was missed would now have a place.
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

  /** Takes over what an earlier ranking has of markets that did not change. */
  keep(marketIds: ReadonlySet<MarketId>, before: Ranking<Row>): void {
    for (const [marketId, missed] of before.#missed) {
      if (marketIds.has(marketId)) this.#missed.set(marketId, missed)
    }
    for (const row of before.rows) if (marketIds.has(row.marketId)) this.add(row)
  }

  /** Whether a row of the market that is not here would have a place. */
  misses(marketId: MarketId): boolean {
    const missed = this.#missed.get(marketId)
    return missed !== undefined && this.#best.hasPlaceFor(missed)
  }

  /** All rows of the market come again. */
  forget(marketId: MarketId): void {
    this.#missed.delete(marketId)
    this.#best.drop((row) => row.marketId === marketId)
  }
}
