import type { Services } from '../../server/api/services.ts'
import type { Route } from '../../server/edge/http/route.ts'
import { type Fields, type Json, object } from '../../server/edge/http/schema/schema.ts'
import { Random } from '../support/random.ts'
import { aimed, aimedBody, aimedCall, holdsOrder, ofChild, operatorName } from './aims.ts'
import { ODD_KEYS, padded } from './odd-keys.ts'
import { SMUGGLES } from './smuggle.ts'
import {
  FLAWS,
  type Flaw,
  PROOFS,
  type Role,
  type Speaker,
  WALLET_FLAWS,
  type WalletFlaw,
} from './speaker.ts'
import { SOCKET_ROUTE, talkOf } from './talk-plan.ts'
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

// A request before it is bytes: a valid request, and a list of edits that say what is wrong with
// it. A plan follows from the seed and its place alone, so any part of a run can be played again. A
// failing plan shrinks by losing edits.

export type FuzzRoute = Route<Services>

const OPENING: ReadonlySet<Flaw> = new Set(['none', 'scope'])

export type Edit =
  | { readonly at: 'body'; readonly path: readonly (string | number)[]; readonly value?: Json }
  | { readonly at: 'whole'; readonly value: Json }
  /** Raw text of one pair of the query; it follows the valid pairs. */
  | { readonly at: 'query'; readonly pair: string }
  | { readonly at: 'param'; readonly name: string; readonly raw: string }
  | { readonly at: 'method'; readonly method: string }
  | { readonly at: 'header'; readonly name: string; readonly value: string }
  /** The three headers of a wallet that proves its address: an actor's wallet, or one by number. */
  | { readonly at: 'wallet'; readonly of: Role | number; readonly flaw: WalletFlaw }
  /** Headers added to the valid ones, by their name in smuggle.ts. */
  | { readonly at: 'smuggle'; readonly name: string; readonly number: number }
  /** A trick by its name in tricks.ts. */
  | { readonly at: 'trick'; readonly name: string; readonly number: number }

export interface Plan {
  /** Like `POST /orders`. */
  readonly route: string
  readonly speaker: Speaker
  readonly params: Readonly<Record<string, Json>>
  readonly query: Readonly<Record<string, Json>>
  readonly body?: Json
  /** Whether an order is signed again after edits changed it. */
  readonly resigned: boolean
  readonly edits: readonly Edit[]
}

export function nameOf(route: Pick<FuzzRoute, 'method' | 'path'>): string {
  return `${route.method} ${route.path}`
}

/** The request at one place in the sequence of a seed. */
export function planAt(routes: readonly FuzzRoute[], seed: number, place: number): Plan {
  const random = new Random(Math.imul(seed, 0x9e3779b1) ^ Math.imul(place + 1, 0x85ebca6b))
  const isForeign = isForeignAt(place)
  if (random.chance(SOCKETS)) return socketPlan(random, isForeign)
  const isSure = random.chance(SURE)
  const route = isSure ? sureRouteOf(routes, random, isForeign) : routeOf(routes, random, isForeign)
  const isAimed = isSure || random.chance(0.6)
  const values = {
    params: fieldsOf(route.params, random, 1, ID_NAMES.get(route.path)),
    query: fieldsOf(route.query, random, isAimed ? 0.15 : 0.4),
    ...(route.body === null ? {} : { body: drawn(route.body, '', random) }),
    resigned: random.chance(0.7),
  }
  const speaker = speakerOf(route, random, { isForeign, isAimed })
  const sound: Plan = { route: nameOf(route), speaker, ...values, edits: [] }
  const whole = isAimed ? forChild(aimedPlan(sound, route, random), route, random) : sound
  const edits = [...whole.edits, ...(isAimed ? [] : delegation(route, random))]
  return { ...whole, edits: [...edits, ...(isSure ? [] : editsOf(route, random))] }
}

const SOCKETS = 0.08
/** The share of requests without any fault: they try each route, however rare, in a few rounds. */
const SURE = 0.1

