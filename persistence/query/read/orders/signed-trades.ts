import { assert } from '../../../../engine/domain/assert.ts'
import type { MarketId, Seq } from '../../../../engine/domain/ids.ts'
import {
  TRADED_GROUP,
  TRADED_MARKET,
  type TradedGroup,
  type TradedMarket,
} from '../markets/traded-market.ts'
import { query } from '../query.ts'
import { SignedOrders } from './signed-orders.ts'
import { ORDER, type OrderRow, type SignedOrderRow } from './user-orders.ts'

// Trades with all that is needed to settle them on a chain: the orders as their owners signed them.

const TRADE = `
SELECT market_id AS marketId, fee_raw AS feeRaw, taker_placed_seq AS placedSeq
FROM trades WHERE seq = ?`
const FILLS = `
SELECT maker_placed_seq AS placedSeq, size_raw AS sharesRaw FROM maker_fills
WHERE trade_seq = ? ORDER BY position`

/** A trade by the seq of its taker's arrival. */
export interface SignedTrade {
  readonly tradeSeq: Seq
  readonly marketId: MarketId
  readonly market: TradedMarket
  /** Null when the market is in no group. */
  readonly group: TradedGroup | null
  /** Shares for a buy, collateral for a sell. */
  readonly feeRaw: number
  readonly taker: SignedOrderRow
  readonly makers: readonly { readonly order: SignedOrderRow; readonly sharesRaw: number }[]
}

interface TradeRow {
  readonly marketId: MarketId
  readonly feeRaw: number
  readonly placedSeq: Seq
}

/** The trades in the order of their seqs in the request. */
export const signedTrades = query({
  name: 'signedTrades',
  prepare: (db, records) => ({
    trade: db.prepare<[Seq], TradeRow>(TRADE),
    market: db.prepare<[MarketId], TradedMarket>(TRADED_MARKET),
    group: db.prepare<[MarketId], TradedGroup>(TRADED_GROUP),
    fills: db.prepare<[Seq], { placedSeq: Seq; sharesRaw: number }>(FILLS),
    order: db.prepare<[Seq], OrderRow>(ORDER),
    signed: new SignedOrders(records),
  }),
  run: (
    { trade, market, group, fills, order, signed },
    { tradeSeqs }: { tradeSeqs: readonly Seq[] },
  ): SignedTrade[] => {
    const orderOf = (placedSeq: Seq): SignedOrderRow => {
      const row = order.get(placedSeq)
      assert(row !== undefined, 'an order of a waiting trade is in the tables')
      return signed.of(row)
    }
    const marketOf = (marketId: MarketId): TradedMarket => {
      const row = market.get(marketId)
      assert(row !== undefined, 'the market of a waiting trade is in the tables')
      return row
    }
    const groupOf = ({ groupId }: TradedMarket): TradedGroup | null => {
      const row = groupId === null ? null : group.get(groupId)
      assert(row !== undefined, 'the group of a market is in the tables')
      return row
    }
    return tradeSeqs.map((tradeSeq) => {
      const found = trade.get(tradeSeq)
      assert(found !== undefined, 'a waiting trade is in the tables')
      const { marketId, feeRaw, placedSeq } = found
      const makers = fills.all(tradeSeq).map((fill) => {
        return { order: orderOf(fill.placedSeq), sharesRaw: fill.sharesRaw }
      })
      const taker = orderOf(placedSeq)
      const own = marketOf(marketId)
      return { tradeSeq, marketId, market: own, group: groupOf(own), feeRaw, taker, makers }
    })
  },
  rests: ({ tradeSeqs }) => ({ tradeSeqs }),
})
