// Two commits side by side, from the results of their passes.

import { median, type Report, type Row } from './report.ts'
import { aligned, numberText } from './tables.ts'

export interface Side {
  readonly name: string
  /** One per pass. */
  readonly passes: readonly Report[]
}

interface Figure {
  readonly median: number
  /** Of every run. */
  readonly min: number
  readonly max: number
  /** Of each pass. */
  readonly medians: readonly number[]
}

function keyOf({ case: name, unit }: Row): string {
  return `${name}\t${unit}`
}

/** Undefined when the side does not measure the case. */
function figureOf(side: Side, key: string): Figure | undefined {
  const rows = side.passes.flatMap((pass) => pass.rows.find((row) => keyOf(row) === key) ?? [])
  if (rows.length === 0) return undefined
  const medians = rows.map((row) => row.median)
  return {
    median: median(medians),
    min: Math.min(...rows.map((row) => row.min)),
    max: Math.max(...rows.map((row) => row.max)),
    medians,
  }
}

function figureText(figure: Figure | undefined): string[] {
  if (figure === undefined) return ['–', '']
  const { median, min, max } = figure
  return [numberText(median), `${numberText(min)} to ${numberText(max)}`]
}

/** How many times better `now` is: more per second, or less of anything else. */
function betterText(unit: string, before: Figure | undefined, now: Figure | undefined): string[] {
  if (before === undefined || now === undefined) return ['', '']
  if (before.median === 0 || now.median === 0) return ['', '']
  const growth = now.median / before.median
  const better = unit.endsWith('/s') ? growth : 1 / growth
  const isBelow = (a: Figure, b: Figure) => Math.max(...a.medians) < Math.min(...b.medians)
  const isApart = isBelow(before, now) || isBelow(now, before)
  return [`${better.toFixed(2)}×`, isApart ? '' : 'the passes overlap']
}

export function compareTable(before: Side, now: Side): string {
  const rows = [...now.passes, ...before.passes].flatMap((pass) => pass.rows)
  const keys = new Map(rows.map((row) => [keyOf(row), row]))
  const lines = [...keys].map(([key, { case: name, unit }]) => {
    const [was, is] = [figureOf(before, key), figureOf(now, key)]
    return [name, unit, ...figureText(was), ...figureText(is), ...betterText(unit, was, is)]
  })
  const head = ['case', 'unit', before.name, 'of the runs', now.name, 'of the runs', 'better', '']
  return aligned([head, ...lines], (column) => column < 2 || column === 7)
}
