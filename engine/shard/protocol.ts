// Frame tags between main and a market thread, for both sides.

import { assert } from '../domain/assert.ts'
import { LIMITS } from '../domain/limits.ts'

/**
 * To the thread. PLACE: the head of a PLACE record, and its part REPLACED if it has one. CANCEL: a
 * CANCEL record. DIGEST: the book (u32) to digest. STOP: end the thread. RESTORE: resting and held
 * orders to take over, oldest first. RELEASE: a RELEASE record. DECREASE: a DECREASE record.
 * AHEAD: slot and generation (u32) of each order whose place in its queue is requested.
 */
export const TO_SHARD = {
  PLACE: 1,
  CANCEL: 2,
  DIGEST: 3,
  STOP: 4,
  RESTORE: 5,
  RELEASE: 6,
  DECREASE: 7,
  AHEAD: 8,
} as const
/**
 * One order of a RESTORE frame, as f64s: book, slot, generation, owner, 1 for a bid, ticks (0 for a
 * held order), remaining size.
 */
export const RESTORE_F64S = 7
export const RESTORE_ORDERS_MAX = 1024
/**
 * From the thread. EVENTS: records of one command. DIGEST: a requested digest. AHEAD: for each
 * requested order, the orders in front of it, -1 if it does not rest, and their shares, as f64s.
 */
export const FROM_SHARD = { EVENTS: 1, DIGEST: 2, AHEAD: 3 } as const

/**
 * Books on main have no other thread to wait for, so their ring fits the largest possible sweep.
 */
export const INLINE_RING_BYTES = 1 << 27
/** Frames settled and not published yet, per shard. */
export const UNPUBLISHED_FRAMES = 1 << 16
/** Commands sent and not settled yet, per shard. */
export const UNSETTLED_COMMANDS = 1 << 16

assert(LIMITS.orderSlotsMax * 56 <= INLINE_RING_BYTES, 'the largest sweep fits the inline ring')
