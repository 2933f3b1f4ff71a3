// What documents say of a schema and no check reads: its name, and keywords in place of its own.

import { anyOf, type Fields, object, type Schema } from './schema.ts'

/** Both are symbols, so that neither is ever printed. */
export const NAME = Symbol('name')
export const SHOWN = Symbol('shown')

/** The same schema with more keywords; a field that may be absent stays one. */
export function withKeywords<S extends Schema>(schema: S, keywords: object): S {
  const copy = { ...schema, ...keywords }
  // The mark `~optional` is not enumerable, so the copy lost it.
  if ('~optional' in schema) Object.defineProperty(copy, '~optional', { value: true })
  return copy
}

/** The schema is a component of this name in documents, wherever it is used. */
export function named<S extends Schema>(name: string, schema: S): S {
  return withKeywords(schema, { [NAME]: name })
}

/** Documents show these keywords besides the schema's own, or in their place; undefined hides. */
export function shownWith<S extends Schema>(
  schema: S,
  keywords: Readonly<Record<string, unknown>>,
): S {
  return withKeywords(schema, { [SHOWN]: { ...Reflect.get(schema, SHOWN), ...keywords } })
}

/** One of several forms; documents show the first alone, as some languages have no choices. */
export function firstShown<S extends Schema[]>(...forms: S) {
  const [first] = forms
  return shownWith(anyOf(...forms), { anyOf: undefined, ...first })
}

/** An object that has exactly one of some fields; documents show a shape for each of them. */
export function exactlyOne<F extends Fields>(fields: F, ...names: (keyof F & string)[]) {
  const whole = object(fields)
  const oneOf = names.map((name) => {
    const others = Object.entries(whole.properties).filter(([each]) => {
      return each === name || !names.includes(each)
    })
    const shape = object(Object.fromEntries(others))
    return { ...shape, required: [...(shape.required ?? []), name] }
  })
  const hidden = { type: undefined, required: undefined, properties: undefined }
  return shownWith(whole, { ...hidden, additionalProperties: undefined, oneOf })
}
