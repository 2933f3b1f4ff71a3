// The refusal that an order must meet, by the model alone and in the precedence of rules §1.8.

import type { PlaceRequest } from '../../engine/core/decide/decide.ts'
import { SIDE } from '../../engine/domain/order.ts'
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
    // Slot 0 names no order.
    (model.live.size >= capacity - 1 ? 'CAPACITY' : null) ??
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

function refusalOfBalance(model: Model, { order }: PlaceRequest): Refusal {
  const { accountId, marketId, outcome } = order
  if (order.side === SIDE.SELL) {
    const { free } = model.slow.shares(accountId, marketId, outcome === 0 ? 'yes' : 'no')
    return free < BigInt(order.sizeRaw) ? 'INSUFFICIENT_SHARES' : null
  }
  const costRaw = order.marketForm
    ? BigInt(order.spendRaw)
    : (BigInt(order.priceTicks) * BigInt(order.sizeRaw)) / 1000n
  return model.slow.cash(accountId).free < costRaw ? 'INSUFFICIENT_COLLATERAL' : null
}
