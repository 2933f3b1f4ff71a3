import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { ADMIN } from '../../../support/chain-desk.ts'
import { exchange } from '../../../support/exchange.ts'
import { at, textAt } from '../../../support/json-path.ts'
import { accepted } from '../../../support/replies.ts'
import { SocketClient } from '../../../support/socket-client.ts'
import { closeAll } from '../../../support/socket-desk.ts'

// The public tape of a market, and the events of markets that are made and resolved (rules §12.8).

const SHARE = 1_000_000
const { live, rain, alice, bob } = await exchange({
  flags: ['--block-ms', '20'],
  markets: ['rain'],
  fundsRaw: 10_000 * SHARE,
  traders: ['alice', 'bob'],
})
const clients: SocketClient[] = []

afterEach(async () => {
  await closeAll(live, clients)
})

async function join(event: string, requested: object = {}): Promise<SocketClient> {
  const client = await SocketClient.open(live.port)
  clients.push(client)
  client.socket.emit(event, requested)
  await client.take('system', 1)
  return client
}

/** Alice bids at these ticks, then Bob sells into them; gives the event id of Bob's trade. */
async function trade(ticks: readonly number[], sizeRaw = SHARE): Promise<string> {
  for (const each of ticks) {
    await live.placed(alice, rain, { ticks: each, sizeRaw })
  }
  const wanted = { outcome: 1 as const, ticks: 1000 - Math.min(...ticks) }
  const taken = await live.placed(bob, rain, { ...wanted, sizeRaw: sizeRaw * ticks.length })
  return textAt(taken.body, 'execution', 'tradeEventId')
}

test('a group stands for its children, whose trades come with their own numbers', async () => {
  await live.openGroupAndPool()
  const reds = await live.marketOf('cup-reds')
  const client = await join('subscribe_trades', { marketSlugs: ['cup'] })
  await live.place(alice, reds, { ticks: 500, sizeRaw: SHARE })
  await live.place(bob, reds, { outcome: 1, ticks: 500, sizeRaw: SHARE })
  const [frame] = await client.take('trade', 1)
  assert.deepEqual([at(frame, 'marketSlug'), at(frame, 'sequence')], ['cup-reds', 1])
  const left = { channel: 'subscribe_trades', marketSlugs: ['cup'] }
  assert.deepEqual(await client.socket.timeout(5000).emitWithAck('unsubscribe', left), {})
  const { published } = live.exchange.pipeline
  assert.equal(published.bySlug('cup-reds')?.watch, null, 'nobody reads it')
})

test('each arrival that traded is one frame, which names the trade before it', async () => {
  const client = await join('subscribe_trades', { marketSlugs: ['rain'] })
  const first = await trade([500])
  const second = await trade([520, 510])
  const frames = await client.take('trade', 2)
  assert.deepEqual(
    frames.map((frame) => [at(frame, 'tradeEventId'), at(frame, 'price'), at(frame, 'size')]),
    [
      [first, 0.5, SHARE],
      [second, 0.515, 2 * SHARE],
    ],
  )
  assert.deepEqual(at(frames[1], 'fills'), [
    { price: 0.52, size: SHARE },
    { price: 0.51, size: SHARE },
  ])
  assert.deepEqual(
    frames.map((frame) => at(frame, 'side')),
    ['SELL', 'SELL'],
  )
  assert.equal(at(frames[1], 'prevSeq'), at(frames[0], 'seq'))
  assert.equal(Number(at(frames[1], 'sequence')), Number(at(frames[0], 'sequence')) + 1)
})

