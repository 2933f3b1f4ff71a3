// Hot path. bench/core.bench.ts
// Which signed orders and client order ids were ever used (domain §1.3, §4.5).
// An order is known by the first 64 bits of its EIP-712 hash: two different orders that share
// them would need 2^32 tries against oneself and 2^64 against another, and then one is refused.
// Invariants: (0, 0) marks an empty cell; cells of one hash follow each other without a gap.

import { assert } from '../domain/assert.ts'

const FIRST_CELLS = 1 << 12

/** Both halves decide, so that hashes alike in one of them do not crowd one place. */
function homeOf(high: number, low: number): number {
  const mixed = Math.imul(low ^ high, 0x9e3779b1)
  return mixed ^ (mixed >>> 15)
}

/** All of it, as plain values. */
export interface CapturedSeen {
  /** High and low halves by turns. */
  readonly hashes: Uint32Array
  readonly clientIds: readonly string[]
  /** By index: the slot of the live order with this client id, 0 when it ended. */
  readonly clientSlots: Uint32Array
}

export class SeenOrders {
  #high = new Uint32Array(FIRST_CELLS)
  #low = new Uint32Array(FIRST_CELLS)
  #count = 0
  #foldedHigh = 0
  #foldedLow = 0
  /** Key: account, colon, client order id. Value: the slot while the order lives, 0 after. */
  readonly #clientIds = new Map<string, number>()

  get count(): number {
    return this.#count
  }

  get clientIdCount(): number {
    return this.#clientIds.size
  }

  /** What the set of hashes folds to, whatever order they came in; for the state hash. */
  get folded(): readonly [high: number, low: number] {
    return [this.#foldedHigh >>> 0, this.#foldedLow >>> 0]
  }

  #fold(high: number, low: number): void {
    this.#foldedHigh ^= high
    this.#foldedLow ^= low
  }

  hasHash(high: number, low: number): boolean {
    const cell = this.#find(high, low)
    return this.#high[cell] === high && this.#low[cell] === low
  }

  addHash(high: number, low: number): void {
    if ((this.#count + 1) * 2 > this.#high.length) this.#grow()
    const cell = this.#find(high, low)
    assert(this.#high[cell] === 0 && this.#low[cell] === 0, 'an order is admitted once')
    this.#high[cell] = high
    this.#low[cell] = low
    this.#count++
    this.#fold(high, low)
  }

  /** Frees the hash of an order that left no trace, and closes the gap behind it. */
  removeHash(high: number, low: number): void {
    const mask = this.#high.length - 1
    let hole = this.#find(high, low)
    assert(this.#high[hole] === high && this.#low[hole] === low, 'a removed hash was there')
    for (let cell = (hole + 1) & mask; this.#high[cell] !== 0 || this.#low[cell] !== 0; ) {
      const home = homeOf(this.#high[cell], this.#low[cell]) & mask
      if (((cell - home) & mask) >= ((cell - hole) & mask)) {
        this.#high[hole] = this.#high[cell]
        this.#low[hole] = this.#low[cell]
        hole = cell
      }
      cell = (cell + 1) & mask
    }
    this.#high[hole] = 0
    this.#low[hole] = 0
    this.#count--
    this.#fold(high, low)
  }

  hasClientId(accountId: number, clientOrderId: string): boolean {
    return this.#clientIds.has(`${accountId}:${clientOrderId}`)
  }

  /** Slot of the live order with this client id; 0 when none lives. */
  liveSlot(accountId: number, clientOrderId: string): number {
    return this.#clientIds.get(`${accountId}:${clientOrderId}`) ?? 0
  }

  addClientId(accountId: number, clientOrderId: string, slot: number): void {
    this.#clientIds.set(`${accountId}:${clientOrderId}`, slot)
  }

  endClientId(accountId: number, clientOrderId: string): void {
    this.#clientIds.set(`${accountId}:${clientOrderId}`, 0)
  }

  removeClientId(accountId: number, clientOrderId: string): void {
    this.#clientIds.delete(`${accountId}:${clientOrderId}`)
  }

  capture(): CapturedSeen {
    const hashes = new Uint32Array(this.#count * 2)
    let at = 0
    for (let cell = 0; cell < this.#high.length; cell++) {
      if (this.#high[cell] === 0 && this.#low[cell] === 0) continue
      hashes[at++] = this.#high[cell]
      hashes[at++] = this.#low[cell]
    }
    const clientIds = [...this.#clientIds.keys()]
    return { hashes, clientIds, clientSlots: Uint32Array.from(this.#clientIds.values()) }
  }

  restore({ hashes, clientIds, clientSlots }: CapturedSeen): void {
    assert(this.#count === 0, 'only a fresh state is restored')
    for (let at = 0; at < hashes.length; at += 2) this.addHash(hashes[at], hashes[at + 1])
    for (const [index, key] of clientIds.entries()) this.#clientIds.set(key, clientSlots[index])
  }

  #find(high: number, low: number): number {
    const mask = this.#high.length - 1
    let cell = homeOf(high, low) & mask
    while (this.#high[cell] !== 0 || this.#low[cell] !== 0) {
      if (this.#high[cell] === high && this.#low[cell] === low) return cell
      cell = (cell + 1) & mask
    }
    return cell
  }

  #grow(): void {
    const high = this.#high
    const low = this.#low
    this.#high = new Uint32Array(high.length * 2)
    this.#low = new Uint32Array(high.length * 2)
    for (let cell = 0; cell < high.length; cell++) {
      if (high[cell] === 0 && low[cell] === 0) continue
      const to = this.#find(high[cell], low[cell])
      this.#high[to] = high[cell]
      this.#low[to] = low[cell]
    }
  }
}
