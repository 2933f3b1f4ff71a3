import { type Given, readSetting, type Setting, WrongUse } from '../../settings/flags.ts'

// The parts of the short forms of `outcomex admin`.

export interface AdminCall {
  readonly method: string
  readonly path: string
  /** JSON text, '' for none. */
  readonly body: string
}

export interface Form {
  /** The text that is shown when its words are wrong. */
  readonly use: string
  /** Flags that this form takes besides the common flags. */
  readonly flags: readonly Setting<unknown>[]
  readonly words: number
  /** Takes more words than that, too. */
  readonly more?: boolean
  /** The flags or words of the fields of the call, for refusals. */
  readonly fields: Readonly<Record<string, string>>
  /** The list of the reply that is shown as a table. */
  readonly table?: string
  readonly call: (words: readonly string[], given: readonly Given[]) => AdminCall
}

export function own<T>(
  flag: string,
  kind: Setting<T>['kind'],
  fallback: T,
  help: string,
): Setting<T> {
  return { flag, kind, fallback, help }
}

export function bare(method: 'GET' | 'DELETE', path: string): AdminCall {
  return { method, path, body: '' }
}

export function post(path: string, body: Readonly<Record<string, unknown>>): AdminCall {
  return { method: 'POST', path, body: JSON.stringify(body) }
}

export function put(path: string, body: Readonly<Record<string, unknown>>): AdminCall {
  return { method: 'PUT', path, body: JSON.stringify(body) }
}

export function patch(path: string, body: Readonly<Record<string, unknown>>): AdminCall {
  return { method: 'PATCH', path, body: JSON.stringify(body) }
}

/** The flags that fill the fields of a body. */
export type FlagFields = Readonly<Record<string, Setting<unknown>>>

/** The fields whose flags were given. */
export function filled(
  fields: FlagFields,
  given: readonly Given[],
): Readonly<Record<string, unknown>> {
  const entries = Object.entries(fields).map(([field, flag]) => [field, readSetting(flag, given)])
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined))
}

/** The flag of each field, for refusals. */
export function flagNames(fields: FlagFields): Readonly<Record<string, string>> {
  const entries = Object.entries(fields).map(([field, { flag }]) => [field, `--${flag}`])
  return Object.fromEntries(entries)
}

export function wordAs<T>(
  kind: { wants: string; read(text: string): T | undefined },
  text: string,
): T {
  const value = kind.read(text)
  if (value === undefined) throw new WrongUse(`'${text}' must be ${kind.wants}`)
  return value
}
