// Decides when a resolved market is paid out, and when a finished market is archived.

import type { Clearing } from '../clearing.ts'
import type { Market } from '../markets/catalogue.ts'

/** Whether the market is no longer needed and may be archived (design §10). */
export function mayArchive(
  { blocks, catalogue, chainFunds, rewards, packs }: Clearing,
  market: Market,
): boolean {
  const { status, book, rowCount, isPaidOut, isFailed } = market
  const isOver = (status === 'RESOLVED' && isPaidOut) || (isFailed && status !== 'RESOLVED')
  const isUnused = book === 0 && rowCount === 0
  if (catalogue.childrenOf(market.marketId).length > 0) return false
  if (rewards.needs(market) || packs.hasLegOf(market.marketId)) return false
  if (!isOver || !isUnused || !blocks.holdsAllThrough(market.lastTradeSeq)) return false
  // A start posts the payouts of markets in memory on the chain again.
  return !chainFunds.due().some(({ conditionId }) => conditionId === market.conditionId)
}

/** Whether a resolved market may post its payout: its last trade is in a block. */
export function mayPayOut({ blocks }: Clearing, market: Market): boolean {
  const isOver = market.status === 'RESOLVED' && market.book === 0 && !market.isPaidOut
  return isOver && blocks.holdsAllThrough(market.lastTradeSeq)
}
