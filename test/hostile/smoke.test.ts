import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startLive } from '../support/live-exchange.ts'
import { openMarket, place } from '../support/live-orders.ts'

test('works', async () => {
  const live = await startLive()
  const market = await openMarket(live, 'rain')
  const alice = await live.trader(100_000_000)
  const r = await place(live, alice, market)
  console.log(r.status, r.text, live.balances(alice), live.faults)
  assert.equal(r.status, 201)
  console.log(await live.gauge('outcomex_replies_waiting'))
  await live.stop()
})
