// Hot path. bench/core.bench.ts
// Every gate an order or a cancel must pass, in the precedence of domain/reject-precedence.ts. A
// gate reads only what main alone changes, so the decision stands whatever the markets answer
// (law 2).

import type { PlaceOrder } from '../../domain/command.ts'
import type { AccountId, Generation, ProfileId, Seq, Slot } from '../../domain/ids.ts'
import { LIMITS } from '../../domain/limits.ts'
import { takesOrders } from '../../domain/market.ts'
import { SIDE } from '../../domain/order.ts'
import { REJECT, type Reject } from '../../domain/reject-precedence.ts'
import { costFloorRaw, MS_PER_SEC, type TimeMs } from '../../domain/units.ts'
import { NO_FEE_RATE } from '../accounts/accounts.ts'
import type { Clearing } from '../clearing.ts'
import type { Market } from '../markets/catalogue.ts'
import { SEEN, type SeenOrders } from '../orders/seen-orders.ts'

const { SELL } = SIDE
const { clockToleranceMs, openOrdersPerProfileMax, positionsMax } = LIMITS
const NO_RATE = NO_FEE_RATE

/** A typed order and what the intake found out about it. */
export interface PlaceRequest {
  /** Filled but for stamp, slot, generation, reserveRaw, feeBps and takerDelayMs: decided here. */
  order: PlaceOrder
  tokenId: string
  /** The profile the request says the order belongs to. */
  ownerId: ProfileId
  /** The order's signer is the account of the authenticated profile. */
  signerIsCaller: boolean
  /** The order's maker is that account too. */
  makerIsCaller: boolean
  signatureOk: boolean
  signedFeeBps: number
  /** Unix ms and allowed age; a window of 0 asks for no check (rules §4.4). */
  timestampMs: TimeMs
  recvWindowMs: number
  /** The caller's stamp is judged by the wall clock, whatever the server's time is (design §5). */
  wallMs: TimeMs
  /** What the tables answered, once they were asked. */
  inTables?: KnownInTables | undefined
}

/** Whether the tables, which show everything up to `seq`, hold what an order is known by. */
export interface KnownInTables {
  readonly seq: Seq
  readonly hash: boolean
  readonly clientId: boolean
}

/** No refusal yet: whether the order was seen before, the tables must say. Then decide again. */
export const ASK_TABLES = Symbol('ask the tables')

type Gate = Reject | typeof ASK_TABLES | null

/** An order is alive while expiration ≥ now in whole seconds (rules §1.3). */
export function expiresAtMs(expirationSec: number): TimeMs {
  return (expirationSec + 1) * MS_PER_SEC
}

export function isTradable(market: Market, nowMs: TimeMs): boolean {
  return takesOrders(market.status) && (market.deadlineMs === null || nowMs < market.deadlineMs)
}

/** Null and a filled order, the first refusal, or ASK_TABLES; `admit` is what reserves. */
export function decidePlace(clearing: Clearing, request: PlaceRequest, nowMs: TimeMs): Gate {
  const market = clearing.catalogue.byId(request.order.marketId)
  if (market === undefined) return REJECT.MARKET_NOT_FOUND
  // Post-only is never delayed (rules §4.2).
  request.order.takerDelayMs = request.order.postOnly ? 0 : market.takerDelayMs
  return (
    gateCaller(clearing, request, nowMs) ??
    gateMarket(market, request, nowMs) ??
    gateOwner(request) ??
    gateFee(clearing, market, request) ??
    gateUnique(clearing, request) ??
    gateCapacity(clearing, market, request.order) ??
    gateBalance(clearing, request.order)
  )
}

