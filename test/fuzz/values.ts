import fc from 'fast-check'
import type { Json } from '../../server/edge/http/schema/schema.ts'
import type { Random } from '../support/random.ts'

// Values that a JSON Schema allows, drawn from the keywords that the routes use. Slugs, order ids
// and the like exist only in a running exchange: they become marks, filled in when the request is
// sent. So a request says the same on each fresh exchange.

export type Keywords = Readonly<Record<string, unknown>>

/** A text mark `{{orders.3}}` stands inside text; `{{#profiles.3}}` is a whole value. */
export const MARK = /\{\{(#?)([a-z]+)\.(\d+)\}\}/g

/** Pools for fields by name, where the exchange has better values than chance. */
const SOURCES: Readonly<Record<string, string>> = {
  slug: 'markets',
  addressOrSlug: 'markets',
  marketSlug: 'markets',
  orderId: 'orders',
  orderIds: 'orders',
  clientOrderId: 'clients',
  clientOrderIds: 'clients',
  tokenId: 'tokens',
  account: 'accounts',
  profileId: '#profiles',
  ownerId: '#profiles',
  windowId: '#windows',
  id: 'pages',
  parentId: 'pages',
  packId: 'packs',
  curatedId: 'curated',
  madeCuratedId: 'madecurated',
  positionId: 'ownpositions',
  offerId: 'offers',
  conditionId: 'conditions',
  conditionIds: 'conditions',
  market: 'tradables',
  // Hardly one random address in a million has a right checksum in its letters.
  address: 'wallets',
  destination: 'accounts',
  // Far ahead: a deadline that the owner sets must not pass while others are watched.
  cancelAt: '#later',
}
/** Raw units as text, in calls that move money. */
const AMOUNTS = new Set(['amount', 'collateralAmount', 'collateralReturnAmount'])
/** Names in objects that take any: filters and the properties of markets. */
const FILTER_KEYS = ['tag', 'category', 'categoryId', 'tradeType', 'ticker', 'constructor']
/** Whose account a call may be for: a sub-account of the caller or of the owner, or any profile. */
const FAMILIES = ['#children', '#children', '#wards', '#profiles']
export const LONE_SURROGATE = /\p{Surrogate}/u
const PICKS = 64
const SOURCED = 0.9

/** Text that breaks code which counts, folds, trims or stores characters wrongly. */
export const ODD_TEXTS: readonly string[] = [
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\ud800',
  'x\udfff',
  '\ufeff',
  '\ufffd',
  '\uffff',
  'e\u0301',
  '\u00e9',
  'İ',
  'ß',
  '\u202egnp',
  '\u2028',
  '👩‍👩‍👧‍👦',
  `z${'\u0301'.repeat(2000)}`,
  '__proto__',
  'constructor',
  "'; DROP TABLE orders; --",
  '<script>alert(1)</script>',
  '../../etc/passwd',
  '%00',
  '%2e%2e%2f',
  '#{7*7}',
  '{{7}}',
  '\r\nx-injected: 1',
  '0',
  'NaN',
  'null',
  '1e400',
]

export function keywordsOf(schema: unknown): Keywords {
  return typeof schema === 'object' && schema !== null ? { ...schema } : {}
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function numberOf(value: unknown, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise
}

const patterns = new Map<string, fc.Arbitrary<string>>()

/** A lookahead cannot be drawn: the text is drawn without it, and may then fail it. */
const LOOKAHEAD = /\(\?[=!](?:[^()]|\([^()]*\))*\)/g

function matching(source: string, random: Random): string {
  const known = patterns.get(source) ?? fc.stringMatching(new RegExp(source.replace(LOOKAHEAD, '')))
  patterns.set(source, known)
  const [text = ''] = fc.sample(known, { numRuns: 1, seed: random.below(2 ** 31) })
  return text
}

function textOf(schema: Keywords, random: Random): string {
  if (typeof schema.pattern === 'string') return matching(schema.pattern, random)
  const min = numberOf(schema.minLength, 0)
  const max = numberOf(schema.maxLength, 24)
  if (random.chance(0.2)) {
    const odd = random.pick(ODD_TEXTS)
    if (odd.length >= min && odd.length <= max) return odd
  }
  const length = random.chance(0.1) ? max : random.between(min, Math.min(max, min + 16))
  return Array.from({ length }, () => random.pick([...'abcXYZ019 -_.é👍'])).join('')
}

function integerOf(schema: Keywords, random: Random): number {
  const low = numberOf(schema.minimum, Number.MIN_SAFE_INTEGER)
  const high = numberOf(schema.maximum, Number.MAX_SAFE_INTEGER)
  if (random.chance(0.1)) return low
  if (random.chance(0.1)) return high
  const value = low < 0 && random.chance(0.5) ? -random.spread(-low) : random.spread(high)
  return Math.max(low, Math.min(high, value))
}

/** A value of the schema; `name` is the name of its field. */
export function drawn(given: unknown, name: string, random: Random): Json {
  const schema = keywordsOf(given)
  const source = name === 'onBehalfOf' ? random.pick(FAMILIES) : SOURCES[name]
  const isPlain = schema.type !== 'array' && schema.type !== 'object'
  if (source !== undefined && isPlain && random.chance(SOURCED)) {
    return `{{${source}.${random.below(PICKS)}}}`
  }
  // A call that moves a whole balance would leave nothing for the others to move.
  if (name === 'collateralRaw') return random.between(-5_000_000, 5_000_000) || 1
  if (AMOUNTS.has(name) && schema.type === 'string' && random.chance(SOURCED)) {
    return `${random.between(1, 5_000_000)}`
  }
  // A trade that is retried a thousand times is not settled when the owner is checked.
  if (name === 'next') return random.between(1, 3)
  const choices = listOf(schema.anyOf)
  if (choices.length > 0) return drawn(random.pick(choices), name, random)
  const words = listOf(schema.enum)
  if (words.length > 0) return plain(random.pick(words))
  if ('const' in schema) return plain(schema.const)
  return typedValue(schema, name, random)
}

function typedValue(schema: Keywords, name: string, random: Random): Json {
  const types = Array.isArray(schema.type) ? schema.type : [schema.type]
  switch (random.pick(types)) {
    case 'string':
      return textOf(schema, random)
    case 'integer':
      return integerOf(schema, random)
    case 'number': {
      const low = numberOf(schema.minimum, -1e6)
      return low + random.next() * (numberOf(schema.maximum, 1e6) - low)
    }
    case 'boolean':
      return random.chance(0.5)
    case 'null':
      return null
    case 'array': {
      const min = numberOf(schema.minItems, 0)
      const max = numberOf(schema.maxItems, 8)
      const length = random.chance(0.05) ? max : random.between(min, Math.min(max, min + 3))
      return Array.from({ length }, () => drawn(schema.items, name, random))
    }
    case 'object':
      return objectOf(schema, random)
    default:
      return null
  }
}

/** Whether the schema is a body with a signed order, for whatever route. */
function takesOrder(schema: Keywords): boolean {
  const order = keywordsOf(keywordsOf(schema.properties).order)
  return 'signature' in keywordsOf(order.properties)
}

/** Fields of an order's body that the wanted order fills. */
const ORDER_FIELDS = new Set(['order', 'ownerId', 'orderType', 'marketSlug'])

/** Stands for an order until an actor signs it. */
export const WANTED = '{{wanted}}'

/** An order of the sender; `market` counts among the markets that take fuzzed orders. */
export interface OrderRequest {
  readonly market: number
  readonly isBuy: boolean
  readonly outcome: 'yes' | 'no'
  /** 0 for the market form. */
  readonly ticks: number
  readonly sizeRaw: number
  readonly type: 'GTC' | 'FAK' | 'FOK'
  readonly salt: number
  /** The sub-account that the server signs for; -1 for none. */
  readonly child: number
}

const SALT_MAX = 2 ** 40

/** Three in five rest, so that there is something to cancel; the others cross. */
export function requestOf(random: Random, mayDelegate: boolean): OrderRequest {
  const isMarket = random.chance(0.1)
  const rests = random.chance(0.6)
  return {
    market: random.below(64),
    isBuy: rests || random.chance(0.7),
    outcome: random.pick(['yes', 'no']),
    ticks: isMarket ? 0 : rests ? random.between(1, 300) : random.between(450, 550),
    sizeRaw: random.between(1, 20_000) * 1000,
    type: isMarket ? 'FOK' : random.pick(['GTC', 'GTC', 'GTC', 'GTC', 'FAK', 'FOK']),
    salt: random.chance(0.03) ? 1 + random.below(10) : random.between(1000, SALT_MAX),
    child: mayDelegate && random.chance(0.3) ? random.below(PICKS) : -1,
  }
}

function orderBodyOf(schema: Keywords, random: Random): Json {
  const all = keywordsOf(schema.properties)
  const fields: Record<string, Json> = { [WANTED]: { ...requestOf(random, 'onBehalfOf' in all) } }
  for (const [name, field] of Object.entries(all)) {
    if (ORDER_FIELDS.has(name) || !random.chance(0.15)) continue
    // Own names: the name of an owner's order must never name an order of another.
    const isName = name === 'clientOrderId'
    fields[name] = isName ? `mine-${random.below(40)}` : drawn(field, name, random)
  }
  return fields
}

function objectOf(schema: Keywords, random: Random): Json {
  if (takesOrder(schema)) return orderBodyOf(schema, random)
  const required = new Set(listOf(schema.required))
  const fields: Record<string, Json> = {}
  for (const [name, field] of Object.entries(keywordsOf(schema.properties))) {
    if (required.has(name) || random.chance(0.5)) fields[name] = drawn(field, name, random)
  }
  const others = schema.additionalProperties
  if (typeof others === 'object' && random.chance(0.6)) {
    fields[random.pick(FILTER_KEYS)] = drawn(others, 'value', random)
  }
  return fields
}

function plain(value: unknown): Json {
  if (value === null || typeof value === 'boolean') return value
  return typeof value === 'number' || typeof value === 'string' ? value : String(value)
}

/** Values that miss the schema by one bound, one type or one reading of what a number is. */
export function nearMisses(given: unknown): readonly Json[] {
  const schema = keywordsOf(given)
  const low = numberOf(schema.minimum, 0)
  const high = numberOf(schema.maximum, Number.MAX_SAFE_INTEGER)
  const longest = numberOf(schema.maxLength, 128)
  return [
    low - 1,
    high + 1,
    low + 0.5,
    -1,
    -0,
    2 ** 53,
    2 ** 63,
    1e308,
    5e-324,
    '',
    'x'.repeat(longest + 1),
    '\ud800'.repeat(3),
    'NaN',
    'Infinity',
    `${low}`,
    '0x10',
    null,
    true,
    false,
    [],
    {},
    [[]],
    { toString: 1 },
    [null],
    'x'.repeat(60_000),
    ...ODD_TEXTS,
  ]
}
