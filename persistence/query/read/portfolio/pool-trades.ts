import { moveHashOf } from '../../../../engine/core/money/tx-hash.ts'
import type { AccountId, MarketId, Seq } from '../../../../engine/domain/ids.ts'
import { IS_POOL_TRADE } from '../../../follower/tables/featured.ts'
import { query } from '../query.ts'
import { Settlements } from '../settlements.ts'
import { type HistoryRow, MOVE_COLUMNS, type MoveRow, moveOfRow } from './history.ts'

// An account's pool trades. A partial index has only these moves.

const TRADES = `
SELECT seq, leg, moved_ms AS movedMs, ${MOVE_COLUMNS}
FROM moves WHERE owner = ? AND ${IS_POOL_TRADE} ORDER BY seq DESC LIMIT ?`
const TOTALS = `
SELECT market_id AS marketId, outcome, bought_raw AS boughtRaw, sold_raw AS soldRaw
FROM pool_totals WHERE owner = ? AND market_id = ?`

type TradeRow = MoveRow & { readonly seq: Seq; readonly leg: number; readonly movedMs: number }

/** Newest trades first, at most `limit`. */
export const poolTrades = query({
  name: 'poolTrades',
  prepare: (db) => ({
    trades: db.prepare<[AccountId, number], TradeRow>(TRADES),
    settlements: new Settlements(db),
  }),
  run: (
    { trades, settlements },
    { owner, limit }: { owner: AccountId; limit: number },
  ): HistoryRow[] =>
    trades.all(owner, limit).map((row) => {
      const { seq, leg, movedMs } = row
      const chainId = settlements.chainOf(seq)
      const txHash = chainId === null ? null : moveHashOf(chainId, seq)
      const { minedMs } = settlements.of(seq)
      return { what: 'MOVE', seq, leg, txHash, minedMs, move: moveOfRow(row), movedMs }
    }),
})

/** The collateral that an account spent on an outcome of a pool, and received for it. */
export interface PoolTotal {
  readonly marketId: MarketId
  readonly outcome: number
  readonly boughtRaw: number
  readonly soldRaw: number
}

/** A row for each outcome that the account ever traded in these markets. */
export const poolTotals = query({
  name: 'poolTotals',
  prepare: (db) => db.prepare<[AccountId, MarketId], PoolTotal>(TOTALS),
  run: (
    totals,
    { owner, marketIds }: { owner: AccountId; marketIds: readonly MarketId[] },
  ): PoolTotal[] => marketIds.flatMap((marketId) => totals.all(owner, marketId)),
})
