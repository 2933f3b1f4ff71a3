// The refusal that an order must meet, by the model alone and in the precedence of rules §1.8.

import type { PlaceRequest } from '../../engine/core/decide/decide.ts'
import { ORDER_TYPES, SIDE } from '../../engine/domain/order.ts'
import type { RejectName } from '../../engine/domain/reject-precedence.ts'
import { hashKey, type Model } from './model.ts'

export function expectedRefusal(
  model: Model,
  request: PlaceRequest,
  nowMs: number,
  capacity: number,
): RejectName | 'NONE' {
  return (
    refusalOfCaller(model, request, nowMs) ??
    refusalOfMarket(model, request, nowMs) ??
    refusalOfOwner(request) ??
    refusalOfFee(model, request) ??
    refusalOfNames(model, request) ??
    refusalOfGroup(model, request) ??
    refusalOfAmend(model, request) ??
    refusalOfFullGroup(model, request) ??
    refusalOfCapacity(model, request, capacity) ??
    refusalOfBalance(model, request) ??
    'NONE'
  )
}

type Refusal = RejectName | null

function refusalOfCaller(model: Model, request: PlaceRequest, nowMs: number): Refusal {
  const token = model.tokens.get(model.tokenIds.get(request.tokenNo) ?? '')
  if (token === undefined || token.isRevoked) return 'TOKEN_REVOKED'
  const { frozen } = model.controls
  if (frozen.has(token.profileId) || frozen.has(request.order.accountId)) return 'PROFILE_FROZEN'
  const mode = model.controls.modeAt(nowMs)
  if (mode === 'disabled') return 'TRADING_DISABLED'
  if (mode === 'cancel_only') return 'CANCEL_ONLY_MODE'
  if (mode === 'post_only' && !request.order.postOnly) return 'POST_ONLY_MODE'
  if (request.recvWindowMs === 0) return null
  const age = request.wallMs - request.timestampMs
  return age > request.recvWindowMs || age < -1000 ? 'RECV_WINDOW_EXPIRED' : null
}

function refusalOfMarket(model: Model, { order }: PlaceRequest, nowMs: number): Refusal {
  const { deadlineMs } = model.markets[order.marketId - 1]
  const isLate = deadlineMs !== null && nowMs >= deadlineMs
  // Without a book it was checked before its slot opened, and waited for its account meanwhile.
  if (isLate || order.book === 0 || !model.venue.takesOrders(order.marketId))
    return 'MARKET_NOT_TRADABLE'
  // An order lives through the whole of its last second.
  const isDead = order.expirationSec !== 0 && Math.floor(nowMs / 1000) > order.expirationSec
  return isDead ? 'ORDER_EXPIRED' : null
}

function refusalOfOwner(request: PlaceRequest): Refusal {
  if (request.ownerId !== request.order.accountId || !request.makerIsCaller) return 'OWNER_MISMATCH'
  return request.signerIsCaller ? null : 'SIGNER_MISMATCH'
}

function refusalOfFee(model: Model, { order, signedFeeBps }: PlaceRequest): Refusal {
  if (!model.markets[order.marketId - 1].feeEnabled) return null
  const rate = model.rates[order.accountId]
  if (rate === null) return 'FEE_RATE_UNAVAILABLE'
  return rate === signedFeeBps ? null : 'FEE_RATE_MISMATCH'
}

function refusalOfNames(model: Model, { order, signatureOk }: PlaceRequest): Refusal {
  if (!signatureOk) return 'SIGNATURE_INVALID'
  if (model.hashes.has(hashKey(order))) return 'DUPLICATE_ORDER'
  const isUsed = model.clientKeys.has(`${order.accountId}:${order.clientOrderId}`)
  return isUsed ? 'DUPLICATE_CLIENT_ORDER_ID' : null
}

/** Rules §4.13. */
function refusalOfGroup(model: Model, { order }: PlaceRequest): Refusal {
  const { orderGroup, accountId } = order
  return orderGroup === 0 ? null : model.orderGroups.refusal(orderGroup, accountId)
}

function refusalOfFullGroup(model: Model, { order, amended }: PlaceRequest): Refusal {
  if (order.orderGroup === 0) return null
  const leaving = amended === undefined ? 0 : model.idOf(amended.slot, amended.generation)
  const isFull = model.orderGroups.isFull(order.orderGroup, leaving, model.ofGroups)
  return isFull ? 'ORDER_GROUP_FULL' : null
}

