// Limits on the shares of a trade with a pool (rules §7.5).

import type { PoolTrade } from '../../../domain/moves/pool-command.ts'
import { REJECT, type Reject } from '../../../domain/reject-precedence.ts'
import { BPS, type SizeRaw } from '../../../domain/units.ts'

/** The least shares that a buy takes: slippage off what is expected, rounded down. */
export function minSharesRaw(expectedRaw: SizeRaw, slippageBps: number): SizeRaw {
  return Number((BigInt(expectedRaw) * BigInt(BPS - slippageBps)) / BigInt(BPS))
}

/** The most shares that a sale gives: slippage on top of what is expected, rounded up. */
export function maxSharesRaw(expectedRaw: SizeRaw, slippageBps: number): bigint {
  const scaled = BigInt(expectedRaw) * BigInt(BPS + slippageBps)
  return (scaled + BigInt(BPS - 1)) / BigInt(BPS)
}

/** `limitRaw` is the least that a buyer takes, or the most that a seller gives. */
export function decideShares(trade: PoolTrade, limitRaw: bigint): Reject | null {
  const sharesRaw = BigInt(trade.sharesRaw)
  const isIn = trade.kind === 'buyFromPool' ? sharesRaw >= limitRaw : sharesRaw <= limitRaw
  return isIn ? null : REJECT.POOL_SHARES_BEYOND
}
