// Shows two commits side by side, from the results of their passes. noise.ts judges each row.

import { isRate, type Report, type Row, rowOf, spreadOf } from './bench.ts'
import { canReport, changeOf, FALSE_ALARM_MAX } from './noise.ts'
import { aligned, numberText, percentText } from './tables.ts'

export interface Side {
  readonly name: string
  /** One report per pass. */
  readonly passes: readonly Report[]
}

interface Figure extends Pick<Row, 'median' | 'min' | 'max'> {
  /** The median of each pass. */
  readonly medians: readonly number[]
}

function keyOf({ case: name, unit }: Row): string {
  return `${name}\t${unit}`
}

/** Undefined when the side does not measure the case. */
function figureOf(side: Side, key: string): Figure | undefined {
  const rows = side.passes.flatMap((pass) => pass.rows.find((row) => keyOf(row) === key) ?? [])
  if (rows.length === 0) return undefined
  const medians = rows.map(({ median }) => median)
  return { ...rowOf(key, '', medians), medians }
}

function figureText(figure: Figure | undefined): string[] {
  if (figure === undefined) return ['–', '']
  const { median, min, max } = figure
  return [numberText(median), `${numberText(min)} to ${numberText(max)}`]
}

function spreadText(...figures: readonly Figure[]): string {
  return percentText(Math.max(...figures.map(spreadOf)))
}

/** How many times better `now` is: more for a rate, less for any other unit. */
function betterText(unit: string, before: Figure, now: Figure): string {
  if (before.median === 0 || now.median === 0) return ''
  const growth = now.median / before.median
  return `${(isRate(unit) ? growth : 1 / growth).toFixed(2)}×`
}

const TIMES = new Set(['ns', 'ns/op', 'ms', 's'])

/** The verdict on a lower figure and on a higher figure. */
function wordsOf(unit: string): readonly [lower: string, higher: string] {
  if (isRate(unit)) return ['slower', 'faster']
  return TIMES.has(unit) ? ['faster', 'slower'] : ['less', 'more']
}

function verdictText(unit: string, before: Figure, now: Figure): string {
  const change = changeOf(before.medians, now.medians)
  if (change === 0) return 'no difference beyond noise'
  const [lower, higher] = wordsOf(unit)
  return change < 0 ? lower : higher
}

function judgedText(unit: string, before: Figure | undefined, now: Figure | undefined): string[] {
  if (before === undefined || now === undefined) return ['', '', '']
  return [betterText(unit, before, now), spreadText(before, now), verdictText(unit, before, now)]
}

function legendOf(before: Side, now: Side): string {
  const counts = [before.passes.length, now.passes.length] as const
  const rows = Math.round(1 / FALSE_ALARM_MAX)
  const lines = [
    'Medians and ranges are over the passes. Spread is the wider range, divided by its median.',
    'The verdict comes from the exact test of Mann and Whitney on the passes, two-sided, at' +
      ` ${FALSE_ALARM_MAX * 100}%:`,
    `on average it calls at most one of ${rows} unchanged rows changed.`,
  ]
  if (!canReport(...counts)) {
    lines.push(`${counts[0]} and ${counts[1]} passes can show no difference at all: take PASSES=4.`)
  }
  return lines.join('\n')
}

export function compareTable(before: Side, now: Side): string {
  const rows = [...now.passes, ...before.passes].flatMap((pass) => pass.rows)
  const keys = new Map(rows.map((row) => [keyOf(row), row]))
  const lines = [...keys].map(([key, { case: name, unit }]) => {
    const [was, is] = [figureOf(before, key), figureOf(now, key)]
    return [name, unit, ...figureText(was), ...figureText(is), ...judgedText(unit, was, is)]
  })
  const head = ['case', 'unit', before.name, 'passes', now.name, 'passes']
  const table = [[...head, 'better', 'spread', 'verdict'], ...lines]
  return `${aligned(table, (column) => column < 2 || column === 8)}\n\n${legendOf(before, now)}`
}
