import { assert } from '../../../../engine/domain/assert.ts'
import type { MarketId, Seq } from '../../../../engine/domain/ids.ts'
import { type MarketTerms, TradedMarkets } from '../markets/traded-market.ts'
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
export interface SignedTrade extends MarketTerms {
  readonly tradeSeq: Seq
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
    markets: new TradedMarkets(db),
    fills: db.prepare<[Seq], { placedSeq: Seq; sharesRaw: number }>(FILLS),
    order: db.prepare<[Seq], OrderRow>(ORDER),
    signed: new SignedOrders(records),
  }),
  run: (
    { trade, markets, fills, order, signed },
    { tradeSeqs }: { tradeSeqs: readonly Seq[] },
  ): SignedTrade[] => {
    const orderOf = (placedSeq: Seq): SignedOrderRow => {
      const row = order.get(placedSeq)
      assert(row !== undefined, 'an order of a waiting trade is in the tables')
      return signed.of(row)
    }
    return tradeSeqs.map((tradeSeq) => {
      const found = trade.get(tradeSeq)
      assert(found !== undefined, 'a waiting trade is in the tables')
      const { marketId, feeRaw, placedSeq } = found
      const makers = fills.all(tradeSeq).map((fill) => {
        return { order: orderOf(fill.placedSeq), sharesRaw: fill.sharesRaw }
      })
      const taker = orderOf(placedSeq)
      return { tradeSeq, ...markets.of(marketId), feeRaw, taker, makers }
    })
  },
  rests: ({ tradeSeqs }) => ({ tradeSeqs }),
})
