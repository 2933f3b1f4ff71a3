// Gates of pool commands. Each returns the command or the refusal. They read only free balances and
// state that main alone changes (invariant 2 of design §1).

import type { ProfileId, Seq } from '../../../domain/ids.ts'
import { kindOf, takesOrders } from '../../../domain/markets/market.ts'
import type {
  BothRaw,
  CallOnce,
  PoolBody,
  PoolSide,
  PoolTrade,
} from '../../../domain/moves/move-command.ts'
import { POOL_LIMITS, poolFeeBpsOf } from '../../../domain/moves/move-limits.ts'
import { REJECT, type Reject } from '../../../domain/reject-precedence.ts'
import { SHARED_TABLES } from '../../../domain/shared-tables.ts'
import type { CollateralRaw, SizeRaw, TimeMs } from '../../../domain/units.ts'
import { reservesRaw } from '../../amm/pool-commands.ts'
import { drainedRaw, firstKept, mintedRaw, nextKept } from '../../amm/pool-parts.ts'
import { buyQuote, sellQuote } from '../../amm/pool-price.ts'
import type { Clearing } from '../../clearing.ts'
import type { Market } from '../../markets/catalogue.ts'
import { gateRows } from '../capacity.ts'
import { isTradable } from '../decide.ts'
import { decideCall } from './moves.ts'
import { minSharesRaw } from './pool-shares.ts'

/** An account's request to a pool. */
export interface PoolRequest {
  readonly profileId: ProfileId
  readonly outcome: number
  /** The amount to spend, or the amount to receive for shares. */
  readonly collateralRaw: CollateralRaw
  readonly slippageBps: number
  readonly once?: CallOnce | undefined
}

/** State of an approval: `submitted` until it is in a block. */
export type ApprovalStatus = 'missing' | 'submitted' | 'confirmed'

/** `seq` is that of the approving command; 0 = none. */
export function approvalOf(
  { pools, blocks }: Clearing,
  { marketId }: Market,
  profileId: ProfileId,
  side: PoolSide,
): { readonly status: ApprovalStatus; readonly seq: Seq } {
  const seq = pools.of(marketId)?.approvals.get(profileId)?.[side] ?? 0
  if (seq === 0) return { status: 'missing', seq }
  return { status: seq <= blocks.throughSeq ? 'confirmed' : 'submitted', seq }
}

/** Whether an account may trade with the pool now. */
function gatePool(clearing: Clearing, market: Market, nowMs: TimeMs): Reject | null {
  if (kindOf(market) !== 'amm') return REJECT.MARKET_NOT_POOL
  const { modes } = clearing
  const restricted = modes.count === 0 ? null : modes.orderReject(false, nowMs)
  if (restricted !== null) return restricted
  return isTradable(market, nowMs) ? null : REJECT.POOL_CLOSED
}

/** null if the side is approved or its approval is submitted. */
export function decideApproval(
  clearing: Clearing,
  market: Market,
  request: { readonly profileId: ProfileId; readonly side: PoolSide },
  nowMs: TimeMs,
): PoolBody | Reject | null {
  const restricted = decideCall(clearing, request) ?? gatePool(clearing, market, nowMs)
  if (restricted !== null) return restricted
  const { status } = approvalOf(clearing, market, request.profileId, request.side)
  if (status !== 'missing') return null
  const bound = clearing.pools.approvers.boundOf(SHARED_TABLES.poolApprovals, request.profileId)
  if (bound !== null) return bound === 'table' ? REJECT.POOL_CAPACITY : REJECT.APPROVAL_LIMIT
  return { kind: 'approvePool', marketId: market.marketId, ...request }
}

function gateTrade(
  clearing: Clearing,
  market: Market,
  request: PoolRequest,
  side: PoolSide,
  nowMs: TimeMs,
): Reject | null {
  const restricted = decideCall(clearing, request) ?? gatePool(clearing, market, nowMs)
  if (restricted !== null) return restricted
  const { pools, ledger } = clearing
  const { marketId } = market
  if (pools.isInFlight(marketId, request.profileId)) return REJECT.POOL_TRADE_RUNNING
  if (pools.traders.boundOf(SHARED_TABLES.poolTrades, request.profileId) !== null) {
    return REJECT.POOL_CAPACITY
  }
  const rows = ledger.rows.find(request.profileId, marketId) === 0 ? 1 : 0
  const full = gateRows(clearing, {
    accountId: request.profileId,
    rows,
    amountRaw: request.collateralRaw,
    systemRows: 1,
  })
  if (full !== null) return full
  if ((pools.of(marketId)?.liquidityRaw ?? 0) === 0) return REJECT.POOL_QUOTE_INVALID
  const { status } = approvalOf(clearing, market, request.profileId, side)
  return status === 'confirmed' ? null : REJECT.APPROVAL_MISSING
}

