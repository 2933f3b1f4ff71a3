import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { LAUNCHER_ENV } from './launcher-env.ts'
import { RUNNER_VARIABLE } from './progress.ts'
import type { Progress, TestEvent } from './progress-reporter.ts'

// Runs one test file in a process group of its own and watches its progress. The file is stuck when
// it wrote nothing, and no test of it began, ended or noted progress, for `silenceMs`, or when no
// test of it began or ended for `testMs`. A slow machine alone does not make it stuck. When a test
// has failed, its file may have left something open that keeps it alive; it ends soon after its
// last test. All processes that it started end with it.

const LOOK_EVERY_MS = 100
const OVER_MS = 5000
/**
 * V8 optimises code fifteen times as late: most files end before the work of its compiler has paid.
 * They take an eighth less CPU, and long ones no more. Node 22 has no such option.
 */
const COMPILE_LATE = process.version.startsWith('v20.') ? ['--interrupt-budget=1000000'] : []
const root = fileURLToPath(new URL('../..', import.meta.url))
/** Sends every event of a file to the process that started it. */
export const REPORTER = new URL('./progress-reporter.ts', import.meta.url)
const running = new Set<ChildProcess>()

export class FileReport {
  readonly path: string
  tests = 0
  failed = 0
  skipped = 0
  tookMs = 0
  readonly failures: string[] = []
  readonly output: string[] = []
  readonly #running: string[] = []

  constructor(path: string) {
    this.path = path
  }

  /** No test runs, and one has failed. */
  get isLost(): boolean {
    return this.failed > 0 && this.#running.length === 0
  }

  /** The name of the test that began last and has not ended; '' outside the tests. */
  get running(): string {
    return this.#running.at(-1) ?? ''
  }

  take(event: TestEvent): void {
    if (event.type === 'begin') {
      this.#running.push(event.name)
      return
    }
    const at = this.#running.lastIndexOf(event.name)
    if (at >= 0) this.#running.splice(at, 1)
    if (!event.isSuite) this.tests += 1
    if (event.isSkipped) this.skipped += 1
    if (event.type === 'pass' || event.isTodo) return
    this.fail(event.name, event.why)
  }

  fail(title: string, why: string): void {
    this.failed += 1
    if (why !== '') this.failures.push(`  ✖ ${title}\n${indent(why)}`)
  }
}

/** The arguments with which node runs a file. */
export interface Start {
  readonly words: readonly string[]
  /** The URL of the reporter. */
  readonly reporter: string
}

/** The longest silence of a running file. */
export interface Patience {
  readonly silenceMs: number
  /** A test that waits in a loop for what never happens may note progress forever. */
  readonly testMs: number
}

/** How long nothing at all came from a file, and how long no test of it began or ended. */
interface Quiet {
  readonly wholeMs: number
  readonly testMs: number
}

function fromSource(file: string): Start {
  return { words: ['--import', 'tsx', file], reporter: REPORTER.href }
}

export async function runFile(
  file: string,
  patience: Patience,
  { words, reporter } = fromSource(file),
): Promise<FileReport> {
  const report = new FileReport(file)
  const fromMs = performance.now()
  const reported = [`--test-reporter=${reporter}`, '--test-reporter-destination=stdout']
  const child = spawn(process.execPath, [...COMPILE_LATE, ...reported, ...words], {
    cwd: root,
    env: { ...process.env, ...LAUNCHER_ENV, [RUNNER_VARIABLE]: String(process.pid) },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  running.add(child)
  let aliveMs = performance.now()
  let testedMs = aliveMs
  const stated = (bytes: Buffer) => {
    aliveMs = performance.now()
    report.output.push(bytes.toString())
  }
  child.stdout?.on('data', stated)
  child.stderr?.on('data', stated)
  child.on('message', (event: TestEvent | Progress) => {
    aliveMs = performance.now()
    if (event.type === 'progress') return
    testedMs = aliveMs
    report.take(event)
  })
  const watch = setInterval(() => {
    const nowMs = performance.now()
    const quiet = { wholeMs: nowMs - aliveMs, testMs: nowMs - testedMs }
    const why = whyStuck(report, patience, quiet)
    if (why === null) return
    report.fail('the file itself', why)
    aliveMs = Number.POSITIVE_INFINITY
    testedMs = aliveMs
    endGroup(child)
  }, LOOK_EVERY_MS)
  // A child left behind may hold the pipes open, so the file ends with its own process.
  const [code, signal] = await once(child, 'exit')
  clearInterval(watch)
  endGroup(child)
  running.delete(child)
  if (report.failed === 0 && report.tests === 0) report.fail('the file itself', 'holds no test')
  else if (report.failed === 0 && code !== 0) {
    report.fail('the file itself', `ended with ${signal ?? `code ${code}`}`)
  }
  report.tookMs = performance.now() - fromMs
  return report
}

/** Why a file is ended, or null while it makes progress. */
function whyStuck(report: FileReport, { silenceMs, testMs }: Patience, quiet: Quiet) {
  if (report.isLost && quiet.wholeMs >= OVER_MS) return 'left something open after its tests'
  const during = report.running === '' ? '' : ` during "${report.running}"`
  if (quiet.wholeMs >= silenceMs) {
    return `stuck: no output and no progress for ${silenceMs / 1000} s${during}`
  }
  if (quiet.testMs < testMs) return null
  return `stuck: no test began or ended for ${testMs / 1000} s${during}`
}

/** Ends the file and all its processes, unless they left its group. */
function endGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // The group is empty already.
  }
}

/** Ends every running file. */
export function endAll(): void {
  for (const child of running) endGroup(child)
}

export function indent(text: string): string {
  return text.trimEnd().replace(/^/gm, '    ')
}
