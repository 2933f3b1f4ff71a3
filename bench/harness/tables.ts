// Prints figures: a table for each bench, and a summary of all aims.

import {
  type Aim,
  aimOf,
  baselineSpreadOf,
  isReached,
  type Judged,
  judge,
  type Measured,
  type Reach,
} from './aims.ts'
import { type Report, type Row, spreadOf } from './bench.ts'

/** Above this spread the samples of a case describe the machine rather than the code. */
const STEADY_SPREAD_MAX = 0.5

export function numberText(value: number): string {
  if (Math.abs(value) >= 1000) return Math.round(value).toLocaleString('en-US')
  return value >= 10 || Number.isInteger(value) ? value.toFixed(1) : value.toFixed(3)
}

/** The figure of a row, or its ratio to the baseline, as the reach wants it. */
export function shownText({ isRatio, isAtLeast }: Reach, { median, unit, ratio = 0 }: Row): string {
  if (isRatio) return `${(isAtLeast ? ratio : 1 / ratio).toFixed(2)}×`
  // Memory that shrank between two readings did not grow; the rest is noise.
  return median < 0 ? 'none' : `${numberText(median)} ${unit}`
}

function verdictText(reach: Reach, row: Row): string {
  if (!isReached(reach, row)) return 'NOT MET'
  return (row.ratio ?? 0) >= reach.ideal ? 'met' : `met, short of ${reach.ideal}×`
}

export function percentText(part: number): string {
  return `${(part * 100).toFixed(0)}%`
}

function unsteadyText(spread: number): string {
  return spread <= STEADY_SPREAD_MAX ? '' : `baseline varied by ${percentText(spread)}`
}

export function aligned(lines: readonly string[][], isText: (column: number) => boolean): string {
  const widths = lines[0].map((_, column) => Math.max(...lines.map((line) => line[column].length)))
  const pad = (cell: string, column: number) =>
    isText(column) ? cell.padEnd(widths[column]) : cell.padStart(widths[column])
  return lines.map((line) => line.map(pad).join('  ').trimEnd()).join('\n')
}

export function markdownTable(head: readonly string[], lines: readonly (readonly string[])[]) {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(head), `|${head.map(() => '---|').join('')}`, ...lines.map(line)].join('\n')
}

/** All rows of a bench, each with the aim that it must reach. */
export function tableOf({ name, rows }: Report, aims: readonly Aim[]): string {
  const head = [name, 'unit', 'median', 'min', 'max', 'spread', 'ratio', 'baseline', 'aim', '', '']
  const cells = rows.map((row) => {
    const { unit, median, min, max, ratio, baseline = '' } = row
    const figures = [...[median, min, max].map(numberText), percentText(spreadOf(row))]
    const ratioText = ratio === undefined ? '' : `${ratio.toFixed(2)}×`
    const aim = aimOf(aims, row)
    const verdict =
      aim === undefined
        ? ['', '', '']
        : [aim.text, verdictText(aim.reach, row), unsteadyText(baselineSpreadOf(row, rows))]
    return [row.case, unit, ...figures, ratioText, baseline, ...verdict]
  })
  return aligned([head, ...cells], (column) => column < 2 || column > 6)
}

const SUMMARY_HEAD = ['', 'aim', 'measured', '']

function summaryCells({ aim, row, baselineSpread }: Judged): string[] {
  if (row === undefined) return [aim.about, aim.text, 'not measured', '–']
  const notes = [verdictText(aim.reach, row), unsteadyText(baselineSpread)]
  const shown = shownText(aim.reach, row)
  return [aim.about, aim.text, shown, notes.filter((note) => note !== '').join('; ')]
}

/** Every aim, its worst row, and whether it is met. */
export function summaryOf(all: readonly Measured[]): string {
  return aligned([SUMMARY_HEAD, ...judge(all).map(summaryCells)], () => true)
}

export function summaryTable(all: readonly Measured[]): string {
  return markdownTable(SUMMARY_HEAD, judge(all).map(summaryCells))
}