function socketPlan(random: Random, isForeign: boolean): Plan {
  const auth: FuzzRoute['auth'] = { accepts: [{ scheme: 'hmac', scopes: [] }] }
  const speaker = speakerOf({ auth }, random, { isForeign, isAimed: false })
  return {
    route: SOCKET_ROUTE,
    speaker: speaker.proof === 'admin' || speaker.proof === 'identity' ? NOBODY : speaker,
    params: {},
    query: {},
    body: talkOf(random),
    resigned: false,
    edits: [],
  }
}

const NOBODY: Speaker = { role: 'nobody', proof: 'none', flaw: 'none' }

/** The same plan, with things of the caller's own wherever the route wants them. */
function aimedPlan(plan: Plan, route: FuzzRoute, random: Random): Plan {
  const { accepts } = route.auth
  const own = accepts.some(({ scheme }) => scheme !== 'admin')
  const isPartners = route.path.includes('/partner-accounts/')
  const params = Object.entries(plan.params).map(([name, value]): [string, Json] => {
    if (own && name === 'account') return [name, '{{ownaccount.0}}']
    if (isPartners && name === 'profileId') return [name, sub(random)]
    if (route.path === '/admin/operators/:name') return [name, operatorName(random)]
    return [name, aimed(value, random)]
  })
  // The wallet alone says whose login it is.
  const speaker = plan.route === LOGIN ? NOBODY : plan.speaker
  const { onBehalfOf: _1, account: _2, ...query } = plan.query
  const call = aimedCall(plan.route, random)
  const drawnBody =
    plan.body === undefined ? {} : { body: aimedBody(plan.route, plan.body, random) }
  return {
    ...plan,
    speaker,
    params: { ...Object.fromEntries(params), ...call.params },
    query: { ...query, ...call.query },
    ...drawnBody,
    ...(call.body === undefined ? {} : { body: call.body }),
    edits: proofs(plan, random),
  }
}

/** A sub-account of the caller, or sometimes of the owner. */
function sub(random: Random): Json {
  return `{{#${random.pick(['children', 'children', 'wards'])}.${random.below(64)}}}`
}

/** The partner and the owner also act for a sub-account, in a way that the route takes. */
function forChild(plan: Plan, route: FuzzRoute, random: Random): Plan {
  const { role } = plan.speaker
  const mayAct = role === 'partner' || role === 'owner'
  if (!mayAct || !(ON_BEHALF in route.headers) || holdsOrder(route.body)) return plan
  if (!random.chance(0.4)) return plan
  const isInQuery = 'onBehalfOf' in route.query && random.chance(0.5)
  // The partner may never act for the owner's sub-account, whatever names of it the partner knows.
  const isTrespass = role === 'partner' && random.chance(0.4)
  const pool = isTrespass ? 'wards' : 'children'
  const child = `{{#${pool}.0}}`
  const header: Edit = { at: 'header', name: ON_BEHALF, value: `{{${pool}.0}}` }
  const ofWhom = (value: Json) => ofChild(value, isTrespass ? 'ward' : 'child')
  const params = Object.entries(plan.params).map(([name, value]): [string, Json] => [
    name,
    isTrespass && name === 'slug' ? '{{markets.0}}' : ofWhom(value),
  ])
  return {
    ...plan,
    params: Object.fromEntries(params),
    query: isInQuery ? { ...plan.query, onBehalfOf: child } : plan.query,
    ...(plan.body === undefined ? {} : { body: ofWhom(plan.body) }),
    edits: isInQuery ? plan.edits : [...plan.edits, header],
  }
}

/** A login needs the signature of its wallet; so does a sub-account with a wallet of its own. */
function proofs({ route }: Plan, random: Random): Edit[] {
  const flaw = random.chance(0.6) ? 'none' : random.pick(WALLET_FLAWS.slice(1))
  if (route === 'POST /profiles/partner-accounts') {
    return [{ at: 'wallet', of: 100 + random.below(40), flaw }]
  }
  if (route !== LOGIN) return []
  // A valid login of the owner would change the owner's state, which others must not do.
  const of = random.pick([random.below(12), random.below(12), 'stranger', 'owner'] as const)
  const wrong = random.pick(WALLET_FLAWS.slice(1))
  return [{ at: 'wallet', of, flaw: of === 'owner' ? wrong : flaw }]
}

const LOGIN = 'POST /auth/login'

const ON_BEHALF = 'x-on-behalf-of'

