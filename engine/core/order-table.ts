// Hot path. bench/core.bench.ts
// What the clearing side knows of each order between admission and its end, by slot.
// One thread writes it. Invariants: a slot is in the free chain, or belongs to one order that is
// in flight or open; a generation is never used twice for a slot; slots above `highSlot` are
// unused.
//
// A slot is one record, for all of it is written at once: columns would touch a cache line each.
//
//   f64    0 sizeRaw │ 1 leftRaw │ 2 reservedRaw │ 3 filledSharesRaw │ 4 filledCollateralRaw │
//          5 placedMs │ 6 seq │ 7 expirationSec
//   words  16 generation │ 17 account │ 18 market │ 19 hashHigh │ 20 hashLow │ 21 row │ 22 next │
//          23 previous │ 24 facts: bits 0 state, 2 side, 3 outcome, 4 market form, 5 order type,
//          8 price ticks, 18 fee bps │ 25 unused

import { assert } from '../domain/assert.ts'
import type { PlaceOrder } from '../domain/command.ts'
import { LIMITS } from '../domain/limits.ts'

export const STATE = { FREE: 0, IN_FLIGHT: 1, OPEN: 2 } as const

const { FREE, IN_FLIGHT, OPEN } = STATE
const F64S = 13
const WORDS = F64S * 2
export const ORDER_BYTES = F64S * 8
const STATE_MASK = 3

export class OrderTable {
  readonly capacity: number
  readonly #f64s: Float64Array
  readonly #words: Int32Array
  /** Orders that carry a client id; few slots do, so it is not in the record. */
  readonly #clientIdOf = new Map<number, string>()
  /** First order of each position row; 0 = none. */
  #firstOfRow = new Int32Array(1024)
  /** Open and in-flight orders of each account. */
  #openOf = new Uint32Array(1024)
  highSlot = 0
  openCount = 0

  constructor(capacity: number = LIMITS.orderSlotsMax) {
    this.capacity = capacity
    const records = new ArrayBuffer(capacity * F64S * 8)
    this.#f64s = new Float64Array(records)
    this.#words = new Int32Array(records)
  }

  sizeRawOf(slot: number): number {
    return this.#f64s[slot * F64S + 0]
  }

  /** Shares still open; 0 for a market buy, which wants collateral's worth. */
  leftRawOf(slot: number): number {
    return this.#f64s[slot * F64S + 1]
  }

  reservedRawOf(slot: number): number {
    return this.#f64s[slot * F64S + 2]
  }

  /** What the arrival has traded so far, before fees. */
  filledSharesRawOf(slot: number): number {
    return this.#f64s[slot * F64S + 3]
  }

  filledCollateralRawOf(slot: number): number {
    return this.#f64s[slot * F64S + 4]
  }

  placedMsOf(slot: number): number {
    return this.#f64s[slot * F64S + 5]
  }

  seqOf(slot: number): number {
    return this.#f64s[slot * F64S + 6]
  }

  expirationSecOf(slot: number): number {
    return this.#f64s[slot * F64S + 7]
  }

  generationOf(slot: number): number {
    return this.#words[slot * WORDS + 16] >>> 0
  }

  accountOf(slot: number): number {
    return this.#words[slot * WORDS + 17]
  }

  marketOf(slot: number): number {
    return this.#words[slot * WORDS + 18]
  }

  hashHighOf(slot: number): number {
    return this.#words[slot * WORDS + 19] >>> 0
  }

  hashLowOf(slot: number): number {
    return this.#words[slot * WORDS + 20] >>> 0
  }

  /** Position row of the order. */
  rowOf(slot: number): number {
    return this.#words[slot * WORDS + 21]
  }

  /** The next older order of the row; 0 after the last. */
  nextOf(slot: number): number {
    return this.#words[slot * WORDS + 22]
  }

  stateOf(slot: number): number {
    return this.#words[slot * WORDS + 24] & STATE_MASK
  }

