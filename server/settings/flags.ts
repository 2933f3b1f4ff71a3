import { parseArgs } from 'node:util'
import { nearest } from './nearest.ts'
import { isServiceLink } from './service-links.ts'

// Flags as rows of a table: how each is written, read, defaulted and explained. A wrong use throws
// a sentence and ends the command before anything has happened.

/** A sentence for the person at the shell. */
export class WrongUse extends Error {
  override name = 'WrongUse'
}

/** How the text of one kind of value is read. */
export interface Kind<T> {
  /** The placeholder of the value in the help; '' for a switch, which needs no value. */
  readonly shape: string
  /** Ends the sentence "… must be". */
  readonly wants: string
  /** When true, a wrong value is not shown, because it may be a mistyped secret. */
  readonly isSecret?: boolean
  /** Continues the sentence that begins with the value; undefined when its form is right. */
  readonly whyNot?: (text: string) => string | undefined
  /** Gives undefined when the text is no such value. */
  read(text: string): T | undefined
  /** Writes a value as text; absent where a template does that right. */
  show?(value: T): string
}

export interface Setting<T> {
  readonly flag: string
  readonly kind: Kind<T>
  readonly fallback: T
  readonly help: string
  /** Environment variable; rows without one are flags only. */
  readonly variable?: string
}

export type AnySetting = Setting<unknown>
export type Environment = Readonly<Record<string, string | undefined>>

/** One given value, and its source. */
export interface Given {
  readonly flag: string
  readonly text: string
  /** `--port`, `OUTCOMEX_PORT`, `"port" in exchange.json` */
  readonly where: string
}

export interface Line {
  readonly given: readonly Given[]
  /** Words that are neither a flag nor the value of a flag, in order. */
  readonly words: readonly string[]
}

function isSwitch(row: AnySetting): boolean {
  return row.kind.shape === ''
}

function unknownFlag(name: string, rows: readonly AnySetting[]): WrongUse {
  const near = nearest(
    name,
    rows.map((row) => row.flag),
  )
  const hint = near === undefined ? 'see --help' : `did you mean --${near}?`
  return new WrongUse(`There is no flag --${name}; ${hint}`)
}

/** Splits a command line by its table; the values are read later, by `readSetting`. */
export function scanLine(args: readonly string[], rows: readonly AnySetting[]): Line {
  const options = Object.fromEntries(
    rows.map((row) => [row.flag, { type: isSwitch(row) ? 'boolean' : 'string' } as const]),
  )
  // Not strict: its own messages know neither the nearest flag nor what a value must be.
  const { tokens } = parseArgs({ args: [...args], options, strict: false, tokens: true })
  const given: Given[] = []
  const words: string[] = []
  for (const token of tokens) {
    if (token.kind === 'positional') words.push(token.value)
    if (token.kind !== 'option') continue
    if (!token.rawName.startsWith('--')) {
      const rule = /[0-9]/.test(token.rawName) ? 'a number has no sign' : 'flags have two dashes'
      throw new WrongUse(`There is no flag ${token.rawName}; ${rule}, see --help`)
    }
    const row = rows.find((each) => each.flag === token.name)
    if (row === undefined) throw unknownFlag(token.name, rows)
    const where = `--${row.flag}`
    // In `--port --data x` the port is missing: `--data` is not its value.
    const isMissing = !token.inlineValue && (token.value ?? '--').startsWith('--')
    if (isMissing && !isSwitch(row)) {
      throw new WrongUse(`${where} needs a value: it must be ${row.kind.wants}`)
    }
    given.push({ flag: row.flag, text: token.value ?? 'true', where })
  }
  return { given, words }
}

/**
 * Values of the environment; an empty variable counts as not set. The variable of a flag that was
 * given is not looked at.
 */
export function scanEnvironment(
  env: Environment,
  rows: readonly AnySetting[],
  given: readonly Given[],
): Given[] {
  return rows.flatMap(({ flag, variable }) => {
    const text = variable === undefined ? undefined : env[variable]
    if (text === undefined || text === '' || variable === undefined) return []
    if (given.some((each) => each.flag === flag) || isServiceLink(variable, text)) return []
    return [{ flag, text, where: variable }]
  })
}

/** Control characters would break the line of a message. */
function printable(text: string): string {
  return text.replace(
    /\p{Cc}/gu,
    (sign) => `\\x${sign.charCodeAt(0).toString(16).padStart(2, '0')}`,
  )
}

/** The last given value counts. All values are checked: an overridden value must be right too. */
export function readSetting<T>({ flag, kind, fallback }: Setting<T>, given: readonly Given[]): T {
  let value = fallback
  for (const { flag: named, text, where } of given) {
    if (named !== flag) continue
    const shown = kind.isSecret === true ? null : `'${printable(text)}'`
    const why = kind.whyNot?.(text)
    if (why !== undefined) throw new WrongUse(`${where}: ${shown ?? 'the value'} ${why}`)
    const read = kind.read(text)
    if (read === undefined) {
      throw new WrongUse(`${where} must be ${kind.wants}${shown === null ? '' : `, not ${shown}`}`)
    }
    value = read
  }
  return value
}

function defaultText({ fallback, kind }: AnySetting): string {
  if (fallback === undefined || fallback === false || fallback === '') return ''
  if (kind.show !== undefined) return ` (default ${kind.show(fallback)})`
  return ` (default ${Array.isArray(fallback) ? fallback.join(',') : fallback})`
}

/** One line per row, with the flags in their own column. */
export function helpText(rows: readonly AnySetting[]): string {
  const heads = rows.map((row) => `--${row.flag} ${row.kind.shape}`.trimEnd())
  const width = Math.max(...heads.map((head) => head.length))
  return rows
    .map((row, index) => {
      return `  ${heads[index].padEnd(width)}  ${row.help}${defaultText(row)}`
    })
    .join('\n')
}
