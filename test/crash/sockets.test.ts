import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { LIMITS } from '../../engine/domain/limits.ts'
import { newFolder } from '../support/data-folder.ts'
import { ExchangeClient, SHARE } from '../support/exchange-client.ts'
import { at } from '../support/json-path.ts'
import { compileProgram, ServerProcess } from '../support/server-process.ts'
import { handshakeOf, SocketClient } from '../support/socket-client.ts'
import { until } from '../support/until.ts'

await compileProgram()

const THREADS = ['--market-threads', '1']

/** A port that the system picked cannot be listened on again for a minute; a named port can. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  assert(address !== null && typeof address === 'object')
  server.close()
  return address.port
}

const idsOf = (client: SocketClient): number[] =>
  client
    .of('orderEvent')
    .map((frame) => at(frame, 'eventId'))
    .filter((id) => typeof id === 'number')

test('after SIGKILL a client reconnects by itself, and event ids go on rising', async () => {
  const dataDir = newFolder()
  const port = await freePort()
  const args = [...THREADS, '--port', String(port)]
  const first = await ServerProcess.start({ dataDir, args })
  const exchange = new ExchangeClient(first.baseUrl)
  const trader = await exchange.makeTrader('trader', 100 * SHARE)
  const market = await exchange.makeMarket('rain', false)
  const wanted = { isBuy: true, outcome: 'yes', ticks: 100, sizeRaw: SHARE, type: 'GTC' } as const
  // One handshake stays valid for long; the other expires before its client can come back.
  const join = async (nowMs: number) => {
    const headers = handshakeOf(trader, nowMs)
    return SocketClient.open(port, { headers, reconnection: true })
  }
  const signedMs = Date.now() - LIMITS.signatureSkewMs + 5000
  const aged = await join(signedMs)
  const fresh = await join(Date.now() + LIMITS.signatureSkewMs - 5000)
  for (const client of [aged, fresh]) {
    await client.take('authenticated', 1)
    client.socket.emit('subscribe_order_events')
    await client.take('system', 1)
  }
  await exchange.placed(trader, market, { ...wanted, salt: 1 })
  await exchange.placed(trader, market, { ...wanted, salt: 2 })
  await Promise.all([aged, fresh].map((client) => client.take('orderEvent', 2)))
  await first.kill()
  await fresh.until(() => fresh.ends.length > 0)
  aged.socket.disconnect()
  const second = await ServerProcess.start({ dataDir, args })
  try {
    await fresh.take('authenticated', 2)
    fresh.socket.emit('subscribe_order_events')
    await fresh.take('system', 2)
    await exchange.placed(trader, market, { ...wanted, salt: 3 })
    await fresh.take('orderEvent', 3)
    const ids = idsOf(fresh)
    assert.deepEqual(
      ids,
      [...new Set(ids)].sort((a, b) => a - b),
    )
    await until(() => Date.now() - signedMs > LIMITS.signatureSkewMs)
    aged.socket.connect()
    const [stale] = await aged.take('exception', 1)
    assert.equal(at(stale, 'code'), 'TIMESTAMP_INVALID')
    aged.socket.emit('subscribe_order_events')
    assert.equal(at((await aged.take('exception', 2))[1], 'code'), 'UNAUTHENTICATED')
    assert.equal(aged.of('orderEvent').length, 2)
  } finally {
    for (const client of [aged, fresh]) client.close()
    await second.stop()
  }
})
