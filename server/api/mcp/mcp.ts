// The exchange as a Model Context Protocol server. A tool runs the route of its name through the
// checks of that route, so it has exactly the permissions of its caller there.

import { assert } from '../../../engine/domain/assert.ts'
import type { ProfileId } from '../../../engine/domain/ids.ts'
import { LIMITS } from '../../../engine/domain/limits.ts'
import { type Auth, eitherOf, hmac, identity, session } from '../../auth/auth-scheme.ts'
import { signCall } from '../../auth/hmac-signature.ts'
import { nameNobody, nameTarget } from '../../auth/on-behalf.ts'
import { IDEMPOTENCY_KEY } from '../../edge/http/access/idempotency-key.ts'
import { bytes, JSON_TYPE } from '../../edge/http/reply.ts'
import { isRecord, readingOf } from '../../edge/http/request-text.ts'
import { type CallWithin, type Route, route, type Unchecked } from '../../edge/http/route.ts'
import { firstShown, integer, means, oneOf, text } from '../../edge/http/schema/scalars.ts'
import {
  type Fields,
  type Infer,
  list,
  object,
  openObject,
  optional,
  type Schema,
  schemaOf,
} from '../../edge/http/schema/schema.ts'
import { type Call, type Caller, header, NO_BYTES } from '../../messages/call.ts'
import { Joined, type Part } from '../../messages/payload.ts'
import { invalid, Refusal, refuse } from '../../messages/refusal.ts'
import { historicalPrice, marketTrades } from '../markets/market-history.ts'
import { activeMarkets, marketDetail, marketOrderbook, searchMarkets } from '../markets/markets.ts'
import { openOrders, orderById } from '../orders/order-status.ts'
import { cancelAll, cancelEverywhere, cancelOne, placeOrder } from '../orders/orders.ts'
import { portfolioBalance, portfolioPositions } from '../portfolio/positions.ts'
import type { ShownTool, ToolResult } from './mcp-thread.ts'
import type { McpServices } from './services.ts'

// The tools of POST /mcp. Each one is a route with another name. The route defines its parameters,
// its requirements and its refusals.

interface Tool {
  readonly name: string
  readonly route: Route<McpServices>
  /** Text for programs beyond the route's own description; '' for none. */
  readonly hint: string
}

const SIZES = 'Sizes are raw: 1 share is 1000000. Prices are between 0 and 1.'
const RAW = 'Amounts are raw: 1 share and 1 unit of collateral are 1000000 each.'
const SIDES =
  'A buy gives makerAmount of collateral for takerAmount of shares, a sell shares for collateral.'

function tool(name: string, route: Route<McpServices>, hint = ''): Tool {
  return { name, route, hint }
}

export const TOOLS: readonly Tool[] = [
  tool('search_markets', searchMarkets),
  tool('list_markets', activeMarkets),
  tool('get_market', marketDetail, 'Returns the YES and NO token ids that an order needs.'),
  tool('get_order_book', marketOrderbook, SIZES),
  tool('get_market_price_history', historicalPrice),
  tool('get_market_trades', marketTrades),
  tool('get_my_balance', portfolioBalance, RAW),
  tool('get_my_positions', portfolioPositions, RAW),
  tool('get_my_orders', openOrders, SIZES),
  tool('get_my_order', orderById, SIZES),
  tool('place_order', placeOrder, `${RAW} ${SIDES}`),
  tool('cancel_order', cancelOne, 'Pass exactly one of the two ids.'),
  tool('cancel_market_orders', cancelAll),
  tool('cancel_all_orders', cancelEverywhere),
]

// The arguments of a tool: the fields of its route's path, query and body, in one object.

type ServedRoute = Route<McpServices>

/** The caller of the tools of one request. */
export interface Client {
  readonly call: Call
  readonly caller: Caller
  /** The profile that the call is for: the caller's own, or a sub-account. */
  readonly owner: ProfileId
}

function isFields(value: unknown): value is Fields {
  return isRecord(value)
}

