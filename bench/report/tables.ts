// Shows figures: a table for each bench, a summary of the aims, and the part of the README with the
// figures.

import {
  type Aim,
  aimOf,
  isReached,
  type Judged,
  judge,
  type Reach,
  yardstickSpreadOf,
} from './aims.ts'
import { type Report, type Row, spreadOf } from './report.ts'
import type { Result } from './results.ts'

/** Above this spread the runs of a case tell more about the machine than about the code. */
const STEADY_SPREAD_MAX = 0.5

export function numberText(value: number): string {
  if (Math.abs(value) >= 1000) return Math.round(value).toLocaleString('en-US')
  return value >= 10 || Number.isInteger(value) ? value.toFixed(1) : value.toFixed(3)
}

function bound(value: number): string {
  return value.toLocaleString('en-US')
}

export function aimText({ reach, unit }: Aim): string {
  const of = unit === undefined ? '' : ` ${unit}`
  switch (reach.kind) {
    case 'times better':
      return `≥ ${bound(reach.min)}×${reach.hopedMin ? `, better ${reach.hopedMin}×` : ''}`
    case 'times its cost':
      return `≤ ${bound(reach.max)}×${reach.orMore ? ` or + ${reach.orMore}${of}` : ''}`
    case 'at least':
      return `≥ ${bound(reach.min)}${of}`
    case 'at most':
      return reach.max === 0 ? 'none' : `≤ ${bound(reach.max)}${of}`
  }
}

export function seenText({ aim, row }: Judged): string {
  if (row === undefined) return 'not measured'
  const { median, unit, ratio = 0 } = row
  switch (aim.reach.kind) {
    case 'times better':
      return `${ratio.toFixed(2)}×`
    case 'times its cost':
      return `${(1 / ratio).toFixed(2)}×`
    default:
      return `${numberText(median)} ${unit}`
  }
}

function verdict(reach: Reach, row: Row): string {
  if (!isReached(reach, row)) return 'NOT MET'
  if (reach.kind !== 'times better' || reach.hopedMin === undefined) return 'met'
  return (row.ratio ?? 0) >= reach.hopedMin ? 'met' : `met, short of ${reach.hopedMin}×`
}

export function aligned(lines: readonly string[][], isText: (column: number) => boolean): string {
  const widths = lines[0].map((_, column) => Math.max(...lines.map((line) => line[column].length)))
  const pad = (cell: string, column: number) =>
    isText(column) ? cell.padEnd(widths[column]) : cell.padStart(widths[column])
  return lines.map((line) => line.map(pad).join('  ').trimEnd()).join('\n')
}

function unsteadyText(spread: number): string {
  if (spread <= STEADY_SPREAD_MAX) return ''
  return `yardstick varied by ${(spread * 100).toFixed(0)}%`
}

export function tableOf({ name, rows }: Report): string {
  const head = [name, 'unit', 'median', 'min', 'max', 'spread', 'ratio', 'yardstick', 'aim', '', '']
  const cells = rows.map((row) => {
    const aim = aimOf(name, row)
    return [
      row.case,
      row.unit,
      numberText(row.median),
      numberText(row.min),
      numberText(row.max),
      `${(spreadOf(row) * 100).toFixed(0)}%`,
      row.ratio === undefined ? '' : `${row.ratio.toFixed(2)}×`,
      row.yardstick ?? '',
      aim === undefined ? '' : aimText(aim),
      aim === undefined ? '' : verdict(aim.reach, row),
      aim === undefined ? '' : unsteadyText(yardstickSpreadOf(row, rows)),
    ]
  })
  const isText = (column: number) => column < 2 || column > 6
  return aligned([head, ...cells], isText)
}

function summaryCells(judged: Judged): string[] {
  const { aim, row, yardstickSpread } = judged
  const output = row === undefined ? '–' : verdict(aim.reach, row)
  const words = [output, unsteadyText(yardstickSpread)].filter((word) => word !== '')
  return [aim.about, aimText(aim), seenText(judged), words.join('; ')]
}

/** Every aim, its worst row, and whether it is met. */
export function summaryOf(reports: readonly Report[]): string {
  const lines = judge(reports).map(summaryCells)
  return aligned([['what is to be reached', 'aim', 'seen', ''], ...lines], () => true)
}

function markdown(head: readonly string[], lines: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(head), `|${head.map(() => '---|').join('')}`, ...lines.map(line)].join('\n')
}

const CURVE = /^(\d+) intake threads?$/
const LATENCY = /^(p\d+(?:\.\d+)?|worst) at (\d+)\/s$/

function curveOf(rows: readonly Row[]): string {
  const lines = rows.flatMap((row) => {
    const found = CURVE.exec(row.case)
    return found === null ? [] : [[found[1], numberText(row.median)]]
  })
  return lines.length === 0 ? '' : markdown(['intake threads', 'orders/s'], lines)
}

function latenciesOf(rows: readonly Row[]): string {
  const found = rows.flatMap((row) => {
    const match = LATENCY.exec(row.case)
    return match === null ? [] : [{ percentile: match[1], rate: Number(match[2]), row }]
  })
  if (found.length === 0) return ''
  const percentiles = [...new Set(found.map((each) => each.percentile))]
  const rates = [...new Set(found.map((each) => each.rate))]
  const lines = rates.map((rate) => [
    bound(rate),
    ...percentiles.map((percentile) => {
      const cell = found.find((each) => each.rate === rate && each.percentile === percentile)
      return cell === undefined ? '' : numberText(cell.row.median)
    }),
  ])
  return markdown(['orders/s', ...percentiles.map((each) => `${each}, ms`)], lines)
}

/** The figures in the README: the summary, the curve of intake threads, the latencies. */
export function readmeBlock(results: readonly Result[]): string {
  const origins = [...new Set(results.map(({ commit, machine }) => `${machine}, at ${commit}`))]
  const http = results.find(({ name }) => name === 'http')?.rows ?? []
  const summary = markdown(['', 'aim', 'seen', ''], judge(results).map(summaryCells))
  const curve = curveOf(http)
  const latencies = latenciesOf(http)
  const parts = [
    `Measured on ${origins.join('; ')}.`,
    summary,
    curve === '' ? '' : 'What each core buys, by `--intake-threads`:',
    curve,
    latencies === '' ? '' : 'Latency of signed orders at constant rates, over HTTP and durable:',
    latencies,
  ]
  return parts.filter((part) => part !== '').join('\n\n')
}
