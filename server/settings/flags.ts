// Settings as rows of a table: how each is written, read, defaulted and explained. A wrong value
// throws a sentence and ends the command before anything has happened.

import { isServiceLink } from './service-links.ts'

/** A sentence for the person at the shell. */
export class WrongUse extends Error {
  override name = 'WrongUse'
}

/** How the text of one kind of value is read. */
export interface Kind<T> {
  /** The placeholder of the value in the help; '' for a switch, which takes no value. */
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
  /** Whether a line without this flag is refused. */
  readonly isRequired?: boolean
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

// Rows of `outcomex serve`: a flag `--header-prefix` is also the environment variable
// OUTCOMEX_HEADER_PREFIX and the key "header-prefix" of the config file.

export const VARIABLE_HEAD = 'OUTCOMEX_'

export function setting<T>(flag: string, kind: Kind<T>, fallback: T, help: string): Setting<T> {
  const variable = `${VARIABLE_HEAD}${flag.toUpperCase().replaceAll('-', '_')}`
  return { flag, kind, fallback, help, variable }
}

/** One without a default. */
export function maybe<T>(flag: string, kind: Kind<T>, help: string): Setting<T | undefined> {
  return setting<T | undefined>(flag, kind, undefined, help)
}

/** A flag of one command, without a variable. */
export function flagOf<T>(flag: string, kind: Kind<T>, fallback: T, help: string): Setting<T> {
  return { flag, kind, fallback, help }
}

/** A flag that a command cannot do without; its fallback only gives the type of its value. */
export function requiredFlag<T>(
  flag: string,
  kind: Kind<T>,
  fallback: T,
  help: string,
): Setting<T> {
  return { flag, kind, fallback, help, isRequired: true }
}
