import assert from 'node:assert/strict'
import { type LiveExchange, startLive, type Trader } from './live-exchange.ts'
import { type LiveMarket, openMarket } from './live-orders.ts'
import type { SocketClient } from './socket-client.ts'

// The scene of the frame tests: an exchange that mines at once, a market and two funded accounts.

const FUNDS_RAW = 10_000_000_000
const BLOCK_MS = '20'

export async function startDesk(): Promise<{
  live: LiveExchange
  rain: LiveMarket
  alice: Trader
  bob: Trader
}> {
  const live = await startLive({ flags: ['--block-ms', BLOCK_MS] })
  const rain = await openMarket(live, 'rain')
  const alice = await live.trader(FUNDS_RAW)
  const bob = await live.trader(FUNDS_RAW)
  return { live, rain, alice, bob }
}

/** Closes the clients, so that no socket of a test is left for the next test. */
export async function closeAll(live: LiveExchange, clients: SocketClient[]): Promise<void> {
  for (const client of clients.splice(0)) client.close()
  while (live.sockets.openCount > 0) await new Promise(setImmediate)
  assert.equal(live.sockets.heldBytes, 0)
}
