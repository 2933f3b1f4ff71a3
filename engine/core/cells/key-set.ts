// Hot path. bench/core.bench.ts
// An exact set of 64-bit keys: open addressing, one cell a key, at most half full. The halves may
// be signed or unsigned. Callers on the hot path pass signed halves, because V8 boxes a number past
// 2^31.
// Invariants: a high half of 0 marks an empty cell, so a key with a high half of 0 is kept as 1 (a
// clash is as unlikely as between any two keys); cells with the same home follow it without a gap.

import { assert } from '../../domain/assert.ts'

const FIRST_CELLS = 1 << 12

export class KeySet {
  #high = new Uint32Array(FIRST_CELLS)
  #low = new Uint32Array(FIRST_CELLS)
  #count = 0
  readonly #seed: number

  /** A secret seed keeps outsiders from making keys that crowd one place. */
  constructor(seed = 0) {
    this.#seed = seed
  }

  get count(): number {
    return this.#count
  }

  has(anyHigh: number, anyLow: number): boolean {
    const kept = anyHigh === 0 ? 1 : anyHigh >>> 0
    const low = anyLow >>> 0
    const mask = this.#high.length - 1
    for (let cell = this.#homeOf(kept, low) & mask; ; cell = (cell + 1) & mask) {
      const found = this.#high[cell]
      if (found === 0) return false
      if (found === kept && this.#low[cell] === low) return true
    }
  }

  add(high: number, low: number): void {
    if ((this.#count + 1) * 2 > this.#high.length) this.#grow()
    this.#count++
    this.#put(high === 0 ? 1 : high, low)
  }

  /** Takes a key out and closes the gap behind it. False when the key is not in the set. */
  remove(anyHigh: number, anyLow: number): boolean {
    const kept = anyHigh === 0 ? 1 : anyHigh >>> 0
    const low = anyLow >>> 0
    const mask = this.#high.length - 1
    let hole = this.#homeOf(kept, low) & mask
    while (this.#high[hole] !== kept || this.#low[hole] !== low) {
      if (this.#high[hole] === 0) return false
      hole = (hole + 1) & mask
    }
    for (let cell = (hole + 1) & mask; this.#high[cell] !== 0; cell = (cell + 1) & mask) {
      const home = this.#homeOf(this.#high[cell], this.#low[cell]) & mask
      if (((cell - home) & mask) < ((cell - hole) & mask)) continue
      this.#high[hole] = this.#high[cell]
      this.#low[hole] = this.#low[cell]
      hole = cell
    }
    this.#high[hole] = 0
    this.#count--
    return true
  }

  each(visit: (high: number, low: number) => void): void {
    for (let cell = 0; cell < this.#high.length; cell++) {
      if (this.#high[cell] !== 0) visit(this.#high[cell], this.#low[cell])
    }
  }

  /** Empties the set and keeps its room. */
  clear(): void {
    if (this.#count > 0) this.#high.fill(0)
    this.#count = 0
  }

  /** Depends on both halves, so that keys with one equal half do not crowd one place. */
  #homeOf(high: number, low: number): number {
    const mixed = Math.imul(low ^ this.#seed, 0x9e3779b1)
    const both = Math.imul(mixed ^ (mixed >>> 15) ^ high, 0x85ebca6b)
    return both ^ (both >>> 16)
  }

  #put(anyHigh: number, anyLow: number): void {
    const high = anyHigh >>> 0
    const low = anyLow >>> 0
    const mask = this.#high.length - 1
    let cell = this.#homeOf(high, low) & mask
    while (this.#high[cell] !== 0) {
      assert(this.#high[cell] !== high || this.#low[cell] !== low, 'an order is admitted once')
      cell = (cell + 1) & mask
    }
    this.#high[cell] = high
    this.#low[cell] = low
  }

  #grow(): void {
    const high = this.#high
    const low = this.#low
    this.#high = new Uint32Array(high.length * 2)
    this.#low = new Uint32Array(high.length * 2)
    for (let cell = 0; cell < high.length; cell++) {
      if (high[cell] !== 0) this.#put(high[cell], low[cell])
    }
  }
}
