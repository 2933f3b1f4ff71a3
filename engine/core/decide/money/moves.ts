// Gates of money movements outside trading. Each returns the command or the refusal. They read only
// free balances, which results of markets never lower, and state that main alone changes (invariant
// 2 of design §1).

import {
  type MarketId,
  POOL_ACCOUNT,
  type PositionRow,
  type ProfileId,
} from '../../../domain/ids.ts'
import { kindOf } from '../../../domain/markets/market.ts'
import type { CallOnce, MoveBody, RedeemedPosition } from '../../../domain/moves/move-command.ts'
import { OUTCOME } from '../../../domain/order.ts'
import { REJECT, type Reject } from '../../../domain/reject-precedence.ts'
import { SHARED_TABLES } from '../../../domain/shared-tables.ts'
import type { CollateralRaw, SizeRaw, TimeMs } from '../../../domain/units.ts'
import type { Clearing } from '../../clearing.ts'
import type { Market } from '../../markets/catalogue.ts'
import { redemptionRaw } from '../../moves/conditions.ts'
import { convertFeeRaw } from '../../moves/conversion.ts'
import type { MadeCall } from '../../moves/made-calls.ts'
import { gateRows } from '../capacity.ts'
import { gateLeaving } from '../funds.ts'

/** A profile's request. */
export interface MoveRequest {
  readonly profileId: ProfileId
  readonly amountRaw: SizeRaw
  readonly once?: CallOnce | undefined
}
/** What all calls of a profile are checked for. */
type Requested = Pick<MoveRequest, 'profileId' | 'once'>

/** Refuses frozen profiles and profiles at their limit of remembered calls. */
export function decideCall(
  { calls, frozen }: Clearing,
  { profileId, once }: Requested,
): Reject | null {
  if (frozen.isFrozen(profileId)) return REJECT.PROFILE_FROZEN
  if (once === undefined) return null
  return calls.owners.boundOf(SHARED_TABLES.calls, profileId) === null ? null : REJECT.CALL_LIMIT
}

/**
 * The earlier call, the refusal of a call that may not be repeated, or undefined for a new call.
 */
export function decideOnce(
  { calls }: Clearing,
  once: CallOnce | undefined,
  nowMs: TimeMs,
): MadeCall | Reject | undefined {
  if (once === undefined) return undefined
  const made = calls.find(once, nowMs)
  if (made === undefined) return undefined
  if (once.by === 'signed') return REJECT.DUPLICATE_CALL
  return made.bodyDigest === once.bodyDigest ? made : REJECT.IDEMPOTENCY_KEY_TAKEN
}

/** Whether pairs of the market can be split and merged: it has shares and is not resolved. */
function gatePairs(market: Market): Reject | null {
  if (market.status === 'RESOLVED') return REJECT.MARKET_RESOLVED
  const isLive = kindOf(market) === 'amm' ? market.status !== 'DRAFT' : hasBook(market)
  return isLive && !market.isFailed ? null : REJECT.MARKET_STATUS
}

function hasBook(market: Market): boolean {
  return kindOf(market) === 'clob' && market.book !== 0
}

/** Free shares of one outcome; negative after a reversal of more than the account had. */
function freeRaw({ ledger }: Clearing, row: PositionRow, outcome: number): SizeRaw {
  return row === 0 ? 0 : ledger.sharesFreeRaw[row * 2 + outcome]
}

export function decideSplit(
  clearing: Clearing,
  market: Market,
  { profileId, amountRaw, once }: MoveRequest,
): MoveBody | Reject {
  const restricted = decideCall(clearing, { profileId, once }) ?? gatePairs(market)
  if (restricted !== null) return restricted
  const rows = isNew(clearing, profileId, market) ? 1 : 0
  const full = gateRows(clearing, { accountId: profileId, rows, amountRaw })
  if (full !== null) return full
  const availableRaw = clearing.ledger.collateralFreeRaw[profileId]
  if (availableRaw < amountRaw) return REJECT.INSUFFICIENT_COLLATERAL.short(availableRaw, amountRaw)
  return { kind: 'splitPosition', profileId, marketId: market.marketId, amountRaw, once }
}

export function decideMerge(
  clearing: Clearing,
  market: Market,
  { profileId, amountRaw, once }: MoveRequest,
): MoveBody | Reject {
  const restricted = decideCall(clearing, { profileId, once }) ?? gatePairs(market)
  if (restricted !== null) return restricted
  const row = clearing.ledger.rows.find(profileId, market.marketId)
  const pairsRaw = Math.min(freeRaw(clearing, row, OUTCOME.YES), freeRaw(clearing, row, OUTCOME.NO))
  if (pairsRaw < amountRaw) return REJECT.INSUFFICIENT_SHARES.short(pairsRaw, amountRaw)
  return { kind: 'mergePositions', profileId, marketId: market.marketId, amountRaw, once }
}

