// Hot path. bench/book.bench.ts
// Matches sizes at ticks for order slots, without money or signatures. One module-level arena holds
// all books of a thread, so that V8 embeds the arrays in the code.

import { assert } from '../../domain/assert.ts'
import { EVENT, kindAndCode, MAKER } from '../../domain/event.ts'
import type { AccountId, Book, Generation, Slot } from '../../domain/ids.ts'
import { STP } from '../../domain/order.ts'
import { costCeilRaw, SIZE_STEP_RAW, sharesForSpendRaw, wholeStepsRaw } from '../../domain/units.ts'
import { emit } from './event-buffer.ts'
import { link, occupiedFrom, occupiedUpTo, unlink } from './ladder.ts'
import { levels } from './levels.ts'
import { orderPool } from './order-pool.ts'

const { HELD_TICKS, LEVELS_SHIFT, NO_ASK, NO_BID, bestAskOf, bestBidOf, headOf } = levels
const { generationOf, leftOf, levelOf, nextOf, ownerOf } = orderPool
const { CANCELED, DECREASED, NOT_OPEN, STP_CANCEL } = EVENT
const { CANCEL_MAKER, CANCEL_TAKER } = STP
const FILL_OPEN = kindAndCode(EVENT.FILL, MAKER.OPEN)
const FILL_CLOSED = kindAndCode(EVENT.FILL, MAKER.CLOSED)
const STEP_RAW = SIZE_STEP_RAW
const TICKS_MASK = (1 << LEVELS_SHIFT) - 1

/** The taker of the current walk. A thread runs one command at a time, so one record is enough. */
const arrival = {
  book: 0,
  owner: 0,
  isBid: false,
  /** The worst ladder price that the taker accepts. */
  worstTicks: 0,
  stp: 0,
  /** True for limit orders: shares in steps of 1,000. A market order takes any number of shares. */
  aligned: true,
  /**
   * True for a market buy, measured in collateral at the maker's price in the taker's own token.
   */
  bySpend: false,
  isYes: true,
  /** The amount still to fill: shares, or collateral if `bySpend`. */
  wantRaw: 0,
  filledRaw: 0,
  stopped: false,
}

export const taker = arrival

export function crosses(book: number, isBid: boolean, ticks: number): boolean {
  return isBid ? bestAskOf[book] <= ticks : bestBidOf[book] >= ticks
}

/** An order about to rest, with its owner and book. */
export interface Resting {
  readonly book: Book
  readonly slot: Slot
  readonly generation: Generation
  readonly accountId: AccountId
}

/** Appends an order to the queue of its level. */
export function rest(order: Resting, isBid: boolean, ticks: number, leftRaw: number): void {
  const { slot } = order
  assert(leftOf[slot] === 0, 'a slot rests once')
  assert(leftRaw > 0, 'a resting order has size left')
  leftOf[slot] = leftRaw
  generationOf[slot] = order.generation
  ownerOf[slot] = order.accountId
  link(slot, order.book, ticks, isBid)
}

/** Holds an order outside the book, after the orders held before it. `wantRaw` is the taker's. */
export function hold(order: Resting, wantRaw: number): void {
  rest(order, true, HELD_TICKS, wantRaw)
}

export function isHeld(slot: Slot): boolean {
  return (levelOf[slot] & TICKS_MASK) === HELD_TICKS
}

/** Ends the hold of an order, and returns what it wants; 0 if the order is no longer held. */
export function endHold(slot: Slot, generation: Generation): number {
  const wantRaw = leftOf[slot]
  if (wantRaw === 0 || generationOf[slot] !== generation) return 0
  if (!isHeld(slot)) return 0
  unlink(slot)
  return wantRaw
}

/** What the order has open; 0 if it is gone, which is reported. */
export function openRawOf(slot: Slot, generation: Generation): number {
  const leftRaw = leftOf[slot]
  if (leftRaw !== 0 && generationOf[slot] === generation) return leftRaw
  emit(NOT_OPEN, 0, slot, 0, 0)
  return 0
}

/** Removes the order from its book, or ends its hold. Returns false if the order is gone. */
export function cancel(slot: Slot, generation: Generation): boolean {
  const leftRaw = openRawOf(slot, generation)
  if (leftRaw === 0) return false
  end(slot, 0, leftRaw)
  return true
}

/** Removes an open order; `byRaw` is what the order that replaces it may trade. */
export function end(slot: Slot, byRaw: number, leftRaw: number): void {
  unlink(slot)
  emit(CANCELED, levelOf[slot] & TICKS_MASK, slot, byRaw, leftRaw)
}