/** Sometimes acts for another profile, where the route allows that. */
function delegation({ headers }: FuzzRoute, random: Random): Edit[] {
  if (!(ON_BEHALF in headers) || !random.chance(0.3)) return []
  const pool = random.pick(['children', 'children', 'profiles', 'wards'])
  return [{ at: 'header', name: ON_BEHALF, value: `{{${pool}.${random.below(64)}}}` }]
}

/** Orders and cancels come more often. A foreign block has little to try as an operator. */
function routeOf(routes: readonly FuzzRoute[], random: Random, isForeign: boolean): FuzzRoute {
  const dice = random.next()
  if (dice < 0.25) return random.pick(routes.filter(({ body }) => holdsOrder(body)))
  if (dice < 0.4) return random.pick(routes.filter(isTraded))
  if (!isForeign && dice < 0.6)
    return random.pick(routes.filter(({ rateClass }) => rateClass === 'admin'))
  if (dice > 0.93) return random.pick(routes.filter(({ rateClass }) => rateClass === 'auth'))
  const tried = isForeign && random.chance(0.8) ? routes.filter(isNotAdmin) : routes
  return random.pick(tried)
}

/** Any route, each as often; as the operator while that is not in vain. */
function sureRouteOf(routes: readonly FuzzRoute[], random: Random, isForeign: boolean): FuzzRoute {
  const isOperators = !isForeign && random.chance(0.8)
  return random.pick(routes.filter(({ rateClass }) => (rateClass === 'admin') === isOperators))
}

/** A pack is made of a quote. */
function isTraded({ rateClass, path }: FuzzRoute): boolean {
  return rateClass === 'trade' || path === '/parlay/quote' || path === '/parlay/partner/quote'
}

function isNotAdmin({ rateClass }: FuzzRoute): boolean {
  return rateClass !== 'admin'
}

/** What a route means by an `id` that is not that of a page. */
const ID_NAMES = new Map([
  ['/parlay/positions/:id', 'packId'],
  ['/parlay/packs/:id', 'curatedId'],
  ['/admin/packs/:id', 'madeCuratedId'],
  ['/parlay/partner/positions/:id', 'positionId'],
  ['/parlay/partner/positions/:id/claim', 'positionId'],
  ['/parlay/partner/positions/:id/claim/confirm', 'positionId'],
  ['/parlay/offers/:id', 'offerId'],
  ['/parlay/offers/:id/accept', 'offerId'],
])

/** `idName` is the name that decides where values of an `id` come from. */
function fieldsOf(
  fields: Fields,
  random: Random,
  part: number,
  idName = 'id',
): Record<string, Json> {
  const values: Record<string, Json> = {}
  const needed = new Set(object(fields).required)
  for (const [name, schema] of Object.entries(fields)) {
    const isNeeded = needed.has(name) && !('default' in schema)
    if (isNeeded || random.chance(part))
      values[name] = drawn(schema, name === 'id' ? idName : name, random)
  }
  return values
}

const BLOCK = 24

/** Whether the place is in a foreign block: requests that may change nothing of the owner. */
export function isForeignAt(place: number): boolean {
  return Math.floor(place / BLOCK) % 3 !== 0
}

function speakerOf(
  { auth }: Pick<FuzzRoute, 'auth'>,
  random: Random,
  { isForeign, isAimed }: { readonly isForeign: boolean; readonly isAimed: boolean },
): Speaker {
  const { accepts, welcomes = [] } = auth
  const schemes = [...accepts, ...welcomes].map(({ scheme }) => scheme)
  const isRight = schemes.length > 0 && (isAimed || random.chance(0.9))
  const proof = isRight ? random.pick(schemes) : random.pick(PROOFS)
  if (proof === 'none') return NOBODY
  const flaw = !isAimed && random.chance(0.15) ? random.pick(FLAWS.slice(1)) : 'none'
  if (isForeign && (proof === 'admin' || (!isAimed && random.chance(0.2)))) {
    // The flaw `scope` is left out: such a token opens routes without a scope.
    const role = proof === 'admin' ? 'admin' : 'owner'
    return { role, proof, flaw: random.pick(FLAWS.filter((each) => !OPENING.has(each))) }
  }
  if (proof === 'admin') return { role: 'admin', proof, flaw }
  return { role: random.pick(rolesFor(auth, { isForeign, isAimed })), proof, flaw }
}

