import type { Connection, Statement } from '../../database.ts'

// What a profile holds of the outcome tokens of a market, and what it cost (domain §9.1).

const OF_MARKET = `
SELECT market_id AS marketId, outcome, size_raw AS sizeRaw, cost_raw AS costRaw,
  realised_raw AS realisedRaw
FROM positions WHERE owner = ? AND market_id = ? ORDER BY outcome`

export interface PositionRow {
  readonly marketId: number
  readonly outcome: number
  readonly sizeRaw: number
  readonly costRaw: number
  readonly realisedRaw: number
}

export interface PositionsAsk {
  readonly accountId: number
  readonly marketIds: readonly number[]
}

export class Positions {
  readonly #ofMarket: Statement<[number, number], PositionRow>

  constructor(connection: Connection) {
    this.#ofMarket = connection.prepare(OF_MARKET)
  }

  /** In the order of the markets, YES before NO; none for what was never traded. */
  find({ accountId, marketIds }: PositionsAsk): PositionRow[] {
    return marketIds.flatMap((marketId) => this.#ofMarket.all(accountId, marketId))
  }
}
