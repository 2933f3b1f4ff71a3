// The OpenAPI 3.1 document, made from the routes alone.
import { REJECT, type RejectName, SCOPE_REJECT } from '../../engine/domain/reject-precedence.ts'
import type { Scheme } from './access/auth-scheme.ts'
import { isTrading } from './access/regions.ts'
import { invalid, refusalStatus, refuse } from './refusal.ts'
import type { Route } from './route.ts'
import { pathNames } from './router.ts'
import { object, type Schema } from './schema/schema.ts'

export interface Described {
  readonly title: string
  readonly version: string
  readonly headerPrefix: string
  readonly cookieName: string
  /** The address of the exchange; undefined when none was configured. */
  readonly publicUrl?: string | undefined
}

type Node = Readonly<Record<string, unknown>>
/** The part of a route that the document reads. */
type Documented = Omit<Route<never>, 'run'>

export function openApi(routes: readonly Documented[], described: Described): Node {
  const { publicUrl } = described
  const paths: Record<string, Record<string, Node>> = {}
  for (const route of routes) {
    const path = route.path.replaceAll(/:([A-Za-z0-9_]+)/g, '{$1}')
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route) }
  }
  return {
    openapi: '3.1.0',
    info: { title: described.title, version: described.version },
    ...(publicUrl === undefined ? {} : { servers: [{ url: publicUrl }] }),
    paths,
    components: {
      securitySchemes: securitySchemes(described),
      schemas: { Refusal: REFUSAL, ValidationRefusal: VALIDATION_REFUSAL },
    },
  }
}

function securitySchemes({
  headerPrefix: prefix,
  cookieName,
}: Described): Readonly<Record<Scheme, Node>> {
  const signing =
    `Token id; with ${prefix}timestamp (ISO 8601, within 30 seconds) and ${prefix}signature: ` +
    'Base64 HMAC-SHA256, under the Base64-decoded secret, of timestamp, method, path with query ' +
    'and body, ' +
    'joined by newlines.'
  return {
    hmac: { type: 'apiKey', in: 'header', name: `${prefix}api-key`, description: signing },
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
    identity: {
      type: 'apiKey',
      in: 'header',
      name: 'identity',
      description: 'Bearer and an identity token.',
    },
    admin: { type: 'http', scheme: 'bearer', description: 'The token of an operator.' },
  }
}

const ERROR = { type: 'string', description: 'The HTTP name of the status.' }

const REFUSAL: Node = {
  type: 'object',
  required: ['message', 'error', 'statusCode', 'code'],
  properties: {
    message: { type: 'string', description: 'Why the call was refused, in a sentence.' },
    error: ERROR,
    statusCode: { type: 'integer', description: 'The HTTP status of this reply.' },
    code: {
      type: 'string',
      description: 'The code for programs; it stays the same when sentences change.',
    },
  },
}

const ISSUE: Node = {
  type: 'object',
  required: ['field', 'message'],
  properties: {
    field: {
      type: 'string',
      description: 'The path of the field, with dots between names; body for the whole body.',
    },
    message: { type: 'string', description: 'What is wrong with the field.' },
  },
}

const VALIDATION_REFUSAL: Node = {
  type: 'object',
  required: ['message', 'error', 'statusCode', 'code'],
  properties: {
    message: { type: 'array', items: ISSUE, description: 'Each thing that is wrong, by field.' },
    error: ERROR,
    statusCode: { const: 400, description: 'The HTTP status of this reply, always 400.' },
    code: { const: 'VALIDATION', description: 'The code for programs, always VALIDATION.' },
  },
}

function operation(route: Documented): Node {
  const { accepts, welcomes } = route.auth
  const security = (welcomes ?? accepts).map(({ scheme }) => ({ [scheme]: [] }))
  const scopes = accepts.flatMap(({ scheme, scopes, role }) => [
    ...(scopes.length > 0 ? [`${scheme} needs scope ${scopes.join(', ')}.`] : []),
    ...(role === undefined ? [] : [`${scheme} needs role ${role}.`]),
  ])
  const body = route.body === null ? {} : { requestBody: requestBody(route, route.body) }
  return {
    operationId: operationId(route),
    summary: route.about,
    description: [route.about, ...scopes, `Rate lane: ${route.lane}.`].join(' '),
    tags: [route.path.split('/')[1] || 'console'],
    // An empty requirement says that a call may come without a proof.
    security: welcomes === undefined ? security : [{}, ...security],
    parameters: parameters(route),
    ...body,
    responses: responses(route),
  }
}

function operationId(route: Documented): string {
  const words = route.path.split(/[/:.-]/).filter((word) => word !== '')
  return [route.method.toLowerCase(), ...words].join('_')
}

function requestBody(route: Documented, schema: Schema): Node {
  const { body } = route.example
  const example = body === undefined ? {} : { example: body }
  return { required: true, content: { 'application/json': { schema, ...example } } }
}

