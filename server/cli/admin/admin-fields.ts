import {
  EDITED_SETTINGS,
  FIXED_SETTINGS,
  type MarketSetting,
} from '../../../engine/domain/markets/market-settings.ts'
import type { Word } from '../../command-line.ts'
import {
  flagOf,
  type Given,
  type Kind,
  readSetting,
  type Setting,
  WrongUse,
} from '../../settings/flags.ts'
import { address, commaList, count, oneOf, onOff, words } from '../../settings/kinds.ts'
import { parseUnits } from '../decimals.ts'
import type { FieldSchema } from './admin-routes.ts'

// How the fields of the admin API are written on a command line: a kind for each form of schema.

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
function kindOf(name: string, schema: FieldSchema): Kind<unknown> {
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

function isAmount(kind: Kind<unknown>): boolean {
  return kind.shape.startsWith(amount.shape)
}

// The words and flags of one line of `outcomex admin`, made from what its route takes.

export type Values = Readonly<Record<string, unknown>>

/** A word or a flag that fills fields; `names` of them are called like it in refusals. */
interface Filling {
  readonly names: readonly string[]
}

export interface WordField extends Filling {
  readonly words: readonly Word[]
  /** Reads as many words as it has, or all that are left. */
  readonly read: (texts: readonly string[]) => Values
  readonly isMany: boolean
}

export interface FlagField extends Filling {
  readonly row: Setting<unknown>
  readonly read: (given: readonly Given[]) => Values
}

function wordAs<T>({ wants, read }: Kind<T>, text: string): T {
  const value = read(text)
  if (value === undefined) throw new WrongUse(`'${text}' must be ${wants}`)
  return value
}

/** A word of a form of its own. */
export function word<T>(
  names: readonly string[],
  about: string,
  kind: Kind<T>,
  fill: (value: T) => Values,
): WordField {
  return {
    names,
    words: [{ shape: `<${kind.shape}>`, about }],
    read: ([text]) => fill(wordAs(kind, text)),
    isMany: false,
  }
}

/** `least` such words or more, which are the items of the list of that name. */
export function manyWords(
  name: string,
  about: string,
  kind: Kind<unknown>,
  least: number,
): WordField {
  const one = { shape: `<${kind.shape}>`, about: '' }
  const last = { shape: `<${kind.shape}...>`, about }
  return {
    names: [name],
    words: [...Array.from({ length: least - 1 }, () => one), last],
    read: (texts) => ({ [name]: texts.map((text) => wordAs(kind, text)) }),
    isMany: true,
  }
}

/** A flag of a form of its own. */
export function flag<T>(
  names: readonly string[],
  row: Setting<T | undefined>,
  fill: (value: T) => Values,
): FlagField {
  return {
    names,
    row,
    read(given) {
      const value = readSetting(row, given)
      return value === undefined ? {} : fill(value)
    },
  }
}

/** A flag without a value. */
export function switchFlag(name: string, on: unknown, flagName: string, about: string): FlagField {
  return flag([name], flagOf<boolean | undefined>(flagName, onOff, undefined, about), (isOn) => {
    return isOn ? { [name]: on } : {}
  })
}

const kebab = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
const shapeOf = (name: string) => kebab(name).replaceAll('-', '_').toUpperCase()

const OF_SETTINGS = [...EDITED_SETTINGS, ...FIXED_SETTINGS].flatMap(
  ({ name, flag: short }: MarketSetting) => (short === undefined ? [] : [[name, short] as const]),
)
/** The flags that have a shorter name than that of their field. */
const SHORT: Readonly<Record<string, string>> = {
  assetName: 'asset',
  baseFilter: 'filter',
  esportType: 'game',
  fixtureId: 'fixture',
  parentId: 'parent',
  publicMessage: 'message',
  removeOptions: 'drop',
  slotsAhead: 'ahead',
  slugPrefix: 'prefix',
  sportType: 'sport',
  strikePrice: 'strike',
  tradeEventId: 'trade',
  ...Object.fromEntries(OF_SETTINGS),
}

/** `dailyRewardRaw` is `--daily-reward`, `isMachine` is `--machine`. */
export function flagNameOf(name: string): string {
  return SHORT[name] ?? kebab(name).replace(/^is-/, '').replace(/-raw$/, '')
}

function helpOf({ description = '' }: FieldSchema, kind: Kind<unknown>): string {
  // Documents write null where the line has `none`, and raw units.
  if (!isAmount(kind)) return description.replaceAll(/\bnull\b/g, 'none')
  const [first, ...others] = description.split('; ').map((part) => part.replace(/[.].*$/s, ''))
  const plain = first.replace(/, in raw units/, '').replace(/\braw /i, '')
  const rest = others.filter((part) => !/\d,\d{3}/.test(part))
  const text = [plain[0].toUpperCase() + plain.slice(1), ...rest].join('; ')
  return `${text}. Written in whole units.`
}

/** The word for a field. */
export function wordFor(name: string, schema: FieldSchema): WordField {
  const kind = kindOf(name, schema)
  const shape = schema.enum?.join('|') ?? (isAmount(kind) ? kind.shape : shapeOf(name))
  const about = helpOf(schema, kind)
  return word([name], about, { ...kind, shape }, (value) => ({ [name]: value }))
}

/** The flag for a field; `isRequired` when the line is wrong without it. */
export function flagFor(
  name: string,
  schema: FieldSchema,
  { isRequired, called }: { readonly isRequired: boolean; readonly called?: string | undefined },
): FlagField {
  const kind = kindOf(name, schema)
  const row = {
    ...flagOf<unknown>(called ?? flagNameOf(name), kind, undefined, helpOf(schema, kind)),
    isRequired,
  }
  return flag([name], row, (value) => ({ [name]: value }))
}
