import assert from 'node:assert/strict'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { signCall } from '../../server/auth/hmac-signature.ts'
import { at, textAt } from './json-path.ts'
import type { LiveExchange, Trader } from './live-exchange.ts'
import type { Reply } from './replies.ts'

// Programs that speak MCP to a live exchange, by the client of the protocol's own library.

/** The most messages of one request. */
export const AT_ONCE = 8

type Token = Pick<Trader, 'tokenId' | 'secret'>
type Send = (url: string | URL, init?: RequestInit) => Promise<Response>

/** How a program proves its caller: headers, or a way to send that signs each request. */
export interface Proof {
  readonly headers?: Readonly<Record<string, string>>
  readonly fetch?: Send
}

export function byBearer({ tokenId, secret }: Token): Proof {
  return { headers: { authorization: `Bearer ${tokenId}.${secret}` } }
}

/** Signs each request as a bot does. */
export function bySignature(live: LiveExchange, { tokenId, secret }: Token): Proof {
  return {
    fetch: (url, init = {}) => {
      const { pathname, search } = new URL(url)
      const timestamp = new Date(live.nowMs()).toISOString()
      const signature = signCall({
        secret: Buffer.from(secret, 'base64'),
        timestamp,
        method: init.method ?? 'GET',
        pathWithQuery: pathname + search,
        body: Buffer.from(typeof init.body === 'string' ? init.body : ''),
      })
      const headers = new Headers(init.headers)
      headers.set('svc-api-key', tokenId)
      headers.set('svc-timestamp', timestamp)
      headers.set('svc-signature', signature)
      return fetch(url, { ...init, headers })
    },
  }
}

/** What a tool answered. */
export interface Reported {
  readonly isError: boolean
  readonly text: string
  /** The text read as JSON. */
  readonly body: unknown
}

export interface Program {
  readonly client: Client
  readonly use: (name: string, given?: Readonly<Record<string, unknown>>) => Promise<Reported>
  readonly end: () => Promise<void>
}

export function reportedIn(result: unknown): Reported {
  assert.equal(at(result, 'content', 0, 'type'), 'text', JSON.stringify(result))
  assert.equal(at(result, 'content', 1), undefined)
  const text = textAt(result, 'content', 0, 'text')
  return { isError: at(result, 'isError') === true, text, body: JSON.parse(text) }
}

/** Opens a program and lets it greet the exchange; its `url` may have a query. */
export async function openProgram(
  live: LiveExchange,
  { headers = {}, fetch: send = fetch }: Proof,
  query = '',
): Promise<Program> {
  const url = new URL(`http://127.0.0.1:${live.port}/mcp${query}`)
  const client = new Client({ name: 'outcomex-tests', version: '1.0.0' })
  const transport = new StreamableHTTPClientTransport(url, {
    requestInit: { headers },
    fetch: send,
  })
  await client.connect(transport)
  return {
    client,
    use: async (name, given = {}) =>
      reportedIn(await client.callTool({ name, arguments: { ...given } })),
    end: () => client.close(),
  }
}

/** One JSON-RPC message. */
export function message(method: string, params?: object, id: unknown = 1): object {
  return { jsonrpc: '2.0', id, method, ...(params === undefined ? {} : { params }) }
}

/** A message without an id. */
export function notification(method: string, params: object): object {
  return { jsonrpc: '2.0', method, params }
}

export function toolCall(name: string, given: object = {}, id: unknown = 1): object {
  return message('tools/call', { name, arguments: given }, id)
}

/** Sends a body to POST /mcp as it is. */
export function say(
  live: LiveExchange,
  { headers = {} }: Proof,
  body: unknown,
  more: Readonly<Record<string, string>> = {},
): Promise<Reply> {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const all = { 'content-type': 'application/json', ...headers, ...more }
  return live.send('POST', '/mcp', { headers: all, body: text })
}
