import type { ProfileId, Seq } from '../../../../engine/domain/ids.ts'
import { TradedMarkets } from '../markets/traded-market.ts'
import { query } from '../query.ts'
import type { TokenLeg } from '../settlements.ts'
import { MOVE_BY_SEQ, type MoveRow, moveOfRow } from './history.ts'

/**
 * What a move moved on its owner for which a transaction was sent; nothing for other commands.
 */
export const moveLegs = query({
  name: 'moveLegs',
  prepare: (db) => ({
    bySeq: db.prepare<[Seq, ProfileId], MoveRow>(MOVE_BY_SEQ),
    markets: new TradedMarkets(db),
  }),
  run: ({ bySeq, markets }, { seq, owner }: { seq: Seq; owner: ProfileId }): TokenLeg[] => {
    const row = bySeq.get(seq, owner)
    // Only the exchange sends transactions for moves, so no other call can pass for one.
    if (row === undefined || row.txHash === null) return []
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
