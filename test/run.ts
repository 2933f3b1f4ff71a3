import { readdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundleTests } from './support/bundled-tests.ts'
import { compileSources } from './support/compiled.ts'
import { endAll, type FileReport, indent, runFile } from './support/file-run.ts'
import { inSources } from './support/source-lines.ts'

// Runs test/**/*.test.ts, without the short forms of soaks, which `make short-soaks` runs. A green
// file prints one line, a red file prints everything. The summary has the words of node's own
// reporter. The run fails when no file matches and when a file holds no test. A file may take any
// time while it makes progress: two minutes without a word or an event end it, and a quarter of an
// hour without a test that begins or ends.

/** More than there are cores: some files wait for time that passes, or for another process. */
const CONCURRENCY = availableParallelism() + 3
const PATIENCE = { silenceMs: 120_000, testMs: 900_000 }
const SLOWEST = 10
/** More files are done sooner when sources and tests are compiled first. */
const FILES_UNCOMPILED = 4
const root = fileURLToPath(new URL('..', import.meta.url))

function printFile(report: FileReport): void {
  printVerdict(report)
  if (report.failed === 0 || report.output.length === 0) return
  console.log(`  its output:\n${indent(inSources(report.output.join('')))}`)
}

/** One line for a file, and what failed in it. */
function printVerdict({ path, failed, tookMs, failures, ...report }: FileReport): void {
  const verdict = failed === 0 ? 'ok  ' : 'FAIL'
  const tests = report.tests === 1 ? '1 test' : `${report.tests || 'holds no'} tests`
  console.log(`${verdict} ${relative(root, path)}  ${tests}, ${Math.round(tookMs)} ms`)
  for (const text of failures) console.log(inSources(text))
}

/** Folders of files that take long. They come first, so that all cores have work until the end. */
const LONG = ['simulation', 'conformance', 'crash', 'browser', 'attack', 'golden', 'fuzz']

function inOrder(one: string, other: string): number {
  const isLater = (name: string) => (LONG.includes(name.split('/')[0]) ? 0 : 1)
  return isLater(one) - isLater(other) || (one < other ? -1 : 1)
}

/** Short forms of what has a target: soaks, attacks, fuzzing, simulation, overload, clusters. */
const SHORT_SOAKS = [
  'attack/attack.test.ts',
  'attack/large-commands.test.ts',
  'browser/console-soak.test.ts',
  'cluster/nodes.test.ts',
  'cluster/upgrade.test.ts',
  'conformance/demo-fill.test.ts',
  'conformance/demo-life.test.ts',
  'conformance/overload-orders.test.ts',
  'conformance/overload.test.ts',
  'conformance/soak.test.ts',
  'crash/chain.test.ts',
  'crash/kill.test.ts',
  'crash/lifetimes.test.ts',
  'crash/points.test.ts',
  'crash/slots.test.ts',
  'engine/core/moves/mixed-flow.test.ts',
  'fuzz/fuzz.test.ts',
  'simulation/flow.test.ts',
  'simulation/held.test.ts',
  'simulation/lives.test.ts',
  'simulation/log.test.ts',
  'simulation/pack-house.test.ts',
  'simulation/profit/profit.test.ts',
  'simulation/shrink.test.ts',
  'simulation/threads.test.ts',
]
/** The word that selects them. */
const SOAKS = '--short-soaks'

/** Files whose path holds one of the parts; without parts, all but the short forms of soaks. */
function matching(parts: readonly string[]): string[] {
  const names = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
  const paths = names.filter((name) => name.endsWith('.test.ts')).sort(inOrder)
  if (parts.includes(SOAKS)) return paths.filter((name) => SHORT_SOAKS.includes(name))
  if (parts.length === 0) return paths.filter((name) => !SHORT_SOAKS.includes(name))
  return paths.filter((name) => parts.some((part) => join('test', name).includes(part)))
}

const only = process.argv.slice(2)
const files = matching(only).map((name) => join(root, 'test', name))
if (files.length === 0) {
  const wanted = only.map((part) => `"${part}"`).join(' or ')
  console.error(wanted === '' ? 'There is no test file.' : `No test file's path holds ${wanted}.`)
  process.exit(1)
}

const startedMs = performance.now()
const isLong = files.length > FILES_UNCOMPILED
if (isLong) await compileSources()
const startOf = isLong ? bundleTests(files) : undefined
const reports: FileReport[] = []
process.once('SIGINT', () => endBy('SIGINT'))
process.once('SIGTERM', () => endBy('SIGTERM'))
const waiting = [...files]
await Promise.all(Array.from({ length: CONCURRENCY }, runWaiting))
printSummary()

async function runWaiting(): Promise<void> {
  for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
    const report = await runFile(file, PATIENCE, await startOf?.(file))
    reports.push(report)
    printFile(report)
  }
}

function endBy(signal: NodeJS.Signals): void {
  endAll()
  process.kill(process.pid, signal)
}

function printSummary(): void {
  const sum = (pick: (report: FileReport) => number) =>
    reports.reduce((total, report) => total + pick(report), 0)
  const tests = sum((report) => report.tests)
  const failed = sum((report) => report.failed)
  const skipped = sum((report) => report.skipped)
  const slowest = [...reports].sort((a, b) => b.tookMs - a.tookMs).slice(0, SLOWEST)
  if (reports.length > SLOWEST) {
    console.log('the slowest files:')
    for (const { path, tookMs } of slowest) {
      console.log(`  ${(tookMs / 1000).toFixed(1).padStart(6)} s  ${relative(root, path)}`)
    }
  }
  // The end of a long log is what is read first, and sometimes all that is kept.
  for (const report of reports) if (report.failed > 0) printVerdict(report)
  console.log(`# tests ${tests}`)
  console.log(`# pass ${Math.max(0, tests - failed - skipped)}`)
  console.log(`# fail ${failed}`)
  console.log(`# skipped ${skipped}`)
  console.log(`# duration_ms ${Math.round(performance.now() - startedMs)}`)
  process.exitCode = failed === 0 && tests > 0 && reports.length === files.length ? 0 : 1
}
