// Messages between main and the thread of the Model Context Protocol. The thread runs no tools: it
// sends them to main and waits for the results.

/** A tool as a client sees it. */
export interface ShownTool {
  readonly name: string
  readonly description: string
  readonly inputSchema: { readonly type: 'object' }
  readonly annotations: Readonly<Record<string, boolean>>
}

export interface ToolResult {
  readonly content: { readonly type: 'text'; readonly text: string }[]
  readonly isError?: true
}

export interface McpThreadData {
  /** The version of the exchange. */
  readonly version: string
  readonly tools: readonly ShownTool[]
}

export type McpRequest =
  | {
      readonly kind: 'ask'
      readonly id: number
      /** One JSON-RPC message or a list of them. */
      readonly payload: unknown
      /** The value of the header `mcp-protocol-version`; '' without it. */
      readonly protocolVersion: string
    }
  | { readonly kind: 'used'; readonly id: number; readonly result: ToolResult | null }

export interface McpReply {
  readonly isOk: boolean
  readonly status: number
  readonly text: string
}

export type McpMessage =
  /** The protocol versions that the library supports. */
  | { readonly kind: 'ready'; readonly versions: readonly string[] }
  | {
      readonly kind: 'use'
      readonly id: number
      readonly name: string
      readonly given: Readonly<Record<string, unknown>>
    }
  | { readonly kind: 'answer'; readonly id: number; readonly reply: McpReply }
  | { readonly kind: 'failed'; readonly id: number; readonly reason: string }
