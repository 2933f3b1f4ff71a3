// The result of a bench: a row for each case, from the figures of several runs.

import { assert } from '../../engine/domain/assert.ts'

export interface Row {
  readonly case: string
  readonly unit: string
  readonly median: number
  readonly min: number
  readonly max: number
  /**
   * The case that it is measured against. That case's row in the same report shows how steady it
   * was.
   */
  readonly yardstick?: string
  /** How many times better than the yardstick: 2 is twice as fast. */
  readonly ratio?: number
}

export interface Report {
  readonly name: string
  readonly rows: readonly Row[]
}

export interface BenchOptions {
  /** A few seconds for all benches, which only shows that they work. */
  readonly smoke: boolean
}

export function median(samples: readonly number[]): number {
  assert(samples.length > 0, 'a figure comes from runs')
  const sorted = [...samples].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

/** A row of one case from the figure of each of its runs. */
export function rowOf(
  name: string,
  unit: string,
  samples: readonly number[],
  more: Pick<Row, 'yardstick' | 'ratio'> = {},
): Row {
  const figures = { median: median(samples), min: Math.min(...samples), max: Math.max(...samples) }
  return { case: name, unit, ...figures, ...more }
}

/** The range of the runs over their median: a measure of what else the machine did. */
export function spreadOf({ median, min, max }: Row): number {
  return median === 0 ? 0 : (max - min) / median
}