/** `chosen` are the children whose NO shares the profile gives, without duplicates. */
export function decideConvert(
  clearing: Clearing,
  group: Market,
  chosen: readonly Market[],
  { profileId, amountRaw, once }: MoveRequest,
): MoveBody | Reject {
  const restricted = decideCall(clearing, { profileId, once })
  if (restricted !== null) return restricted
  if (kindOf(group) !== 'group') return REJECT.MARKET_NOT_GROUP
  const children = clearing.catalogue.childrenOf(group.marketId)
  for (const child of children) {
    const closed = gatePairs(child)
    if (closed !== null) return closed
  }
  if (children.length < 2) return REJECT.GROUP_TOO_SMALL
  const noMarketIds = chosen.map(({ marketId }) => marketId)
  if (!isOfGroup(children, noMarketIds)) return REJECT.CONVERSION_INVALID
  // Beyond a safe integer the group's debt would not be exact.
  const owesRaw = (children.length - 1) * amountRaw - group.conditionRaw
  if (!Number.isSafeInteger(owesRaw)) return REJECT.CONVERSION_LIMIT
  const full = gateRows(clearing, {
    accountId: profileId,
    rows: children.filter((child) => isNew(clearing, profileId, child)).length,
    amountRaw,
    // For the vault and for the burnt shares.
    systemRows: children.length * 2,
  })
  if (full !== null) return full
  for (const marketId of noMarketIds) {
    const row = clearing.ledger.rows.find(profileId, marketId)
    const heldRaw = freeRaw(clearing, row, OUTCOME.NO)
    if (heldRaw < amountRaw) return REJECT.INSUFFICIENT_SHARES.short(heldRaw, amountRaw)
  }
  const feeRaw = convertFeeRaw(group, amountRaw)
  const groupId = group.marketId
  return { kind: 'convertPositions', profileId, groupId, noMarketIds, amountRaw, feeRaw, once }
}

function isNew({ ledger }: Clearing, profileId: ProfileId, { marketId }: Market): boolean {
  return ledger.rows.find(profileId, marketId) === 0
}

function isOfGroup(children: readonly Market[], chosen: readonly MarketId[]): boolean {
  const ids = new Set(chosen)
  if (ids.size === 0 || ids.size < chosen.length) return false
  return chosen.every((marketId) => children.some((child) => child.marketId === marketId))
}

/** The account's position in a market that is paid out. */
export function redeemedOf(
  clearing: Clearing,
  market: Market,
  row: PositionRow,
): RedeemedPosition | null {
  const { payoutNumerators, isPaidOut } = market
  if (payoutNumerators === null || !isPaidOut || row === 0) return null
  const accountId = clearing.ledger.rows.accountOf(row)
  // The shares of a pool go to its providers first.
  if (accountId === POOL_ACCOUNT) return null
  const yesRaw = freeRaw(clearing, row, OUTCOME.YES)
  const noRaw = freeRaw(clearing, row, OUTCOME.NO)
  return { accountId, yesRaw, noRaw, paidRaw: redemptionRaw(payoutNumerators, yesRaw, noRaw) }
}

export function decideRedeem(
  clearing: Clearing,
  market: Market,
  { profileId, once }: Requested,
): MoveBody | Reject {
  const restricted = decideCall(clearing, { profileId, once })
  if (restricted !== null) return restricted
  if (market.status !== 'RESOLVED') return REJECT.MARKET_NOT_RESOLVED
  if (!market.isPaidOut) return REJECT.PAYOUT_NOT_POSTED
  const { marketId } = market
  const row = clearing.ledger.rows.find(profileId, marketId)
  const position = redeemedOf(clearing, market, row)
  if (position === null) return REJECT.NOTHING_TO_REDEEM
  return { kind: 'redeemPositions', marketId, positions: [position], profileId, once }
}

export function decideWithdraw(
  clearing: Clearing,
  request: Requested & { readonly collateralRaw: CollateralRaw; readonly destination: string },
): MoveBody | Reject {
  const refused =
    decideCall(clearing, request) ?? gateLeaving(clearing, request.profileId, request.collateralRaw)
  return refused ?? { kind: 'withdraw', ...request }
}
