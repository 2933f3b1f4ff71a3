import type { AccountId, MarketId, ProfileId, Seq } from '../../../../engine/domain/ids.ts'
import type { Connection, Statement } from '../../../database.ts'
import { NEWEST_EPOCH, NEWEST_NUMBER } from '../../../follower/tables/mined-trades.ts'
import { query } from '../query.ts'
import { type Settlement, Settlements } from '../settlements.ts'

// The mined trades of a market or a group, newest first. They are numbered, so a distant page is
// found by its numbers. A page may span several epochs, each with at least one row, so `limit`
// bounds the rows and epochs that are read.

const EPOCH = `
SELECT epoch, first_number AS firstNumber FROM mined_epochs
WHERE market_id = ? AND first_number <= ? ORDER BY first_number DESC LIMIT 1`
const PAGE = `
SELECT t.seq, t.market_id AS marketId, t.taker_owner AS takerId, t.side, t.outcome,
  t.shares_raw AS sharesRaw, t.collateral_raw AS collateralRaw, t.traded_ms AS tradedMs, t.fills
FROM mined_trades m CROSS JOIN trades t ON t.seq = m.trade_seq
WHERE m.epoch = ? AND m.market_id = ? AND m.number <= ? ORDER BY m.number DESC LIMIT ?`
/** The public fields of one profile. */
export const TAKER = `
SELECT profile_id AS profileId, account, username, display_name AS displayName, client,
  smart_wallet AS smartWallet, rank_name AS rankName, bio, pfp_url AS pfpUrl,
  social_url AS socialUrl
FROM profiles WHERE profile_id = ?`

/** The public fields of a profile that traded. */
export interface TakerRow {
  readonly profileId: ProfileId
  readonly account: string
  readonly username: string | null
  readonly displayName: string | null
  readonly client: string
  readonly smartWallet: string | null
  readonly rankName: string | null
  readonly bio: string | null
  readonly pfpUrl: string | null
  readonly socialUrl: string | null
}

interface TradeRow {
  readonly seq: Seq
  /** The market of the trade: a group has the trades of its markets. */
  readonly marketId: MarketId
  readonly takerId: AccountId
  /** Side and outcome of the taker's order. */
  readonly side: number
  readonly outcome: number
  readonly sharesRaw: number
  readonly collateralRaw: number
  readonly tradedMs: number
  /** As in market-trades.ts. */
  readonly fills: string
}

export interface MinedTrade extends TradeRow {
  readonly settlement: Settlement
  /** null for a profile that is not in the tables. */
  readonly taker: TakerRow | null
}

export interface MinedTradesParams {
  /** A market or a group. */
  readonly marketId: MarketId
  /** Number of newest trades to skip. */
  readonly skip: number
  readonly limit: number
}

export interface MinedTrades {
  /** Total number of mined trades of the market. */
  readonly count: number
  readonly trades: readonly MinedTrade[]
}

class MinedTradesOfMarket {
  readonly #newestEpoch: Statement<[MarketId], { epoch: number }>
  readonly #newestNumber: Statement<[epoch: number, MarketId], { number: number }>
  readonly #epoch: Statement<[MarketId, number], { epoch: number; firstNumber: number }>
  readonly #page: Statement<[epoch: number, MarketId, number, number], TradeRow>
  readonly #taker: Statement<[number], TakerRow>
  readonly #settlements: Settlements
  readonly #ofOneState: (params: MinedTradesParams) => MinedTrades

  constructor(connection: Connection) {
    this.#newestEpoch = connection.prepare(NEWEST_EPOCH)
    this.#newestNumber = connection.prepare(NEWEST_NUMBER)
    this.#epoch = connection.prepare(EPOCH)
    this.#page = connection.prepare(PAGE)
    this.#taker = connection.prepare(TAKER)
    this.#settlements = new Settlements(connection)
    this.#ofOneState = connection.transaction((params: MinedTradesParams) => this.#find(params))
  }

  find(params: MinedTradesParams): MinedTrades {
    return this.#ofOneState(params)
  }

  #find({ marketId, skip, limit }: MinedTradesParams): MinedTrades {
    const newest = this.#newestEpoch.get(marketId)
    if (newest === undefined) return { count: 0, trades: [] }
    const count = this.#newestNumber.get(newest.epoch, marketId)?.number ?? 0
    if (skip >= count || limit === 0) return { count, trades: [] }
    const takers = new Map<number, TakerRow | null>()
    const trades = this.#rows(marketId, count - skip, limit).map((row): MinedTrade => {
      const known = takers.get(row.takerId)
      const taker = known === undefined ? (this.#taker.get(row.takerId) ?? null) : known
      takers.set(row.takerId, taker)
      return { ...row, settlement: this.#settlements.of(row.seq), taker }
    })
    return { count, trades }
  }

  /** The trades from a number downwards. */
  #rows(marketId: MarketId, fromNumber: number, limit: number): TradeRow[] {
    const rows: TradeRow[] = []
    let number = fromNumber
    while (number > 0 && rows.length < limit) {
      const found = this.#epoch.get(marketId, number)
      // Older ones are no longer in the tables.
      if (found === undefined) break
      rows.push(...this.#page.all(found.epoch, marketId, number, limit - rows.length))
      number = found.firstNumber - 1
    }
    return rows
  }
}

/** Newest mined trades first, and their total number. */
export const minedTrades = query({
  name: 'minedTrades',
  prepare: (db) => new MinedTradesOfMarket(db),
  run: (table, params: MinedTradesParams) => table.find(params),
})