function gateCaller(clearing: Clearing, request: PlaceRequest, nowMs: TimeMs): Reject | null {
  const token = clearing.accounts.tokenById(request.tokenId)
  if (token === undefined) return REJECT.TOKEN_REVOKED
  if (clearing.frozen.count > 0) {
    // A frozen partner acts for nobody: whose token it is counts as well as whose order.
    const isFrozen = clearing.frozen.isFrozen(token.profileId)
    if (isFrozen || clearing.frozen.isFrozen(request.order.accountId)) return REJECT.PROFILE_FROZEN
  }
  const { modes } = clearing
  const barred = modes.count === 0 ? null : modes.orderRefusal(request.order.postOnly, nowMs)
  if (barred !== null) return barred
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

/** Sets the charged rate: any signed rate goes on a fee-disabled market (rules §13 row 3). */
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
  const ofHash = hash === SEEN.PERHAPS ? askedOf(seen, request.inTables, 'hash') : hash
  if (ofHash === SEEN.YES) return REJECT.DUPLICATE_ORDER
  if (ofHash === SEEN.PERHAPS) return ASK_TABLES
  if (order.clientOrderId === '') return null
  const id = seen.clientId(order.accountId, order.clientOrderId)
  const ofId = id === SEEN.PERHAPS ? askedOf(seen, request.inTables, 'clientId') : id
  if (ofId === SEEN.PERHAPS) return ASK_TABLES
  return ofId === SEEN.YES ? REJECT.DUPLICATE_CLIENT_ORDER_ID : null
}

/** That the tables do not hold it counts only while all that is newer is held exactly. */
function askedOf(
  seen: SeenOrders,
  inTables: KnownInTables | undefined,
  what: 'hash' | 'clientId',
): number {
  if (inTables === undefined) return SEEN.PERHAPS
  if (inTables[what]) return SEEN.YES
  return inTables.seq >= seen.forgottenSeq ? SEEN.NO : SEEN.PERHAPS
}

function gateCapacity(clearing: Clearing, market: Market, order: PlaceOrder): Reject | null {
  if (market.openSizeRaw + order.sizeRaw > Number.MAX_SAFE_INTEGER) return REJECT.OPEN_SIZE_LIMIT
  if (clearing.orders.openCountOf(order.accountId) >= openOrdersPerProfileMax) {
    return REJECT.OPEN_ORDERS_LIMIT
  }
  if (!hasRoomFor(clearing, order)) return REJECT.CAPACITY
  order.slot = clearing.orders.freeSlot(order.marketId)
  if (order.slot === 0) return REJECT.CAPACITY
  order.generation = clearing.orders.generationOf(order.slot) + 1
  return null
}

/** Whether the map of positions, which only grows, can take what this order would add. */
function hasRoomFor({ ledger }: Clearing, order: PlaceOrder): boolean {
  if (ledger.rows.end < positionsMax) return true
  return ledger.rows.find(order.accountId, order.marketId) !== 0
}

function gateBalance(clearing: Clearing, order: PlaceOrder): Reject | null {
  const { ledger } = clearing
  if (order.side === SELL) {
    order.reserveRaw = order.sizeRaw
    const freeRaw = ledger.freeSharesRaw(order.accountId, order.marketId, order.outcome)
    return freeRaw >= order.reserveRaw ? null : REJECT.INSUFFICIENT_SHARES
  }
  // Limit sizes come in steps of 1,000, so the cost of a limit buy is exact.
  order.reserveRaw = order.marketForm
    ? order.spendRaw
    : costFloorRaw(order.priceTicks, order.sizeRaw)
  const freeRaw = ledger.collateralFreeRaw[order.accountId]
  return freeRaw >= order.reserveRaw ? null : REJECT.INSUFFICIENT_COLLATERAL
}

/** Whether the caller may cancel the order that holds this slot and generation now. */
export function decideCancel(
  clearing: Clearing,
  accountId: AccountId,
  slot: Slot,
  generation: Generation,
): Reject | null {
  const { orders } = clearing
  if (!orders.isLive(slot, generation)) return REJECT.ORDER_NOT_OPEN
  if (orders.accountOf(slot) !== accountId) return REJECT.ORDER_NOT_FOUND
  return isReleasing(clearing, slot) ? REJECT.ORDER_RELEASE_IN_PROGRESS : null
}

/** Whether the order, which lives, is entering its market after its taker delay (rules §4.3). */
export function isReleasing({ orders }: Clearing, slot: Slot): boolean {
  return orders.held.releasingCount > 0 && orders.held.isReleasing(slot)
}
