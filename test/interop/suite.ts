import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Command, isUnreachable, lastLine, type Ran, runCommand } from './program.ts'

// One suite: it fetches a client, builds a driver with it, and lets the driver trade on an exchange
// of its own. The driver prints `ok STEP` for each step that it completed. A suite passes when the
// driver printed each step of the list and ended with code 0.

export interface Workspace {
  /** Empty at first; everything that the suite needs is put here. */
  readonly folder: string
  /** The drivers of all suites, a folder for each. */
  readonly drivers: string
  /** Whether all of it runs: a suite may do less in the short form. */
  readonly isFull: boolean
}

type Commands = (workspace: Workspace) => readonly Command[]

export interface Suite {
  readonly name: string
  /** Whether the short form runs it. */
  readonly isShort: boolean
  /** Commands that succeed where the machine has the tools; `for` names the tool. */
  readonly tools: readonly { readonly for: string; readonly command: Command }[]
  /** Downloads. When the registry does not answer, the suite is skipped. */
  readonly fetch: Commands
  /**
   * Runs while the exchange is up, with `openapi.json` of the exchange in the folder and without
   * downloads. A failure is a failure of the suite.
   */
  readonly build?: Commands
  readonly drive: Commands
  /** Every step that the driver must print. */
  readonly steps: readonly string[]
}

export interface Verdict {
  readonly suite: string
  readonly outcome: 'passed' | 'failed' | 'skipped'
  readonly reason: string
  readonly tookMs: number
  /** What to print of a failure. */
  readonly output: string
}

type End = Pick<Verdict, 'outcome' | 'reason' | 'output'>

const skipped = (reason: string): End => ({ outcome: 'skipped', reason, output: '' })
const failed = (reason: string, output: string): End => ({ outcome: 'failed', reason, output })
const succeeded = ({ code, isLate }: Ran): boolean => code === 0 && !isLate

/** Thrown when a command is cut because the time of all suites together is over. */
class TimeOver extends Error {}

/** An exchange for one suite. */
export interface Venue {
  /** The variables of the drivers. */
  readonly env: Readonly<Record<string, string>>
  document(): Promise<string>
  /** Lets prices, scores, trades and markets come and go during the work. */
  whileLive<T>(work: () => Promise<T>): Promise<T>
  /** Stops the exchange; gives its log lines of faults. */
  stop(): Promise<string>
  kill(): void
}

export type OpenVenue = (folder: string) => Promise<Venue>

export class SuiteRun {
  readonly #suite: Suite
  readonly #workspace: Workspace
  readonly #open: OpenVenue
  readonly #endMs: number

  /** No command runs past `endMs`, an instant of `performance.now()`. */
  constructor(suite: Suite, workspace: Workspace, open: OpenVenue, endMs: number) {
    this.#suite = suite
    this.#workspace = workspace
    this.#open = open
    this.#endMs = endMs
  }

  async verdict(): Promise<Verdict> {
    const startedMs = performance.now()
    const end = await this.#end().catch((error: unknown): End => {
      if (error instanceof TimeOver) return skipped('the time of all suites together was over')
      const stack = error instanceof Error ? `${error.stack}` : String(error)
      return failed('the run of the suite broke', stack)
    })
    return { suite: this.#suite.name, ...end, tookMs: performance.now() - startedMs }
  }

  async #end(): Promise<End> {
    mkdirSync(this.#workspace.folder, { recursive: true })
    return (await this.#withoutTool()) ?? (await this.#unfetched()) ?? (await this.#driven())
  }

  async #withoutTool(): Promise<End | null> {
    for (const { for: name, command } of this.#suite.tools) {
      const ran = await this.#run(command)
      if (succeeded(ran)) continue
      return skipped(`${name} is not on this machine: ${lastLine(ran.output)}`)
    }
    return null
  }

  async #unfetched(): Promise<End | null> {
    for (const command of this.#suite.fetch(this.#workspace)) {
      const ran = await this.#run(command)
      if (succeeded(ran)) continue
      const words = [command.program, ...command.args].join(' ')
      if (ran.isLate) return skipped(`no answer in time: ${words}`)
      const line = lastLine(ran.output)
      if (isUnreachable(ran.output)) return skipped(`the registry does not answer: ${line}`)
      return failed(`the download failed: ${words}`, ran.output)
    }
    return null
  }

  async #driven(): Promise<End> {
    const { folder } = this.#workspace
    const venue = await this.#open(folder)
    try {
      writeFileSync(join(folder, 'openapi.json'), await venue.document())
      for (const command of this.#suite.build?.(this.#workspace) ?? []) {
        const ran = await this.#run(command)
        if (!succeeded(ran)) return failed(endOf('the build', ran), ran.output)
      }
      const end = await venue.whileLive(() => this.#drive(venue.env))
      const faults = await venue.stop()
      return faults === '' ? end : failed('the exchange had faults', faults)
    } finally {
      venue.kill()
    }
  }

  async #drive(env: Readonly<Record<string, string>>): Promise<End> {
    let output = ''
    // The drivers in Python share a module, whose bytecode must not come into this folder.
    const python = { PYTHONPATH: this.#workspace.drivers, PYTHONDONTWRITEBYTECODE: '1' }
    const shared = { ...env, ...python }
    for (const command of this.#suite.drive(this.#workspace)) {
      const ran = await this.#run({ ...command, env: { ...shared, ...command.env } })
      output += ran.output
      if (!succeeded(ran)) return failed(endOf('the driver', ran), output)
    }
    const missing = missingSteps(this.#suite.steps, output)
    if (missing.length > 0) return failed(`steps not done: ${missing.join(', ')}`, output)
    return { outcome: 'passed', reason: `${this.#suite.steps.length} steps`, output }
  }

  async #run(command: Command): Promise<Ran> {
    const leftMs = this.#endMs - performance.now()
    if (leftMs <= 0) throw new TimeOver()
    const ran = await runCommand({ ...command, limitMs: Math.min(command.limitMs, leftMs) })
    if (ran.isLate && leftMs < command.limitMs) throw new TimeOver()
    return ran
  }
}

function endOf(what: string, { code, isLate, isMissing }: Ran): string {
  if (isLate) return `${what} did not end in time`
  return isMissing ? `${what} did not start` : `${what} ended with code ${code}`
}

/** Steps without their line `ok STEP` in the output. */
export function missingSteps(steps: readonly string[], output: string): string[] {
  const done = new Set(output.split('\n').map((line) => line.trim()))
  return steps.filter((step) => !done.has(`ok ${step}`))
}
