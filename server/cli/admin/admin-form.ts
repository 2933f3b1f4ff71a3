import type { Given, Setting } from '../../settings/flags.ts'
import { WrongUse } from '../../settings/flags.ts'

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

export function wordAs<T>(
  kind: { wants: string; read(text: string): T | undefined },
  text: string,
): T {
  const value = kind.read(text)
  if (value === undefined) throw new WrongUse(`'${text}' must be ${kind.wants}`)
  return value
}
