// Hot path. bench/core.bench.ts
// What the clearing side knows of each order between admission and its end, by slot.
// One thread writes it. Invariants: a slot is in the free chain, or belongs to one order that is
// in flight or open; a generation is never used twice for a slot; slots above `highSlot` are
// unused.

import { assert } from '../domain/assert.ts'
import type { PlaceOrder } from '../domain/command.ts'
import { LIMITS } from '../domain/limits.ts'

export const STATE = { FREE: 0, IN_FLIGHT: 1, OPEN: 2 } as const

export class OrderTable {
  readonly capacity: number
  readonly stateOf: Uint8Array
  readonly generationOf: Uint32Array
  readonly accountOf: Uint32Array
  readonly marketOf: Uint32Array
  readonly sideOf: Uint8Array
  readonly outcomeOf: Uint8Array
  readonly orderTypeOf: Uint8Array
  readonly marketFormOf: Uint8Array
  readonly priceTicksOf: Uint16Array
  readonly feeBpsOf: Uint16Array
  readonly sizeRawOf: Float64Array
  /** Shares still open; 0 for a market buy, which wants collateral's worth. */
  readonly leftRawOf: Float64Array
  readonly reservedRawOf: Float64Array
  /** What the arrival has traded so far: shares and collateral before fees. */
  readonly filledSharesRawOf: Float64Array
  readonly filledCollateralRawOf: Float64Array
  readonly placedMsOf: Float64Array
  readonly seqOf: Float64Array
  readonly expirationSecOf: Float64Array
  readonly hashHighOf: Uint32Array
  readonly hashLowOf: Uint32Array
  /** Position row, and the chain of the row's orders; of free slots: the free chain. */
  readonly rowOf: Int32Array
  readonly nextOf: Int32Array
  readonly previousOf: Int32Array
  /** Orders that carry a client id; few slots do, so it is not a column. */
  readonly #clientIdOf = new Map<number, string>()
  /** First order of each position row; 0 = none. */
  #firstOfRow = new Int32Array(1024)
  /** Open and in-flight orders of each account. */
  #openOf = new Uint32Array(1024)
  highSlot = 0
  openCount = 0

  constructor(capacity: number = LIMITS.orderSlotsMax) {
    this.capacity = capacity
    this.stateOf = new Uint8Array(capacity)
    this.generationOf = new Uint32Array(capacity)
    this.accountOf = new Uint32Array(capacity)
    this.marketOf = new Uint32Array(capacity)
    this.sideOf = new Uint8Array(capacity)
    this.outcomeOf = new Uint8Array(capacity)
    this.orderTypeOf = new Uint8Array(capacity)
    this.marketFormOf = new Uint8Array(capacity)
    this.priceTicksOf = new Uint16Array(capacity)
    this.feeBpsOf = new Uint16Array(capacity)
    this.sizeRawOf = new Float64Array(capacity)
    this.leftRawOf = new Float64Array(capacity)
    this.reservedRawOf = new Float64Array(capacity)
    this.filledSharesRawOf = new Float64Array(capacity)
    this.filledCollateralRawOf = new Float64Array(capacity)
    this.placedMsOf = new Float64Array(capacity)
    this.seqOf = new Float64Array(capacity)
    this.expirationSecOf = new Float64Array(capacity)
    this.hashHighOf = new Uint32Array(capacity)
    this.hashLowOf = new Uint32Array(capacity)
    this.rowOf = new Int32Array(capacity)
    this.nextOf = new Int32Array(capacity)
    this.previousOf = new Int32Array(capacity)
  }

  /** A slot for the next order; 0 when every slot is taken. */
  freeSlot(): number {
    if (this.nextOf[0] !== 0) return this.nextOf[0]
    return this.highSlot + 1 < this.capacity ? this.highSlot + 1 : 0
  }

