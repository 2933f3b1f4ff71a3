// The tools of POST /mcp. Each one is a route with another name. The route defines its parameters,
// its requirements and its refusals.

import type { ProfileId } from '../../../engine/domain/ids.ts'
import { LIMITS } from '../../../engine/domain/limits.ts'
import { signCall } from '../../auth/hmac-signature.ts'
import { nameNobody, nameTarget } from '../../auth/on-behalf.ts'
import { IDEMPOTENCY_KEY } from '../../edge/http/access/idempotency-key.ts'
import { isRecord, readingOf } from '../../edge/http/request-text.ts'
import type { Route, Unchecked } from '../../edge/http/route.ts'
import { type Fields, object, optional, type Schema } from '../../edge/http/schema/schema.ts'
import { type Call, type Caller, NO_BYTES } from '../../messages/call.ts'
import { type Refusal, refuse } from '../../messages/refusal.ts'
import { historicalPrice, marketTrades } from '../markets/market-history.ts'
import { activeMarkets, marketDetail, marketOrderbook } from '../markets/markets.ts'
import { searchMarkets } from '../markets/search.ts'
import { openOrders } from '../orders/open-orders.ts'
import { orderById } from '../orders/order-status.ts'
import { cancelAll, cancelEverywhere, cancelOne, placeOrder } from '../orders/orders.ts'
import { portfolioBalance, portfolioPositions } from '../portfolio/positions.ts'
import type { ShownTool } from './mcp-thread.ts'
import type { McpServices } from './services.ts'

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
 * Signs a call as the holder of the caller's token would. The intake threads then verify an order
 * in the same way, however its caller was authenticated.
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
