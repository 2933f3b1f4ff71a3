import type { MarketId } from '../../../../engine/domain/ids.ts'
import type { TimeMs } from '../../../../engine/domain/units.ts'
import type { Connection, Statement } from '../../../database.ts'

// Pool prices after trades. The table's key is market and time, so each price is one search.

const FIRST = `
SELECT traded_ms AS tradedMs, yes_e6 AS yesE6 FROM pool_prices
WHERE market_id = ? ORDER BY traded_ms, seq LIMIT 1`
const BEFORE = `
SELECT traded_ms AS tradedMs, yes_e6 AS yesE6 FROM pool_prices
WHERE market_id = ? AND traded_ms < ? ORDER BY traded_ms DESC, seq DESC LIMIT 1`

/** A price in millionths, and when it was set. */
export interface PoolPrice {
  readonly tradedMs: TimeMs
  readonly yesE6: number
}

export class PoolPrices {
  readonly #first: Statement<[MarketId], PoolPrice>
  readonly #before: Statement<[MarketId, TimeMs], PoolPrice>

  constructor(connection: Connection) {
    this.#first = connection.prepare(FIRST)
    this.#before = connection.prepare(BEFORE)
  }

  first(marketId: MarketId): PoolPrice | undefined {
    return this.#first.get(marketId)
  }

  closeBefore(marketId: MarketId, ms: TimeMs): PoolPrice | undefined {
    return this.#before.get(marketId, ms)
  }
}
