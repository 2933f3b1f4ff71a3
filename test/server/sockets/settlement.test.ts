import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import {
  at,
  type LiveExchange,
  startLive,
  type Trader,
  textAt,
} from '../../support/live-exchange.ts'
import { type LiveMarket, openMarket, place } from '../../support/live-orders.ts'
import { handshakeOf, SocketClient } from '../../support/socket-client.ts'

// Domain §5.3, §5.4: what the owners of a trade hear when it is mined, and when it fails.

const SHARE = 1_000_000
let live: LiveExchange
let rain: LiveMarket
let alice: Trader
let bob: Trader
let maker: SocketClient
let taker: SocketClient

before(async () => {
  live = await startLive({ flags: ['--block-ms', '50'] })
  rain = await openMarket(live, 'rain')
  alice = await live.trader(1000 * SHARE)
  bob = await live.trader(1000 * SHARE)
  maker = await listening(alice)
  taker = await listening(bob)
})
after(async () => {
  maker.close()
  taker.close()
  await live.stop()
})
afterEach(() => {
  assert.deepEqual(live.faults, [])
})

async function listening(trader: Trader): Promise<SocketClient> {
  const client = await SocketClient.open(live.port, { headers: handshakeOf(trader, live.nowMs()) })
  client.socket.emit('subscribe_order_events')
  client.socket.emit('subscribe_transactions')
  client.socket.emit('subscribe_positions', { marketSlugs: ['rain'] })
  await client.take('positions', 1)
  return client
}

const ofOrder = (client: SocketClient, orderId: string) =>
  client.of('orderEvent').filter((frame) => at(frame, 'orderId') === orderId)

async function rows(client: SocketClient, orderId: string, count: number): Promise<unknown[]> {
  await client.until(() => ofOrder(client, orderId).length >= count)
  return ofOrder(client, orderId).map((frame) => at(frame, 'type'))
}

/** Bob buys 5 YES at 0.40, Alice's NO at 0.60. */
async function trade(): Promise<{ made: string; taken: string; tradeSeq: string }> {
  const sizeRaw = 5 * SHARE
  const ask = await place(live, alice, rain, { outcome: 1, ticks: 600, sizeRaw })
  const bid = await place(live, bob, rain, { ticks: 400, sizeRaw })
  const [made, taken] = [ask, bid].map(({ body }) => textAt(body, 'order', 'id'))
  return { made, taken, tradeSeq: textAt(bid.body, 'execution', 'tradeEventId') }
}

test('MINED follows MATCHED, with its hash and everyone whom the taker met', async () => {
  const { made, taken, tradeSeq } = await trade()
  assert.deepEqual(await rows(taker, taken, 3), ['MATCHED', 'EXECUTION', 'MINED'])
  assert.deepEqual(await rows(maker, made, 4), ['PLACEMENT', 'UPDATE', 'MATCHED', 'MINED'])
  const mined = ofOrder(taker, taken)[2]
  assert.equal(at(mined, 'eventId'), `settlement:${tradeSeq}:${taken}`)
  assert.equal(at(mined, 'tradeEventId'), tradeSeq)
  assert.match(textAt(mined, 'txHash'), /^0x[0-9a-f]{64}$/)
  assert.equal(at(mined, 'takerAccount'), bob.account)
  assert.equal(at(mined, 'isEstimate'), undefined)
  assert.deepEqual(at(mined, 'makerMatches'), [
    { account: alice.account, orderId: made, matchedSize: '5000000', price: '0.6' },
  ])
  const ofMaker = ofOrder(maker, made)[3]
  assert.equal(at(ofMaker, 'eventId'), `settlement:${tradeSeq}:${made}`)
  assert.equal(at(ofMaker, 'txHash'), at(mined, 'txHash'))
  assert.equal(at(ofMaker, 'takerOrderId'), taken)
  const [tx] = await taker.take('tx', 1)
  const { timestamp, conditionId, ...said } = Object(tx)
  assert.ok(Date.parse(timestamp) > 0)
  assert.match(conditionId, /^0x[0-9a-f]{64}$/)
  assert.deepEqual(said, {
    userId: bob.profileId,
    txHash: at(mined, 'txHash'),
    status: 'CONFIRMED',
    source: 'CLOB',
    marketSlug: 'rain',
    tokenId: rain.tokens[0],
    amountContracts: '5000000',
    amountCollateral: '2000000',
    price: '0.4',
    side: 'BUY',
  })
  await maker.take('tx', 1)
})

test('FAILED comes in place of MINED, and the positions go back', async () => {
  const held = taker.of('positions').length
  const asked = await live.admin('/admin/settlement/faults', { next: 1, outcome: 'FAILED' })
  assert.ok(asked.status < 300, asked.text)
  const { made, taken, tradeSeq } = await trade()
  assert.deepEqual(await rows(taker, taken, 3), ['MATCHED', 'EXECUTION', 'FAILED'])
  assert.deepEqual(await rows(maker, made, 4), ['PLACEMENT', 'UPDATE', 'MATCHED', 'FAILED'])
  const failed = ofOrder(taker, taken)[2]
  assert.equal(at(failed, 'eventId'), `settlement:${tradeSeq}:${taken}`)
  assert.equal(at(failed, 'txHash'), undefined)
  assert.equal(at((await taker.take('tx', 2))[1], 'status'), 'FAILED')
  const balance = () => at(taker.of('positions').at(-1), 'positions', 0, 'ctfBalance')
  await taker.until(() => taker.of('positions').length > held && balance() === '5000000')
})
