// Hot path. bench/book.bench.ts
// One market's answer to one command: no gate stands here, every result is an event.

import { assert } from '../domain/assert.ts'
import type { CancelOrders, PlaceOrder } from '../domain/command.ts'
import { EVENT, RESULT, TAKER_NO, TAKER_SELLS } from '../domain/event.ts'
import { LIMITS } from '../domain/limits.ts'
import { isBid, ladderTicks, OUTCOME, POLICY_OF_TYPE, SIDE } from '../domain/order.ts'
import { cancel, canFillWhole, crosses, type Resting, rest, take, taker } from './book.ts'
import { beginEvents, closeEvents, emit, flushEvents } from './event-buffer.ts'
import { resetLadder } from './ladder.ts'
import { bestAskOf, bestBidOf, headOf, LEVELS_SHIFT, NO_ASK } from './levels.ts'
import { leftOf, nextOf, ownerOf } from './order-pool.ts'

let openedUpTo = 0
for (let book = 0; book <= LIMITS.marketsMax; book++) bestAskOf[book] = NO_ASK

/** Empties every book of this thread. */
export function resetMarkets(): void {
  for (let book = 0; book <= openedUpTo; book++) {
    for (let level = book << LEVELS_SHIFT; level < (book + 1) << LEVELS_SHIFT; level++) {
      for (let slot = headOf[level]; slot !== 0; slot = nextOf[slot]) leftOf[slot] = 0
    }
    resetLadder(book)
  }
  openedUpTo = 0
}

function setTaker(order: PlaceOrder, bid: boolean): void {
  taker.book = order.marketId
  taker.owner = order.accountId
  taker.isBid = bid
  taker.isYes = order.outcome === OUTCOME.YES
  taker.stp = order.stp
  taker.aligned = !order.marketForm
  taker.bySpend = order.marketForm && order.side === SIDE.BUY
  taker.wantRaw = taker.bySpend ? order.spendRaw : order.sizeRaw
  taker.filledRaw = 0
  taker.stopped = false
  if (order.marketForm) taker.worstTicks = bid ? NO_ASK - 1 : 1
  else taker.worstTicks = ladderTicks(order.outcome, order.priceTicks)
}

/** Matches an arriving order; its events end with one DONE (domain §1.6, §1.7, §4.1, §4.2). */
export function placeInMarket(order: PlaceOrder): void {
  const bid = isBid(order.side, order.outcome)
  const sells = order.side === SIDE.SELL ? TAKER_SELLS : 0
  const no = order.outcome === OUTCOME.NO ? TAKER_NO : 0
  if (order.marketId > openedUpTo) openedUpTo = order.marketId
  beginEvents(order.seq, order.marketId | no | sells, order.slot)
  if (!POLICY_OF_TYPE[order.orderType].rests || !placeUntouched(order, bid)) {
    setTaker(order, bid)
    const result = order.postOnly ? RESULT.WOULD_CROSS : placeTaking(order)
    done(order.slot, result, taker)
  }
  assert(bestBidOf[order.marketId] < bestAskOf[order.marketId], 'a book is never crossed')
  flushEvents()
}

const untouched = { isBid: false, worstTicks: 0, filledRaw: 0, wantRaw: 0 }

/** Most orders rest without meeting anyone: they need none of a walk's preparations. */
function placeUntouched(order: PlaceOrder, bid: boolean): boolean {
  const ticks = ladderTicks(order.outcome, order.priceTicks)
  if (crosses(order.marketId, bid, ticks)) return false
  rest(order, bid, ticks, order.sizeRaw)
  untouched.isBid = bid
  untouched.worstTicks = ticks
  untouched.wantRaw = order.sizeRaw
  done(order.slot, RESULT.RESTED, untouched)
  return true
}

function placeTaking(order: PlaceOrder): number {
  const policy = POLICY_OF_TYPE[order.orderType]
  if (policy.whole && !canFillWhole()) return taker.stopped ? RESULT.STP_STOPPED : RESULT.KILLED
  take()
  if (taker.wantRaw === 0) return RESULT.FILLED
  if (taker.stopped) return RESULT.STP_STOPPED
  if (!policy.rests) return RESULT.KILLED
  rest(order, taker.isBid, taker.worstTicks, taker.wantRaw)
  return RESULT.RESTED
}

function done(slot: number, result: number, end: typeof untouched): void {
  closeEvents(end.isBid)
  emit(EVENT.DONE | (result << 8), end.worstTicks, slot, end.filledRaw, end.wantRaw)
}

/** Cancels what is still open of the named orders, in the order they are named. */
export function cancelInMarket(command: CancelOrders): void {
  beginEvents(command.seq, command.marketId, 0)
  let canceledCount = 0
  for (let index = 0; index < command.count; index++) {
    if (cancel(command.slots[index], command.generations[index])) canceledCount++
  }
  emit(EVENT.DONE | (RESULT.CANCELS_DONE << 8), 0, 0, canceledCount, 0)
  flushEvents()
}

/** Visits the resting orders of a market by rising tick, each level oldest first. */
export function eachResting(
  marketId: number,
  visit: (ticks: number, slot: number, owner: number, leftRaw: number) => void,
): void {
  for (let ticks = 1; ticks < NO_ASK; ticks++) {
    let slot = headOf[(marketId << LEVELS_SHIFT) + ticks]
    for (; slot !== 0; slot = nextOf[slot]) visit(ticks, slot, ownerOf[slot], leftOf[slot])
  }
}

/** One order of a book that another thread built, or an older process. */
export interface RestingOrder extends Resting {
  readonly isBid: boolean
  readonly ticks: number
  readonly leftRaw: number
}

/** Puts an order at the end of its queue, as it rested before; call in the order of eachResting. */
export function restoreInMarket(order: RestingOrder): void {
  if (order.marketId > openedUpTo) openedUpTo = order.marketId
  rest(order, order.isBid, order.ticks, order.leftRaw)
}
