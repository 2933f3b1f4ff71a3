// Finds ids by the hash of their keys: open addressing, four bytes per cell, at most 75% full. The
// caller stores the keys. Each segment grows independently, so no single growth blocks the thread
// for long.
// Invariant: ids with the same home cell follow it without gaps; 0 = an empty cell.

import { assert } from '../../domain/assert.ts'

const SEGMENTS = 256
const FIRST_CELLS = 8

interface Segment {
  cells: Uint32Array
  count: number
}

export class IdIndex {
  readonly #segments: (Segment | undefined)[] = Array.from({ length: SEGMENTS }, () => undefined)
  readonly #hashOf: (id: number) => number

  /** `hashOf` returns the 32-bit hash of an id in the index. */
  constructor(hashOf: (id: number) => number) {
    this.#hashOf = hashOf
  }

  /** The id with this hash that `isIt` accepts; 0 = none. */
  find(hash: number, isIt: (id: number) => boolean): number {
    const segment = this.#segments[hash >>> 24]
    if (segment === undefined) return 0
    const { cells } = segment
    const mask = cells.length - 1
    for (let cell = hash & mask; cells[cell] !== 0; cell = (cell + 1) & mask) {
      if (isIt(cells[cell])) return cells[cell]
    }
    return 0
  }

  add(id: number): void {
    assert(id > 0, 'an id is never 0')
    const hash = this.#hashOf(id)
    const segment = this.#segments[hash >>> 24] ?? { cells: new Uint32Array(FIRST_CELLS), count: 0 }
    this.#segments[hash >>> 24] = segment
    if ((segment.count + 1) * 4 > segment.cells.length * 3)
      this.#resize(segment, segment.cells.length * 2)
    segment.count++
    put(segment.cells, hash, id)
  }

  /** Removes an id and closes the gap after it. Its hash must be the one it was added with. */
  remove(id: number): void {
    const hash = this.#hashOf(id)
    const segment = this.#segments[hash >>> 24]
    assert(segment !== undefined, 'only an id of the index is removed')
    const { cells } = segment
    const mask = cells.length - 1
    let hole = hash & mask
    while (cells[hole] !== id) {
      assert(cells[hole] !== 0, 'only an id of the index is removed')
      hole = (hole + 1) & mask
    }
    for (let cell = (hole + 1) & mask; cells[cell] !== 0; cell = (cell + 1) & mask) {
      const home = this.#hashOf(cells[cell]) & mask
      if (((cell - home) & mask) < ((cell - hole) & mask)) continue
      cells[hole] = cells[cell]
      hole = cell
    }
    cells[hole] = 0
    segment.count--
    if (segment.count === 0) this.#segments[hash >>> 24] = undefined
    else if (segment.count * 8 < segment.cells.length) this.#resize(segment, cells.length / 4)
  }

  #resize(segment: Segment, length: number): void {
    const cells = new Uint32Array(length)
    for (const id of segment.cells) if (id !== 0) put(cells, this.#hashOf(id), id)
    segment.cells = cells
  }
}

function put(cells: Uint32Array, hash: number, id: number): void {
  const mask = cells.length - 1
  let cell = hash & mask
  while (cells[cell] !== 0) cell = (cell + 1) & mask
  cells[cell] = id
}

/** Mixes two words into a hash. Every bit depends on both words. */
export function mixedHash(high: number, low: number): number {
  const mixed = Math.imul(low ^ Math.imul(high, 0x9e3779b1), 0x85ebca6b)
  const both = Math.imul(mixed ^ (mixed >>> 15), 0xc2b2ae35)
  return (both ^ (both >>> 16)) >>> 0
}
