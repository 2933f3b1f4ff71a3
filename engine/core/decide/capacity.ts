// Hot path. bench/core.bench.ts
// Gates of shared limits: open size of a market, open orders and positions. The share of an account
// shrinks as others fill the table, and so does that of a partner with all its sub-accounts
// (`share-limits.ts`). A share never falls below its floor, so an account with nothing open can
// trade.

import type { PlaceOrder } from '../../domain/command.ts'
import { shareOf } from '../../domain/fair-share.ts'
import type { AccountId } from '../../domain/ids.ts'
import { POLICY_OF_TYPE, SIDE } from '../../domain/order.ts'
import { REJECT, type Reject } from '../../domain/reject-precedence.ts'
import { OPEN_SIZE, restingMax, SHARE_LIMITS } from '../../domain/share-limits.ts'
import { costFloorRaw, type SizeRaw } from '../../domain/units.ts'
import type { Clearing } from '../clearing.ts'
import type { Market } from '../markets/catalogue.ts'
import type { PositionRows } from '../money/position-rows.ts'

const { amountRawMin, openSizeRawMost } = SHARE_LIMITS

/** The amount an order reserves: shares for a sell, collateral for a buy (rules §2.5). */
export function reserveRawOf(order: PlaceOrder): number {
  return reserveOf(order, order.sizeRaw)
}

/** What `sizeRaw` shares of the order reserve. */
export function reserveOf(order: PlaceOrder, sizeRaw: SizeRaw): number {
  if (order.side === SIDE.SELL) return sizeRaw
  // Limit sizes have steps of 1,000, so the cost of a limit buy is exact.
  return order.marketForm ? order.spendRaw : costFloorRaw(order.priceTicks, sizeRaw)
}

/** The shares by which the order raises the open size. */
function openedRaw({ orders }: Clearing, order: PlaceOrder): SizeRaw {
  if (order.replacedSlot === 0) return order.sizeRaw
  return Math.max(0, order.replacingRaw - orders.leftRawOf(order.replacedSlot))
}

/** Whether one more order can stay live: it rests, or the taker delay holds it. */
function mayStay(order: PlaceOrder): boolean {
  if (order.replacedSlot !== 0) return false
  return POLICY_OF_TYPE[order.orderType].rests || order.takerDelayMs > 0
}

/** Assigns the order's slot, or refuses it. */
export function gateCapacity(clearing: Clearing, market: Market, order: PlaceOrder): Reject | null {
  const { orders, ledger } = clearing
  const stays = mayStay(order)
  const rows = rowsNeeded(ledger.rows, order)
  const refusal = gateOpenSize(clearing, market, order) ?? gateShares(clearing, order, stays, rows)
  if (refusal !== null) return refusal
  if (rows > 0 && ledger.rows.count >= ledger.rows.capacity) return REJECT.CAPACITY
  // The last slots are reserved for orders that end immediately.
  if (stays && orders.live.all >= restingMax(orders.capacity - 1)) return REJECT.CAPACITY
  order.slot = orders.freeSlot(order.book)
  if (order.slot === 0) return REJECT.CAPACITY
  order.generation = orders.generationOf(order.slot) + 1
  return null
}

/**
 * Position rows that the order needs: 0 or 1. Accounts with too few positions for any limit skip
 * the lookup.
 */
function rowsNeeded(rows: PositionRows, { accountId, marketId }: PlaceOrder): number {
  const { owner, partner } = rows.live.shares.whole
  const isFew = rows.live.of(accountId) < owner.floor
  const isPartnerIn = rows.live.ofPartner(accountId) < partner.floor
  if (isFew && isPartnerIn && rows.count < rows.capacity) return 0
  return rows.find(accountId, marketId) === 0 ? 1 : 0
}

function gateShares(
  { orders, ledger }: Clearing,
  order: PlaceOrder,
  stays: boolean,
  rows: number,
): Reject | null {
  const { accountId } = order
  const ofOrders = orders.live
  const ofRows = ledger.rows.live
  if (stays && ofOrders.boundOf(accountId, 1) !== null) return REJECT.OPEN_ORDERS_LIMIT
  if (rows > 0 && ofRows.boundOf(accountId, rows) !== null) return REJECT.POSITION_LIMIT
  const isMany =
    (stays && ofOrders.isMany(accountId, 1)) || (rows > 0 && ofRows.isMany(accountId, rows))
  return isMany && reserveRawOf(order) < amountRawMin ? REJECT.AMOUNT_TOO_SMALL : null
}

function gateOpenSize(clearing: Clearing, market: Market, order: PlaceOrder): Reject | null {
  const { accountId } = order
  const sizeRaw = openedRaw(clearing, order)
  const allRaw = market.openSizeRaw
  // Below this sum no account can exceed its share of an empty market.
  if (allRaw + sizeRaw <= openSizeRawMost) return null
  if (allRaw + sizeRaw > OPEN_SIZE.capacity) return REJECT.OPEN_SIZE_LIMIT
  const { ledger, openSizes } = clearing
  const ofRow = (id: AccountId) => openSizes.ofRow(ledger.rows.find(id, market.marketId))
  const ownRaw = ofRow(accountId)
  if (ownRaw + sizeRaw > shareOf(OPEN_SIZE.owner, allRaw - ownRaw)) {
    return REJECT.OPEN_SIZE_LIMIT
  }
  const partner = openSizes.owners.of(accountId)
  const ofAllRaw = ofRow(partner) + openSizes.ofSubAccounts(partner, market.marketId)
  const isIn = ofAllRaw + sizeRaw <= shareOf(OPEN_SIZE.partner, allRaw - ofAllRaw)
  return isIn ? null : REJECT.OPEN_SIZE_LIMIT
}

/** New position rows of an account, and the smallest amount that one of them holds. */
export interface RowsParams {
  readonly accountId: AccountId
  readonly rows: number
  readonly amountRaw: number
  /** Rows of the exchange's own accounts that may be created with them. */
  readonly systemRows?: number
}

export function gateRows(clearing: Clearing, requested: RowsParams): Reject | null {
  const { accountId, rows, amountRaw, systemRows = 0 } = requested
  const { live, capacity } = clearing.ledger.rows
  if (rows > 0 && live.boundOf(accountId, rows) !== null) return REJECT.POSITION_LIMIT
  const isSmall = rows > 0 && amountRaw < amountRawMin
  if (isSmall && live.isMany(accountId, rows)) return REJECT.AMOUNT_TOO_SMALL
  return live.all + rows + systemRows <= capacity ? null : REJECT.CAPACITY
}