function rolesFor(
  { accepts }: FuzzRoute['auth'],
  { isForeign, isAimed }: { readonly isForeign: boolean; readonly isAimed: boolean },
): readonly Role[] {
  const isPartners = accepts.some(({ scopes }) =>
    scopes.some((scope) => scope === 'account_creation' || scope === 'delegated_signing'),
  )
  const own = isForeign ? [] : (['owner', 'owner'] as const)
  if (isAimed && isPartners) return [...own, 'partner', 'partner']
  return [...own, 'stranger', 'stranger', 'partner']
}

function editsOf(route: FuzzRoute, random: Random): Edit[] {
  const dice = random.next()
  if (dice < 0.5) return []
  if (dice < 0.55) return blankEdits(route, random)
  const count = random.chance(0.8) ? 1 : 2
  return Array.from({ length: count }, () => {
    if (dice < 0.8) return nearEdit(route, random)
    return dice < 0.9 ? hostileEdit(random) : smuggleEdit(random)
  })
}

function smuggleEdit(random: Random): Edit {
  const name = random.pick(Object.keys(SMUGGLES))
  return { at: 'smuggle', name, number: random.below(1 << 20) }
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
  'x=1',
  '=',
  '&&',
  '__proto__=1',
  'constructor',
  '%',
  '%zz=1',
  'limit=%80',
  'a=%00',
  '+=+',
  'onBehalfOf=1',
  'onBehalfOf=-1',
  'onBehalfOf=1&onBehalfOf=2',
  'limit=1&limit=2',
  'x[]=1',
  'limit=NaN',
  'limit=1e3',
  'limit=-0',
  'page=0',
  'page=9007199254740993',
  '?',
  '#',
  'a=b=c',
]

/** Percent-encodes as a client does; a lone surrogate becomes its raw bytes. */
function encoded(value: Json): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return LONE_SURROGATE.test(text) ? '%ED%A0%80' : encodeURIComponent(text)
}

/** The share of changed fields that keep a valid text, with spaces around it. */
const PADDED = 0.3
/** Lengths at which texts and buffers have their bounds. */
const LENGTHS = [128, 512, 1024, 4096, 16_384, 32_768, 40_000, 60_000]

/** Changes, drops or adds one field at any depth. */
function bodyEdit(schema: Keywords, random: Random): Edit {
  if (random.chance(0.1)) return { at: 'whole', value: random.pick(nearMisses(schema)) }
  const path: string[] = []
  let fields = keywordsOf(schema.properties)
  let name = random.pick(Object.keys(fields))
  if ('order' in fields && random.chance(0.6)) name = 'order'
  for (;;) {
    if (name === undefined || random.chance(0.08)) name = random.pick(['x', '', ...ODD_KEYS])
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
      const own = random.chance(PADDED) ? drawn(field, name, random) : null
      const value = typeof own === 'string' ? spaced(own, random) : random.pick(missesOf(field))
      return { at: 'body', path, value }
    }
    fields = inner
    name = random.pick(Object.keys(fields))
  }
}

/** The paths of texts that neither a pattern nor a list of words bounds. */
function freeTexts(schema: Keywords, path: readonly string[] = []): (readonly string[])[] {
  const { type, pattern, enum: words } = schema
  if (type === 'string') return pattern === undefined && words === undefined ? [path] : []
  if (type === 'array') return freeTexts(keywordsOf(schema.items), [...path, '0'])
  return Object.entries(keywordsOf(schema.properties)).flatMap(([name, field]) =>
    freeTexts(keywordsOf(field), [...path, name]),
  )
}

/** Gives one free text more blanks than any buffer holds; the rest stays as drawn. */
function blankEdits(route: FuzzRoute, random: Random): Edit[] {
  const places = route.body === null ? [] : freeTexts(keywordsOf(route.body))
  if (places.length === 0) return []
  const value = `x${' '.repeat(random.between(20_000, 60_000))}`
  return [{ at: 'body', path: random.pick(places), value }]
}

/** A text with spaces around it: short when trimmed, and untrimmed up to a whole body long. */
function spaced(text: string, random: Random): string {
  return padded(random, text, { charactersMax: random.pick(LENGTHS), blanksMax: 60_000 })
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
