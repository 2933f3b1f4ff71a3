import type { Environment } from './settings/flags.ts'

/** Control characters, and characters that turn the direction of the text around them. */
const STEERING = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu
/** The same, but newlines, tabs, and the returns before a newline. */
const STEERING_LINES = /(?!\r(?:\n|$))[^\P{Cc}\n\t]|[\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu

/** As JSON escapes it, so that JSON stays the same value. */
function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/** Text of somebody else on one line of a terminal, which it cannot steer. */
export function oneLine(text: string): string {
  return text.replaceAll(STEERING, escaped)
}

/** What every command prints: text of somebody else among it cannot steer a terminal. */
export function printable(text: string): string {
  return text.replaceAll(STEERING_LINES, escaped)
}

/** The parts of the process that a command may use. */
export interface Shell {
  readonly env: Environment
  /** Writes one or more lines to standard output. */
  readonly say: (text: string) => void
  /** Writes one or more lines to standard error. */
  readonly warn: (text: string) => void
  /** Resolves when standard output takes more; absent where it takes all there is. */
  readonly taken?: () => Promise<void>
  readonly nowMs: () => number
}

/** Waits at least one event-loop tick: a reader that closed its end is reported in a later tick. */
function stdoutTaken(): Promise<void> {
  return new Promise((resolve) => {
    if (process.stdout.writableNeedDrain) process.stdout.once('drain', resolve)
    else setImmediate(resolve)
  })
}

export const processShell: Shell = {
  env: process.env,
  say: (text) => process.stdout.write(`${printable(text)}\n`),
  warn: (text) => process.stderr.write(`${printable(text)}\n`),
  taken: stdoutTaken,
  nowMs: () => Date.now(),
}

/** UNCHECKED: `outcomex verify` cannot say whether the folder is sound. */
export const EXIT = { OK: 0, FAILED: 1, WRONG_USE: 2, UNCHECKED: 3 } as const

/** The use of the command was right, but it cannot be done: exit code 1. */
export class Failure extends Error {
  override name = 'Failure'
}
