// Hot path. bench/book.bench.ts
// One market's answer to one command. Nothing is refused here: every result is an event. The
// caller flushes the events: after each command, or once for several.

import { assert } from '../../domain/assert.ts'
import type { Arrival, CancelOrders, DecreaseOrder, PlaceOrder } from '../../domain/command.ts'
import { EVENT, kindAndCode, RESULT, TAKER_NO, TAKER_SELLS } from '../../domain/event.ts'
import type { Book, Generation, Slot } from '../../domain/ids.ts'
import {
  buysBySpend,
  isBid,
  ladderTicks,
  OUTCOME,
  POLICY_OF_TYPE,
  SIDE,
} from '../../domain/order.ts'
import { costFloorRaw, SIZE_STEP_RAW, type SizeRaw, wholeStepsRaw } from '../../domain/units.ts'
import {
  cancel,
  canFillWhole,
  crosses,
  decrease,
  end,
  endHold,
  hold,
  isHeld,
  openRawOf,
  type Resting,
  rest,
  take,
  taker,
} from './book.ts'
import { beginEvents, closeEvents, emit } from './event-buffer.ts'
import { resetLadder } from './ladder.ts'
import { levels } from './levels.ts'
import { orderPool } from './order-pool.ts'

const { HELD_TICKS, LEVELS_SHIFT, NO_ASK, bestAskOf, bestBidOf, headOf } = levels
const { generationOf, leftOf, nextOf, ownerOf, previousOf } = orderPool
const { FILLED, HELD, KILLED, NOT_PLACED, RESTED, STP_STOPPED, WOULD_CROSS } = RESULT
const { SELL } = SIDE
const { NO, YES } = OUTCOME
const NO_BIT = TAKER_NO
const SELLS_BIT = TAKER_SELLS
const DONE = EVENT.DONE
const CANCELS_DONE = kindAndCode(DONE, RESULT.CANCELS_DONE)
const GONE_DONE = kindAndCode(DONE, RESULT.GONE)
const policies = POLICY_OF_TYPE
const arrival = taker

/** The highest book ever used. event-buffer.ts explains why it is a typed cell. */
const opened = new Int32Array(1)

/** Clears all books of this thread. */
export function resetMarkets(): void {
  for (let book = 0; book <= opened[0]; book++) {
    for (let level = book << LEVELS_SHIFT; level < (book + 1) << LEVELS_SHIFT; level++) {
      for (let slot = headOf[level]; slot !== 0; slot = nextOf[slot]) leftOf[slot] = 0
    }
    resetLadder(book)
  }
  opened[0] = 0
}

function setTaker(order: Arrival, bid: boolean, sizeRaw: number): void {
  arrival.book = order.book
  arrival.owner = order.accountId
  arrival.isBid = bid
  arrival.isYes = order.outcome === YES
  arrival.stp = order.stp
  arrival.aligned = !order.marketForm
  arrival.bySpend = buysBySpend(order.marketForm, order.side)
  arrival.wantRaw = arrival.bySpend ? order.spendRaw : sizeRaw
  arrival.filledRaw = 0
  arrival.stopped = false
  if (order.marketForm) arrival.worstTicks = bid ? NO_ASK - 1 : 1
  else arrival.worstTicks = ladderTicks(order.outcome, order.priceTicks)
}

/**
 * Matches an arriving order, or holds it if it would take and its market delays takers. Its events
 * end with one DONE (rules §1.6, §1.7, §4.1 to §4.3).
 */
export function placeInMarket(order: PlaceOrder): void {
  begin(order)
  if (order.replacedSlot === 0) arrive(order, order.sizeRaw)
  else replace(order)
}

/**
 * Matches an order in place of another, less what that one filled since the decision, and no more
 * than both reserves pay for (rules §4.10). Nothing changes if the other is gone, or if the order
 * is post-only and would match.
 */
function replace(order: PlaceOrder): void {
  const { replacedSlot, replacedGeneration, replacedOpenRaw, replacingRaw } = order
  const openRaw = openRawOf(replacedSlot, replacedGeneration)
  if (openRaw === 0) {
    notPlaced(order, NOT_PLACED)
    return
  }
  const bid = isBid(order.side, order.outcome)
  const ticks = ladderTicks(order.outcome, order.priceTicks)
  if (order.postOnly && crosses(order.book, bid, ticks)) {
    notPlaced(order, WOULD_CROSS)
    return
  }
  const wantRaw = wholeStepsRaw(replacingRaw - (replacedOpenRaw - openRaw))
  const sizeRaw = Math.max(0, Math.min(wantRaw, paidForRaw(order, openRaw)))
  end(replacedSlot, sizeRaw, openRaw)
  if (sizeRaw === 0) notPlaced(order, NOT_PLACED)
  else arrive(order, sizeRaw)
}

/** The shares that the reserves of the order and of the one that it replaces pay for. */
function paidForRaw(order: PlaceOrder, openRaw: number): number {
  if (order.side === SELL) return wholeStepsRaw(order.reserveRaw + openRaw)
  const reservedRaw = order.reserveRaw + costFloorRaw(order.replacedTicks, openRaw)
  return Math.floor(reservedRaw / order.priceTicks) * SIZE_STEP_RAW
}

/** The market does not store the order. */
function notPlaced(order: PlaceOrder, result: number): void {
  closeEvents(isBid(order.side, order.outcome))
  emit(kindAndCode(DONE, result), 0, order.slot, 0, 0)
}