/** Rules §4.10. */
function refusalOfAmend(model: Model, { order, amended }: PlaceRequest): Refusal {
  if (amended === undefined) return null
  const { slot, generation } = amended
  const old = model.live.get(model.idOf(slot, generation))?.request
  if (old === undefined) return 'ORDER_NOT_OPEN'
  if (old.owner !== order.accountId) return 'ORDER_NOT_FOUND'
  if (model.isReleasing(slot, generation)) return 'ORDER_RELEASE_IN_PROGRESS'
  if (old.type !== 'GTC') return 'AMEND_NOT_RESTING'
  if (model.isAmending(slot, generation)) return 'AMEND_IN_PROGRESS'
  const isAlike =
    old.market === order.marketId &&
    old.side === (order.side === SIDE.BUY ? 'buy' : 'sell') &&
    old.token === (order.outcome === 0 ? 'yes' : 'no') &&
    ORDER_TYPES[order.orderType] === 'GTC'
  return isAlike ? null : 'AMEND_DIFFERS'
}

/** What one owner may have when others have `others` rows of the table. */
function shareOf(rows: number, most: number, floor: number, others: number): number {
  const last = Math.min(floor, rows)
  // An eighth of the rows at most.
  const first = Math.min(most, Math.max(last, Math.ceil(rows / 8)))
  return halved(rows, first, last, others)
}

/** A partner has a quarter of the rows, and sixteen floors. */
function shareOfPartner(rows: number, others: number): number {
  const own = Math.max(Math.min(64, rows), Math.ceil(rows / 8))
  const first = Math.max(Math.min(2 ** 18, own), Math.floor(rows / 4))
  return halved(rows, first, Math.min(Math.min(64, rows) * 16, first), others)
}

/** The share halves from `first` to `last` in equal steps. */
function halved(rows: number, first: number, last: number, others: number): number {
  let halvings = 0
  while (first / 2 ** halvings > last) halvings++
  const step = Math.ceil(rows / (halvings + 1))
  return Math.max(last, Math.floor(first / 2 ** Math.floor(others / step)))
}

/** The partner of a sub-account; of one that is a partner itself, the first of them. */
function partnerOf(model: Model, profileId: number): number {
  const made = model.partners.subAccounts.get(profileId)
  return made === undefined ? profileId : partnerOf(model, made.partnerId)
}

/** Rules §1.8: what stays has a share of the slots, and the last slots are for what leaves. */
function refusalOfCapacity(model: Model, request: PlaceRequest, capacity: number): Refusal {
  const { order, amended } = request
  // Slot 0 names no order.
  const slots = capacity - 1
  const all = model.live.size
  const { takerDelayMs } = model.markets[order.marketId - 1]
  const isHeld = takerDelayMs > 0 && !order.postOnly
  const stays = ORDER_TYPES[order.orderType] === 'GTC' || isHeld
  // A replacement leaves no more orders than there were.
  if (stays && amended === undefined) {
    const partner = partnerOf(model, order.accountId)
    const owners = [...model.live.values()].map(({ request }) => request.owner)
    const own = owners.filter((owner) => owner === order.accountId).length
    const shared = owners.filter((owner) => partnerOf(model, owner) === partner).length
    if (own >= shareOf(slots, 2 ** 18, 64, all - own)) return 'OPEN_ORDERS_LIMIT'
    const isShared = shared > own
    if (isShared && shared >= shareOfPartner(slots, all - shared)) return 'OPEN_ORDERS_LIMIT'
    const isMany = own >= shareOf(slots, 4096, 64, all - own)
    if (isMany && reserveOf(order) < 1000n) return 'AMOUNT_TOO_SMALL'
    if (all >= slots - Math.floor(slots / 64)) return 'CAPACITY'
  }
  return all >= slots ? 'CAPACITY' : null
}

function reserveOf(order: PlaceRequest['order']): bigint {
  if (order.side === SIDE.SELL) return BigInt(order.sizeRaw)
  if (order.marketForm) return BigInt(order.spendRaw)
  return (BigInt(order.priceTicks) * BigInt(order.sizeRaw)) / 1000n
}

function refusalOfBalance(model: Model, { order, amended }: PlaceRequest): Refusal {
  const { accountId, marketId, outcome } = order
  const needed =
    amended === undefined ? reserveOf(order) : model.replacementOf(order, amended).beyond
  if (order.side === SIDE.SELL) {
    const { free } = model.slow.shares(accountId, marketId, outcome === 0 ? 'yes' : 'no')
    return free < needed ? 'INSUFFICIENT_SHARES' : null
  }
  return model.slow.cash(accountId).free < needed ? 'INSUFFICIENT_COLLATERAL' : null
}