  sideOf(slot: number): number {
    return (this.#words[slot * WORDS + 24] >> 2) & 1
  }

  outcomeOf(slot: number): number {
    return (this.#words[slot * WORDS + 24] >> 3) & 1
  }

  marketFormOf(slot: number): number {
    return (this.#words[slot * WORDS + 24] >> 4) & 1
  }

  orderTypeOf(slot: number): number {
    return (this.#words[slot * WORDS + 24] >> 5) & 7
  }

  priceTicksOf(slot: number): number {
    return (this.#words[slot * WORDS + 24] >> 8) & 1023
  }

  feeBpsOf(slot: number): number {
    return (this.#words[slot * WORDS + 24] >> 18) & 1023
  }

  setOpen(slot: number, leftRaw: number, reservedRaw: number): void {
    this.#f64s[slot * F64S + 1] = leftRaw
    this.#f64s[slot * F64S + 2] = reservedRaw
  }

  addFilled(slot: number, sharesRaw: number, collateralRaw: number): void {
    this.#f64s[slot * F64S + 3] += sharesRaw
    this.#f64s[slot * F64S + 4] += collateralRaw
  }

  #setState(slot: number, state: number): void {
    const word = slot * WORDS + 24
    this.#words[word] = (this.#words[word] & ~STATE_MASK) | state
  }

  /** A slot for the next order; 0 when every slot is taken. */
  freeSlot(): number {
    const first = this.#words[22]
    if (first !== 0) return first
    return this.highSlot + 1 < this.capacity ? this.highSlot + 1 : 0
  }

  /** Takes the slot its command names: any free one, since replay frees in another order. */
  admit(order: PlaceOrder, row: number): void {
    const slot = order.slot
    assert(slot > 0 && slot < this.capacity, 'a slot lies in the table')
    while (this.highSlot < slot) this.#chainFree(++this.highSlot)
    assert(this.stateOf(slot) === FREE, 'a slot holds one order')
    assert(order.generation === this.generationOf(slot) + 1, 'generations count by one')
    this.#unchainFree(slot)
    const f64 = slot * F64S
    const f64s = this.#f64s
    f64s[f64] = order.sizeRaw
    f64s[f64 + 1] = order.sizeRaw
    f64s[f64 + 2] = order.reserveRaw
    f64s[f64 + 3] = 0
    f64s[f64 + 4] = 0
    f64s[f64 + 5] = order.nowMs
    f64s[f64 + 6] = order.seq
    f64s[f64 + 7] = order.expirationSec
    const word = slot * WORDS
    const words = this.#words
    words[word + 16] = order.generation
    words[word + 17] = order.accountId
    words[word + 18] = order.marketId
    words[word + 19] = order.hashHigh
    words[word + 20] = order.hashLow
    words[word + 24] =
      IN_FLIGHT |
      (order.side << 2) |
      (order.outcome << 3) |
      (order.marketForm ? 1 << 4 : 0) |
      (order.orderType << 5) |
      (order.priceTicks << 8) |
      (order.feeBps << 18)
    if (order.clientOrderId !== '') this.#clientIdOf.set(slot, order.clientOrderId)
    this.#chainToRow(slot, row)
    this.#count(order.accountId)
  }

  /** Of slots 0 to the highest ever used, the dead ones too. */
  generations(): Uint32Array {
    return Uint32Array.from({ length: this.highSlot + 1 }, (_, slot) => this.generationOf(slot))
  }

  /** The whole records of some orders, one after the other, whatever fields they have. */
  recordsOf(slots: Uint32Array): Int32Array {
    const records = new Int32Array(slots.length * WORDS)
    for (let index = 0; index < slots.length; index++) {
      const word = slots[index] * WORDS
      records.set(this.#words.subarray(word, word + WORDS), index * WORDS)
    }
    return records
  }

  /** A fresh table takes over the slots of another, all of them free. */
  restoreSlots(generations: Uint32Array): void {
    assert(this.highSlot === 0, 'only a fresh state is restored')
    assert(generations.length <= this.capacity, 'a slot lies in the table')
    this.highSlot = generations.length - 1
    // The lowest slots come first again.
    for (let slot = this.highSlot; slot > 0; slot--) {
      this.#words[slot * WORDS + 16] = generations[slot]
      this.#chainFree(slot)
    }
  }

  /** Orders rest again in their slots, as `recordsOf` gave them. */
  restoreOpen(slots: Uint32Array, records: Int32Array): void {
    assert(records.length === slots.length * WORDS, 'a record is as long as it was')
    for (let index = 0; index < slots.length; index++) {
      const slot = slots[index]
      const generation = this.generationOf(slot)
      assert(slot > 0 && slot <= this.highSlot, 'a slot lies in the table')
      assert(this.stateOf(slot) === STATE.FREE, 'a slot holds one order')
      this.#unchainFree(slot)
      this.#words.set(records.subarray(index * WORDS, (index + 1) * WORDS), slot * WORDS)
      assert(this.stateOf(slot) === STATE.OPEN, 'only a resting order is restored')
      assert(this.generationOf(slot) === generation, 'an order has the generation of its slot')
    }
    // A position's newest order comes first in its chain.
    for (const slot of slots.slice().sort((a, b) => this.seqOf(a) - this.seqOf(b))) {
      this.#chainToRow(slot, this.rowOf(slot))
      this.#count(this.accountOf(slot))
    }
  }

  restoreClientId(slot: number, clientOrderId: string): void {
    assert(this.stateOf(slot) !== STATE.FREE, 'a client id belongs to a live order')
    this.#clientIdOf.set(slot, clientOrderId)
  }

  openCountOf(account: number): number {
    return account < this.#openOf.length ? this.#openOf[account] : 0
  }

  #count(account: number): void {
    if (account >= this.#openOf.length) {
      const grown = new Uint32Array(Math.max(account + 1, this.#openOf.length * 2))
      grown.set(this.#openOf)
      this.#openOf = grown
    }
    this.#openOf[account]++
    this.openCount++
  }

  opened(slot: number): void {
    assert(this.stateOf(slot) === IN_FLIGHT, 'only an arrival comes to rest')
    this.#setState(slot, OPEN)
  }

  free(slot: number): void {
    assert(this.stateOf(slot) !== FREE, 'an order ends once')
    assert(this.reservedRawOf(slot) === 0, 'an ended order reserves nothing')
    this.#unchainFromRow(slot)
    this.#clientIdOf.delete(slot)
    this.#setState(slot, FREE)
    this.openCount--
    this.#openOf[this.accountOf(slot)]--
    this.#chainFree(slot)
  }

  isLive(slot: number, generation: number): boolean {
    return (
      slot > 0 &&
      slot < this.capacity &&
      this.stateOf(slot) !== FREE &&
      this.generationOf(slot) === generation
    )
  }

  clientIdOf(slot: number): string {
    return this.#clientIdOf.get(slot) ?? ''
  }

  /** First order of a position row; follow `nextOf` to 0. Newest first. */
  firstOfRow(row: number): number {
    return row < this.#firstOfRow.length ? this.#firstOfRow[row] : 0
  }

  /** Slot 0 heads the chain of free slots. */
  #chainFree(slot: number): void {
    const words = this.#words
    const next = words[22]
    words[slot * WORDS + 22] = next
    words[slot * WORDS + 23] = 0
    if (next !== 0) words[next * WORDS + 23] = slot
    words[22] = slot
  }

  #unchainFree(slot: number): void {
    const words = this.#words
    const next = words[slot * WORDS + 22]
    const previous = words[slot * WORDS + 23]
    words[previous * WORDS + 22] = next
    if (next !== 0) words[next * WORDS + 23] = previous
  }

  #chainToRow(slot: number, row: number): void {
    if (row >= this.#firstOfRow.length) {
      const grown = new Int32Array(Math.max(row + 1, this.#firstOfRow.length * 2))
      grown.set(this.#firstOfRow)
      this.#firstOfRow = grown
    }
    const words = this.#words
    const next = this.#firstOfRow[row]
    words[slot * WORDS + 21] = row
    words[slot * WORDS + 22] = next
    words[slot * WORDS + 23] = 0
    if (next !== 0) words[next * WORDS + 23] = slot
    this.#firstOfRow[row] = slot
  }

  #unchainFromRow(slot: number): void {
    const words = this.#words
    const next = words[slot * WORDS + 22]
    const previous = words[slot * WORDS + 23]
    if (previous === 0) this.#firstOfRow[words[slot * WORDS + 21]] = next
    else words[previous * WORDS + 22] = next
    if (next !== 0) words[next * WORDS + 23] = previous
  }
}
