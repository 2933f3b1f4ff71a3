// Schema annotations for documents that no check reads: its name, and keywords that replace its
// own.

import { anyOf, type Fields, object, type Schema } from './schema.ts'

/** Both are symbols, so neither is ever printed. */
export const NAME = Symbol('name')
export const SHOWN = Symbol('shown')

/** The same schema with more keywords; an optional field stays optional. */
export function withKeywords<S extends Schema>(schema: S, keywords: object): S {
  const copy = { ...schema, ...keywords }
  // The mark `~optional` is not enumerable, so the copy lost it.
  if ('~optional' in schema) Object.defineProperty(copy, '~optional', { value: true })
  return copy
}

/** Makes the schema a component of this name in documents, wherever it is used. */
export function named<S extends Schema>(name: string, schema: S): S {
  return withKeywords(schema, { [NAME]: name })
}

/** Keywords that documents add to the schema's own, or use instead; undefined hides one. */
export function shownWith<S extends Schema>(
  schema: S,
  keywords: Readonly<Record<string, unknown>>,
): S {
  return withKeywords(schema, { [SHOWN]: { ...Reflect.get(schema, SHOWN), ...keywords } })
}

/** One of several forms; documents show only the first, because some languages have no choices. */
export function firstShown<S extends Schema[]>(...forms: S) {
  const [first] = forms
  return shownWith(anyOf(...forms), { anyOf: undefined, ...first })
}

/** An object with exactly one of some fields; documents show a shape for each of them. */
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