test('frame, tape and events have one price and the same fills for one trade', async () => {
  const sun = await live.openMarket('sun')
  const client = await join('subscribe_trades', { marketSlugs: ['sun'] })
  for (const [ticks, shares] of [
    [600, 2],
    [610, 1],
  ]) {
    const wanted = { outcome: 1, ticks: 1000 - ticks, sizeRaw: shares * SHARE } as const
    await live.placed(bob, sun, wanted)
  }
  const taken = await live.place(alice, sun, { ticks: 620, sizeRaw: 3 * SHARE })
  const wanted = { outcome: 1, ticks: 400, sizeRaw: 3 * SHARE } as const
  await live.place(bob, sun, { ticks: 615, sizeRaw: 3 * SHARE })
  const sold = await live.place(alice, sun, wanted)
  assert.deepEqual([taken.status, sold.status], [201, 201], sold.text)
  const frames = await client.take('trade', 2)
  const tape = at((await live.send('GET', '/markets/sun/trades')).body, 'trades')
  const fields = (trade: unknown) => {
    return ['seq', 'prevSeq', 'price', 'fills', 'size'].map((name) => at(trade, name))
  }
  assert.ok(Array.isArray(tape))
  assert.deepEqual(tape.map(fields), frames.map(fields))
  const [first] = frames
  assert.deepEqual(fields(first).slice(1), [
    0,
    0.603333,
    [
      { price: 0.6, size: 2 * SHARE },
      { price: 0.61, size: SHARE },
    ],
    3 * SHARE,
  ])
  await allMined()
  let events: unknown
  do events = at((await live.send('GET', '/markets/sun/events')).body, 'events')
  while (!Array.isArray(events) || events.length < 2)
  // The newest first; a trade of NO has the price of NO.
  assert.deepEqual([at(events, 1, 'price'), at(events, 0, 'price')], [0.603333, 0.385])
  assert.deepEqual(at(events, 1, 'fills'), at(first, 'fills'))
  assert.deepEqual(at(events, 0, 'fills'), [{ price: 0.385, size: 3 * SHARE }])
})

/** Waits until the trades of all earlier tests are in a block: a fault is for the next one. */
async function allMined(): Promise<void> {
  const { blocks, catalogue } = live.exchange.pipeline.clearing
  const traded = Math.max(...[...catalogue.all()].map(({ lastTradeSeq }) => lastTradeSeq))
  while (!blocks.holdsAllThrough(traded)) await new Promise(setImmediate)
}

test('a trade that is taken back is published on the tape', async () => {
  await allMined()
  const client = await join('subscribe_trades', { marketSlugs: ['rain'] })
  await accepted(live.admin('/admin/settlement/faults', { next: 1, outcome: 'FAILED' }))
  const tradeEventId = await trade([480])
  const [busted] = await client.take('trade_busted', 1)
  const [reported] = client.of('trade')
  assert.equal(at(busted, 'tradeEventId'), tradeEventId)
  assert.ok(Number(at(busted, 'seq')) > Number(at(reported, 'seq')))
  assert.equal(Number(at(busted, 'sequence')), Number(at(reported, 'sequence')) + 1)
})

test('a client receives markets that are made and resolved until it leaves', async () => {
  const client = await join('subscribe_market_lifecycle')
  const prices = await join('subscribe_market_prices', { marketSlugs: ['rain'] })
  await live.openMarket('hail')
  const [created] = await client.take('marketCreated', 1)
  assert.deepEqual(
    [at(created, 'slug'), at(created, 'type'), at(created, 'title')],
    ['hail', 'CLOB', 'Will hail?'],
  )
  const watching = await join('subscribe_market_prices', { marketSlugs: ['hail'] })
  const resolved = await live.send('POST', '/admin/markets/hail/resolve', {
    headers: { ...ADMIN.headers, 'content-type': 'application/json' },
    body: JSON.stringify({ winningOutcomeIndex: 1 }),
  })
  assert.equal(resolved.status, 200, resolved.text)
  for (const each of [client, watching]) {
    const [frame] = await each.take('marketResolved', 1)
    assert.deepEqual(
      [at(frame, 'slug'), at(frame, 'winningOutcome'), at(frame, 'winningIndex')],
      ['hail', 'NO', 1],
    )
  }
  await live.openMarket('mist')
  const payoutNumerators = [1, 3]
  await accepted(live.admin('/admin/markets/mist/resolve', { payoutNumerators }))
  // The public client always reads a winner: the outcome that pays more.
  const frames = (await client.take('marketResolved', 2)).map((frame) => [
    at(frame, 'slug'),
    at(frame, 'winningOutcome'),
    at(frame, 'winningIndex'),
    at(frame, 'payoutNumerators'),
  ])
  assert.deepEqual(frames, [
    ['hail', 'NO', 1, null],
    ['mist', 'NO', 1, payoutNumerators],
  ])
  client.socket.emit('unsubscribe_market_lifecycle')
  const [, left] = await client.take('system', 2)
  assert.deepEqual(left, { message: 'Unsubscribed from subscribe_market_lifecycle' })
  await live.openMarket('fog')
  await trade([470])
  await prices.take('orderbookUpdate', 2)
  assert.equal(client.of('marketCreated').length, 2)
  assert.deepEqual(prices.of('marketResolved'), [])
})
