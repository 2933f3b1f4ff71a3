import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exchange } from '../../../support/exchange.ts'
import { at } from '../../../support/json-path.ts'
import type { Trader } from '../../../support/live-exchange.ts'
import type { LiveMarket } from '../../../support/live-orders.ts'
import { accepted, codeOf, listAt } from '../../../support/replies.ts'
import { handshakeOf, SocketClient } from '../../../support/socket-client.ts'

// Orders under the slug of a group: they are those of its children, never an empty success.

const SHARE = 1_000_000
const { live } = await exchange()

await live.openGroupAndPool()
const reds = await live.marketOf('cup-reds')
const blues = await live.marketOf('cup-blues')
const rain = await live.openMarket('rain')
const alice = await live.trader(1000 * SHARE)
const bob = await live.trader(1000 * SHARE)

function rest(trader: Trader, market: LiveMarket, ticks = 200): Promise<string> {
  return live.ordered(trader, market, { ticks, sizeRaw: SHARE })
}

const ordersIn = async (trader: Trader, slug: string, query = '') => {
  const reply = await accepted(live.call(trader, 'GET', `/markets/${slug}/user-orders${query}`))
  return listAt(reply)
}
const idsOf = (orders: readonly unknown[]) => orders.map((each) => at(each, 'id'))

test('user-orders of a group are those of its children, newest first', async () => {
  const ids = [await rest(alice, reds), await rest(alice, blues), await rest(alice, reds, 300)]
  await rest(alice, rain)
  await rest(bob, reds)
  const shown = await ordersIn(alice, 'cup')
  assert.deepEqual(idsOf(shown), [...ids].reverse())
  const marketIds = [reds, blues, reds].map(
    ({ slug }) => live.exchange.pipeline.published.bySlug(slug)?.market.marketId,
  )
  assert.deepEqual(
    shown.map((each) => at(each, 'marketId')),
    marketIds,
  )
  assert.deepEqual(
    shown.map((each) => at(each, 'token')),
    [reds, blues, reds].map(({ tokens }) => tokens[0]),
  )
  assert.deepEqual(idsOf(await ordersIn(alice, 'cup', '?limit=2')), [...ids].reverse().slice(0, 2))
  assert.deepEqual(await ordersIn(alice, 'cup', '?statuses=CANCELED'), [])
})

test('a cancel of all orders in a group cancels those of its children, and no others', async () => {
  const ids = idsOf(await ordersIn(alice, 'cup'))
  const reply = await accepted(live.call(alice, 'DELETE', '/orders/all/cup'))
  assert.deepEqual(new Set(listAt(reply, 'canceled')), new Set(ids))
  assert.deepEqual(await ordersIn(alice, 'cup'), [])
  const canceled = await ordersIn(alice, 'cup', '?statuses=CANCELED')
  assert.deepEqual(idsOf(canceled), ids)
  assert.equal((await ordersIn(alice, 'rain')).length, 1, 'other markets keep theirs')
  assert.equal((await ordersIn(bob, 'cup')).length, 1, 'and others theirs')
  const unknown = await live.call(alice, 'DELETE', '/orders/all/no-cup')
  assert.equal(codeOf(unknown), 'MARKET_NOT_FOUND')
})

test('positions of a group are those of its children on the sockets, too', async () => {
  const client = await SocketClient.open(live.port, { headers: handshakeOf(bob, live.nowMs()) })
  client.socket.emit('subscribe_positions', { marketSlugs: ['cup'] })
  const frames = await client.take('positions', 2)
  assert.deepEqual(frames.map((each) => at(each, 'marketSlug')).sort(), ['cup-blues', 'cup-reds'])
  const leave = { channel: 'subscribe_positions', marketSlugs: ['cup'] }
  assert.deepEqual(await client.socket.timeout(5000).emitWithAck('unsubscribe', leave), {})
  await live.place(alice, reds, { outcome: 1, ticks: 800, sizeRaw: SHARE })
  await live.exchange.pipeline.whenIdle()
  assert.deepEqual(await client.socket.timeout(5000).emitWithAck('unsubscribe', leave), {})
  assert.equal(client.of('positions').length, 2)
  client.close()
})
