// The only importer of the MCP library, loaded in its own thread (mcp.worker.ts). Invariants: no
// state is kept between requests. The tools of one request run one after another, in the order of
// the request. A fault of a tool fails the whole request and is never a reply.

import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import * as web from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import {
  CallToolRequestSchema,
  type CallToolResult,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/sdk/types.js'
import type { ShownTool, ToolResult } from './mcp-thread.ts'

const INSTRUCTIONS =
  'Tools of a prediction-market exchange. search_markets finds the slug of a market. The ' +
  'field code of a refused call gives the reason.'

/** The library requires both, but the reply is always JSON, so callers may accept only JSON. */
const HEADERS = {
  accept: 'application/json, text/event-stream',
  'content-type': 'application/json',
}
/** Only the method and the headers of this request are read. */
const OWN_URL = 'http://127.0.0.1/mcp'

export const VERSIONS: readonly string[] = SUPPORTED_PROTOCOL_VERSIONS

/** The library checks forms that a server requests from a user with it. This server has none. */
const NO_VALIDATOR = {
  getValidator: () => {
    throw new TypeError('this server requests nothing from its clients')
  },
}

export interface Requested {
  /** One JSON-RPC message or a list of them. */
  readonly payload: unknown
  /** The value of the header `mcp-protocol-version`; '' without it. */
  readonly protocolVersion: string
  /** The version of the exchange. */
  readonly version: string
  readonly tools: readonly ShownTool[]
  /** Runs one tool; null when it failed, so that no later tool runs. */
  readonly use: (
    name: string,
    given: Readonly<Record<string, unknown>>,
  ) => Promise<ToolResult | null>
}

/** Answers one request as a stateless server. */
export function answered(requested: Requested): Promise<Response> {
  const { payload, protocolVersion, version, tools, use } = requested
  const server = new Server(
    { name: 'outcomex', version },
    {
      capabilities: { tools: {} },
      instructions: INSTRUCTIONS,
      jsonSchemaValidator: NO_VALIDATOR,
    },
  )
  const transport = new web.WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  const headers = new Headers(HEADERS)
  if (protocolVersion !== '') headers.set('mcp-protocol-version', protocolVersion)
  const request = new Request(OWN_URL, { method: 'POST', headers })
  return new Promise((resolve, reject) => {
    let last: Promise<unknown> = Promise.resolve()
    server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [...tools] }))
    server.setRequestHandler(CallToolRequestSchema, ({ params }) => {
      const { name, arguments: given = {} } = params
      if (!tools.some((tool) => tool.name === name)) {
        throw new McpError(ErrorCode.InvalidParams, `Unknown tool: ${name}`)
      }
      const result = last.then(() => used(use, name, given))
      last = result
      // Otherwise the library would turn it into a protocol error.
      result.catch(reject)
      return result
    })
    server
      .connect(transport)
      .then(() => transport.handleRequest(request, { parsedBody: payload }))
      .then(resolve, reject)
  })
}

async function used(
  use: Requested['use'],
  name: string,
  given: Readonly<Record<string, unknown>>,
): Promise<CallToolResult> {
  const result = await use(name, given)
  if (result === null) throw new Error(`the tool ${name} failed`)
  const { content, isError } = result
  return { content, ...(isError === undefined ? {} : { isError }) }
}
