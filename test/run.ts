import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import { run } from 'node:test'
import { fileURLToPath } from 'node:url'

// Runs test/**/*.test.ts: one line per file while green, everything while red, and a summary in the
// words of node's own reporter. Fails when no file matches and when a file holds no test.

const CONCURRENCY = 2
const FILE_DEADLINE_MS = 120_000
const root = fileURLToPath(new URL('..', import.meta.url))

class FileReport {
  tests = 0
  failed = 0
  skipped = 0
  tookMs = 0
  readonly failures: string[] = []
  readonly output: string[] = []
}

function printFile(path: string, report: FileReport): void {
  if (report.tests === 0) report.failed += 1
  const verdict = report.failed === 0 ? 'ok  ' : 'FAIL'
  const tests = report.tests === 1 ? '1 test' : `${report.tests || 'holds no'} tests`
  console.log(`${verdict} ${relative(root, path)}  ${tests}, ${Math.round(report.tookMs)} ms`)
  if (report.failed === 0) return
  for (const line of report.failures) console.log(line)
  if (report.output.length > 0) console.log(`  it said:\n${indent(report.output.join(''))}`)
}

function indent(text: string): string {
  return text.trimEnd().replace(/^/gm, '    ')
}

function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const cause = error.cause instanceof Error ? error.cause : error
  if ('failureType' in error && error.failureType === 'testTimeoutFailure') {
    return `stuck: it was stopped after ${FILE_DEADLINE_MS / 1000} s`
  }
  return cause.stack ?? cause.message
}

function matching(only: string | undefined): string[] {
  const names = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
  const paths = names.filter((name) => name.endsWith('.test.ts')).sort()
  return paths.filter((name) => !only || join('test', name).includes(only))
}

const only = process.argv[2]
const files = matching(only).map((name) => join(root, 'test', name))
if (files.length === 0) {
  console.error(only ? `No test file's path holds "${only}".` : 'There is no test file.')
  process.exit(1)
}

const startedMs = performance.now()
const reports: FileReport[] = []
const waiting = [...files]
await Promise.all(Array.from({ length: CONCURRENCY }, runWaiting))
printSummary()

async function runWaiting(): Promise<void> {
  for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
    const report = await runFile(file)
    reports.push(report)
    printFile(file, report)
  }
}

/** One stream per file: events name the file that called `test`, which may be a shared one. */
async function runFile(file: string): Promise<FileReport> {
  const report = new FileReport()
  const stream = run({ files: [file], timeout: FILE_DEADLINE_MS })
  stream.on('test:stdout', (event) => report.output.push(event.message))
  stream.on('test:stderr', (event) => report.output.push(event.message))
  stream.on('test:pass', (event) => {
    if (event.nesting === 0) report.tookMs += event.details.duration_ms
    // A file that holds no test passes under its own name: that is not a test.
    if (event.details.type === 'suite' || event.name === file) return
    report.tests += 1
    if (event.skip !== undefined) report.skipped += 1
  })
  stream.on('test:fail', (event) => {
    if (event.nesting === 0) report.tookMs += event.details.duration_ms
    if (event.details.type !== 'suite') report.tests += 1
    if (event.todo !== undefined) return
    report.failed += 1
    const { error } = event.details
    // A parent fails because a child did: the child has said why.
    if ('failureType' in error && error.failureType === 'subtestsFailed') return
    const title = event.name === file ? 'the file itself' : event.name
    report.failures.push(`  ✖ ${title}\n${indent(describeFailure(error))}`)
  })
  stream.resume()
  await once(stream, 'end')
  return report
}

function printSummary(): void {
  const sum = (pick: (report: FileReport) => number) =>
    reports.reduce((total, report) => total + pick(report), 0)
  const tests = sum((report) => report.tests)
  const failed = sum((report) => report.failed)
  const skipped = sum((report) => report.skipped)
  console.log(`# tests ${tests}`)
  console.log(`# pass ${Math.max(0, tests - failed - skipped)}`)
  console.log(`# fail ${failed}`)
  console.log(`# skipped ${skipped}`)
  console.log(`# duration_ms ${Math.round(performance.now() - startedMs)}`)
  process.exitCode = failed === 0 && tests > 0 && reports.length === files.length ? 0 : 1
}