/** Matches a held order. If it was canceled before, the DONE refers to no order (rules §4.3). */
export function releaseInMarket(order: Arrival): void {
  begin(order)
  // Its owner may have decreased it since its release was decided.
  const wantRaw = endHold(order.slot, order.generation)
  if (wantRaw > 0) {
    arrive(order, wantRaw)
    return
  }
  closeEvents(false)
  emit(GONE_DONE, 0, 0, 0, 0)
}

function begin(order: Arrival): void {
  const sells = order.side === SELL ? SELLS_BIT : 0
  const no = order.outcome === NO ? NO_BIT : 0
  if (order.book > opened[0]) opened[0] = order.book
  beginEvents(order.seq, order.marketId | no | sells, order.slot)
}

function arrive(order: Arrival, sizeRaw: number): void {
  const bid = isBid(order.side, order.outcome)
  if (!policies[order.orderType].rests || !placeUntouched(order, bid, sizeRaw)) {
    setTaker(order, bid, sizeRaw)
    const result = order.postOnly ? WOULD_CROSS : placeTaking(order)
    done(order.slot, result, arrival)
  }
  assert(bestBidOf[order.book] < bestAskOf[order.book], 'a book is never crossed')
}

const untouched = { isBid: false, worstTicks: 0, filledRaw: 0, wantRaw: 0 }

/** Most orders rest without a match; this path skips the setup of a walk. */
function placeUntouched(order: Arrival, bid: boolean, sizeRaw: number): boolean {
  const ticks = ladderTicks(order.outcome, order.priceTicks)
  if (crosses(order.book, bid, ticks)) return false
  rest(order, bid, ticks, sizeRaw)
  untouched.isBid = bid
  untouched.worstTicks = ticks
  untouched.wantRaw = sizeRaw
  done(order.slot, RESTED, untouched)
  return true
}

function placeTaking(order: Arrival): number {
  if (order.takerDelayMs > 0 && crosses(arrival.book, arrival.isBid, arrival.worstTicks)) {
    hold(order, arrival.wantRaw)
    return HELD
  }
  const policy = policies[order.orderType]
  if (policy.whole && !canFillWhole()) return arrival.stopped ? STP_STOPPED : KILLED
  take()
  if (arrival.wantRaw === 0) return FILLED
  if (arrival.stopped) return STP_STOPPED
  if (!policy.rests) return KILLED
  rest(order, arrival.isBid, arrival.worstTicks, arrival.wantRaw)
  return RESTED
}

function done(slot: Slot, result: number, end: typeof untouched): void {
  closeEvents(end.isBid)
  emit(kindAndCode(DONE, result), end.worstTicks, slot, end.filledRaw, end.wantRaw)
}

/** Cancels the named orders that are still open, in command order; returns their number. */
export function cancelInMarket(command: CancelOrders): number {
  beginEvents(command.seq, command.marketId, 0)
  let canceledCount = 0
  for (let index = 0; index < command.count; index++) {
    if (cancel(command.slots[index], command.generations[index])) canceledCount++
  }
  emit(CANCELS_DONE, 0, 0, canceledCount, 0)
  return canceledCount
}

/** Takes shares off an order that is still open (rules §4.10). */
export function decreaseInMarket({ seq, marketId, slot, generation, byRaw }: DecreaseOrder): void {
  beginEvents(seq, marketId, 0)
  const openRaw = openRawOf(slot, generation)
  if (openRaw > 0) decrease(slot, openRaw, byRaw)
  emit(CANCELS_DONE, 0, 0, openRaw > 0 ? 1 : 0, 0)
}

/** What is in front of a resting order at its price. */
export interface Ahead {
  /** -1 when the order does not rest. */
  readonly orders: number
  readonly sharesRaw: SizeRaw
}

/** Counts what is in front of an order, up to `ordersMax` orders: there may be more. */
export function aheadInMarket(slot: Slot, generation: Generation, ordersMax: number): Ahead {
  const isOpen = leftOf[slot] !== 0 && generationOf[slot] === generation
  if (!isOpen || isHeld(slot)) return { orders: -1, sharesRaw: 0 }
  let orders = 0
  let sharesRaw = 0
  for (let each = previousOf[slot]; each !== 0 && orders < ordersMax; each = previousOf[each]) {
    orders++
    sharesRaw += leftOf[each]
  }
  return { orders, sharesRaw }
}

/** Visits the resting orders of a book by ascending tick, oldest first within a level. */
export function eachResting(
  book: Book,
  visit: (ticks: number, slot: Slot, owner: number, leftRaw: number) => void,
): void {
  for (let ticks = 1; ticks < NO_ASK; ticks++) {
    let slot = headOf[(book << LEVELS_SHIFT) + ticks]
    for (; slot !== 0; slot = nextOf[slot]) visit(ticks, slot, ownerOf[slot], leftOf[slot])
  }
}

/** Visits the held orders of a book, oldest first, with tick 0. */
export function eachHeld(
  book: Book,
  visit: (ticks: number, slot: Slot, owner: number, wantRaw: number) => void,
): void {
  let slot = headOf[(book << LEVELS_SHIFT) + HELD_TICKS]
  for (; slot !== 0; slot = nextOf[slot]) visit(HELD_TICKS, slot, ownerOf[slot], leftOf[slot])
}

/** One order of a book that was built by another thread or process. */
export interface RestingOrder extends Resting {
  readonly isBid: boolean
  readonly ticks: number
  readonly leftRaw: number
}

/**
 * Appends a restored order to its queue, resting or held as before. Call it in the order of
 * eachResting and eachHeld.
 */
export function restoreInMarket(order: RestingOrder): void {
  if (order.book > opened[0]) opened[0] = order.book
  if (order.ticks === HELD_TICKS) hold(order, order.leftRaw)
  else rest(order, order.isBid, order.ticks, order.leftRaw)
}
