import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { exchange } from '../../../support/exchange.ts'
import { crowd } from '../../../support/full-queue.ts'
import { at } from '../../../support/json-path.ts'
import type { Trader } from '../../../support/live-exchange.ts'
import { accepted } from '../../../support/replies.ts'
import { SocketClient } from '../../../support/socket-client.ts'
import { closeAll } from '../../../support/socket-desk.ts'

// The channel `subscribe_live_offers` (rules §8.5).

const UNIT = 1_000_000
const OFFER = 'liveOffer'
const STAKED = { stakeMax: '10000000', payout: '30000000' }
const { live, maker } = await exchange({ traders: { maker: 10_000 * UNIT } })
const clients: SocketClient[] = []

const markets = [await live.openMarket('first'), await live.openMarket('second')]
for (const market of markets) {
  const wanted = { outcome: 1, ticks: 500, sizeRaw: 1000 * UNIT } as const
  await live.placed(maker, market, wanted)
}
const legs = markets.map(({ slug: marketSlug }) => ({ marketSlug, outcomeIndex: 0 }))
afterEach(async () => {
  await closeAll(live, clients)
})

async function join(): Promise<SocketClient> {
  const client = await SocketClient.open(live.port)
  clients.push(client)
  client.socket.emit('subscribe_live_offers')
  await client.take('system', 1)
  return client
}

async function offer(by: Trader = maker): Promise<unknown> {
  const made = await live.patientCall(by, 'POST', '/parlay/offers', { legs, ...STAKED })
  assert.equal(made.status, 201, made.text)
  return made.body
}

test('every reader receives an offer with the fields of the list', async () => {
  const readers = [await join(), await join()]
  const made = await offer()
  for (const reader of readers) assert.deepEqual(await reader.take(OFFER, 1), [made])
  const { body } = await live.read('/parlay/offers')
  assert.deepEqual(at(body, 'data', '0'), made)
})

test('offers come in their order, with the username of each maker', async () => {
  const named = await live.trader(10_000 * UNIT)
  const change = { username: 'maker_of_packs' }
  await accepted(live.patientCall(named, 'PATCH', '/profiles/me', change))
  const reader = await join()
  const made = [await offer(named), await offer(), await offer(named)]
  const reported = await reader.take(OFFER, 3)
  assert.deepEqual(reported, made)
  assert.deepEqual(
    reported.map((each) => at(each, 'creator', 'username')),
    ['maker_of_packs', null, 'maker_of_packs'],
  )
})

test('a refused offer is sent to nobody, nor is any offer to a reader that left', async () => {
  const reader = await join()
  const refused = await live.call(maker, 'POST', '/parlay/offers', {
    legs: legs.slice(1),
    ...STAKED,
  })
  assert.equal(refused.status, 422, refused.text)
  const first = await offer()
  assert.deepEqual(await reader.take(OFFER, 1), [first])
  await reader.socket.emitWithAck('unsubscribe', { channel: 'subscribe_live_offers' })
  const other = await join()
  const second = await offer()
  assert.deepEqual(await other.take(OFFER, 1), [second])
  assert.deepEqual(reader.of(OFFER), [first])
})

test('if the tables cannot be read for long, the readers receive an exception', async () => {
  const reader = await join()
  const stop = crowd(live.exchange.query)
  await offer()
  // The exchange goes on while the feed waits.
  assert.equal((await live.send('GET', '/time')).status, 200)
  const [stated] = await reader.take('exception', 1)
  await stop()
  assert.deepEqual(
    [at(stated, 'code'), at(stated, 'channel')],
    ['READ_TIMEOUT', 'subscribe_live_offers'],
  )
})
