// Plain values of requests and replies; the named values of the exchange are in fields.ts.
import { type Schema, schemaOf } from './schema.ts'

/** Text of `min` to `max` code points. */
export function text(max?: number, min = 0) {
  const bound = max === undefined ? {} : { maxLength: max }
  return schemaOf<string>({ type: 'string', ...(min > 0 ? { minLength: min } : {}), ...bound })
}

/** Text of one form. The pattern must be anchored and must have no nested repeats. */
export function pattern(source: string, description: string) {
  return schemaOf<string>({ type: 'string', pattern: source, description })
}

export function integer(minimum = Number.MIN_SAFE_INTEGER, maximum = Number.MAX_SAFE_INTEGER) {
  return schemaOf<number>({ type: 'integer', minimum, maximum })
}

export function number(minimum?: number, maximum?: number) {
  const low = minimum === undefined ? {} : { minimum }
  const high = maximum === undefined ? {} : { maximum }
  return schemaOf<number>({ type: 'number', ...low, ...high })
}

export function boolean() {
  return schemaOf<boolean>({ type: 'boolean' })
}

export function oneOf<const T extends readonly string[]>(...values: T) {
  return schemaOf<T[number]>({ type: 'string', enum: values })
}

/** A query parameter that defaults to `value`, so its handler always sees one. */
export function defaulted<S extends Schema>(schema: S, value: string | number | boolean): S {
  return Object.assign(schema, { default: value })
}

export function nullable<T>(schema: { readonly '~unsafe': T }) {
  return schemaOf<T | null>({ anyOf: [schema, { type: 'null' }] })
}
