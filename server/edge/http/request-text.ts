// Strictly parses client text (path parameters, query, JSON body) into plain values.
import type { Issue } from '../../messages/refusal.ts'
import type { Fields, Schema } from './schema/schema.ts'

/** `others` takes every parameter that no other field names. */
type Kind = 'text' | 'integer' | 'number' | 'boolean' | 'others'

export interface Field {
  readonly name: string
  readonly kind: Kind
  /** True when the parameter may be repeated and becomes an array. */
  readonly many: boolean
  readonly fallback: unknown
}

const KINDS: ReadonlyMap<unknown, Kind> = new Map<unknown, Kind>([
  ['object', 'others'],
  ['integer', 'integer'],
  ['number', 'number'],
  ['boolean', 'boolean'],
])

/** Determines once per route how the text of each field is read. */
export function readingOf(fields: Fields): ReadonlyMap<string, Field> {
  const reading = Object.entries(fields).map(
    ([name, schema]) => [name, fieldOf(name, schema)] as const,
  )
  return new Map(reading)
}

function fieldOf(name: string, schema: Schema): Field {
  const keywords: Readonly<Record<string, unknown>> = { ...schema }
  const many = keywords.type === 'array'
  const items = many && isRecord(keywords.items) ? keywords.items : keywords
  return { name, many, kind: KINDS.get(items.type) ?? 'text', fallback: keywords.default }
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}

/** Also reads numbers beyond every bound, so that the refusal names the bound. */
const INTEGER = /^(?:0|-?[1-9][0-9]{0,31})$/
const NUMBER = /^-?(?:0|[1-9][0-9]{0,15})(?:\.[0-9]{1,18})?$/

/** The value of a text; undefined when it does not match its kind, like `1e3`, ` 1`, `0x1`. */
function plainValue(kind: Kind, text: string): unknown {
  if (kind === 'text') return text
  if (kind === 'boolean') return text === 'true' ? true : text === 'false' ? false : undefined
  const form = kind === 'integer' ? INTEGER : NUMBER
  return form.test(text) ? Number(text) + 0 : undefined
}

const EXPECTED: Readonly<Record<Kind, string>> = {
  text: 'must be text',
  integer: 'must be an integer',
  number: 'must be a number',
  boolean: 'must be true or false',
  others: 'is not a known query parameter',
}

/** Percent-decoded text, or null when the encoding is invalid. */
function decoded(text: string): string | null {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}

export interface Reading {
  readonly values: Readonly<Record<string, unknown>>
  readonly issues: readonly Issue[]
}

const NOTHING: Reading = { values: {}, issues: [] }

export function readParams(fields: readonly Field[], texts: readonly string[]): Reading {
  if (fields.length === 0) return NOTHING
  const values: Record<string, unknown> = {}
  const issues: Issue[] = []
  for (const [index, field] of fields.entries()) {
    const text = decoded(texts[index])
    const value = text === null ? undefined : plainValue(field.kind, text)
    if (value !== undefined) values[field.name] = value
    else if (text === null) issues.push({ field: field.name, message: 'has bad percent-encoding' })
    else issues.push({ field: field.name, message: EXPECTED[field.kind] })
  }
  return { values, issues }
}

export function readQuery(fields: ReadonlyMap<string, Field>, query: string): Reading {
  if (query === '' && fields.size === 0) return NOTHING
  const values: Record<string, unknown> = {}
  const issues: Issue[] = []
  for (const pair of query === '' ? [] : query.split('&')) {
    const issue = pair === '' ? null : readPair(fields, pair, values)
    if (issue !== null) issues.push(issue)
  }
  for (const { name, fallback } of fields.values()) {
    if (fallback !== undefined && !Object.hasOwn(values, name)) values[name] = fallback
  }
  return { values, issues }
}

function readPair(
  fields: ReadonlyMap<string, Field>,
  pair: string,
  values: Record<string, unknown>,
): Issue | null {
  const equals = pair.indexOf('=')
  const rawName = equals === -1 ? pair : pair.slice(0, equals)
  const name = decoded(rawName.replaceAll('+', ' '))
  const text = equals === -1 ? '' : decoded(pair.slice(equals + 1).replaceAll('+', ' '))
  if (name === null || text === null) {
    return { field: name ?? rawName, message: 'has bad percent-encoding' }
  }
  const field = fields.get(name) ?? repeated(fields, name)
  if (field === undefined || field.kind === 'others') return readOther(fields, name, text, values)
  const value = plainValue(field.kind, text)
  if (value === undefined) return { field: name, message: EXPECTED[field.kind] }
  const before = values[field.name]
  if (!field.many && before !== undefined) return { field: name, message: 'must not be repeated' }
  if (Array.isArray(before)) before.push(value)
  else values[field.name] = field.many ? [value] : value
  return null
}

/** Many clients write `statuses[]` for a parameter that may be repeated. */
function repeated(fields: ReadonlyMap<string, Field>, name: string): Field | undefined {
  const field = name.endsWith('[]') ? fields.get(name.slice(0, -2)) : undefined
  return field?.many === true ? field : undefined
}

/** The leading letter keeps it distinct from the property names of every object. */
const OTHER_NAME = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/

/** Adds an unnamed parameter to the field that collects these, as a list of texts. */
function readOther(
  fields: ReadonlyMap<string, Field>,
  stated: string,
  text: string,
  values: Record<string, unknown>,
): Issue | null {
  const name = stated.endsWith('[]') ? stated.slice(0, -2) : stated
  const taker = [...fields.values()].find(({ kind }) => kind === 'others')
  if (taker === undefined || !OTHER_NAME.test(name)) {
    return { field: stated || 'query', message: 'is not a known query parameter' }
  }
  const known = values[taker.name]
  const others: Record<string, unknown> = isRecord(known) ? { ...known } : {}
  values[taker.name] = others
  const before = Object.hasOwn(others, name) ? others[name] : undefined
  if (Array.isArray(before)) before.push(text)
  else others[name] = [text]
  return null
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

const ESCAPED_SURROGATE = /\\u[dD][89a-fA-F]/
const HALF_PAIR = /\p{Cs}/u

/**
 * The value of a JSON body; null when it is not JSON. An absent body counts as an empty object. An
 * unpaired surrogate, which only an escape can produce, is refused: the journal cannot store it.
 */
export function readJson(body: Uint8Array): { readonly value: unknown } | null {
  if (body.length === 0) return { value: {} }
  try {
    const text = utf8.decode(body)
    if (!ESCAPED_SURROGATE.test(text)) return { value: JSON.parse(text) }
    let isText = true
    const value: unknown = JSON.parse(text, (key, each: unknown) => {
      if (HALF_PAIR.test(key) || (typeof each === 'string' && HALF_PAIR.test(each))) isText = false
      return each
    })
    return isText ? { value } : null
  } catch {
    return null
  }
}