function parameters(route: Documented): Node[] {
  const examples = { ...record(route.example.params), ...record(route.example.query) }
  const one = (name: string, place: string, schema: Schema, required: boolean): Node => ({
    name,
    in: place,
    required,
    description: record(schema).description,
    schema,
    ...(Object.hasOwn(examples, name) ? { example: examples[name] } : {}),
  })
  const inPath = pathNames(route.path).map((name) => one(name, 'path', route.params[name], true))
  const needed = new Set(object(route.query).required)
  const inQuery = Object.entries(route.query).map(([name, schema]) =>
    one(name, 'query', schema, needed.has(name) && !('default' in schema)),
  )
  const inHeader = Object.entries(route.headers).map(([name, description]) => ({
    name,
    in: 'header',
    required: false,
    description,
    schema: { type: 'string' },
  }))
  return [...inPath, ...inQuery, ...inHeader, ...(isTagged(route) ? [IF_NONE_MATCH] : [])]
}

const IF_NONE_MATCH: Node = {
  name: 'if-none-match',
  in: 'header',
  required: false,
  description: 'ETags of copies that the caller has; a current one gives 304 without a body.',
  schema: { type: 'string' },
}

const NOT_MODIFIED = 'The copy that if-none-match names is current; there is no body.'

/** Whether replies of the route may have an ETag. */
function isTagged({ cache, sharedCache }: Documented): boolean {
  return cache.isPublic || sharedCache !== null
}

/** How long replies of the route may be kept: most have one text. */
function keptTexts({ cache, sharedCache }: Documented): readonly string[] {
  return sharedCache === null ? [cache.replies] : [cache.replies, sharedCache.replies]
}

/** Headers that say how long a reply may be kept. */
function cacheHeaders(texts: readonly string[], isTagged: boolean): Node {
  const schema = texts.length === 1 ? { const: texts[0] } : { enum: texts }
  const control = { description: 'How long the reply may be kept.', schema }
  if (!isTagged) return { 'Cache-Control': control }
  const tag = { description: 'Names these bytes in their coding.', schema: { type: 'string' } }
  const vary = { description: 'The coding is one that the caller accepts.', schema: TEXT }
  return { 'Cache-Control': control, ETag: tag, Vary: vary }
}

const TEXT = { type: 'string' } as const

function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

/** Refusals that the gateway itself gives, by what the route asks for. */
function ownRejects(route: Documented): RejectName[] {
  const always: RejectName[] = ['OVERLOADED', 'NOT_READY', 'RATE_LIMITED', 'VALIDATION']
  const { accepts, welcomes = [] } = route.auth
  const accepted = new Set(accepts.map(({ scheme }) => scheme))
  const welcomed = new Set(welcomes.map(({ scheme }) => scheme))
  const body: RejectName[] = ['BODY_TOO_LARGE', 'BODY_ENCODED', 'BODY_TIMEOUT', 'BODY_MALFORMED']
  const hmac: RejectName[] = ['API_KEY_INVALID', 'TIMESTAMP_INVALID', 'HMAC_INVALID']
  const cookie: RejectName[] = ['ORIGIN_NOT_ALLOWED', 'JSON_CONTENT_TYPE']
  const identity: RejectName[] = ['IDENTITY_INVALID', 'FORBIDDEN']
  // A call for a sub-account needs a scope that the route itself does not ask for.
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

function responses(route: Documented): Readonly<Record<string, Node>> {
  const { cache, sharedCache, example } = route
  const { reply } = example
  const media = { schema: route.reply, example: reply }
  const all: Record<string, Node> = {}
  for (const [status, description] of Object.entries(route.means)) {
    const bodies = Object.fromEntries(route.produces.map((type) => [type, media]))
    const content = status === '204' ? {} : { content: bodies }
    const headers = cacheHeaders(keptTexts(route), isTagged(route) && status === '200')
    all[status] = { description, headers, ...content }
  }
  if (isTagged(route)) {
    const kept = sharedCache === null ? cache : sharedCache
    all[304] = { description: NOT_MODIFIED, headers: cacheHeaders([kept.replies], true) }
  }
  const byStatus = new Map<number, Set<RejectName>>()
  for (const name of [...ownRejects(route), ...route.rejects]) {
    const names = byStatus.get(refusalStatus(name)) ?? new Set()
    byStatus.set(refusalStatus(name), names.add(name))
  }
  for (const [status, names] of byStatus) all[status] = refusals(status, [...names])
  for (const [name, text] of cache.refusals) {
    const status = refusalStatus(name)
    all[status] = { ...all[status], headers: cacheHeaders([text], false) }
  }
  return all
}

const ISSUE_EXAMPLE = invalid({ field: 'limit', message: 'must be at least 1' })

function refusals(status: number, names: readonly RejectName[]): Node {
  const plain = { $ref: '#/components/schemas/Refusal' }
  const validation = { $ref: '#/components/schemas/ValidationRefusal' }
  const schema = names.includes('VALIDATION') ? { anyOf: [plain, validation] } : plain
  const said = names.map((name) => {
    const refusal = name === 'VALIDATION' ? ISSUE_EXAMPLE : refuse(name)
    const value: { readonly code: string } = JSON.parse(refusal.body)
    return { name, summary: REJECT[name].sentence, value }
  })
  const examples = said.map(({ name, summary, value }) => [name, { summary, value }] as const)
  const lines = said.map(({ summary, value }) => `${value.code}: ${summary.replace(/[.]?$/, '.')}`)
  const isLater = status === 429 || status === 503
  const retry = {
    description: 'Seconds to wait before the call is sent again.',
    schema: { type: 'integer' },
  }
  return {
    description: lines.join('\n'),
    ...(isLater ? { headers: { 'Retry-After': retry } } : {}),
    content: { 'application/json': { schema, examples: Object.fromEntries(examples) } },
  }
}
