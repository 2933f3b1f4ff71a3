// Hot path. bench/core.bench.ts
// All gates of orders and cancels, in the precedence of domain/reject-precedence.ts. A gate reads
// only state that main alone changes, so no later answer of a market can invalidate its decision
// (invariant 2 of design §1).

import type { PlaceOrder } from '../../domain/command.ts'
import type { ProfileId, Seq, TokenNo } from '../../domain/ids.ts'
import { LIMITS } from '../../domain/limits.ts'
import { takesOrders } from '../../domain/markets/market.ts'
import { SIDE } from '../../domain/order.ts'
import { REJECT, type Reject } from '../../domain/reject-precedence.ts'
import { MS_PER_SEC, type TimeMs } from '../../domain/units.ts'
import { NO_FEE_RATE } from '../accounts/accounts.ts'
import type { Clearing } from '../clearing.ts'
import type { Market } from '../markets/catalogue.ts'
import { SEEN, type SeenOrders } from '../orders/seen-orders.ts'
import { type Amended, decideReplacement, reserveBeyond } from './amend.ts'
import { gateCapacity, reserveRawOf } from './capacity.ts'
import { gateGroup, gateGroupOrders } from './order-groups.ts'
import { decideDelegation } from './partners.ts'

const { SELL } = SIDE
const { clockToleranceMs } = LIMITS
const NO_RATE = NO_FEE_RATE

/** A typed order with the results of the intake. */
export interface PlaceRequest {
  /**
   * Filled in, except for its stamp and for slot, generation, reserveRaw, feeBps and takerDelayMs,
   * which the gates set.
   */
  order: PlaceOrder
  tokenNo: TokenNo
  /** The profile that the request states as the owner. */
  ownerId: ProfileId
  /** Whether the signer is the account of the authenticated profile. */
  signerIsCaller: boolean
  /** Whether the maker is that account too. */
  makerIsCaller: boolean
  signatureOk: boolean
  signedFeeBps: number
  /** Unix ms and the receive window; a window of 0 disables the check (rules §4.4). */
  timestampMs: TimeMs
  recvWindowMs: number
  /**
   * The wall clock. The caller's timestamp is compared with it, not with server time (design §5).
   */
  wallMs: TimeMs
  /** The answer of the read tables, if they were queried. */
  inTables?: KnownInTables | undefined
  /** The order that this one replaces; absent for none. */
  amended?: Amended | undefined
}

/** Whether the tables, complete up to `seq`, contain the order's hash and client id. */
export interface KnownInTables {
  readonly seq: Seq
  readonly hash: boolean
  readonly clientId: boolean
}

/**
 * Neither a refusal nor a pass: only the read tables know whether the order was seen. Query them,
 * then decide again.
 */
export const ASK_TABLES = Symbol('query the tables')

type Gate = Reject | typeof ASK_TABLES | null

/** An order is live while expiration ≥ now, in whole seconds (rules §1.3). */
export function expiresAtMs(expirationSec: number): TimeMs {
  return (expirationSec + 1) * MS_PER_SEC
}

export function isTradable(market: Market, nowMs: TimeMs): boolean {
  return takesOrders(market.status) && (market.deadlineMs === null || nowMs < market.deadlineMs)
}

/**
 * Returns the first refusal, ASK_TABLES, or null with the order filled in. It reserves nothing;
 * `admit` does.
 */
export function decidePlace(clearing: Clearing, request: PlaceRequest, nowMs: TimeMs): Gate {
  const refusal = decideBeforeFunds(clearing, request, nowMs)
  if (refusal !== null) return refusal
  const { order, amended } = request
  if (amended !== undefined) {
    const refused = decideReplacement(clearing, order, amended)
    if (refused !== null) return refused
  }
  const market = clearing.catalogue.ofBook(order.book)
  return (
    gateGroupOrders(clearing, order) ??
    gateCapacity(clearing, market, order) ??
    gateBalance(clearing, order) ??
    gateAllowance(clearing, order)
  )
}

/** The gates that do not depend on reserves of the account's other orders. */
export function decideBeforeFunds(clearing: Clearing, request: PlaceRequest, nowMs: TimeMs): Gate {
  const { order } = request
  const refusal = gateCaller(clearing, request, nowMs)
  if (refusal !== null) return refusal
  const market = clearing.catalogue.byBook(order.book)
  // The book may already belong to another market if this one is resolved.
  if (market === undefined || market.marketId !== order.marketId) return REJECT.MARKET_NOT_TRADABLE
  // Post-only is never delayed (rules §4.2).
  order.takerDelayMs = order.postOnly ? 0 : market.takerDelayMs
  return (
    gateMarket(market, request, nowMs) ??
    gateOwner(request) ??
    gateFee(clearing, market, request) ??
    gateUnique(clearing, request) ??
    gateGroup(clearing, order)
  )
}

