import assert from 'node:assert/strict'
import { join } from 'node:path'
import { commands } from '../../server/cli/commands.ts'
import { runCommand } from '../../server/command-line.ts'
import { CommandFlow } from './command-flow.ts'
import { newFolder } from './data-folder.ts'
import { fillJournal } from './journal-fill.ts'
import type { Random } from './random.ts'
import { type Mark, runProgram } from './server-process.ts'

// Backups, restores and other commands on folders, as a test runs them.

export interface Line {
  readonly data?: string
  readonly to?: string
  readonly from?: string
  readonly key?: string
  readonly newKey?: string
}

export function argsOf(words: string, line: Line): string[] {
  const flags = Object.entries({
    data: line.data,
    to: line.to,
    from: line.from,
    'key-file': line.key,
    'new-key-file': line.newKey,
  }).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, value]))
  return [...words.split(' '), ...flags]
}

/** A process of its own that kills itself at the fault. */
export async function dies(words: string, line: Line, fault: string): Promise<void> {
  const { signal, stderr } = await runProgram(argsOf(words, line), { fault })
  assert.equal(signal, 'SIGKILL', stderr)
}

export async function run(words: string, line: Line, nowMs = 0) {
  const [output, warned]: [string[], string[]] = [[], []]
  const shell = {
    env: {},
    nowMs: () => nowMs,
    say: (text: string) => output.push(text),
    warn: (text: string) => warned.push(text),
  }
  const code = await runCommand(commands, argsOf(words, line), '', shell)
  return { code, stdout: output.join('\n'), stderr: warned.join('\n') }
}

export async function done(words: string, line: Line): Promise<string> {
  const { code, stdout, stderr } = await run(words, line)
  assert.equal(code, 0, stderr)
  return stdout
}

export async function refused(words: string, line: Line, why: RegExp, code = 1): Promise<void> {
  const ended = await run(words, line)
  assert.deepEqual([ended.code, ended.stdout], [code, ''], ended.stderr)
  assert.match(ended.stderr, why)
}

const numberIn = (output: string, name: RegExp) => Number(name.exec(output)?.[1])
export const seqOf = (output: string) => numberIn(output, /^seq (\d+)/m)
export const copiedOf = (output: string) => numberIn(output, /of them (\d+) copied/)
export const keyOf = (dataDir: string) => join(dataDir, 'server.key')

export async function verified(data: string, key: string): Promise<Mark> {
  const output = await done('verify', { data, key })
  assert.match(output, /^The folder is sound/m)
  return { seq: seqOf(output), stateHash: /^state ([0-9a-f]{64})$/m.exec(output)?.[1] ?? '' }
}

/** A folder with a long journal. */
export function filled(commands: number, random: Random): string {
  const flow = new CommandFlow(random.between(1, 1e6))
  flow.run(commands)
  const dataDir = newFolder()
  fillJournal(dataDir, flow.records)
  return dataDir
}
