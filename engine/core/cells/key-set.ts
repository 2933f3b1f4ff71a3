// Hot path. bench/core.bench.ts
// An exact set of 64-bit keys: open addressing, one cell per key, at most half full. The halves may
// be signed or unsigned. Hot callers pass signed halves, because V8 boxes numbers above 2^31.
// Invariants: a high half of 0 marks an empty cell, so a key with a high half of 0 is stored as 1
// (a collision is as unlikely as for any two keys); cells with the same home follow it without
// gaps.

import { assert } from '../../domain/assert.ts'

const FIRST_CELLS = 1 << 12

export class KeySet {
  /** High and low half of each cell are adjacent, so that a key costs one cache line. */
  #halves = new Int32Array(FIRST_CELLS * 2)
  #count = 0
  readonly #seed: number

  /** A secret seed prevents attackers from choosing keys that collide. */
  constructor(seed = 0) {
    this.#seed = seed
  }

  get count(): number {
    return this.#count
  }

  has(anyHigh: number, anyLow: number): boolean {
    const high = anyHigh === 0 ? 1 : anyHigh | 0
    const low = anyLow | 0
    const halves = this.#halves
    const mask = halves.length - 1
    for (let at = this.#homeOf(high, low) & mask; ; at = (at + 2) & mask) {
      const found = halves[at]
      if (found === 0) return false
      if (found === high && halves[at + 1] === low) return true
    }
  }

  add(high: number, low: number): void {
    if ((this.#count + 1) * 4 > this.#halves.length) this.#grow()
    this.#count++
    this.#put(high === 0 ? 1 : high | 0, low | 0)
  }

  /** Removes a key and closes the gap after it. Returns false if the key is not in the set. */
  remove(anyHigh: number, anyLow: number): boolean {
    const high = anyHigh === 0 ? 1 : anyHigh | 0
    const low = anyLow | 0
    const halves = this.#halves
    const mask = halves.length - 1
    let hole = this.#homeOf(high, low) & mask
    while (halves[hole] !== high || halves[hole + 1] !== low) {
      if (halves[hole] === 0) return false
      hole = (hole + 2) & mask
    }
    for (let at = (hole + 2) & mask; halves[at] !== 0; at = (at + 2) & mask) {
      const home = this.#homeOf(halves[at], halves[at + 1]) & mask
      if (((at - home) & mask) < ((at - hole) & mask)) continue
      halves[hole] = halves[at]
      halves[hole + 1] = halves[at + 1]
      hole = at
    }
    halves[hole] = 0
    this.#count--
    return true
  }

  /** Visits all keys. The halves are signed. */
  each(visit: (high: number, low: number) => void): void {
    const halves = this.#halves
    for (let at = 0; at < halves.length; at += 2) {
      if (halves[at] !== 0) visit(halves[at], halves[at + 1])
    }
  }

  /** Empties the set but keeps its memory. */
  clear(): void {
    if (this.#count > 0) this.#halves.fill(0)
    this.#count = 0
  }

  /** An even number that depends on both halves, so that keys with one equal half spread out. */
  #homeOf(high: number, low: number): number {
    const mixed = Math.imul(low ^ this.#seed, 0x9e3779b1)
    const both = Math.imul(mixed ^ (mixed >>> 15) ^ high, 0x85ebca6b)
    return (both ^ (both >>> 16)) << 1
  }

  #put(high: number, low: number): void {
    const halves = this.#halves
    const mask = halves.length - 1
    let at = this.#homeOf(high, low) & mask
    while (halves[at] !== 0) {
      assert(halves[at] !== high || halves[at + 1] !== low, 'an order is admitted once')
      at = (at + 2) & mask
    }
    halves[at] = high
    halves[at + 1] = low
  }

  #grow(): void {
    const halves = this.#halves
    this.#halves = new Int32Array(halves.length * 2)
    for (let at = 0; at < halves.length; at += 2) {
      if (halves[at] !== 0) this.#put(halves[at], halves[at + 1])
    }
  }
}