  /** Takes the slot its command names: any free one, since replay frees in another order. */
  admit(order: PlaceOrder, row: number): void {
    const slot = order.slot
    assert(slot > 0 && slot < this.capacity, 'a slot lies in the table')
    while (this.highSlot < slot) this.#chainFree(++this.highSlot)
    assert(this.stateOf[slot] === STATE.FREE, 'a slot holds one order')
    assert(order.generation === this.generationOf[slot] + 1, 'generations count by one')
    this.#unchainFree(slot)
    this.stateOf[slot] = STATE.IN_FLIGHT
    this.generationOf[slot] = order.generation
    this.accountOf[slot] = order.accountId
    this.marketOf[slot] = order.marketId
    this.sideOf[slot] = order.side
    this.outcomeOf[slot] = order.outcome
    this.orderTypeOf[slot] = order.orderType
    this.marketFormOf[slot] = order.marketForm ? 1 : 0
    this.priceTicksOf[slot] = order.priceTicks
    this.feeBpsOf[slot] = order.feeBps
    this.sizeRawOf[slot] = order.sizeRaw
    this.leftRawOf[slot] = order.sizeRaw
    this.reservedRawOf[slot] = order.reserveRaw
    this.filledSharesRawOf[slot] = 0
    this.filledCollateralRawOf[slot] = 0
    this.placedMsOf[slot] = order.nowMs
    this.seqOf[slot] = order.seq
    this.expirationSecOf[slot] = order.expirationSec
    this.hashHighOf[slot] = order.hashHigh
    this.hashLowOf[slot] = order.hashLow
    if (order.clientOrderId !== '') this.#clientIdOf.set(slot, order.clientOrderId)
    this.#chainToRow(slot, row)
    this.#count(order.accountId)
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
    assert(this.stateOf[slot] === STATE.IN_FLIGHT, 'only an arrival comes to rest')
    this.stateOf[slot] = STATE.OPEN
  }

  free(slot: number): void {
    assert(this.stateOf[slot] !== STATE.FREE, 'an order ends once')
    assert(this.reservedRawOf[slot] === 0, 'an ended order reserves nothing')
    this.#unchainFromRow(slot)
    this.#clientIdOf.delete(slot)
    this.stateOf[slot] = STATE.FREE
    this.openCount--
    this.#openOf[this.accountOf[slot]]--
    this.#chainFree(slot)
  }

  isLive(slot: number, generation: number): boolean {
    return (
      slot > 0 &&
      slot < this.capacity &&
      this.stateOf[slot] !== STATE.FREE &&
      this.generationOf[slot] === generation
    )
  }

  clientIdOf(slot: number): string {
    return this.#clientIdOf.get(slot) ?? ''
  }

  /** First order of a position row; follow `nextOf` to 0. Newest first. */
  firstOfRow(row: number): number {
    return row < this.#firstOfRow.length ? this.#firstOfRow[row] : 0
  }

  #chainFree(slot: number): void {
    const next = this.nextOf[0]
    this.nextOf[slot] = next
    this.previousOf[slot] = 0
    if (next !== 0) this.previousOf[next] = slot
    this.nextOf[0] = slot
  }

  #unchainFree(slot: number): void {
    const next = this.nextOf[slot]
    const previous = this.previousOf[slot]
    this.nextOf[previous] = next
    if (next !== 0) this.previousOf[next] = previous
  }

  #chainToRow(slot: number, row: number): void {
    if (row >= this.#firstOfRow.length) {
      const grown = new Int32Array(Math.max(row + 1, this.#firstOfRow.length * 2))
      grown.set(this.#firstOfRow)
      this.#firstOfRow = grown
    }
    const next = this.#firstOfRow[row]
    this.rowOf[slot] = row
    this.nextOf[slot] = next
    this.previousOf[slot] = 0
    if (next !== 0) this.previousOf[next] = slot
    this.#firstOfRow[row] = slot
  }

  #unchainFromRow(slot: number): void {
    const next = this.nextOf[slot]
    const previous = this.previousOf[slot]
    if (previous === 0) this.#firstOfRow[this.rowOf[slot]] = next
    else this.nextOf[previous] = next
    if (next !== 0) this.previousOf[next] = previous
  }
}