/** Takes shares off an open order, and ends it if less than a step is left. */
export function decrease(slot: Slot, openRaw: number, byRaw: number): void {
  const leftRaw = openRaw - byRaw
  if (leftRaw < STEP_RAW) {
    end(slot, 0, openRaw)
    return
  }
  leftOf[slot] = leftRaw
  emit(DECREASED, levelOf[slot] & TICKS_MASK, slot, byRaw, leftRaw)
}

/** Matches the opposite side, best price and oldest order first, until the taker is done. */
export function take(): void {
  const { book, isBid, worstTicks } = arrival
  while (arrival.wantRaw > 0 && !arrival.stopped) {
    const ticks = isBid ? bestAskOf[book] : bestBidOf[book]
    if (isBid ? ticks > worstTicks : ticks < worstTicks) return
    if (ticks === NO_ASK || ticks === NO_BID) return
    takeLevel(ticks)
  }
}

function takeLevel(ticks: number): void {
  const level = (arrival.book << LEVELS_SHIFT) + ticks
  const ownTicks = arrival.isYes ? ticks : NO_ASK - ticks
  let slot = headOf[level]
  while (slot !== 0 && arrival.wantRaw > 0) {
    const next = nextOf[slot]
    if (ownerOf[slot] === arrival.owner) {
      preventSelfTrade(slot, ticks)
      if (arrival.stopped) return
    } else {
      fill(slot, ticks, ownTicks)
    }
    slot = next
  }
}

function preventSelfTrade(slot: Slot, ticks: number): void {
  if (arrival.stp !== CANCEL_MAKER) arrival.stopped = true
  if (arrival.stp === CANCEL_TAKER) return
  const leftRaw = leftOf[slot]
  unlink(slot)
  emit(STP_CANCEL, ticks, slot, 0, leftRaw)
}

function fill(slot: Slot, ticks: number, ownTicks: number): void {
  const makerLeftRaw = leftOf[slot]
  const fillRaw = fillable(makerLeftRaw, arrival.wantRaw, ownTicks)
  assert(fillRaw > 0, 'every maker that is reached has a fill')
  const leftRaw = makerLeftRaw - fillRaw
  arrival.filledRaw += fillRaw
  arrival.wantRaw -= arrival.bySpend ? costCeilRaw(ownTicks, fillRaw) : fillRaw
  assert(arrival.wantRaw >= 0, 'a taker is never overfilled')
  // A limit order never trades less than one step, so the remainder is returned (rules §2.4).
  if (leftRaw < STEP_RAW) {
    unlink(slot)
    emit(FILL_CLOSED, ticks, slot, fillRaw, leftRaw)
    return
  }
  leftOf[slot] = leftRaw
  emit(FILL_OPEN, ticks, slot, fillRaw, leftRaw)
}

/** Shares that one maker can fill for one taker (rules §2.4). */
function fillable(makerLeftRaw: number, wantRaw: number, ownTicks: number): number {
  const wantSharesRaw = arrival.bySpend ? sharesForSpendRaw(ownTicks, wantRaw) : wantRaw
  if (!arrival.aligned) return Math.min(makerLeftRaw, wantSharesRaw)
  return Math.min(wholeStepsRaw(makerLeftRaw), wantSharesRaw)
}

/**
 * Whether an all-or-nothing taker would fill completely (rules §1.6, §4.1). The taker's own makers
 * do not count. Under cancel_taker and cancel_both, reaching one of them sets `arrival.stopped`.
 */
export function canFillWhole(): boolean {
  const { book, isBid, worstTicks } = arrival
  let wantRaw = arrival.wantRaw
  let ticks = isBid ? bestAskOf[book] : bestBidOf[book]
  while (ticks !== NO_ASK && ticks !== NO_BID) {
    if (isBid ? ticks > worstTicks : ticks < worstTicks) return false
    wantRaw = probeLevel(ticks, wantRaw)
    if (wantRaw === 0) return true
    if (arrival.stopped) return false
    ticks = isBid ? occupiedFrom(book, ticks + 1) : occupiedUpTo(book, ticks - 1)
  }
  return false
}

function probeLevel(ticks: number, wantAtFirstRaw: number): number {
  const ownTicks = arrival.isYes ? ticks : NO_ASK - ticks
  let wantRaw = wantAtFirstRaw
  let slot = headOf[(arrival.book << LEVELS_SHIFT) + ticks]
  while (slot !== 0 && wantRaw > 0) {
    if (ownerOf[slot] !== arrival.owner) {
      const fillRaw = fillable(leftOf[slot], wantRaw, ownTicks)
      wantRaw -= arrival.bySpend ? costCeilRaw(ownTicks, fillRaw) : fillRaw
    } else if (arrival.stp !== CANCEL_MAKER) {
      arrival.stopped = true
      return wantRaw
    }
    slot = nextOf[slot]
  }
  return wantRaw
}
