import { type RejectName, SCOPE_REJECT } from '../../../engine/domain/reject-precedence.ts'
import type { Accepted, Scheme } from '../../auth/auth-scheme.ts'
import { refusalStatus } from '../../messages/refusal.ts'
import { isTrading } from './access/regions.ts'
import { Components, type Node, pascal } from './components.ts'
import { refusalChoice, refusalOf } from './refusal-schemas.ts'
import type { Route } from './route.ts'
import { pathNames } from './router.ts'
import { SHOWN } from './schema/scalars.ts'
import { object, type Schema } from './schema/schema.ts'

// The topics of the calls, each with a description; a call belongs to the first segment of its
// path.

const TAGS: Readonly<Record<string, string>> = {
  admin: 'Operations: markets, funds, profiles, modes, pages, matches and settlement.',
  amm: 'Trades with the pools of markets, and the approvals that they need.',
  assets: 'Files loaded by the browser pages.',
  'asyncapi.json': 'The channels and events of the sockets, as an AsyncAPI document.',
  auth: 'Sessions of wallets, and API tokens with their scopes.',
  categories: 'The topics of markets.',
  console: 'The trading page.',
  demo: 'Calls of the demo exchange only.',
  docs: 'The manuals and the documents as pages.',
  'exchange-info': 'Limits, contracts and formats that a client reads once.',
  feed: 'Activity of all profiles and of followed profiles.',
  fees: 'Taker fees by price.',
  health: 'Whether the process runs.',
  heartbeats: 'Cancels the orders of a client that falls silent.',
  leaderboard: 'Rankings by profit and volume.',
  maintenance: 'Current and scheduled trading restrictions.',
  'market-bookmarks': 'Markets and pages bookmarked by a profile.',
  'market-pages': 'Pages of markets, with their filters.',
  markets: 'Markets, groups and series: books, prices, trades and searches.',
  mcp: 'The tools of the exchange over the Model Context Protocol.',
  metrics: 'Metrics of the running exchange in Prometheus format.',
  navigation: 'The tree of the market pages.',
  'openapi.json': 'Every call, as an OpenAPI document.',
  operator: 'The operator page.',
  'order-groups': 'Orders that are canceled together once they fill too much.',
  orders: 'Orders: place, cancel, replace and read them.',
  parlay: 'Packs: quotes, purchases and offers over several markets.',
  portfolio: 'Balances, positions, history, deposits and withdrawals of a profile.',
  profiles: 'Profiles, sub-accounts of partners, and follows.',
  'property-keys': 'Properties by which market pages filter.',
  ready: 'Whether orders are accepted.',
  referral: 'Referrals and their rewards.',
  solvency: 'Obligations and assets of the exchange, with proofs for each owner.',
  sports: 'Matches and their scores.',
  'sports-markets': 'Orders in the markets of one match.',
  time: 'The clock of the server.',
  'user-stats': 'The accuracy of a profile.',
}

/** The tag of the calls below this path. */
function tagOf(path: string): string {
  return path.split('/')[1] || 'console'
}

/** The tags of these paths, by name. */
function tagsOf(paths: readonly string[]) {
  const names = [...new Set(paths.map(tagOf))].sort()
  return names.map((name) => ({ name, description: TAGS[name] ?? `Calls below /${name}.` }))
}

// The OpenAPI 3.1 document, generated from the routes alone.

interface Described {
  readonly title: string
  readonly version: string
  readonly headerPrefix: string
  readonly cookieName: string
  /** The public address of the exchange; undefined when none is configured. */
  readonly publicUrl?: string | undefined
}

/** The part of a route that the document uses. */
type Documented = Omit<Route<never>, 'run'>

const RULES =
  'Amounts are raw integers with six decimals unless a field states otherwise. An optional field ' +
  'of a request may also be null. An address is EIP-55 or all lower case. A time in a ' +
  'request ends with Z. A request with more than 12 KB of header lines gets 431 without a body.'

