// The tools as listed by `tools/list`. The list is the same for all callers, so it is encoded once.

import { object } from '../../edge/http/schema/schema.ts'
import type { ShownTool } from './mcp-thread.ts'
import { inputFieldsOf } from './tool-input.ts'
import { TOOLS, type Tool } from './tools.ts'

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
