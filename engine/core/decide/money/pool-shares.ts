// Share limits of pool trades (rules §7.5).

import type { PoolTrade } from '../../../domain/moves/move-command.ts'
import { REJECT, type Reject } from '../../../domain/reject-precedence.ts'
import { BPS, type SizeRaw } from '../../../domain/units.ts'

/** Minimum shares of a buy: the expected shares less slippage, rounded down. */
export function minSharesRaw(expectedRaw: SizeRaw, slippageBps: number): SizeRaw {
  return Number((BigInt(expectedRaw) * BigInt(BPS - slippageBps)) / BigInt(BPS))
}

/** Maximum shares of a sale: the expected shares plus slippage, rounded up. */
export function maxSharesRaw(expectedRaw: SizeRaw, slippageBps: number): bigint {
  const scaled = BigInt(expectedRaw) * BigInt(BPS + slippageBps)
  return (scaled + BigInt(BPS - 1)) / BigInt(BPS)
}

/** `limitRaw` is a buyer's minimum or a seller's maximum. */
export function decideShares(trade: PoolTrade, limitRaw: bigint): Reject | null {
  const sharesRaw = BigInt(trade.sharesRaw)
  const isIn = trade.kind === 'buyFromPool' ? sharesRaw >= limitRaw : sharesRaw <= limitRaw
  return isIn ? null : REJECT.POOL_SHARES_BEYOND
}