export function openApi(routes: readonly Documented[], described: Described): Node {
  const components = new Components()
  for (const route of routes) {
    components.name([route.reply, route.body])
    const { refusalFields } = route
    const plain = refusalsOf(route).filter((name) => refusalFields[name] === undefined)
    // A refusal with extra fields in one call is another schema; the plain one is named first.
    for (const name of plain) refusalOf(name, undefined, components)
  }
  const made = { components, routes: new Map(routes.map((each) => [nameOf(each), each])) }
  const paths: Record<string, Record<string, Node>> = {}
  for (const route of routes) {
    const path = route.path.replaceAll(/:([A-Za-z0-9_]+)/g, '{$1}')
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route, made) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: described.title,
      version: described.version,
      description: RULES,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: described.publicUrl ?? '/', description: 'This exchange.' }],
    tags: tagsOf(routes.map(({ path }) => path)),
    paths,
    components: {
      securitySchemes: securitySchemes(described),
      schemas: components.schemas,
      examples: components.examples,
      responses: components.responses,
    },
  }
}

interface Made {
  readonly components: Components
  /** The routes of the document by method and path. */
  readonly routes: ReadonlyMap<string, Documented>
}

/** HMAC credentials use three headers, which are three schemes: a call needs them all. */
const HMAC_PARTS = ['hmac', 'hmacTimestamp', 'hmacSignature']

function securitySchemes({
  headerPrefix: prefix,
  cookieName,
}: Described): Readonly<Record<Scheme | 'hmacTimestamp' | 'hmacSignature', Node>> {
  const key = (name: string, description: string) => {
    return { type: 'apiKey', in: 'header', name, description }
  }
  return {
    hmac: key(`${prefix}api-key`, 'The id of an API token; the other two headers authenticate it.'),
    hmacTimestamp: key(`${prefix}timestamp`, 'Signing time: ISO 8601, at most 30 seconds off.'),
    hmacSignature: key(
      `${prefix}signature`,
      'Base64 HMAC-SHA256, under the Base64-decoded secret, of timestamp, method, path with ' +
        'query and body, joined by newlines.',
    ),
    bearer: {
      type: 'http',
      scheme: 'bearer',
      description: 'The id of an API token, a dot, and its secret.',
    },
    session: {
      type: 'apiKey',
      in: 'cookie',
      name: cookieName,
      description: 'Set by POST /auth/login.',
    },
    identity: key('identity', '`Bearer`, a space and an identity token.'),
    admin: { type: 'http', scheme: 'bearer', description: 'The token of an operator.' },
  }
}

function requirement({ scheme }: Accepted): Node {
  const parts = scheme === 'hmac' ? HMAC_PARTS : [scheme]
  return Object.fromEntries(parts.map((part) => [part, []]))
}

function operation(route: Documented, made: Made): Node {
  const { accepts, welcomes } = route.auth
  const security = (welcomes ?? accepts).map(requirement)
  const scopes = accepts.flatMap(({ scheme, scopes, role }) => [
    ...(scopes.length > 0 ? [`${scheme} needs scope ${scopes.join(', ')}.`] : []),
    ...(role === undefined ? [] : [`${scheme} needs role ${role}.`]),
  ])
  const body = route.body === null ? {} : { requestBody: requestBody(route, route.body, made) }
  return {
    operationId: operationId(route),
    summary: route.about,
    description: [route.about, ...scopes, `Rate class: ${route.rateClass}.`].join(' '),
    tags: [tagOf(route.path)],
    // An empty requirement means that a call needs no credentials.
    security: welcomes === undefined ? security : [{}, ...security],
    parameters: parameters(route, made),
    ...body,
    responses: responses(route, made),
  }
}

function operationId(route: Documented): string {
  const words = route.path.split(/[/:.-]/).filter((word) => word !== '')
  return [route.method.toLowerCase(), ...words].join('_')
}

/** The form in which `links` of routes name a route. */
const nameOf = ({ method, path }: Pick<Documented, 'method' | 'path'>) => `${method} ${path}`

function requestBody(route: Documented, body: Schema, { components }: Made): Node {
  const { body: given } = route.example
  const example = given === undefined ? {} : { example: given }
  const schema = components.print(body, `${pascal(operationId(route))}Body`)
  // Without a required field, an absent body equals an empty object.
  const required = !('properties' in body) || 'required' in body || isChoice(body)
  return { required, content: { 'application/json': { schema, ...example } } }
}

