import { parentPort, workerData } from 'node:worker_threads'
import { assert } from '../../../engine/domain/assert.ts'
import type { McpMessage, McpRequest, McpThreadData, ToolResult } from './mcp-thread.ts'
import { answered, VERSIONS } from './protocol.ts'

// Runs the protocol for main. The tools of one request run one after another, so a request waits
// for at most one result.

assert(parentPort !== null, 'the protocol runs in its own thread')
const port = parentPort
const { version, tools }: McpThreadData = workerData
const waiting = new Map<number, (result: ToolResult | null) => void>()

function say(message: McpMessage): void {
  port.postMessage(message)
}

async function take({ id, payload, protocolVersion }: McpRequest & { kind: 'ask' }): Promise<void> {
  try {
    const response = await answered({
      payload,
      protocolVersion,
      version,
      tools,
      use: (name, given) => {
        const result = new Promise<ToolResult | null>((resolve) => waiting.set(id, resolve))
        say({ kind: 'use', id, name, given })
        return result
      },
    })
    const { ok: isOk, status } = response
    say({ kind: 'answer', id, reply: { isOk, status, text: await response.text() } })
  } catch (error) {
    say({ kind: 'failed', id, reason: error instanceof Error ? error.message : String(error) })
  }
}

port.on('message', (request: McpRequest) => {
  if (request.kind === 'ask') {
    void take(request)
    return
  }
  const resolve = waiting.get(request.id)
  waiting.delete(request.id)
  resolve?.(request.result)
})
say({ kind: 'ready', versions: VERSIONS })
