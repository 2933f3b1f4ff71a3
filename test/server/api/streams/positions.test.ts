import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { exchange } from '../../../support/exchange.ts'
import { at } from '../../../support/json-path.ts'
import type { LiveMarket } from '../../../support/live-orders.ts'
import { handshakeOf, SocketClient } from '../../../support/socket-client.ts'

// The channel `subscribe_positions` (rules §12.8): a snapshot, then a frame for each change.

const SHARE = 1_000_000
const { live, rain, hail, alice, bob } = await exchange({
  markets: ['rain', 'hail'],
  fundsRaw: 10_000 * SHARE,
  traders: ['alice', 'bob'],
})

const client = await SocketClient.open(live.port, { headers: handshakeOf(bob, live.nowMs()) })
after(async () => {
  client.close()
})

/** Bob buys YES from Alice's NO. */
async function trade(market: LiveMarket, ticks: number, shares: number): Promise<void> {
  const sizeRaw = shares * SHARE
  const ask = await live.place(alice, market, { outcome: 1, ticks: 1000 - ticks, sizeRaw })
  const bid = await live.place(bob, market, { ticks, sizeRaw })
  assert.deepEqual([ask.status, bid.status], [201, 201], bid.text)
}

const subscribe = (payload: unknown) => client.socket.emit('subscribe_positions', payload)

test('each named market first gives a snapshot, without a time', async () => {
  await trade(rain, 450, 100)
  subscribe({ marketSlugs: ['rain', 'hail'] })
  const [first, second] = await client.take('positions', 2)
  assert.deepEqual(first, {
    type: 'CLOB',
    account: bob.account,
    marketSlug: 'rain',
    positions: [
      {
        tokenId: rain.tokens[0],
        ctfBalance: '100000000',
        averageFillPrice: '450000',
        costBasis: '45000000',
        // The book is empty, so the mark is the last trade.
        marketValue: '45000000',
        marketId: 1,
      },
    ],
    tokenIds: rain.tokens,
  })
  assert.deepEqual(at(second, 'marketSlug'), 'hail')
  assert.deepEqual(at(second, 'positions'), [])
})

test('a trade gives a frame with the new state of its market and a time', async () => {
  await trade(hail, 200, 10)
  const frames = await client.take('positions', 3)
  assert.equal(at(frames[2], 'marketSlug'), 'hail')
  assert.equal(at(frames[2], 'positions', 0, 'costBasis'), '2000000')
  assert.ok(Math.abs(Number(at(frames[2], 'timestamp')) - live.nowMs()) < 60_000)
})

test('a sale removes cost at the average, and the mark follows the book', async () => {
  const sizeRaw = 40 * SHARE
  await live.place(bob, rain, { side: 'sell', ticks: 600, sizeRaw })
  await live.place(alice, rain, { ticks: 600, sizeRaw })
  const frames = await client.take('positions', 4)
  assert.equal(at(frames[3], 'positions', 0, 'ctfBalance'), '60000000')
  assert.equal(at(frames[3], 'positions', 0, 'costBasis'), '27000000')
  assert.equal(at(frames[3], 'positions', 0, 'averageFillPrice'), '450000')
  assert.equal(at(frames[3], 'positions', 0, 'marketValue'), '36000000')
})

test('an unknown market is refused and leaves the subscription as it was', async () => {
  subscribe({ marketSlugs: ['rain', 'nowhere'] })
  subscribe({})
  const stated = await client.take('exception', 2)
  assert.deepEqual(
    stated.map((each) => at(each, 'code')),
    ['MARKET_NOT_FOUND', 'VALIDATION'],
  )
  await trade(hail, 300, 10)
  assert.equal(at((await client.take('positions', 5))[4], 'marketSlug'), 'hail')
})

test('a repeated subscribe replaces the markets; unsubscribe ends some or all', async () => {
  subscribe({ marketSlugs: ['rain'] })
  assert.equal(at((await client.take('positions', 6))[5], 'timestamp'), undefined)
  await trade(hail, 300, 10)
  await trade(rain, 500, 10)
  const frames = await client.take('positions', 7)
  assert.equal(at(frames[6], 'marketSlug'), 'rain')
  const channel = 'subscribe_positions'
  const leave = (requested: object) =>
    client.socket.timeout(5000).emitWithAck('unsubscribe', requested)
  assert.deepEqual(await leave({ channel, marketSlugs: ['hail'] }), {})
  await trade(rain, 500, 10)
  await client.take('positions', 8)
  assert.deepEqual(await leave({ channel }), {})
  await trade(rain, 500, 10)
  await live.exchange.pipeline.whenIdle()
  assert.deepEqual(await leave({ channel }), {})
  assert.equal(client.of('positions').length, 8)
})

test('a held order changes nothing until its release, then both owners see it', async () => {
  const delayMs = 60_000
  const late = await live.openMarket('late', { takerDelayMs: delayMs })
  const [maker, taker] = await Promise.all(
    [alice, bob].map((trader) => {
      return SocketClient.open(live.port, { headers: handshakeOf(trader, live.nowMs()) })
    }),
  )
  for (const each of [maker, taker]) {
    each.socket.emit('subscribe_positions', { marketSlugs: ['late'] })
    await each.take('positions', 1)
  }
  await trade(late, 400, 10)
  taker.socket.emit('subscribe_positions', { marketSlugs: ['late'] })
  assert.deepEqual(at((await taker.take('positions', 2))[1], 'positions'), [], 'the order is held')
  live.shiftClock(delayMs)
  const rows: [SocketClient, number, number, string][] = [
    [maker, 1, 1, '6000000'],
    [taker, 2, 0, '4000000'],
  ]
  for (const [each, place, outcome, costBasis] of rows) {
    const frame = (await each.take('positions', place + 1))[place]
    assert.equal(at(frame, 'positions', 0, 'tokenId'), late.tokens[outcome])
    assert.equal(at(frame, 'positions', 0, 'ctfBalance'), '10000000')
    assert.equal(at(frame, 'positions', 0, 'costBasis'), costBasis)
    each.close()
  }
})

test('a split and a merge give frames, whatever the cost of a side becomes', async () => {
  await live.openMarket('snow')
  const conditionId = live.exchange.pipeline.clearing.catalogue.bySlug('snow')?.conditionId
  const own = await SocketClient.open(live.port, { headers: handshakeOf(alice, live.nowMs()) })
  own.socket.emit('subscribe_positions', { marketSlugs: ['snow'] })
  assert.deepEqual(at((await own.take('positions', 1))[0], 'positions'), [])
  const pairs = (act: string, amount: number) =>
    live.call(alice, 'POST', `/portfolio/${act}`, { conditionId, amount: String(amount) })
  assert.equal((await pairs('split', 10 * SHARE + 1)).status, 201)
  const [, split] = await own.take('positions', 2)
  const shown = [0, 1].map((index) => {
    return ['ctfBalance', 'costBasis'].map((name) => at(split, 'positions', index, name))
  })
  // Half of the collateral each; the odd unit is that of NO (rules §9.1).
  assert.deepEqual(shown, [
    ['10000001', '5000000'],
    ['10000001', '5000001'],
  ])
  assert.equal((await pairs('merge', 10 * SHARE + 1)).status, 201)
  const [, , merged] = await own.take('positions', 3)
  assert.equal(at(merged, 'positions', 0, 'ctfBalance'), '0')
  own.close()
})
