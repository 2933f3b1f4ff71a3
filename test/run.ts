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

const reports = new Map<string, FileReport>()
let current = ''

function reportOf(path: string | undefined): FileReport {
  const key = path ?? '(no file)'
  const known = reports.get(key)
  if (known) return known
  const fresh = new FileReport()
  reports.set(key, fresh)
  return fresh
}

function printFile(path: string): void {
  const report = reports.get(path)
  if (!report) return
  if (report.tests === 0) report.failed += 1
  const verdict = report.failed === 0 ? 'ok  ' : 'FAIL'
  const tests = report.tests === 1 ? '1 test' : `${report.tests || 'holds no'} tests`
  console.log(`${verdict} ${relative(root, path)}  ${tests}, ${Math.round(report.tookMs)} ms`)
  if (report.failed === 0) return
  for (const line of report.failures) console.log(line)
  if (report.output.length > 0) console.log(`  it said:\n${indent(report.output.join(''))}`)
}

/** Reports arrive file after file: the first of a new file closes the one before. */
function turnTo(path: string | undefined): FileReport {
  const key = path ?? '(no file)'
  if (key !== current) {
    printFile(current)
    current = key
  }
  return reportOf(path)
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
const stream = run({ files, concurrency: CONCURRENCY, timeout: FILE_DEADLINE_MS })

stream.on('test:stdout', (event) => reportOf(event.file).output.push(event.message))
stream.on('test:stderr', (event) => reportOf(event.file).output.push(event.message))

stream.on('test:pass', (event) => {
  const report = turnTo(event.file)
  if (event.nesting === 0) report.tookMs += event.details.duration_ms
  // A file that holds no test passes under its own name: that is not a test.
  if (event.details.type === 'suite' || event.name === event.file) return
  report.tests += 1
  if (event.skip !== undefined) report.skipped += 1
})

stream.on('test:fail', (event) => {
  const report = turnTo(event.file)
  if (event.nesting === 0) report.tookMs += event.details.duration_ms
  const { error } = event.details
  // A parent fails because a child did: the child has said why.
  const isEcho = 'failureType' in error && error.failureType === 'subtestsFailed'
  if (event.details.type !== 'suite') report.tests += 1
  if (event.todo !== undefined) return
  report.failed += 1
  if (isEcho) return
  const title = event.name === event.file ? 'the file itself' : event.name
  report.failures.push(`  ✖ ${title}\n${indent(describeFailure(error))}`)
})

stream.on('end', () => {
  printFile(current)
  let tests = 0
  let failed = 0
  let skipped = 0
  for (const report of reports.values()) {
    tests += report.tests
    failed += report.failed
    skipped += report.skipped
  }
  console.log(`# tests ${tests}`)
  console.log(`# pass ${Math.max(0, tests - failed - skipped)}`)
  console.log(`# fail ${failed}`)
  console.log(`# skipped ${skipped}`)
  console.log(`# duration_ms ${Math.round(performance.now() - startedMs)}`)
  process.exitCode = failed === 0 && tests > 0 ? 0 : 1
})
stream.resume()
