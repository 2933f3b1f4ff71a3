// Puts the figures of the last benchmarks into the documents: the ten that matter to a reader into
// README.md; all aims, the curve of edge threads and the latencies into benchmarks.md.

import { readFileSync, writeFileSync } from 'node:fs'
import { assert } from '../../engine/domain/assert.ts'
import { judge, type Reach, reachOf } from './aims.ts'
import type { Bench, Row } from './bench.ts'
import { loadResult, type Result } from './results.ts'
import { markdownTable, numberText, shownText, summaryTable } from './tables.ts'

const README = new URL('../../README.md', import.meta.url)
const PAGE = new URL('../../server/docs/benchmarks.md', import.meta.url)
const BEGIN = '<!-- bench -->\n'
const END = '<!-- /bench -->'

/** Each line: what to show of a row, its bench, a pattern of its text, and a description. */
const HEADLINES = `
figure  http      ^1 edge thread,            Signed orders over HTTP, durable before the reply
figure  http      ^p50 at 1000/s,            Their latency at 1,000 orders/s, median
figure  http      ^p99 at 1000/s,            Their latency at 1,000 orders/s, 99th percentile
figure  core      ^core, 1 market, commands  Commands through rules, ledger and book, on one thread
ratio   book      ^ours, 10,000 l.*nodejs    Order book, times as fast as nodejs-order-book from npm
ratio   fanout    ^books to .*frames         Books to sockets, against a native publish
figure  recovery  snapshot at the half       Start with 2,000,000 commands, a snapshot at the half
figure  memory    ^idle                      Memory of an idle exchange
figure  memory    ^per resting order         Memory per resting order
cost    reads     ^read: .*, p99,            Public reads, p99: 5,000 markets against 50, at worst
`
/** Any reach of the kind. */
const SHOWN: Readonly<Record<string, Reach>> = {
  figure: reachOf('≤ 1'),
  ratio: reachOf('≥ 1×'),
  cost: reachOf('≤ 1×'),
}
const CURVE = /^(\d+) edge threads?$/
const LATENCY = /^(p\d+(?:\.\d+)?|worst) at (\d+)\/s$/

function headlineCells(results: readonly Result[], line: string): string[][] {
  const [shown, bench, pattern, about] = line.split(/ {2,}/)
  const reach = SHOWN[shown]
  const rows = results.find(({ name }) => name === bench)?.rows ?? []
  const aim = { about, text: '', rows: new RegExp(pattern), reach }
  const [{ row }] = judge([{ aims: [aim], rows }])
  return row === undefined ? [] : [[about, shownText(reach, row)]]
}

function measuredOn(results: readonly Result[]): string {
  return `Measured on ${[...new Set(results.map(({ machine }) => machine))].join('; ')}.`
}

/** The figures of the README. */
export function readmeBlock(results: readonly Result[]): string {
  const lines = HEADLINES.trim().split('\n')
  const cells = lines.flatMap((line) => headlineCells(results, line))
  return `${measuredOn(results)}\n\n${markdownTable(['', ''], cells)}`
}

function curveOf(rows: readonly Row[]): string {
  const lines = rows.flatMap((row) => {
    const found = CURVE.exec(row.case)
    return found === null ? [] : [[found[1], numberText(row.median)]]
  })
  return lines.length < 2 ? '' : markdownTable(['edge threads', 'orders/s'], lines)
}

function latenciesOf(rows: readonly Row[]): string {
  const byRate = new Map<number, Row[]>()
  for (const row of rows) {
    const rate = Number(LATENCY.exec(row.case)?.[2] ?? 0)
    if (rate > 0) byRate.set(rate, [...(byRate.get(rate) ?? []), row])
  }
  const [first = []] = byRate.values()
  if (first.length === 0) return ''
  const head = first.map((row) => `${LATENCY.exec(row.case)?.[1]}, ms`)
  const lines = [...byRate].map(([rate, cells]) => {
    return [rate.toLocaleString('en-US'), ...cells.map(({ median }) => numberText(median))]
  })
  return markdownTable(['orders/s', ...head], lines)
}

/** The figures of benchmarks.md. */
export function pageBlock(benches: readonly Bench[], results: readonly Result[]): string {
  const rowsOf = (bench: string) => results.find(({ name }) => name === bench)?.rows ?? []
  const all = benches.map(({ name, aims }) => ({ aims, rows: rowsOf(name) }))
  const [curve, latencies] = [curveOf(rowsOf('http')), latenciesOf(rowsOf('http'))]
  const parts = [
    measuredOn(results),
    summaryTable(all),
    curve === '' ? '' : 'What each core buys, by `--edge-threads`:',
    curve,
    latencies === '' ? '' : 'Latency of signed orders at constant rates, over HTTP and durable:',
    latencies,
  ]
  return parts.filter((part) => part !== '').join('\n\n')
}

function writeBlock(path: URL, block: string): void {
  const text = readFileSync(path, 'utf8')
  const from = text.indexOf(BEGIN) + BEGIN.length
  const to = text.indexOf(END)
  assert(from >= BEGIN.length && to >= from, 'a document has marks around its figures')
  writeFileSync(path, `${text.slice(0, from)}${block}\n${text.slice(to)}`)
}

export function writeDocuments(benches: readonly Bench[]): void {
  const results = benches.flatMap(({ name }) => loadResult(name) ?? [])
  if (results.length === 0) throw new Error('nothing is measured yet; run `make bench`')
  writeBlock(README, readmeBlock(results))
  writeBlock(PAGE, pageBlock(benches, results))
}
