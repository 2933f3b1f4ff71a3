// Hot path. bench/pipeline.bench.ts
// A histogram in columns, which are read on demand. One thread writes it; with shared memory others
// may read it. A count is one f64, so reads are never torn; at worst the sum is one value newer
// than the counts.
//
// Cells (f64): 0 sum │ 1.. a count per bucket

import { assert } from '../domain/assert.ts'

const LARGEST = 0x7fffffff

/** Integer bucket bounds from `from` to `to`, with the same steps in every decade. */
export function logLinear(from: number, to: number, steps: readonly number[]): number[] {
  const bounds: number[] = []
  for (let decade = from; decade <= to; decade *= 10) {
    for (const step of steps) if (decade * step <= to) bounds.push(decade * step)
  }
  return bounds
}

/** 10 µs to 10 s; neighbouring bounds differ by at most half. */
export const MICROS = logLinear(10, 10_000_000, [1, 1.5, 2, 3, 5, 7])

export class Distribution {
  /** Upper bounds, inclusive, ascending. */
  readonly bounds: readonly number[]
  /** Counts: one bucket per bound, and one for values above all bounds. */
  readonly counts: Float64Array
  readonly #cells: Float64Array
  readonly #bounds: Float64Array
  /** The first bound that can fit a value, by the value's bit length. */
  readonly #firstOf = new Uint8Array(33)

  /** `shared` comes from `allocate` for the same bounds. Without it only this thread can read. */
  constructor(bounds: readonly number[], shared?: SharedArrayBuffer) {
    assert(bounds.length < 256, 'the number of a bucket fits one byte')
    assert(
      bounds.every((bound) => Number.isInteger(bound) && bound < LARGEST),
      'a value is rounded up before it is compared, so bounds are integers',
    )
    this.bounds = bounds
    const cellCount = bounds.length + 2
    this.#cells = shared === undefined ? new Float64Array(cellCount) : new Float64Array(shared)
    assert(this.#cells.length === cellCount, 'both threads use the same buckets')
    this.counts = this.#cells.subarray(1)
    this.#bounds = Float64Array.from([...bounds, Infinity])
    for (let bits = 1; bits <= 32; bits++) {
      this.#firstOf[bits] = this.#bounds.findIndex((bound) => bound >= 2 ** (bits - 1))
    }
  }

  static allocate(bounds: readonly number[]): SharedArrayBuffer {
    return new SharedArrayBuffer((bounds.length + 2) * Float64Array.BYTES_PER_ELEMENT)
  }

  /** Adds one value, or several equal ones; negative values count as 0. */
  record(value: number, times = 1): void {
    const whole = value < LARGEST ? Math.ceil(value) : LARGEST
    let bucket = 0
    if (whole > 0) {
      bucket = this.#firstOf[32 - Math.clz32(whole)]
      while (whole > this.#bounds[bucket]) bucket++
      this.#cells[0] += value * times
    }
    this.counts[bucket] += times
  }

  get sum(): number {
    return this.#cells[0]
  }

  get count(): number {
    let count = 0
    for (const each of this.counts) count += each
    return count
  }
}