function gateCaller(clearing: Clearing, request: PlaceRequest, nowMs: TimeMs): Reject | null {
  const token = clearing.accounts.tokenByNo(request.tokenNo)
  if (token === undefined) return REJECT.TOKEN_REVOKED
  if (token.profileId !== request.order.accountId) {
    // The sub-account may have left its partner after the order was sent.
    const restricted = decideDelegation(clearing, token.profileId, request.order.accountId)
    if (restricted !== null) return restricted
  }
  if (clearing.frozen.count > 0) {
    // A frozen partner cannot act for others, so the profiles of the token and of the order both
    // count.
    const isFrozen = clearing.frozen.isFrozen(token.profileId)
    if (isFrozen || clearing.frozen.isFrozen(request.order.accountId)) return REJECT.PROFILE_FROZEN
  }
  const { modes } = clearing
  const restricted = modes.count === 0 ? null : modes.orderReject(request.order.postOnly, nowMs)
  if (restricted !== null) return restricted
  if (request.recvWindowMs === 0) return null
  const ageMs = request.wallMs - request.timestampMs
  const inTime = ageMs <= request.recvWindowMs && ageMs >= -clockToleranceMs
  return inTime ? null : REJECT.RECV_WINDOW_EXPIRED
}

function gateMarket(market: Market, request: PlaceRequest, nowMs: TimeMs): Reject | null {
  if (!isTradable(market, nowMs)) return REJECT.MARKET_NOT_TRADABLE
  const { expirationSec } = request.order
  return expirationSec !== 0 && expiresAtMs(expirationSec) <= nowMs ? REJECT.ORDER_EXPIRED : null
}

function gateOwner(request: PlaceRequest): Reject | null {
  if (request.ownerId !== request.order.accountId) return REJECT.OWNER_MISMATCH
  if (!request.makerIsCaller) return REJECT.OWNER_MISMATCH
  return request.signerIsCaller ? null : REJECT.SIGNER_MISMATCH
}

/** Sets the charged rate. A fee-disabled market accepts any signed rate (rules §13 row 3). */
function gateFee(clearing: Clearing, market: Market, request: PlaceRequest): Reject | null {
  request.order.feeBps = 0
  if (!market.feeEnabled) return null
  const feeBps = clearing.accounts.feeBpsOf(request.order.accountId)
  if (feeBps === NO_RATE) return REJECT.FEE_RATE_UNAVAILABLE
  if (feeBps !== request.signedFeeBps) return REJECT.FEE_RATE_MISMATCH
  request.order.feeBps = feeBps
  return null
}

function gateUnique(clearing: Clearing, request: PlaceRequest): Gate {
  const { order } = request
  if (!request.signatureOk) return REJECT.SIGNATURE_INVALID
  const { seen } = clearing
  const hash = seen.hash(order.hashHigh | 0, order.hashLow | 0)
  const ofHash = hash === SEEN.PERHAPS ? requestedOf(seen, request.inTables, 'hash') : hash
  if (ofHash === SEEN.YES) return REJECT.DUPLICATE_ORDER
  if (ofHash === SEEN.PERHAPS) return ASK_TABLES
  if (order.clientOrderId === '') return null
  const id = seen.clientId(order.accountId, order.clientOrderId)
  const ofId = id === SEEN.PERHAPS ? requestedOf(seen, request.inTables, 'clientId') : id
  if (ofId === SEEN.PERHAPS) return ASK_TABLES
  return ofId === SEEN.YES ? REJECT.DUPLICATE_CLIENT_ORDER_ID : null
}

/**
 * Applies the tables' answer. "Not found" counts only while main still has every newer order
 * exactly.
 */
function requestedOf(
  seen: SeenOrders,
  inTables: KnownInTables | undefined,
  what: 'hash' | 'clientId',
): number {
  if (inTables === undefined) return SEEN.PERHAPS
  if (inTables[what]) return SEEN.YES
  return inTables.seq >= seen.forgottenSeq ? SEEN.NO : SEEN.PERHAPS
}

function gateBalance(clearing: Clearing, order: PlaceOrder): Reject | null {
  const { ledger } = clearing
  const requiredRaw =
    order.replacedSlot === 0 ? reserveRawOf(order) : reserveBeyond(clearing, order)
  order.reserveRaw = requiredRaw
  if (order.side === SELL) {
    const freeRaw = ledger.freeSharesRaw(order.accountId, order.marketId, order.outcome)
    return freeRaw >= requiredRaw ? null : REJECT.INSUFFICIENT_SHARES.short(freeRaw, requiredRaw)
  }
  const freeRaw = ledger.collateralFreeRaw[order.accountId]
  return freeRaw >= requiredRaw ? null : REJECT.INSUFFICIENT_COLLATERAL.short(freeRaw, requiredRaw)
}

/** On the embedded chain the exchange holds the funds itself. */
function gateAllowance({ chainFunds, ledger }: Clearing, order: PlaceOrder): Reject | null {
  return chainFunds.place === null ? null : chainFunds.gateAllowance(order, ledger)
}