function bodyFieldsOf(body: Schema | null): Fields {
  const fields: unknown = body === null ? {} : Reflect.get(body, 'properties')
  return isFields(fields) ? fields : {}
}

/** Every field of a tool by name. A query field with a default may be absent. */
export function inputFieldsOf({ params, query, body }: ServedRoute): Fields {
  const inQuery = Object.entries(query).map(([name, schema]): [string, Schema] => {
    return [name, 'default' in schema ? optional(schema) : schema]
  })
  return { ...params, ...Object.fromEntries(inQuery), ...bodyFieldsOf(body) }
}

type Stated = Readonly<Record<string, unknown>>

/** The parts of a request, built from the arguments of a tool. */
interface Parts {
  readonly params: Stated
  readonly query: Stated
  readonly body: Stated
}

/**
 * Null for a field of the path or query means absent, as in bodies. A name that the route does not
 * have is put where it is refused.
 */
function partsOf(route: ServedRoute, payload: Stated): Parts {
  const { params, query, body } = route
  const placeOf = (name: string): keyof Parts => {
    if (Object.hasOwn(params, name)) return 'params'
    return body === null || Object.hasOwn(query, name) ? 'query' : 'body'
  }
  const all = Object.entries(payload)
  const at = (place: keyof Parts) => all.filter(([name]) => placeOf(name) === place)
  const given = (fields: typeof all) => fields.filter(([, value]) => value !== null)
  const defaults = [...readingOf(query).values()].flatMap(({ name, fallback }) => {
    return fallback === undefined ? [] : [[name, fallback] as const]
  })
  // `fromEntries` makes even `__proto__` an own field.
  return {
    params: Object.fromEntries(given(at('params'))),
    query: Object.fromEntries([...defaults, ...given(at('query'))]),
    body: Object.fromEntries(at('body')),
  }
}

/**
 * The headers of the outer call, with the sub-account that its query may name. A call of a public
 * route has no account. An idempotency key of the outer call applies to no order in it.
 */
function headersFor(
  { auth: { accepts, welcomes } }: ServedRoute,
  { call, caller, owner }: Client,
): Map<string, string> {
  const headers = new Map(call.headers)
  headers.delete(IDEMPOTENCY_KEY)
  if (accepts.length === 0 && welcomes === undefined) nameNobody(headers)
  else if (owner !== caller.profileId) nameTarget(headers, owner)
  return headers
}

/**
 * Signs a call as the holder of the caller's token would. An order is then verified in the same
 * way, however its caller was authenticated.
 */
function sign(
  call: Omit<Call, 'headers'> & { readonly headers: Map<string, string> },
  tokenId: string,
  { auth, settings, clock }: McpServices,
): Refusal | null {
  const token = auth.tokenById(tokenId)
  if (token === undefined) return refuse('TOKEN_REVOKED')
  const { method, target: pathWithQuery, body, headers } = call
  const timestamp = new Date(clock()).toISOString()
  const signature = signCall({ secret: token.secret, timestamp, method, pathWithQuery, body })
  const [prefix] = settings.headerPrefixes
  headers.set(`${prefix}api-key`, tokenId)
  headers.set(`${prefix}timestamp`, timestamp)
  headers.set(`${prefix}signature`, signature)
  return null
}

/** The request for the arguments of a tool, or the refusal. */
export function requestOf(
  route: ServedRoute,
  payload: Stated,
  client: Client,
  services: McpServices,
): Unchecked | Refusal {
  const { call: outer, caller } = client
  const { params, query, body } = partsOf(route, payload)
  const bytes = route.raw ? Buffer.from(JSON.stringify(body)) : NO_BYTES
  // Numbers may get longer: 1e20 has 21 digits.
  if (bytes.length > LIMITS.bodyBytesMax) return refuse('BODY_TOO_LARGE')
  const nowMs = performance.now()
  const call = {
    method: route.method,
    path: route.path,
    target: route.path,
    query: '',
    headers: headersFor(route, client),
    body: bytes,
    from: '',
    addressKey: outer.addressKey,
    receivedMs: nowMs,
    readMs: nowMs,
    timesRow: 0,
    get isGone() {
      return outer.isGone === true
    },
  }
  // A caller without a token has no scopes either, so the checks of the route refuse it.
  const { tokenId } = caller
  const refusal = route.raw && tokenId !== null ? sign(call, tokenId, services) : null
  if (refusal !== null) return refusal
  return { params, query, body: route.body === null ? undefined : body, caller, call }
}