function isChoice(body: Schema): boolean {
  return 'oneOf' in record(Reflect.get(body, SHOWN))
}

function parameters(route: Documented, { components }: Made): Node[] {
  const examples = { ...record(route.example.params), ...record(route.example.query) }
  const one = (name: string, place: string, schema: Schema, required: boolean): Node => ({
    name,
    in: place,
    required,
    description: record(schema).description,
    schema: components.print(schema, pascal(`${operationId(route)}_${name}`)),
    ...(Object.hasOwn(examples, name) ? { example: examples[name] } : {}),
  })
  const inPath = pathNames(route.path).map((name) => one(name, 'path', route.params[name], true))
  const needed = new Set(object(route.query).required)
  const inQuery = Object.entries(route.query).map(([name, schema]) =>
    one(name, 'query', schema, needed.has(name) && !('default' in schema)),
  )
  const inHeader = Object.entries(route.headers).map(([name, header]) => {
    const {
      about,
      schema = TEXT,
      isRequired = false,
    } = typeof header === 'string' ? { about: header } : header
    const shown = components.print(schema, '')
    return { name, in: 'header', required: isRequired, description: about, schema: shown }
  })
  return [...inPath, ...inQuery, ...inHeader, ...(isTagged(route) ? [IF_NONE_MATCH] : [])]
}

const IF_NONE_MATCH: Node = {
  name: 'if-none-match',
  in: 'header',
  required: false,
  description: 'ETags of cached copies; if one is current, the reply is 304 without a body.',
  schema: { type: 'string' },
}

const NOT_MODIFIED = 'The copy named by if-none-match is current; there is no body.'

/** Whether replies of the route may have an ETag. */
function isTagged({ cache, sharedCache }: Documented): boolean {
  return cache.isPublic || sharedCache !== null
}

/** The cache policies of the route's replies; most have one. */
function keptTexts({ cache, sharedCache }: Documented): readonly string[] {
  return sharedCache === null ? [cache.replies] : [cache.replies, sharedCache.replies]
}

/** Headers with the cache policy of a reply. */
function cacheHeaders(texts: readonly string[], isTagged: boolean): Node {
  const schema = texts.length === 1 ? { ...TEXT, const: texts[0] } : { ...TEXT, enum: texts }
  const control = { description: 'How long the reply may be cached.', schema }
  if (!isTagged) return { 'Cache-Control': control }
  const tag = { description: 'Identifies these bytes in this coding.', schema: { type: 'string' } }
  const vary = { description: 'The reply depends on these request headers.', schema: TEXT }
  return { 'Cache-Control': control, ETag: tag, Vary: vary }
}

const TEXT = { type: 'string' } as const

function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

/** Refusals of the gateway itself, given the features of the route. */
function ownRejects(route: Documented): RejectName[] {
  const always: RejectName[] = ['OVERLOADED', 'NOT_READY', 'RATE_LIMITED', 'VALIDATION']
  const { accepts, welcomes = [] } = route.auth
  const accepted = new Set(accepts.map(({ scheme }) => scheme))
  const welcomed = new Set(welcomes.map(({ scheme }) => scheme))
  const body: RejectName[] = ['BODY_TOO_LARGE', 'BODY_ENCODED', 'BODY_TIMEOUT', 'BODY_MALFORMED']
  const hmac: RejectName[] = ['API_KEY_INVALID', 'TIMESTAMP_INVALID', 'HMAC_INVALID']
  const cookie: RejectName[] = ['ORIGIN_NOT_ALLOWED', 'JSON_CONTENT_TYPE']
  const identity: RejectName[] = ['IDENTITY_INVALID', 'FORBIDDEN']
  // A call for a sub-account needs a scope that the route itself does not require.
  const isDelegable = route.rejects.includes('NOT_SUB_ACCOUNT')
  const scopes = new Set(accepts.flatMap((each) => each.scopes))
  const takesCookie = accepted.has('session') || welcomed.has('session')
  const needsProof = accepted.has('hmac') || accepted.has('identity')
  if (isDelegable) scopes.add('delegated_signing')
  return [
    ...always,
    ...(route.body === null ? [] : body),
    ...(needsProof ? (['UNAUTHENTICATED'] as const) : []),
    ...(accepted.has('hmac') || welcomed.has('hmac') ? hmac : []),
    ...(accepted.has('session') ? (['COOKIE_REQUIRED', 'SESSION_INVALID'] as const) : []),
    ...(takesCookie ? (['COOKIE_AMBIGUOUS'] as const) : []),
    ...(takesCookie && route.method !== 'GET' ? cookie : []),
    ...(accepted.has('identity') || welcomed.has('identity') ? identity : []),
    ...(accepted.has('admin') ? (['ADMIN_TOKEN_INVALID', 'ROLE_MISSING'] as const) : []),
    ...[...scopes].map((scope) => SCOPE_REJECT[scope]),
    ...(isTrading(route) ? (['REGION_BLOCKED'] as const) : []),
  ]
}

