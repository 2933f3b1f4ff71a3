import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { RUNNER_VARIABLE } from './progress.ts'
import type { Progress, TestEvent } from './progress-reporter.ts'

// Runs one test file in a process group of its own and watches its progress. The file is stuck when
// it wrote nothing, and no test of it began, ended or noted progress, for `silenceMs`. A slow
// machine alone does not make it stuck. When a test has failed, its file may have left something
// open that keeps it alive; it ends soon after its last test. All processes that it started end
// with it.

const LOOK_EVERY_MS = 100
const OVER_MS = 5000
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
  #running = 0

  constructor(path: string) {
    this.path = path
  }

  /** No test runs, and one has failed. */
  get isLost(): boolean {
    return this.failed > 0 && this.#running === 0
  }

  take(event: TestEvent): void {
    this.#running += event.type === 'begin' ? 1 : -1
    if (event.type === 'begin') return
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

function fromSource(file: string): Start {
  return { words: ['--import', 'tsx', file], reporter: REPORTER.href }
}

export async function runFile(
  file: string,
  silenceMs: number,
  { words, reporter } = fromSource(file),
): Promise<FileReport> {
  const report = new FileReport(file)
  const fromMs = performance.now()
  const reported = [`--test-reporter=${reporter}`, '--test-reporter-destination=stdout']
  const child = spawn(process.execPath, [...reported, ...words], {
    cwd: root,
    env: { ...process.env, [RUNNER_VARIABLE]: String(process.pid) },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  running.add(child)
  let aliveMs = performance.now()
  const stated = (bytes: Buffer) => {
    aliveMs = performance.now()
    report.output.push(bytes.toString())
  }
  child.stdout?.on('data', stated)
  child.stderr?.on('data', stated)
  child.on('message', (event: TestEvent | Progress) => {
    aliveMs = performance.now()
    if (event.type !== 'progress') report.take(event)
  })
  const watch = setInterval(() => {
    const quietMs = performance.now() - aliveMs
    if (quietMs < (report.isLost ? OVER_MS : silenceMs)) return
    const stuck = `stuck: no output and no test for ${silenceMs / 1000} s`
    report.fail('the file itself', report.isLost ? 'left something open after its tests' : stuck)
    aliveMs = Number.POSITIVE_INFINITY
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
