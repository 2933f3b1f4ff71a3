import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { integer, text } from '../../server/edge/http/schema/scalars.ts'
import { compile, openObject } from '../../server/edge/http/schema/schema.ts'
import { compiledProgram, compileSources } from './compiled.ts'
import { LAUNCHER_ENV } from './launcher-env.ts'
import { noteProgress } from './progress.ts'
import { type HeldMemory, isHeldMemory, type SoakProbe } from './soak-memory.ts'

// The real program as a child process. Tests wait for lines and events, never for a time.

const SOURCE = fileURLToPath(new URL('../../server/main.ts', import.meta.url))
const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const COMPILED = join(ROOT, 'dist', 'main.js')
export const ADMIN_TOKEN = 'admin-token-of-the-tests'

/** The text of GET /metrics of a server that has the admin token of the tests. */
export async function metricsOf(baseUrl: string): Promise<string> {
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}` }
  const reply = await fetch(`${baseUrl}/metrics`, { headers })
  assert.equal(reply.status, 200)
  return await reply.text()
}

/** Whether the read tables show every command. */
export async function tablesAreWhole(baseUrl: string): Promise<boolean> {
  const text = await metricsOf(baseUrl)
  return ['follower_lag_commands', 'follower_backlog_rows'].every((name) => {
    return !new RegExp(`^outcomex_${name} [1-9]`, 'm').test(text)
  })
}

/** A place in the journal and the state there. */
export interface Mark {
  readonly seq: number
  readonly stateHash: string
}

const markLine = compile(openObject({ msg: text(), seq: integer(0), stateHash: text() }))

/** Compiles once for this process, unless it was started with a compiled copy. */
export async function compileProgram(): Promise<void> {
  if (compiledProgram() === null) await compileSources()
}

/** Runs the sources, or a compiled copy if there is one; TEST_DIST=1 runs that of `make build`. */
function programOf(): readonly string[] {
  const compiled = compiledProgram()
  if (process.env.TEST_DIST !== '1') {
    return compiled === null ? ['--import', 'tsx', SOURCE] : [compiled]
  }
  assert.ok(existsSync(COMPILED), 'TEST_DIST=1 needs `make build` first')
  return [COMPILED]
}

/** Node with options, and the program; a command line begins with these words. */
export function programWords(...options: readonly string[]): readonly [string, ...string[]] {
  return [process.execPath, '--v8-pool-size=1', ...options, ...programOf()]
}

/**
 * The environment without settings of the exchange: a test states each of them itself. Only the
 * numbers of threads do not depend on the machine: edges are `TEST_EDGES`, or 1; markets have one.
 */
function cleanEnv(): NodeJS.ProcessEnv {
  const entries = Object.entries(process.env).filter(([name]) => !name.startsWith('OUTCOMEX_'))
  const { TEST_EDGES: edges = '1' } = process.env
  entries.push(['OUTCOMEX_EDGE_THREADS', edges], ['OUTCOMEX_MARKET_THREADS', '1'])
  return { ...Object.fromEntries(entries), ...LAUNCHER_ENV }
}

export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

/** The circumstances of a run. */
interface Around {
  /** Words before the program, such as `prlimit` and its options. */
  readonly wrapper?: readonly string[]
  /** What is run in place of the compiled program. */
  readonly program?: readonly string[] | undefined
  /** The fault point where the program kills itself, such as `before-commit:137`. */
  readonly fault?: string
  /** A script that every thread loads first. */
  readonly script?: string | undefined
  /** Preloaded, with a channel to this process: all threads then collect on request. */
  readonly probe?: SoakProbe
}

/** One run of the program, with any command. */
class Run {
  readonly child: ChildProcess
  readonly ended: Promise<Ended>
  stdout = ''
  stderr = ''
  #onLogged: () => void = () => {}

  constructor(args: readonly string[], onLine: (line: string) => void, around: Around = {}) {
    const { wrapper = [], fault, probe, script } = around
    const preload = script === undefined ? [] : ['--require', script]
    if (probe !== undefined) preload.push('--expose-gc', '--require', probe.script)
    const program = around.program ?? programWords(...preload)
    const words = [...wrapper, ...program, ...args]
    this.child = spawn(words[0], words.slice(1), {
      stdio: ['ignore', 'pipe', 'pipe', ...(probe === undefined ? [] : ['ipc' as const])],
      env: {
        ...cleanEnv(),
        ...(fault === undefined ? {} : { OUTCOMEX_FAULT: fault }),
        ...(probe === undefined ? {} : { SOAK_LEAK_BYTES: `${probe.leakBytes}` }),
      },
    })
    const { stdout, stderr } = this.child
    assert.ok(stdout !== null && stderr !== null, 'both outputs are pipes')
    createInterface({ input: stdout }).on('line', (line) => {
      noteProgress()
      this.stdout += `${line}\n`
      onLine(line)
    })
    createInterface({ input: stderr }).on('line', (line) => {
      noteProgress()
      this.stderr += `${line}\n`
      onLine(line)
      this.#onLogged()
    })
    this.ended = once(this.child, 'close').then(() => {
      const { exitCode: code, signalCode: signal } = this.child
      return { code, signal, stdout: this.stdout, stderr: this.stderr }
    })
  }

  /** Waits for the log: its lines are written later than those of stdout. */
  logged(isThere: (stderr: string) => boolean): Promise<void> {
    return new Promise((resolve) => {
      this.#onLogged = () => {
        if (!isThere(this.stderr)) return
        this.#onLogged = () => {}
        resolve()
      }
      this.#onLogged()
    })
  }
}

/** Runs one command to its end. */
export function runProgram(args: readonly string[], around: Around = {}): Promise<Ended> {
  return new Run(args, () => {}, around).ended
}

/** Runs `outcomex verify`, the single-threaded replay; fails when it refuses the folder. */
export async function verify(dataDir: string): Promise<Mark> {
  const { code, stdout, stderr } = await runProgram(['verify', '--data', dataDir])
  assert.equal(code, 0, `verify refuses the folder: ${stderr}`)
  const seq = /^seq (\d+)$/m.exec(stdout)
  const state = /^state ([0-9a-f]{64})$/m.exec(stdout)
  assert.ok(seq !== null && state !== null, `verify says seq and state: ${stdout}`)
  return { seq: Number(seq[1]), stateHash: state[1] }
}

export interface ServeOptions extends Around {
  readonly dataDir: string
  /** More flags; there is one market thread, unless they say otherwise. */
  readonly args?: readonly string[]
  /** The demo makes its own admin token. */
  readonly demo?: boolean
  /** Whether the start makes an admin token instead of taking that of the tests. */
  readonly makesToken?: boolean
}

function markOf(lines: string, msg: string): Mark | null {
  for (const line of lines.split('\n')) {
    if (!line.startsWith('{')) continue
    const parsed: unknown = JSON.parse(line)
    if (markLine.holds(parsed) && parsed.msg === msg) {
      return { seq: parsed.seq, stateHash: parsed.stateHash }
    }
  }
  return null
}

/** Starts the server and waits for a line that begins with `prefix`, or for the end of the run. */
async function serveUntil(options: ServeOptions, prefix: string) {
  const { dataDir, args = [], demo = false, makesToken = demo } = options
  const own = [...(demo ? ['--demo'] : []), ...(makesToken ? [] : ['--admin-token', ADMIN_TOKEN])]
  let found = (_rest: string) => {}
  const line = new Promise<string>((resolve) => {
    found = resolve
  })
  const words = ['serve', '--data', dataDir, '--port', '0', ...own, ...args]
  const onLine = (each: string) => {
    if (each.startsWith(prefix)) found(each.slice(prefix.length))
  }
  const run = new Run(words, onLine, options)
  return { run, stated: await Promise.race([line, run.ended]) }
}

export class ServerProcess {
  readonly baseUrl: string
  readonly #run: Run

  private constructor(run: Run, baseUrl: string) {
    this.#run = run
    this.baseUrl = baseUrl
  }

  /** Resolves when the server listens. A server that ends before fails the test with its output. */
  static async start(options: ServeOptions): Promise<ServerProcess> {
    const { run, stated: baseUrl } = await serveUntil(options, 'listening ')
    if (typeof baseUrl === 'string') {
      await run.logged((stderr) => markOf(stderr, 'recovered') !== null)
      return new ServerProcess(run, baseUrl)
    }
    assert.fail(`the server ended before it listened: ${JSON.stringify(baseUrl)}`)
  }

  /** Sends a signal to a first start between its admin token and its readiness. */
  static async cutShort(
    options: ServeOptions,
    isThere: () => Promise<boolean>,
    signal: NodeJS.Signals,
  ): Promise<Ended> {
    const { run } = await serveUntil(options, 'admin token ')
    while (!(await isThere())) assert.equal(run.child.exitCode, null, run.stderr)
    run.child.kill(signal)
    return run.ended
  }

  get pid(): number {
    const { pid } = this.#run.child
    assert.ok(pid !== undefined, 'a server that listens has a process')
    return pid
  }

  get ended(): Promise<Ended> {
    return this.#run.ended
  }

  get stdout(): string {
    return this.#run.stdout
  }

  get stderr(): string {
    return this.#run.stderr
  }

  /** Waits for the log; fails when the server ends before. */
  async logged(isThere: (stderr: string) => boolean): Promise<void> {
    const end = await Promise.race([this.#run.logged(isThere), this.ended])
    if (end !== undefined) assert.fail(`the server ended: ${JSON.stringify(end)}`)
  }

  /** The seq and the state that the start recovered. */
  get recovered(): Mark {
    const mark = markOf(this.#run.stderr, 'recovered')
    assert.ok(mark !== null, 'a server that listens has reported what it recovered')
    return mark
  }

  signal(signal: NodeJS.Signals): void {
    this.#run.child.kill(signal)
  }

  /** What all threads hold after a collection; the server must have been started with a probe. */
  async collected(): Promise<HeldMemory> {
    const { child } = this.#run
    const answer = once(child, 'message')
    child.send('collect')
    const [held] = await answer
    assert.ok(isHeldMemory(held), 'every thread collects its garbage in time')
    return held
  }

  /** Nobody reads standard error until `readLog`. */
  stallLog(): void {
    this.#run.child.stderr?.pause()
  }

  readLog(): void {
    this.#run.child.stderr?.resume()
  }

  async kill(): Promise<void> {
    this.signal('SIGKILL')
    const { signal } = await this.ended
    assert.equal(signal, 'SIGKILL')
  }

  /** With --ops-listen, the URL of that listener. */
  get operatorsUrl(): string {
    const found = /^operators (http:\S+)$/m.exec(this.stdout)
    assert.ok(found !== null, this.stdout)
    return found[1]
  }

  /** Stops the server by SIGTERM, with exit code 0; gives the state it stopped at. */
  async stop(): Promise<Mark> {
    this.signal('SIGTERM')
    const { code, stderr } = await this.ended
    assert.equal(code, 0, `a server stops with code 0: ${stderr}`)
    const mark = markOf(stderr, 'stopped')
    assert.ok(mark !== null, `a server says where it stopped: ${stderr}`)
    return mark
  }
}
