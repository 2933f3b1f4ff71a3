// Hot path. bench/core.bench.ts
// The clearing's record of each order from admission to its end, by slot. One thread writes it.
// Invariants: a used slot is in the free chain of its chunk's partition, belongs to one live order,
// or is retired; no generation of a slot is used twice; slots above `highSlot` are unused.
//
// A slot is one record, because it is written all at once; columns would touch many cache lines.
//
//   f64    0 sizeRaw │ 1 leftRaw │ 2 reservedRaw │ 3 filledSharesRaw │ 4 filledCollateralRaw │
//          5 seq │ 6 expirationSec
//   words  14 generation │ 15 account │ 16 market │ 17 hashHigh │ 18 hashLow │ 19 row │ 20 next │
//          21 previous │ 22 flags: bits 0 state, 2 side, 3 outcome, 4 market form, 5 order type,
//          8 price ticks, 18 fee bps, 28 matched │ 23 book
//
// A freed slot keeps its order's record until the next order takes it, so the result of a recently
// ended order is known without the tables. `matched` is set if it ended as MATCHED (rules §5.1).

import { assert } from '../../domain/assert.ts'
import type { PlaceOrder } from '../../domain/command.ts'
import type {
  AccountId,
  Book,
  Generation,
  MarketId,
  PositionRow,
  Seq,
  Slot,
} from '../../domain/ids.ts'
import { LIMITS } from '../../domain/limits.ts'
import { buysBySpend } from '../../domain/order.ts'
import { orderShares } from '../../domain/share-limits.ts'
import { wideEnough } from '../cells/columns.ts'
import { SharedCounts } from '../cells/shared-counts.ts'
import { HeldOrders } from './held-orders.ts'
import { LiveClientIds } from './live-client-ids.ts'
import { RowChains } from './row-chains.ts'
import { SlotPartitions } from './slot-partitions.ts'

/**
 * HELD: the taker delay holds the order outside the book (rules §4.3), with or without a decided
 * release.
 */
export const STATE = { FREE: 0, IN_FLIGHT: 1, OPEN: 2, HELD: 3 } as const

const { FREE, HELD, IN_FLIGHT, OPEN } = STATE
const F64S = 12
const WORDS = F64S * 2
const STATE_MASK = 3
const MATCHED_BIT = 1 << 28
/**
 * The last generation of a slot, after which it retires: the journal stores generations in 32 bits.
 */
const GENERATION_LAST = 0xffff_ffff

export class OrderTable {
  readonly capacity: number
  readonly #f64s: Float64Array
  readonly #words: Int32Array
  /** Outside the record: not every order has a client id, and few markets delay takers. */
  readonly #clientIds: LiveClientIds
  readonly held: HeldOrders
  readonly #partitions: SlotPartitions
  /** First order of each position row; 0 = none. */
  #firstOfRow = new Int32Array(1024)
  readonly rowsOfAccount = new RowChains()
  readonly rowsOfBook = new RowChains()
  /** Live orders: in flight, open or held. */
  readonly live: SharedCounts
  highSlot = 0

  /**
   * Each market thread has one partition of the slots. Books are assigned to partitions
   * round-robin.
   */
  constructor(capacity: number = LIMITS.orderSlotsMax, partitions = 1) {
    this.capacity = capacity
    this.live = new SharedCounts(orderShares(capacity - 1))
    this.#clientIds = new LiveClientIds(capacity)
    this.held = new HeldOrders(capacity)
    this.#partitions = new SlotPartitions(capacity, partitions)
    const records = new ArrayBuffer(capacity * F64S * 8)
    this.#f64s = new Float64Array(records)
    this.#words = new Int32Array(records)
  }

  sizeRawOf(slot: Slot): number {
    return this.#f64s[slot * F64S + 0]
  }

  /** Open shares; 0 for a market buy. */
  leftRawOf(slot: Slot): number {
    return this.#f64s[slot * F64S + 1]
  }

  reservedRawOf(slot: Slot): number {
    return this.#f64s[slot * F64S + 2]
  }

  /** Shares traded so far, as taker and as maker, before fees. */
  filledSharesRawOf(slot: Slot): number {
    return this.#f64s[slot * F64S + 3]
  }

  filledCollateralRawOf(slot: Slot): number {
    return this.#f64s[slot * F64S + 4]
  }

  seqOf(slot: Slot): Seq {
    return this.#f64s[slot * F64S + 5]
  }