export function decideBuy(
  clearing: Clearing,
  market: Market,
  request: PoolRequest,
  nowMs: TimeMs,
): PoolTrade | Reject {
  const restricted = gateTrade(clearing, market, request, 'BUY', nowMs)
  if (restricted !== null) return restricted
  const { profileId, outcome, collateralRaw, once } = request
  const { ledger } = clearing
  const freeRaw = ledger.collateralFreeRaw[profileId]
  if (freeRaw < collateralRaw) return REJECT.POOL_FUNDS_SHORT.short(freeRaw, collateralRaw)
  const { marketId } = market
  const reserves = reservesRaw(ledger, marketId)
  const quote = buyQuote(reserves, outcome, collateralRaw, poolFeeBpsOf(market))
  if (minSharesRaw(quote.sharesRaw, request.slippageBps) === 0) return REJECT.POOL_AMOUNT_TOO_SMALL
  return { kind: 'buyFromPool', marketId, profileId, outcome, collateralRaw, ...quote, once }
}

export function decideSell(
  clearing: Clearing,
  market: Market,
  request: PoolRequest,
  nowMs: TimeMs,
): PoolTrade | Reject {
  const restricted = gateTrade(clearing, market, request, 'SELL', nowMs)
  if (restricted !== null) return restricted
  const { profileId, outcome, collateralRaw, once } = request
  const { ledger } = clearing
  const { marketId } = market
  const reserves = reservesRaw(ledger, marketId)
  const quote = sellQuote(reserves, outcome, collateralRaw, poolFeeBpsOf(market))
  if (quote === null) return REJECT.POOL_QUOTE_INVALID
  const heldRaw = ledger.freeSharesRaw(profileId, marketId, outcome)
  if (heldRaw < quote.sharesRaw) return REJECT.POOL_FUNDS_SHORT.short(heldRaw, quote.sharesRaw)
  return { kind: 'sellToPool', marketId, profileId, outcome, collateralRaw, ...quote, once }
}

/** A provider's contribution. The hints set how much YES and NO an empty pool keeps. */
export interface FundRequest {
  readonly profileId: ProfileId
  readonly collateralRaw: CollateralRaw
  readonly hints: BothRaw
}

export function decideFund(
  clearing: Clearing,
  market: Market,
  { profileId, collateralRaw, hints }: FundRequest,
): PoolBody | Reject {
  if (kindOf(market) !== 'amm') return REJECT.MARKET_NOT_POOL
  const { marketId, status } = market
  if (status !== 'DRAFT' && !takesOrders(status)) return REJECT.MARKET_STATUS
  const { ledger, pools } = clearing
  if (ledger.rows.count + 2 > ledger.rows.capacity) return REJECT.CAPACITY
  const pool = pools.of(marketId)
  const isKnown = pool?.providers.has(profileId) ?? false
  if (!isKnown && (pool?.providers.size ?? 0) >= POOL_LIMITS.providersMax) {
    return REJECT.PROVIDER_LIMIT
  }
  const freeRaw = ledger.collateralFreeRaw[profileId]
  if (freeRaw < collateralRaw) return REJECT.INSUFFICIENT_COLLATERAL.short(freeRaw, collateralRaw)
  const partsRaw = pool?.liquidityRaw ?? 0
  const reserves = reservesRaw(ledger, marketId)
  const isFirst = partsRaw === 0
  const keptRaw = isFirst ? firstKept(collateralRaw, hints) : nextKept(collateralRaw, reserves)
  const firstRaw: number = collateralRaw
  const liquidityRaw = isFirst ? firstRaw : mintedRaw(collateralRaw, partsRaw, reserves)
  const isSafe = partsRaw + liquidityRaw <= Number.MAX_SAFE_INTEGER
  // A pool without one of the shares has no price, and a part of zero is not a part.
  if (keptRaw[0] === 0 || keptRaw[1] === 0 || liquidityRaw === 0 || !isSafe) {
    return REJECT.POOL_QUOTE_INVALID
  }
  return { kind: 'fundPool', marketId, profileId, collateralRaw, keptRaw, liquidityRaw }
}

/** A provider's withdrawal: its whole part if no amount is given. */
export function decideDrain(
  { pools, ledger }: Clearing,
  { marketId }: Market,
  profileId: ProfileId,
  wantedRaw?: SizeRaw,
): PoolBody | Reject {
  const pool = pools.of(marketId)
  const provider = pool?.providers.get(profileId)
  if (pool === undefined || provider === undefined) return REJECT.LIQUIDITY_SHORT
  const liquidityRaw = wantedRaw ?? provider.liquidityRaw
  if (liquidityRaw > provider.liquidityRaw) {
    return REJECT.LIQUIDITY_SHORT.short(provider.liquidityRaw, liquidityRaw)
  }
  if (ledger.rows.count >= ledger.rows.capacity) return REJECT.CAPACITY
  const sharesRaw = drainedRaw(reservesRaw(ledger, marketId), liquidityRaw, pool.liquidityRaw)
  const feesRaw = pools.feesOf(pool, profileId)
  return { kind: 'drainPool', marketId, profileId, liquidityRaw, sharesRaw, feesRaw }
}
