import type { ProfileId, Seq } from '../../../../engine/domain/ids.ts'
import { TradedMarkets } from '../markets/traded-market.ts'
import { query } from '../query.ts'
import type { TokenLeg } from '../settlements.ts'
import { type MoveRow, moveOfRow } from './history.ts'

// Only the exchange sends transactions for moves, so no other call can pass for one.
const SENT_MOVE = `
SELECT m.kind, m.owner, m.market_id AS marketId, m.yes_raw AS yesRaw, m.no_raw AS noRaw,
  m.collateral_raw AS collateralRaw, m.detail, t.tx_hash AS txHash
FROM move_transactions t JOIN moves m ON m.seq = t.seq
WHERE t.seq = ? AND m.owner = ? ORDER BY m.leg LIMIT 1`

/**
 * What a move moved on its owner for which a transaction was sent; nothing for other commands.
 */
export const moveLegs = query({
  name: 'moveLegs',
  prepare: (db) => ({
    bySeq: db.prepare<[Seq, ProfileId], MoveRow>(SENT_MOVE),
    markets: new TradedMarkets(db),
  }),
  run: ({ bySeq, markets }, { seq, owner }: { seq: Seq; owner: ProfileId }): TokenLeg[] => {
    const row = bySeq.get(seq, owner)
    if (row === undefined) return []
    const { collateralRaw, converted, ...own } = moveOfRow(row)
    const shares = (converted ?? [own]).flatMap(({ marketId, yesRaw, noRaw }) => {
      if (marketId === 0) return []
      const { yesTokenId, noTokenId } = markets.of(marketId).market
      return [
        { tokenId: yesTokenId, raw: yesRaw },
        { tokenId: noTokenId, raw: noRaw },
      ]
    })
    return [{ tokenId: null, raw: collateralRaw }, ...shares]
  },
  rests: ({ owner }) => ({ owner }),
})
