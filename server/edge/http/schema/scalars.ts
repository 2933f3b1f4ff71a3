// Plain values of requests and replies; the named values of the exchange are in fields.ts.

import { FORM, formOf } from './issue-text.ts'
import { anyOf, type Fields, object, type Schema, schemaOf } from './schema.ts'

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

/** The empty body of a 204 reply. */
export function nothing() {
  return schemaOf<null>({ type: 'null' })
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

// Numbers in the form of decimal text.

/** Raw units as text; negative where more is owed than held. */
export function rawText() {
  return pattern('^-?(0|[1-9][0-9]*)$', 'Raw units as decimal text.')
}

/** Whole units as text, with at most six decimals. */
export function wholeText() {
  return pattern('^-?(0|[1-9][0-9]*)([.][0-9]{1,6})?$', 'Whole units as decimal text.')
}

/** A price or another ratio as text. */
export function decimalText() {
  return pattern('^-?(0|[1-9][0-9]*)([.][0-9]{1,9})?$', 'Decimal text.')
}

// Schema annotations for documents that no check reads: its name, and keywords that replace its
// own.

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

// Text shown to others: titles, names, labels and descriptions. Journals may hold older text with
// other characters, so most replies accept any text.

/**
 * Refuses control characters, which break a line in two or control a terminal, and characters that
 * change the text direction. Ranges replace Unicode classes, whose syntax differs between
 * languages. An unpaired surrogate has no UTF-8, so the journal could not store it.
 */
const REFUSED = '\\x00-\\x1F\\x7F-\\x9F\\u2028-\\u202E\\u2066-\\u2069'
export const VISIBLE = `[^${REFUSED}\\uD800-\\uDFFF]`
/** The form for documents: patterns of many languages do not support surrogates. */
export const SHOWN_VISIBLE = `[^${REFUSED}]`
/** A visible character that is not a space. */
export const SHOWN_INK = `[^\\s${REFUSED}]`
const LINE = `^${VISIBLE}*$`
const LINES = `^(?:${VISIBLE}|[\\n\\t])*$`

function visible(source: string, description: string, max: number, min: number) {
  const least = min > 0 ? { minLength: min } : {}
  const checked = schemaOf<string>({
    type: 'string',
    pattern: source,
    description,
    ...least,
    maxLength: max,
  })
  return shownWith(checked, { pattern: source.replaceAll(VISIBLE, SHOWN_VISIBLE) })
}

/** One line of `min` to `max` code points. */
export function line(max: number, min = 0) {
  const form = 'One line without control characters or bidirectional controls.'
  return visible(LINE, form, max, min)
}

/** Several lines of `min` to `max` code points in total. */
export function lines(max: number, min = 0) {
  const form =
    'Text whose only control characters are newlines and tabs, without bidirectional ' + 'controls.'
  return visible(LINES, form, max, min)
}

// Adds the meaning of a value, a sentence for the OpenAPI document. No check reads it.

/**
 * The same shape with a sentence on the meaning of its value. The form of a pattern follows that
 * sentence; refusals still show the form alone.
 */
export function means<S extends Schema>(schema: S, meaning: string): S {
  const form = formOf(schema)
  return withKeywords(schema, form === undefined ? { description: meaning } : formed(meaning, form))
}

function formed(meaning: string, form: string) {
  return { description: `${meaning} ${form}`, [FORM]: form }
}