// The tools as listed by `tools/list`. The list is the same for all callers, so it is encoded once.

function shown({ name, route, hint }: Tool): ShownTool {
  const isRead = route.method === 'GET'
  return {
    name,
    description: hint === '' ? route.about : `${route.about} ${hint}`,
    inputSchema: { ...object(inputFieldsOf(route)), type: 'object' },
    annotations: { readOnlyHint: isRead, destructiveHint: !isRead, openWorldHint: false },
  }
}

let made: { readonly tools: readonly ShownTool[]; readonly result: Buffer } | null = null

/** The tools, and the result of `tools/list` as bytes; made at the first call of `POST /mcp`. */
export function shownTools(): NonNullable<typeof made> {
  if (made === null) {
    // The thread gets plain values, because the other parts of a schema cannot be sent to threads.
    const result = JSON.stringify({ tools: TOOLS.map(shown) })
    made = { tools: JSON.parse(result).tools, result: Buffer.from(result) }
  }
  return made
}

const MESSAGES_MAX = 8
const ID_CHARACTERS_MAX = 128
const METHOD_CHARACTERS_MAX = 64
const VERSION_CHARACTERS_MAX = 32
const ACCEPTED = 202
const VERSION_HEADER = 'mcp-protocol-version'
/** Most programs send fixed headers and sign nothing. No other route accepts the secret itself. */
const BEARER: Auth<Caller> = { ...hmac(), accepts: [{ scheme: 'bearer', scopes: [] }] }

const messageId = () => firstShown(text(ID_CHARACTERS_MAX), integer())

const message = () =>
  object({
    jsonrpc: means(oneOf('2.0'), 'Version of JSON-RPC, always 2.0.'),
    id: means(optional(messageId()), 'Id of the request; absent for a notification.'),
    method: means(text(METHOD_CHARACTERS_MAX, 1), 'Method, such as initialize or tools/call.'),
    params: means(optional(openObject({})), 'Named parameters of the method.'),
  })

const answer = () =>
  openObject({
    jsonrpc: means(oneOf('2.0'), 'Version of JSON-RPC, always 2.0.'),
    id: means(messageId(), 'Id of the request.'),
    result: means(
      optional(openObject({})),
      'Result of the request. The result of a tool has isError when the exchange refused the call.',
    ),
    error: means(optional(openObject({})), 'Protocol error, such as an unknown method or tool.'),
  })

type Message = Infer<ReturnType<typeof message>>

/** Only requests are answered. Notifications have no effect on a stateless server. */
function requestsIn(payload: Message | Message[]): Message | Message[] {
  if (!Array.isArray(payload)) return payload
  const requests = payload.filter(({ id }) => id !== undefined)
  return requests.length === 0 ? payload : requests
}

/** The library answers requests by id, so the ids in a list must be unique. */
function repeatsId(payload: Message | Message[]): boolean {
  if (!Array.isArray(payload)) return false
  const ids = payload.flatMap(({ id }) => (id === undefined ? [] : [id]))
  return new Set(ids).size < ids.length
}

function resultOf(reported: Refusal | Uint8Array | string): ToolResult {
  const isError = reported instanceof Refusal
  const body = isError ? reported.innerBody : reported
  const payload = typeof body === 'string' ? body : Buffer.from(body).toString('utf8')
  return { content: [{ type: 'text', text: payload }], ...(isError ? { isError } : {}) }
}

