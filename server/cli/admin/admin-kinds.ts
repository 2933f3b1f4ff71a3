// How the fields of the admin API are written on a command line: a kind for each form of schema.

import type { Kind } from '../../settings/flags.ts'
import { address, commaList, count, oneOf, words } from '../../settings/kinds.ts'
import { parseUnits } from '../decimals.ts'
import type { FieldSchema } from './admin-routes.ts'

type PropertyValues = Readonly<Record<string, readonly string[]>>

const PAIRS = /^[A-Za-z][A-Za-z0-9_-]{0,63}=[^,=]{1,64}$/
const ADDRESS = '^0x[0-9a-fA-F]{40}$'
const LABEL = /^[^,]{1,64}$/
const NOTHING = /^0(?:\.0{1,6})?$/
const labels = commaList('A,B', LABEL, 'texts like sport,football')
const pairs = commaList('K=V,K=V', PAIRS, 'pairs like ticker=BTC,ticker=ETH')

export const amount: Kind<number> = {
  shape: 'AMOUNT',
  wants: 'an amount above 0 with at most six decimals, like 100.5',
  read: parseUnits,
}

export const amountOrZero: Kind<number> = {
  shape: 'AMOUNT',
  wants: 'an amount with at most six decimals, like 100.5 or 0',
  read: (text) => (NOTHING.test(text) ? 0 : parseUnits(text)),
}

/** A text that may be empty. */
const anyText: Kind<string> = { shape: 'TEXT', wants: 'a text', read: (text) => text }

const yesNo: Kind<boolean> = {
  shape: 'yes|no',
  wants: 'yes or no',
  read(text) {
    if (text === 'yes' || text === 'true') return true
    return text === 'no' || text === 'false' ? false : undefined
  },
}

/** The values of each key that the pairs name; none when the text is empty. */
const propertyValues: Kind<PropertyValues> = {
  shape: pairs.shape,
  wants: pairs.wants,
  read(text) {
    const read = text === '' ? [] : pairs.read(text)
    if (read === undefined) return undefined
    const byKey = new Map<string, string[]>()
    for (const pair of read) {
      const [key, value] = pair.split('=')
      byKey.set(key, [...(byKey.get(key) ?? []), value])
    }
    return Object.fromEntries(byKey)
  },
}

/** A value that has no form of its own here. */
const json: Kind<unknown> = {
  shape: 'JSON',
  wants: 'JSON',
  read(text) {
    try {
      return JSON.parse(text)
    } catch {
      return undefined
    }
  },
}

/** A value, or `none` for null. */
function orNone(kind: Kind<unknown>): Kind<unknown> {
  return {
    shape: `${kind.shape}|none`,
    wants: `${kind.wants}, or none`,
    read: (text) => (text === 'none' ? null : kind.read(text)),
  }
}

function listKind({ items = {}, minItems = 0 }: FieldSchema): Kind<unknown> {
  if (items.type !== 'string') return json
  const { enum: choices } = items
  const list =
    choices === undefined
      ? labels
      : commaList('A,B', new RegExp(`^(${choices.join('|')})$`), `of ${choices.join(', ')}`)
  return minItems > 0 ? list : { ...list, read: (text) => (text === '' ? [] : list.read(text)) }
}

function integerKind(name: string, schema: FieldSchema): Kind<number> {
  const { minimum = Number.MIN_SAFE_INTEGER, maximum = Number.MAX_SAFE_INTEGER } = schema
  if (name.endsWith('Raw')) return minimum > 0 ? amount : amountOrZero
  return count(minimum, maximum, name.endsWith('Ms') ? 'MS' : 'N')
}

function stringKind({ enum: choices, pattern, minLength = 0 }: FieldSchema): Kind<string> {
  if (choices !== undefined) return oneOf(...choices)
  if (pattern === ADDRESS) return address
  return minLength > 0 ? words('TEXT', 'a text') : anyText
}

/** How a field of that name is written. Collateral and shares are written in whole units. */
export function kindOf(name: string, schema: FieldSchema): Kind<unknown> {
  const { type, anyOf, additionalProperties } = schema
  if (anyOf !== undefined) {
    const [first, ...others] = anyOf.filter((each) => each.type !== 'null')
    const isText = first.type === 'string'
    const kind = others.length === 0 ? kindOf(name, first) : isText ? anyText : json
    return anyOf.some((each) => each.type === 'null') ? orNone(kind) : kind
  }
  if (type === 'string') return stringKind(schema)
  if (type === 'integer') return integerKind(name, schema)
  if (type === 'boolean') return yesNo
  if (type === 'array') return listKind(schema)
  const isOfLists = additionalProperties !== undefined && additionalProperties !== false
  return isOfLists && additionalProperties.items?.type === 'string' ? propertyValues : json
}

export function isAmount(kind: Kind<unknown>): boolean {
  return kind.shape.startsWith(amount.shape)
}
