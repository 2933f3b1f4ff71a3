// The aims of a bench, and whether its rows reach them.

import { assert } from '../../engine/domain/assert.ts'
import { type Row, spreadOf } from './bench.ts'

export interface Aim {
  /** The promise, in a few words. */
  readonly about: string
  /** Matches the text of the rows that must keep the promise. The worst of them counts. */
  readonly rows: RegExp
  /** As it is printed: `≥ 60×`, `≥ 0.7×, ideally 0.8×`, `≤ 2× or + 1 ms`, `≤ 120 MB`, `none`. */
  readonly text: string
  readonly reach: Reach
}

export interface Reach {
  readonly isAtLeast: boolean
  readonly bound: number
  /** Whether the ratio to the baseline is judged: how often better, or the factor of its cost. */
  readonly isRatio: boolean
  readonly ideal: number
  /** An amount above the figure of the baseline that is met too. */
  readonly slack: number
}

const REACH = /^([≥≤]) ([\d,.]+)(×?)(?:, ideally ([\d.]+)×| or \+ ([\d.]+) \S+| \S+)?$/

export function reachOf(text: string): Reach {
  const parts = REACH.exec(text === 'none' ? '≤ 0' : text)
  assert(parts !== null, 'an aim has one of the known forms')
  const [, sign, bound, times, ideal = '0', slack = '0'] = parts
  return {
    isAtLeast: sign === '≥',
    bound: Number(bound.replaceAll(',', '')),
    isRatio: times === '×',
    ideal: Number(ideal),
    slack: Number(slack),
  }
}

/** Reads a table: each line has the text of the reach, a pattern of rows, and the promise. */
export function aimsOf(table: string): Aim[] {
  const lines = table.split('\n').filter((line) => line.trim() !== '')
  return lines.map((line) => {
    const [text, rows, about] = line.trim().split(/ {2,}/)
    return { about, rows: new RegExp(rows), text, reach: reachOf(text) }
  })
}

/** A row as patterns see it. */
export function textOf({ case: name, unit, baseline }: Row): string {
  return baseline === undefined ? `${name}, ${unit}` : `${name}, ${unit}, against ${baseline}`
}

function isOf({ rows, reach }: Aim, row: Row): boolean {
  return rows.test(textOf(row)) && (!reach.isRatio || row.ratio !== undefined)
}

/** How far a row goes beyond its aim; 1 is the bound itself. */
function marginOf({ isAtLeast, isRatio, bound, slack }: Reach, { ratio = 0, median }: Row): number {
  if (isAtLeast) return (isRatio ? ratio : median) / bound
  const baseline = median * ratio
  if (isRatio) return Math.max(bound * baseline, baseline + slack) / median
  // A difference, because the bound may be 0, by which nothing can be divided.
  return 1 + bound - median
}

export function isReached(reach: Reach, row: Row): boolean {
  return marginOf(reach, row) >= 1
}

/** The aim of a row; undefined when it has none. */
export function aimOf(aims: readonly Aim[], row: Row): Aim | undefined {
  return aims.find((aim) => isOf(aim, row))
}

/** The spread of the row's baseline: a ratio is only as steady as its baseline. */
export function baselineSpreadOf(row: Row | undefined, rows: readonly Row[]): number {
  const baseline = rows.find((other) => other.case === row?.baseline && other.unit === row.unit)
  return baseline === undefined ? 0 : spreadOf(baseline)
}

export interface Judged {
  readonly aim: Aim
  /** The worst row of the aim; undefined when it was not measured. */
  readonly row: Row | undefined
  readonly baselineSpread: number
}

/** A bench and its rows; no rows when it was not measured. */
export interface Measured {
  readonly aims: readonly Aim[]
  readonly rows: readonly Row[]
}

/** Every aim with the worst of its rows. */
export function judge(all: readonly Measured[]): Judged[] {
  return all.flatMap(({ aims, rows }) =>
    aims.map((aim) => {
      const margin = (row: Row) => marginOf(aim.reach, row)
      const [row] = rows.filter((each) => isOf(aim, each)).sort((a, b) => margin(a) - margin(b))
      return { aim, row, baselineSpread: baselineSpreadOf(row, rows) }
    }),
  )
}