/** The requests, if all of them are tools/list; otherwise null. */
function listsIn(requests: readonly Message[]): Message[] | null {
  const isList = ({ id, method, params = {} }: Message) =>
    id !== undefined && method === 'tools/list' && Object.keys(params).length === 0
  return requests.length > 0 && requests.every(isList) ? [...requests] : null
}

const LIST_HEAD = '{"result":'

/** The encoded list of tools, as the answer to each of these requests. */
function listed(lists: readonly Message[]): Joined {
  const parts: Part[] = lists.flatMap(({ id }, at): Part[] => {
    const before = at === 0 ? '' : ','
    const tail = `,"jsonrpc":"2.0","id":${JSON.stringify(id)}}`
    return [before + LIST_HEAD, shownTools().result, tail]
  })
  return new Joined(lists.length === 1 ? parts : ['[', ...parts, ']'])
}

/** The error of a message that the library refuses. */
function problemIn(payload: string): string {
  const reported: { error?: { message?: unknown } } = JSON.parse(payload)
  return String(reported.error?.message ?? 'is not a valid protocol message')
}

export const mcp = route({
  method: 'POST',
  path: '/mcp',
  auth: eitherOf(hmac(), BEARER, session(), identity()).forSubAccounts(),
  rateClass: 'private',
  about: "Runs the exchange's tools for programs that use the Model Context Protocol.",
  headers: { [VERSION_HEADER]: 'Protocol version negotiated by initialize.' },
  body: firstShown(message(), list(message(), 1, MESSAGES_MAX)),
  reply: firstShown(answer(), list(answer()), schemaOf<null>({ type: 'null' })),
  means: 'The response to the request, or a list of responses to a list of requests.',
  others: { [ACCEPTED]: 'Only notifications were sent; there is no body.' },
  bodiless: [ACCEPTED],
  example: {
    body: {
      jsonrpc: '2.0',
      id: '1',
      method: 'tools/call',
      params: {
        name: 'get_market_price_history',
        arguments: { slug: 'rain-tomorrow', interval: '1d' },
      },
    },
    reply: { jsonrpc: '2.0', id: '1', result: { content: [{ type: 'text', text: '{}' }] } },
  },
  handle: async ({ body, caller, owner, call }, services: McpServices, within) => {
    if (repeatsId(body)) {
      return invalid({ field: 'id', message: 'must be unique among the requests' })
    }
    const payload = requestsIn(body)
    const requests = [payload].flat()
    call.charges?.messages(requests.length)
    const { mcp: thread } = services
    const protocolVersion = versionOf(header(call, VERSION_HEADER))
    const isDocumented = protocolVersion === '' || thread.versions?.has(protocolVersion) === true
    const lists = isDocumented ? listsIn(requests) : null
    if (lists !== null) return bytes(listed(lists))
    if (!thread.hasCapacity) return refuse('OVERLOADED')
    const client = { call, caller, owner }
    const {
      isOk,
      status,
      text: answers,
    } = await thread.request({
      payload,
      protocolVersion,
      use: (name, given) => used(name, given, client, { services, within }),
    })
    if (isOk) return bytes(answers, JSON_TYPE, status)
    return invalid({ field: 'body', message: problemIn(answers) })
  },
})

interface Exchange {
  readonly services: McpServices
  readonly within: CallWithin<McpServices>
}

const ROUTES = new Map(TOOLS.map(({ name, route: named }) => [name, named]))

async function used(
  name: string,
  given: Readonly<Record<string, unknown>>,
  client: Client,
  { services, within }: Exchange,
) {
  const named = ROUTES.get(name)
  assert(named !== undefined, 'the thread only runs the tools that it was given')
  const request = requestOf(named, given, client, services)
  if (!(request instanceof Refusal)) return resultOf(await within(named, request))
  // The token may have been revoked by a command that is not durable yet.
  await services.pipeline.durable()
  return resultOf(request)
}

/** A header may hold any bytes, but the library accepts only printable ones. */
function versionOf(payload: string): string {
  return payload.slice(0, VERSION_CHARACTERS_MAX).replaceAll(/[^\x20-\x7e]/g, '?')
}
