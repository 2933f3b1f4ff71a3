import { assert } from './assert.ts'
import { type SharedTable, sharedTable } from './fair-share.ts'
import { LIMITS } from './limits.ts'

/**
 * Fair shares of the order and position tables. An account's limit falls from `most` to its floor
 * as others fill the table (`fair-share.ts`).
 */
export const SHARE_LIMITS = {
  openOrdersFloor: 64,
  /** Positions of one account: in an empty table, and in a full one. */
  positionsMost: 1 << 16,
  positionsFloor: 256,
  /**
   * Open orders, and positions, above which a new one must reserve or take `amountRawMin`, so that
   * many rows cost more than a raw unit each. The floors are those above.
   */
  smallOrdersMost: 4096,
  smallPositionsMost: 1024,
  amountRawMin: 1000,
  /**
   * 1/n of the order slots are reserved for orders that never rest, so that orders which take
   * liquidity trade however many orders are open.
   */
  slotsPerTransient: 64,
  /** Open size of one account in one market. The floor is the largest order. */
  openSizeRawMost: 2 ** 50,
} as const

assert(
  Math.floor(LIMITS.orderSlotsMax / SHARE_LIMITS.slotsPerTransient) > LIMITS.ordersUnderWayMax * 2,
  'orders in flight fit the slots reserved for them',
)
assert(
  SHARE_LIMITS.positionsFloor > LIMITS.groupChildrenMax,
  'an account without positions can convert in any group',
)
assert(
  SHARE_LIMITS.openSizeRawMost > LIMITS.orderSizeRawMax,
  'the share of an empty market fits the largest order',
)

/** The shares of one table, and the shares above which a row needs `amountRawMin`. */
export interface TableShares {
  readonly whole: SharedTable
  readonly small: SharedTable
}

/** One account has at most an eighth of the rows, so that a few accounts never fill a table. */
const OWNERS_MIN = 8

function sharesOf(capacity: number, most: number, smallMost: number, floor: number): TableShares {
  const lowest = Math.min(floor, capacity)
  const highest = Math.max(lowest, Math.ceil(capacity / OWNERS_MIN))
  const table = (rows: number) =>
    sharedTable({ capacity, most: Math.min(rows, highest), floor: lowest })
  return { whole: table(most), small: table(smallMost) }
}

/** Orders that may exist before no more may rest. */
export function restingMax(slots: number): number {
  return slots - Math.floor(slots / SHARE_LIMITS.slotsPerTransient)
}

/** `slots` is the number of order slots. */
export function orderShares(slots: number): TableShares {
  const { openOrdersFloor, smallOrdersMost } = SHARE_LIMITS
  return sharesOf(slots, LIMITS.openOrdersPerProfileMax, smallOrdersMost, openOrdersFloor)
}

export function positionShares(rows: number): TableShares {
  const { positionsMost, positionsFloor, smallPositionsMost } = SHARE_LIMITS
  return sharesOf(rows, positionsMost, smallPositionsMost, positionsFloor)
}

/** The open size of one market, in raw shares. */
export const OPEN_SIZE = sharedTable({
  capacity: Number.MAX_SAFE_INTEGER,
  most: SHARE_LIMITS.openSizeRawMost,
  floor: LIMITS.orderSizeRawMax,
})
assert(
  OPEN_SIZE.owner.stepRows >= SHARE_LIMITS.openSizeRawMost,
  'below the share of an empty market no owner is limited',
)
