// The parts of every bench: contenders that alternate in one run, the samples of their rounds, and
// rows, which compare the median of a case with the median of its baseline.

import { assert } from '../../engine/domain/assert.ts'
import { type Aim, aimsOf } from './aims.ts'

export interface Row {
  readonly case: string
  readonly unit: string
  readonly median: number
  readonly min: number
  readonly max: number
  /** The case that it is compared with. */
  readonly baseline?: string
  /** How many times better than the baseline: 2 is twice as fast, or half the cost. */
  readonly ratio?: number
}

export interface Report {
  readonly name: string
  readonly rows: readonly Row[]
}

export interface Bench {
  readonly name: string
  readonly aims: readonly Aim[]
  /** A smoke run takes seconds and only shows that the bench works. */
  run(smoke: boolean): Promise<Report>
}

interface BenchPlan<Size> {
  readonly name: string
  /** See `aimsOf`. */
  readonly aims?: string
  readonly full: Size
  readonly smoke: Size
  readonly rows: (size: Size) => Promise<readonly Row[]>
}

export function benchOf<Size>({ name, aims = '', full, smoke, rows }: BenchPlan<Size>): Bench {
  const run = async (isSmoke: boolean) => ({ name, rows: await rows(isSmoke ? smoke : full) })
  return { name, aims: aimsOf(aims), run }
}

/** Short rounds are not all reported. */
const PROGRESS_EVERY_MS = 5000

export interface Rounds {
  /** Describes the work on the terminal. */
  readonly about: string
  readonly rounds: number
  /** Rounds before the first that counts; 0 when absent. */
  readonly warmUps?: number
}

/**
 * Runs every contender once in each round, so that other work of the machine slows all of them
 * alike, and in the reverse order in every second round, so that a machine that slows down favours
 * none. Gives the samples of each contender. `contenders` is called at the start of each round.
 */
export async function alternate<T>(
  { about, rounds, warmUps = 0 }: Rounds,
  contenders: (round: number) => readonly (() => T | Promise<T>)[],
): Promise<T[][]> {
  const samples: T[][] = []
  for (let round = 1 - warmUps; round <= rounds; round++) {
    if (round === 1 - warmUps || performance.now() - shownMs > PROGRESS_EVERY_MS) {
      progress(`${about}, round ${round} of ${rounds}`)
    }
    const ordered = [...contenders(round).entries()]
    if (round % 2 === 0) ordered.reverse()
    for (const [index, run] of ordered) {
      const sample = await run()
      if (round === 1) samples[index] = []
      if (round > 0) samples[index].push(sample)
    }
  }
  return samples
}

/** The samples of a single contender. */
export async function repeat<T>(rounds: Rounds, run: () => T | Promise<T>): Promise<T[]> {
  const [samples] = await alternate(rounds, () => [run])
  return samples
}

/** A row of one case from the samples of its rounds. */
export function rowOf(
  name: string,
  unit: string,
  samples: readonly number[],
  baseline?: Pick<Row, 'case' | 'median'>,
): Row {
  const [min, max] = [Math.min(...samples), Math.max(...samples)]
  const row = { case: name, unit, median: median(samples), min, max }
  if (baseline === undefined) return row
  const growth = row.median / baseline.median
  return { ...row, baseline: baseline.case, ratio: isRate(unit) ? growth : 1 / growth }
}

export interface Case {
  readonly name: string
  readonly samples: readonly number[]
}

/** The row of a case, compared with a baseline, and the row of that baseline. */
export function pairOf(unit: string, ours: Case, theirs: Case): [Row, Row] {
  const baseline = rowOf(theirs.name, unit, theirs.samples)
  return [rowOf(ours.name, unit, ours.samples, baseline), baseline]
}

/** More is better for a rate; less is better for any other unit. */
export function isRate(unit: string): boolean {
  return unit.endsWith('/s')
}

export function median(samples: readonly number[]): number {
  assert(samples.length > 0, 'a median needs samples')
  const sorted = [...samples].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

export function percentileOf(samples: readonly number[], percent: number): number {
  const sorted = [...samples].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))]
}

/** The range of the samples over their median: a measure of other work on the machine. */
export function spreadOf({ median, min, max }: Pick<Row, 'median' | 'min' | 'max'>): number {
  return median === 0 ? 0 : (max - min) / median
}

const startMs = performance.now()
let shownMs = startMs

/** Reports on stderr what is being measured, so that a long bench does not look stuck. */
export function progress(text: string): void {
  shownMs = performance.now()
  const seconds = Math.round((shownMs - startMs) / 1000)
  process.stderr.write(`${String(seconds).padStart(5)} s  ${text}\n`)
}