const refusalsOf = (route: Documented) => [...ownRejects(route), ...route.rejects]

function responses(route: Documented, made: Made): Readonly<Record<string, Node>> {
  const { cache, sharedCache, example } = route
  const { reply } = example
  const schema = made.components.print(route.reply, `${pascal(operationId(route))}Reply`)
  const media = { schema, example: reply }
  const links = linksOf(route, made)
  const all: Record<string, Node> = {}
  for (const [status, description] of Object.entries(route.means)) {
    const bodies = Object.fromEntries(route.produces.map((type) => [type, media]))
    const hasBody = status !== '204' && !route.bodiless.includes(Number(status))
    const content = hasBody ? { content: bodies } : {}
    const headers = cacheHeaders(keptTexts(route), isTagged(route) && status === '200')
    all[status] = { description, headers, ...content, ...(hasBody ? links : {}) }
  }
  if (isTagged(route)) {
    const { replies } = sharedCache ?? cache
    all[304] = { description: NOT_MODIFIED, headers: cacheHeaders([replies], true) }
  }
  const byStatus = new Map<number, Set<RejectName>>()
  for (const name of refusalsOf(route)) {
    const names = byStatus.get(refusalStatus(name)) ?? new Set()
    byStatus.set(refusalStatus(name), names.add(name))
  }
  const kept = new Map(cache.refusals.map(([name, text]) => [refusalStatus(name), text]))
  for (const [status, names] of byStatus) {
    const text = kept.get(status)
    const headers = text === undefined ? {} : { headers: cacheHeaders([text], false) }
    const { name, response } = refusals(status, [...names], route, made)
    all[status] = made.components.response(name, { ...response, ...headers })
  }
  return all
}

/** Calls that accept values of this reply; those missing from the document are left out. */
function linksOf({ links }: Documented, { routes }: Made): Node {
  const shown = Object.entries(links).flatMap(([name, { to, params, about }]) => {
    const target = routes.get(to)
    if (target === undefined) return []
    const values = Object.entries(params).map(([param, at]) => [param, `$response.body#${at}`])
    const parameters = Object.fromEntries(values)
    return [[name, { operationId: operationId(target), parameters, description: about }] as const]
  })
  return shown.length === 0 ? {} : { links: Object.fromEntries(shown) }
}

function refusals(
  status: number,
  names: readonly RejectName[],
  route: Documented,
  { components }: Made,
): { readonly name: string; readonly response: Node } {
  const shown = names.map((name) => refusalOf(name, route.refusalFields[name], components))
  const call = `${pascal(operationId(route))}${status}`
  const { name, schema } = refusalChoice(shown, call, components)
  const examples = shown.map(({ name, sentence, example }) => {
    return [name, components.example(name, { summary: sentence, value: example })] as const
  })
  const lines = shown.map(({ sentence, code }) => `${code}: ${sentence.replace(/[.]?$/, '.')}`)
  const isLater = status === 429 || status === 503
  const retry = {
    description: 'Seconds to wait before retrying.',
    schema: { type: 'integer' },
  }
  const response = {
    description: lines.join('\n'),
    ...(isLater ? { headers: { 'Retry-After': retry } } : {}),
    content: { 'application/json': { schema, examples: Object.fromEntries(examples) } },
  }
  return { name, response }
}
