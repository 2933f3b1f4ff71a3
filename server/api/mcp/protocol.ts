// The only importer of the MCP library, which a thread of its own loads (mcp.worker.ts).
// Invariants: nothing is kept from one request to the next. The tools of one request run one after
// another, in the order of the request. A fault of a tool is a fault of the whole request, never a
// reply.

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
  'Tools of a prediction-market exchange. Each market has a slug, which search_markets finds. A ' +
  'refused call says why in the field code.'

/** The library wants both, though the reply is always JSON; so a caller may ask for JSON alone. */
const HEADERS = {
  accept: 'application/json, text/event-stream',
  'content-type': 'application/json',
}
/** Only method and headers of this request are read. */
const OWN_URL = 'http://127.0.0.1/mcp'

export const VERSIONS: readonly string[] = SUPPORTED_PROTOCOL_VERSIONS

/** The library checks forms that a server asks of a user with it; this server asks for none. */
const NO_VALIDATOR = {
  getValidator: () => {
    throw new TypeError('this server asks its clients for nothing')
  },
}

export interface Requested {
  /** One JSON-RPC message or a list of them. */
  readonly payload: unknown
  /** What the header `mcp-protocol-version` says; '' without it. */
  readonly protocolVersion: string
  /** The version of the exchange. */
  readonly version: string
  readonly tools: readonly ShownTool[]
  /** Runs one tool; null when it broke, so that no later tool runs. */
  readonly use: (
    name: string,
    given: Readonly<Record<string, unknown>>,
  ) => Promise<ToolResult | null>
}

/** Answers one request, in the way of a server that keeps no sessions. */
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
      // The library would make an error of the protocol of it.
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
  if (result === null) throw new Error(`the tool ${name} broke`)
  const { content, isError } = result
  return { content, ...(isError === undefined ? {} : { isError }) }
}
