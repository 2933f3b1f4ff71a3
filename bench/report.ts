// What a bench says: a table for people, a file for programs.

import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { fileURLToPath } from 'node:url'
import { assert } from '../engine/domain/assert.ts'

export interface Row {
  readonly case: string
  readonly unit: string
  readonly median: number
  readonly min: number
  readonly max: number
  readonly yardstick?: string
  /** How many times better than the yardstick: 2 is twice as fast. */
  readonly ratio?: number
  /** What is to be reached, for the reader of the table. */
  readonly aim?: string
}

export interface Report {
  readonly name: string
  readonly rows: readonly Row[]
}

export interface BenchOptions {
  /** A few seconds over all benches: it only shows that they work. */
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
  more: Pick<Row, 'yardstick' | 'ratio' | 'aim'> = {},
): Row {
  const figures = { median: median(samples), min: Math.min(...samples), max: Math.max(...samples) }
  return { case: name, unit, ...figures, ...more }
}

function numberText(value: number): string {
  if (value >= 1000) return Math.round(value).toLocaleString('en-US')
  return value >= 10 || Number.isInteger(value) ? value.toFixed(1) : value.toFixed(3)
}

export function tableOf({ name, rows }: Report): string {
  const head = [name, 'unit', 'median', 'min', 'max', 'ratio', 'yardstick', 'aim']
  const cells = rows.map((row) => [
    row.case,
    row.unit,
    numberText(row.median),
    numberText(row.min),
    numberText(row.max),
    row.ratio === undefined ? '' : `${row.ratio.toFixed(2)}x`,
    row.yardstick ?? '',
    row.aim ?? '',
  ])
  const lines = [head, ...cells]
  const widths = head.map((_, column) => Math.max(...lines.map((line) => line[column].length)))
  const isText = (column: number) => column < 2 || column > 5
  const lineText = (line: string[]) =>
    line
      .map((cell, column) =>
        isText(column) ? cell.padEnd(widths[column]) : cell.padStart(widths[column]),
      )
      .join('  ')
      .trimEnd()
  return lines.map(lineText).join('\n')
}

function commitText(): string {
  try {
    const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8' }).trim()
    const changed = git('status', '--porcelain', '--untracked-files=no') === '' ? '' : ' (changed)'
    return git('rev-parse', '--short', 'HEAD') + changed
  } catch {
    return 'unknown'
  }
}

function machineText(): string {
  const [first] = cpus()
  const gigabytes = Math.round(totalmem() / 2 ** 30)
  return `${cpus().length} × ${first.model.trim()}, ${gigabytes} GB, Node ${process.version}`
}

/** Writes bench/results/NAME.json. */
export function saveReport(report: Report): void {
  const folder = fileURLToPath(new URL('./results/', import.meta.url))
  mkdirSync(folder, { recursive: true })
  const { name, rows } = report
  const text = JSON.stringify({ name, commit: commitText(), machine: machineText(), rows }, null, 2)
  writeFileSync(`${folder}${name}.json`, `${text}\n`)
}
