import type { Route } from '../../server/http/route.ts'
import type { Json } from '../../server/http/schema.ts'
import type { Services } from '../../server/routes/services.ts'
import { Random } from '../support/random.ts'
import { BODY_TRICKS, PATH_TRICKS, WIRE_TRICKS } from './tricks.ts'
import {
  drawn,
  type Keywords,
  keywordsOf,
  LONE_SURROGATE,
  listOf,
  nearMisses,
  ODD_TEXTS,
} from './values.ts'

// A request before it is bytes: a valid one, and what is wrong with it as a list of edits. Each
// follows from the seed and its place alone, so that any part of a run can be played again, and a
// failing one shrinks by taking edits away.

export type FuzzRoute = Route<Services>

export const ROLES = ['owner', 'stranger', 'partner', 'nobody', 'admin'] as const
export type Role = (typeof ROLES)[number]
export const PROOFS = ['hmac', 'session', 'identity', 'admin', 'none'] as const
export type Proof = (typeof PROOFS)[number]
/** What makes a proof worthless; the oracle expects that it opens nothing. */
export const FLAWS = [
  'none',
  'secret',
  'stale',
  'future',
  'timestamp',
  'signature',
  'path',
  'body',
  'method',
  'key',
  'scope',
  'garbage',
] as const
export type Flaw = (typeof FLAWS)[number]

const OPENING: ReadonlySet<Flaw> = new Set(['none', 'scope'])

export interface Speaker {
  readonly role: Role
  readonly proof: Proof
  readonly flaw: Flaw
}

export type Edit =
  | { readonly at: 'body'; readonly path: readonly (string | number)[]; readonly value?: Json }
  | { readonly at: 'whole'; readonly value: Json }
  /** Raw text of one pair of the query; it comes after the right ones. */
  | { readonly at: 'query'; readonly pair: string }
  | { readonly at: 'param'; readonly name: string; readonly raw: string }
  | { readonly at: 'method'; readonly method: string }
  | { readonly at: 'header'; readonly name: string; readonly value: string }
  /** By name from tricks.ts. */
  | { readonly at: 'trick'; readonly name: string; readonly number: number }

export interface Plan {
  /** `POST /orders`. */
  readonly route: string
  readonly speaker: Speaker
  readonly params: Readonly<Record<string, Json>>
  readonly query: Readonly<Record<string, Json>>
  readonly body?: Json
  /** Whether an order that edits changed is signed as changed. */
  readonly resigned: boolean
  readonly edits: readonly Edit[]
}

export function nameOf(route: Pick<FuzzRoute, 'method' | 'path'>): string {
  return `${route.method} ${route.path}`
}

/** The request at one place of the sequence that a seed stands for. */
export function planAt(routes: readonly FuzzRoute[], seed: number, place: number): Plan {
  const random = new Random(Math.imul(seed, 0x9e3779b1) ^ Math.imul(place + 1, 0x85ebca6b))
  const isForeign = isForeignAt(place)
  const route = routeOf(routes, random, isForeign)
  const values = {
    params: fieldsOf(route.params, random, 1),
    query: fieldsOf(route.query, random, 0.4),
    ...(route.body === null ? {} : { body: drawn(route.body, '', random) }),
    resigned: random.chance(0.7),
  }
  const speaker = speakerOf(route, random, isForeign)
  const sound: Plan = { route: nameOf(route), speaker, ...values, edits: [] }
  return { ...sound, edits: [...delegation(route, random), ...editsOf(route, random)] }
}

const ON_BEHALF = 'x-on-behalf-of'

/** Where a call may be for somebody else it sometimes is. */
function delegation({ headers }: FuzzRoute, random: Random): Edit[] {
  if (!(ON_BEHALF in headers) || !random.chance(0.2)) return []
  const pool = random.chance(0.7) ? 'children' : 'profiles'
  return [{ at: 'header', name: ON_BEHALF, value: `{{${pool}.${random.below(64)}}}` }]
}

/** Orders and their cancels come more often, and others have little to try as an operator. */
function routeOf(routes: readonly FuzzRoute[], random: Random, isForeign: boolean): FuzzRoute {
  const trades = routes.filter(({ lane }) => lane === 'trade')
  const tried = isForeign && random.chance(0.8) ? routes.filter(isNotAdmin) : routes
  return random.pick(random.chance(0.3) ? trades : tried)
}

function isNotAdmin({ lane }: FuzzRoute): boolean {
  return lane !== 'admin'
}

function fieldsOf(
  fields: Readonly<Record<string, unknown>>,
  random: Random,
  part: number,
): Record<string, Json> {
  const values: Record<string, Json> = {}
  for (const [name, schema] of Object.entries(fields)) {
    const needed = !('~optional' in keywordsOf(schema)) && !('default' in keywordsOf(schema))
    if (needed || random.chance(part)) values[name] = drawn(schema, name, random)
  }
  return values
}

const BLOCK = 24

/** Whether nothing of this stretch of requests may change anything of the owner. */
export function isForeignAt(place: number): boolean {
  return Math.floor(place / BLOCK) % 3 !== 0
}

