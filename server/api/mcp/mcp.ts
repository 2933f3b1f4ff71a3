// The exchange as a Model Context Protocol server. A tool runs the route of its name through the
// checks of that route, so it has exactly the permissions of its caller there.

import { assert } from '../../../engine/domain/assert.ts'
import { type Auth, eitherOf, hmac, identity, session } from '../../auth/auth-scheme.ts'
import { bytes, JSON_TYPE } from '../../edge/http/reply.ts'
import { type CallWithin, route } from '../../edge/http/route.ts'
import { firstShown, integer, means, oneOf, text } from '../../edge/http/schema/scalars.ts'
import {
  type Infer,
  list,
  object,
  openObject,
  optional,
  schemaOf,
} from '../../edge/http/schema/schema.ts'
import { type Caller, header } from '../../messages/call.ts'
import { Joined, type Part } from '../../messages/payload.ts'
import { invalid, Refusal, refuse } from '../../messages/refusal.ts'
import type { ToolResult } from './mcp-thread.ts'
import type { McpServices } from './services.ts'
import { type Client, requestOf, shownTools, TOOLS } from './tools.ts'

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