  expirationSecOf(slot: Slot): number {
    return this.#f64s[slot * F64S + 6]
  }

  generationOf(slot: Slot): Generation {
    return this.#words[slot * WORDS + 14] >>> 0
  }

  accountOf(slot: Slot): AccountId {
    return this.#words[slot * WORDS + 15]
  }

  marketOf(slot: Slot): MarketId {
    return this.#words[slot * WORDS + 16]
  }

  bookOf(slot: Slot): Book {
    return this.#words[slot * WORDS + 23]
  }

  hashHighOf(slot: Slot): number {
    return this.#words[slot * WORDS + 17] >>> 0
  }

  hashLowOf(slot: Slot): number {
    return this.#words[slot * WORDS + 18] >>> 0
  }

  rowOf(slot: Slot): PositionRow {
    return this.#words[slot * WORDS + 19]
  }

  /** The next older order of the row; 0 after the last. */
  nextOf(slot: Slot): number {
    return this.#words[slot * WORDS + 20]
  }

  stateOf(slot: Slot): number {
    return this.#words[slot * WORDS + 22] & STATE_MASK
  }

  sideOf(slot: Slot): number {
    return (this.#words[slot * WORDS + 22] >> 2) & 1
  }

  outcomeOf(slot: Slot): number {
    return (this.#words[slot * WORDS + 22] >> 3) & 1
  }

  marketFormOf(slot: Slot): number {
    return (this.#words[slot * WORDS + 22] >> 4) & 1
  }

  buysBySpend(slot: Slot): boolean {
    return buysBySpend(this.marketFormOf(slot) === 1, this.sideOf(slot))
  }

  orderTypeOf(slot: Slot): number {
    return (this.#words[slot * WORDS + 22] >> 5) & 7
  }

  priceTicksOf(slot: Slot): number {
    return (this.#words[slot * WORDS + 22] >> 8) & 1023
  }

  feeBpsOf(slot: Slot): number {
    return (this.#words[slot * WORDS + 22] >> 18) & 1023
  }

  setOpen(slot: Slot, leftRaw: number, reservedRaw: number): void {
    this.#f64s[slot * F64S + 1] = leftRaw
    this.#f64s[slot * F64S + 2] = reservedRaw
  }

  /** Takes open shares off the order. */
  cut(slot: Slot, byRaw: number): void {
    this.#f64s[slot * F64S + 0] -= byRaw
    this.#f64s[slot * F64S + 1] -= byRaw
  }

  addFilled(slot: Slot, sharesRaw: number, collateralRaw: number): void {
    this.#f64s[slot * F64S + 3] += sharesRaw
    this.#f64s[slot * F64S + 4] += collateralRaw
  }

  #setState(slot: Slot, state: number): void {
    const word = slot * WORDS + 22
    this.#words[word] = (this.#words[word] & ~STATE_MASK) | state
  }

  /** A slot for the book's next order; 0 if no slot is free. */
  freeSlot(book: Book): Slot {
    return this.#partitions.nextFor(book)
  }

  /**
   * Takes the slot given by the command. Any free slot is valid: a replay frees slots in another
   * order.
   */
  admit(order: PlaceOrder, row: PositionRow): void {
    const slot = order.slot
    assert(slot > 0 && slot < this.capacity, 'a slot lies in the table')
    this.#useUpTo(slot, order.book)
    if (slot > this.highSlot) this.highSlot = slot
    assert(this.stateOf(slot) === FREE, 'a slot holds one order')
    assert(order.generation === this.generationOf(slot) + 1, 'generations count by one')
    this.#unchainFree(slot)
    const f64 = slot * F64S
    const f64s = this.#f64s
    const sizeRaw = order.replacedSlot === 0 ? order.sizeRaw : order.replacingRaw
    f64s[f64] = sizeRaw
    f64s[f64 + 1] = sizeRaw
    f64s[f64 + 2] = order.reserveRaw
    f64s[f64 + 3] = 0
    f64s[f64 + 4] = 0
    f64s[f64 + 5] = order.seq
    f64s[f64 + 6] = order.expirationSec
    const word = slot * WORDS
    const words = this.#words
    words[word + 14] = order.generation
    words[word + 15] = order.accountId
    words[word + 16] = order.marketId
    words[word + 17] = order.hashHigh
    words[word + 18] = order.hashLow
    words[word + 22] =
      IN_FLIGHT |
      (order.side << 2) |
      (order.outcome << 3) |
      (order.marketForm ? 1 << 4 : 0) |
      (order.orderType << 5) |
      (order.priceTicks << 8) |
      (order.feeBps << 18)
    words[word + 23] = order.book
    if (order.clientOrderId !== '') {
      this.#clientIds.add(slot, order.accountId, order.clientOrderId)
    }
    if (order.takerDelayMs > 0) {
      this.held.admit(slot, order.nowMs + order.takerDelayMs, order.stp)
    }
    this.#chainToRow(slot, row)
    this.live.add(order.accountId)
  }

  /** Generations of all slots from 0 to the highest used one, including free slots. */
  generations(): Uint32Array {
    return Uint32Array.from({ length: this.highSlot + 1 }, (_, slot) => this.generationOf(slot))
  }

  /** The full records of the given orders, consecutively, so that no field is left out. */
  recordsOf(slots: Uint32Array): Int32Array {
    const records = new Int32Array(slots.length * WORDS)
    for (let index = 0; index < slots.length; index++) {
      const word = slots[index] * WORDS
      records.set(this.#words.subarray(word, word + WORDS), index * WORDS)
    }
    return records
  }

  /** Restores another table's slots into a fresh one. All of them are free. */
  restoreSlots(generations: Uint32Array): void {
    assert(this.highSlot === 0, 'only a fresh state is restored')
    assert(generations.length <= this.capacity, 'a slot lies in the table')
    this.highSlot = generations.length - 1
    for (let slot = 1; slot <= this.highSlot; slot++) {
      this.#words[slot * WORDS + 14] = generations[slot]
      this.#partitions.useUpTo(slot)
    }
  }

  /** Puts live orders from `recordsOf` into their slots. Other slots stay free. */
  restoreOpen(slots: Uint32Array, records: Int32Array): void {
    assert(records.length === slots.length * WORDS, 'each order has one whole record')
    for (let index = 0; index < slots.length; index++) {
      const slot = slots[index]
      const generation = this.generationOf(slot)
      assert(slot > 0 && slot <= this.highSlot, 'a restored slot was used before')
      assert(this.stateOf(slot) === FREE, 'a slot holds one order')
      this.#words.set(records.subarray(index * WORDS, (index + 1) * WORDS), slot * WORDS)
      const state = this.stateOf(slot)
      assert(state === OPEN || state === HELD, 'only a resting or held order is restored')
      assert(this.generationOf(slot) === generation, 'an order has the generation of its slot')
      this.#partitions.claim(slot, this.bookOf(slot))
    }
    // Oldest first, so that the newest order of a position comes first in its chain.
    for (const slot of slots.slice().sort((a, b) => this.seqOf(a) - this.seqOf(b))) {
      this.#chainToRow(slot, this.rowOf(slot))
      this.live.add(this.accountOf(slot))
    }
    // In descending order, so that the free chains start with the lowest slots.
    for (let slot = this.highSlot; slot > 0; slot--) {
      if (this.stateOf(slot) !== FREE || this.generationOf(slot) === GENERATION_LAST) continue
      this.#partitions.claimForAny(slot)
      this.#chainFree(slot)
    }
  }

  restoreClientId(slot: Slot, clientOrderId: string): void {
    assert(this.stateOf(slot) !== FREE, 'a client id belongs to a live order')
    this.#clientIds.add(slot, this.accountOf(slot), clientOrderId)
  }

  opened(slot: Slot): void {
    const state = this.stateOf(slot)
    assert(
      state === IN_FLIGHT || this.held.isReleasing(slot),
      'only an arriving order comes to rest',
    )
    if (state === HELD) this.held.left(slot)
    this.#setState(slot, OPEN)
  }

  hold(slot: Slot): void {
    assert(this.stateOf(slot) === IN_FLIGHT, 'only an arriving order is held')
    this.#setState(slot, HELD)
  }

  /**
   * The release of an order is decided. Does nothing if the order has ended. A replay of decisions
   * may not know yet that the order is held, so this is not checked.
   */
  releasing(slot: Slot, generation: Generation): void {
    if (this.isLive(slot, generation)) this.held.releasing(slot)
  }

  /** `isMatched`: the order ends as MATCHED, otherwise as canceled or unmatched. */
  free(slot: Slot, isMatched: boolean): void {
    assert(this.stateOf(slot) !== FREE, 'an order ends once')
    assert(this.reservedRawOf(slot) === 0, 'an ended order reserves nothing')
    this.#unchainFromRow(slot)
    this.#clientIds.remove(slot)
    if (this.stateOf(slot) === HELD) this.held.left(slot)
    this.#setState(slot, FREE)
    if (isMatched) this.#words[slot * WORDS + 22] |= MATCHED_BIT
    this.live.remove(this.accountOf(slot))
    if (this.generationOf(slot) !== GENERATION_LAST) this.#chainFree(slot)
  }

  isLive(slot: Slot, generation: Generation): boolean {
    const isSlot = slot > 0 && slot < this.capacity
    return isSlot && this.stateOf(slot) !== FREE && this.generationOf(slot) === generation
  }

  /** Whether this order ended and the slot still has its record. After a start, no slot has one. */
  hasEnded(slot: Slot, generation: Generation): boolean {
    const isSlot = slot > 0 && slot < this.capacity && this.generationOf(slot) === generation
    return isSlot && this.stateOf(slot) === FREE && this.seqOf(slot) > 0
  }

  /** Whether the order that ended in the slot was MATCHED. */
  wasMatched(slot: Slot): boolean {
    return (this.#words[slot * WORDS + 22] & MATCHED_BIT) !== 0
  }

  clientIdOf(slot: Slot): string {
    return this.#clientIds.textOf(slot)
  }

  /** The key of the live order's client id; null if it has none. */
  clientKeyOf(slot: Slot): readonly [high: number, low: number] | null {
    return this.#clientIds.keyOf(slot)
  }

  /** Slot of the live order with this client id; 0 if there is none. */
  slotByClientId(accountId: AccountId, clientOrderId: string): Slot {
    return this.#clientIds.slotOf(accountId, clientOrderId)
  }

  /** The newest order of a position row. Follow `nextOf` until 0. */
  firstOfRow(row: PositionRow): number {
    return row < this.#firstOfRow.length ? this.#firstOfRow[row] : 0
  }

  /** Marks the slot and the earlier slots of its chunk as used. */
  #useUpTo(slot: Slot, book: Book): void {
    this.#partitions.claim(slot, book)
    for (;;) {
      const passed = this.#partitions.useNext(slot)
      if (passed === 0) return
      this.#chainFree(passed)
    }
  }

  #chainFree(slot: Slot): void {
    const words = this.#words
    const partition = this.#partitions.of(slot)
    const next = this.#partitions.freeOf[partition]
    words[slot * WORDS + 20] = next
    words[slot * WORDS + 21] = 0
    if (next !== 0) words[next * WORDS + 21] = slot
    this.#partitions.freeOf[partition] = slot
  }

  #unchainFree(slot: Slot): void {
    const words = this.#words
    const next = words[slot * WORDS + 20]
    const previous = words[slot * WORDS + 21]
    if (previous === 0) this.#partitions.freeOf[this.#partitions.of(slot)] = next
    else words[previous * WORDS + 20] = next
    if (next !== 0) words[next * WORDS + 21] = previous
  }

  #chainToRow(slot: Slot, row: PositionRow): void {
    if (row >= this.#firstOfRow.length) this.#firstOfRow = wideEnough(this.#firstOfRow, row)
    const words = this.#words
    const next = this.#firstOfRow[row]
    words[slot * WORDS + 19] = row
    words[slot * WORDS + 20] = next
    words[slot * WORDS + 21] = 0
    if (next !== 0) words[next * WORDS + 21] = slot
    else {
      this.rowsOfAccount.add(words[slot * WORDS + 15], row)
      this.rowsOfBook.add(words[slot * WORDS + 23], row)
    }
    this.#firstOfRow[row] = slot
  }

  #unchainFromRow(slot: Slot): void {
    const words = this.#words
    const row = words[slot * WORDS + 19]
    const next = words[slot * WORDS + 20]
    const previous = words[slot * WORDS + 21]
    if (previous !== 0) words[previous * WORDS + 20] = next
    else {
      this.#firstOfRow[row] = next
      if (next === 0) {
        this.rowsOfAccount.remove(words[slot * WORDS + 15], row)
        this.rowsOfBook.remove(words[slot * WORDS + 23], row)
      }
    }
    if (next !== 0) words[next * WORDS + 21] = previous
  }
}