function speakerOf({ auth }: FuzzRoute, random: Random, isForeign: boolean): Speaker {
  const schemes = auth.accepts.map(({ scheme }) => scheme)
  const isRight = schemes.length > 0 && random.chance(0.92)
  const proof = isRight ? random.pick(schemes) : random.pick(PROOFS)
  if (proof === 'none') return { role: 'nobody', proof, flaw: 'none' }
  const flaw = random.chance(0.08) ? random.pick(FLAWS.slice(1)) : 'none'
  if (isForeign && (proof === 'admin' || random.chance(0.12))) {
    // Not that of the scope: it opens what no scope guards.
    const role = proof === 'admin' ? 'admin' : 'owner'
    return { role, proof, flaw: random.pick(FLAWS.filter((each) => !OPENING.has(each))) }
  }
  if (proof === 'admin') return { role: 'admin', proof, flaw }
  const own = isForeign ? [] : (['owner', 'owner'] as const)
  return { role: random.pick([...own, 'stranger', 'stranger', 'partner']), proof, flaw }
}

function editsOf(route: FuzzRoute, random: Random): Edit[] {
  const dice = random.next()
  if (dice < 0.5) return []
  const count = random.chance(0.8) ? 1 : 2
  return Array.from({ length: count }, () =>
    dice < 0.8 ? nearEdit(route, random) : hostileEdit(random),
  )
}

function nearEdit(route: FuzzRoute, random: Random): Edit {
  const kinds = random.chance(0.3) ? ['query', 'header', 'method'] : ['query', 'header']
  if (Object.keys(route.params).length > 0) kinds.push('param', 'param', 'param')
  if (Object.keys(route.query).length > 0) kinds.push('field', 'field')
  if (route.body !== null) kinds.push('body', 'body', 'body', 'body', 'body', 'body')
  switch (random.pick(kinds)) {
    case 'param': {
      const name = random.pick(Object.keys(route.params))
      return { at: 'param', name, raw: encoded(random.pick(nearMisses(route.params[name]))) }
    }
    case 'field': {
      const name = random.pick(Object.keys(route.query))
      const miss = random.pick(nearMisses(route.query[name]))
      return { at: 'query', pair: `${name}=${encoded(miss)}` }
    }
    case 'body':
      return bodyEdit(keywordsOf(route.body), random)
    case 'header':
      return { at: 'header', name: random.pick(HEADERS), value: random.pick(HEADER_VALUES) }
    case 'method':
      return { at: 'method', method: random.pick(METHODS) }
    default:
      return { at: 'query', pair: random.pick(QUERY_PAIRS) }
  }
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'get', 'X']
const HEADERS = ['x-on-behalf-of', 'content-type', 'x-forwarded-for', 'x-http-method-override']
const HEADER_VALUES = ['1', '2', '-1', '0', 'NaN', '2147483648', '1, 2', 'text/plain', 'DELETE']
const QUERY_PAIRS = [
  ...['x=1', '=', '&&', '__proto__=1', 'constructor', '%', '%zz=1', 'limit=%80', 'a=%00', '+=+'],
  ...['onBehalfOf=1', 'onBehalfOf=-1', 'onBehalfOf=1&onBehalfOf=2', 'limit=1&limit=2', 'x[]=1'],
  ...['limit=NaN', 'limit=1e3', 'limit=-0', 'page=0', 'page=9007199254740993', '?', '#', 'a=b=c'],
]

/** Percent-encoded as a client would; what cannot be goes as it is. */
function encoded(value: Json): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return LONE_SURROGATE.test(text) ? '%ED%A0%80' : encodeURIComponent(text)
}

/** Changes, drops or adds one field at any depth. */
function bodyEdit(schema: Keywords, random: Random): Edit {
  if (random.chance(0.1)) return { at: 'whole', value: random.pick(nearMisses(schema)) }
  const path: string[] = []
  let fields = keywordsOf(schema.properties)
  let name = random.pick(Object.keys(fields))
  if ('order' in fields && random.chance(0.6)) name = 'order'
  for (;;) {
    if (name === undefined || random.chance(0.08)) name = random.pick(['x', '__proto__', ''])
    path.push(name)
    let field = keywordsOf(fields[name])
    const items = keywordsOf(field.items)
    if ('properties' in items && random.chance(0.8)) {
      field = items
      path.push('0')
    }
    const inner = keywordsOf(field.properties)
    if (Object.keys(inner).length === 0 || random.chance(0.15)) {
      if (random.chance(0.2)) return { at: 'body', path }
      return { at: 'body', path, value: random.pick(missesOf(field)) }
    }
    fields = inner
    name = random.pick(Object.keys(fields))
  }
}

function missesOf(field: Keywords): readonly Json[] {
  const inner = [field, ...listOf(field.anyOf)].flatMap((each) => nearMisses(each))
  const items = field.type === 'array' ? nearMisses(field.items).map((each) => [each]) : []
  return [...inner, ...items, Array.from({ length: 51 }, (_, index) => `${index}`), ODD_TEXTS[3]]
}

function hostileEdit(random: Random): Edit {
  const family = random.pick([BODY_TRICKS, PATH_TRICKS, WIRE_TRICKS])
  return { at: 'trick', name: random.pick(Object.keys(family)), number: random.below(1 << 20) }
}
