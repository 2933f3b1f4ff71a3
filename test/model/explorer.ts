import { copyFileSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Command, lastLine, type Ran, runCommand } from '../interop/program.ts'
import type { Exploration, Search } from './explorations.ts'

// Explores the model of the replication protocol: spin writes a program that visits every state, a
// C compiler builds it, and it runs. What it prints is the verdict.

export const MODEL = fileURLToPath(new URL('./replication.pml', import.meta.url))
const MODEL_NAME = 'replication.pml'
const TOOL_MS = 10_000
const STEP_MS = 900_000
const COMPILERS = ['cc', 'gcc', 'clang']

/** Compiler options. Without -DBITSTATE and -DHC, no state is ever taken for another. */
const BUILD: Readonly<Record<Search, readonly string[]>> = {
  all: ['-O2', '-DSAFETY', '-DNOREDUCE'],
  shortest: ['-O1', '-DSAFETY', '-DNOREDUCE', '-DBFS'],
  // Weak fairness, for up to 62 processes.
  liveness: ['-O2', '-DNFAIR=3'],
}
const MEMORY_MIB = 3072
const DEPTH_MAX = 1_000_000

export interface Tools {
  readonly compiler: string
}

/** A sentence says what is missing. */
export async function findTools(): Promise<Tools | string> {
  if (!(await answers('spin', '-V'))) return 'spin is not on this machine (Debian package spin).'
  for (const compiler of COMPILERS) if (await answers(compiler, '--version')) return { compiler }
  return 'a C compiler is not on this machine (Debian package gcc).'
}

async function answers(program: string, ...args: readonly string[]): Promise<boolean> {
  return (await runCommand({ program, args, limitMs: TOOL_MS })).code === 0
}

export interface Verdict {
  readonly states: number
  /** Whether an invariant broke. */
  readonly isBroken: boolean
  /** Why the search proves nothing; empty if it does. */
  readonly doubt: string
}

/** Reads what a search printed. A search without an error proves nothing unless it was complete. */
export function verdictOf(output: string): Verdict {
  const states = Number(/^\s*(\d+) states, stored/m.exec(output)?.[1] ?? Number.NaN)
  const errors = Number(/, errors: (\d+)$/m.exec(output)?.[1] ?? Number.NaN)
  return { states, isBroken: errors > 0, doubt: errors > 0 ? '' : doubtOf(output, states, errors) }
}

function doubtOf(output: string, states: number, errors: number): string {
  if (!(states > 0) || errors !== 0) return `it ended early: ${lastLine(output)}`
  const isFull = /^Full statespace search for:$/m.test(output)
  const isCut = /Search not completed|max search depth too small|out of memory/.test(output)
  if (!isFull || isCut) return 'the search was not complete'
  const unreached = [...output.matchAll(/replication\.pml:(\d+), state \d+, "(.*)"$/gm)]
    .filter(([, , statement]) => statement !== '-end-')
    .map(([, line]) => line)
  return unreached.length > 0 ? `steps that never happen, lines ${unreached.join(', ')}` : ''
}

export interface Explored extends Verdict {
  readonly tookMs: number
  /** The steps to the error. */
  readonly trail: readonly string[]
}

export class Explorer {
  readonly #compiler: string
  readonly #folder: string

  /** Every exploration gets a folder of its own in `folder`. */
  constructor({ compiler }: Tools, folder: string) {
    this.#compiler = compiler
    this.#folder = folder
  }

  async explore({ name, macros, search }: Exploration): Promise<Explored> {
    const cwd = join(this.#folder, name.replaceAll(/\W+/g, '-'))
    mkdirSync(cwd)
    copyFileSync(MODEL, join(cwd, MODEL_NAME))
    const definitions = Object.entries(macros).map(([key, value]) => `-D${key}=${value}`)
    await this.#run({ program: 'spin', args: [...definitions, '-a', MODEL_NAME], cwd })
    const build = [...BUILD[search], `-DMEMLIM=${MEMORY_MIB}`, '-o', 'pan', 'pan.c']
    await this.#run({ program: this.#compiler, args: build, cwd })
    const startedMs = performance.now()
    const args = [...(search === 'liveness' ? ['-a', '-f'] : []), '-w24', `-m${DEPTH_MAX}`]
    const { output } = await this.#run({ program: join(cwd, 'pan'), args, cwd }, isOver)
    const tookMs = performance.now() - startedMs
    const trail = await this.#trail(cwd, definitions)
    return { ...verdictOf(output), tookMs, trail }
  }

  async #trail(cwd: string, definitions: readonly string[]): Promise<string[]> {
    if (!readdirSync(cwd).some((file) => file.endsWith('.trail'))) return []
    const args = [...definitions, '-t', MODEL_NAME]
    const { output } = await this.#run({ program: 'spin', args, cwd }, isOver)
    const lines = output.split('\n').map((line) => line.trim())
    return lines.filter((line) => /^(node \d|the |nothing |<<<<<)/.test(line))
  }

  async #run(command: Omit<Command, 'limitMs'>, isOk = isDone): Promise<Ran> {
    const ran = await runCommand({ ...command, limitMs: STEP_MS })
    if (!isOk(ran)) {
      const words = [command.program, ...command.args].join(' ')
      throw new Error(`${words} ended with ${ran.code}\n${ran.output}`)
    }
    return ran
  }
}

const isDone = ({ code, isLate }: Ran): boolean => code === 0 && !isLate
/** The end of a search, whatever it found. */
const isOver = ({ code, isLate }: Ran): boolean => code !== null && !isLate
