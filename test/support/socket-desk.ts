import assert from 'node:assert/strict'
import type { LiveExchange } from './live-exchange.ts'
import type { SocketClient } from './socket-client.ts'

/** Closes the clients, so that no socket of a test is left for the next test. */
export async function closeAll(live: LiveExchange, clients: SocketClient[]): Promise<void> {
  for (const client of clients.splice(0)) client.close()
  while (live.sockets.openCount > 0) await new Promise(setImmediate)
  assert.equal(live.sockets.heldBytes, 0)
}
