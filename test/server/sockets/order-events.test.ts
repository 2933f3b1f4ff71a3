import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { after, afterEach, before, test } from 'node:test'
import { newFolder } from '../../support/data-folder.ts'
import {
  at,
  type LiveExchange,
  type Reply,
  startLive,
  type Trader,
  textAt,
} from '../../support/live-exchange.ts'
import { type LiveMarket, type OrderWish, openMarket, place } from '../../support/live-orders.ts'
import { handshakeOf, SocketClient, textFrame, upgradeText } from '../../support/socket-client.ts'

// Domain §5.3 and §5.4: which frames the owner of each order gets, row by row. Alice makes, Bob
// takes; both listen all the time.

const SHARE = 1_000_000
const dataDir = newFolder()
let live: LiveExchange
let alice: Trader
let bob: Trader
let rain: LiveMarket
let maker: SocketClient
let taker: SocketClient

before(async () => {
  live = await startLive({ dataDir })
  rain = await openMarket(live, 'rain')
  alice = await live.trader(10_000 * SHARE)
  bob = await live.trader(10_000 * SHARE)
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

async function listening(trader: Trader, on = live): Promise<SocketClient> {
  const headers = handshakeOf(trader, on.nowMs())
  const client = await SocketClient.open(on.port, { headers })
  client.socket.emit('subscribe_order_events')
  await client.take('system', 1)
  return client
}

/** MATCHED, UPDATE 3, EXECUTION FILLED 0: a frame in the words of the table. */
function rowOf(frame: unknown): string {
  const type = String(at(frame, 'type'))
  if (type === 'MATCHED') return type
  const size = Number(at(frame, 'remainingSize')) / SHARE
  return [type, ...[at(frame, 'status') ?? []].flat(), size].join(' ')
}

/** All but what a block said, whenever that came: settlement.test.ts holds that. */
const beforeBlocks = (client: SocketClient) =>
  client.of('orderEvent').filter((frame) => at(frame, 'type') !== 'MINED')

const ordersSeen = (client: SocketClient, orderId: string) =>
  beforeBlocks(client).filter((frame) => at(frame, 'orderId') === orderId)

/** The rows an order's owner got, once there are `count` of them; and no more than these. */
async function rows(client: SocketClient, orderId: string, count: number): Promise<string[]> {
  await client.until(() => ordersSeen(client, orderId).length >= count)
  return ordersSeen(client, orderId).map(rowOf)
}

const idOf = (reply: Reply) => textAt(reply.body, 'order', 'id')

async function placed(trader: Trader, wish: OrderWish, fields: object = {}): Promise<string> {
  const reply = await place(live, trader, rain, wish, fields)
  assert.equal(reply.status, 201, reply.text)
  return idOf(reply)
}

const cancel = (trader: Trader, id: string) => live.call(trader, 'DELETE', `/orders/${id}`)

/** Alice's ask: NO bought at 1 − price. */
const ask = (ticks: number, shares: number): OrderWish => ({
  outcome: 1,
  ticks: 1000 - ticks,
  sizeRaw: shares * SHARE,
})
const bid = (ticks: number, shares: number): OrderWish => ({ ticks, sizeRaw: shares * SHARE })

test('a GTC that rests untouched: PLACEMENT; its cancel: CANCELLATION', async () => {
  const id = await placed(bob, bid(100, 5), { clientOrderId: 'mine' })
  assert.deepEqual(await rows(taker, id, 1), ['PLACEMENT 5'])
  assert.equal((await cancel(bob, id)).status, 200)
  assert.deepEqual(await rows(taker, id, 2), ['PLACEMENT 5', 'CANCELLATION 5'])
  const [placement, cancellation] = ordersSeen(taker, id)
  const { timestamp, occurredAt, publishedAt, eventId, ...said } = Object(placement)
  assert.deepEqual(said, {
    source: 'OME',
    type: 'PLACEMENT',
    orderId: id,
    clientOrderId: 'mine',
    userId: bob.profileId,
    marketId: '1',
    side: 'BUY',
    token: rain.tokens[0],
    price: 0.1,
    remainingSize: 5 * SHARE,
  })
  assert.equal(timestamp, occurredAt)
  assert.ok(Date.parse(publishedAt) >= Date.parse(occurredAt))
  assert.ok(Number(at(cancellation, 'eventId')) > Number(eventId))
  assert.equal(at(cancellation, 'clientOrderId'), 'mine')
  assert.equal(at(cancellation, 'reason'), undefined, 'its owner asked for it')
})

test('a GTC filled on arrival: MATCHED, EXECUTION; its makers: UPDATE, MATCHED', async () => {
  const first = await placed(alice, ask(400, 3))
  const second = await placed(alice, ask(420, 10))
  const id = await placed(bob, bid(420, 8))
  assert.deepEqual(await rows(taker, id, 2), ['MATCHED', 'EXECUTION FILLED 0'])
  assert.deepEqual(await rows(maker, first, 3), ['PLACEMENT 3', 'UPDATE 0', 'MATCHED'])
  assert.deepEqual(await rows(maker, second, 3), ['PLACEMENT 10', 'UPDATE 5', 'MATCHED'])
  const [matched, execution] = ordersSeen(taker, id)
  assert.equal(at(execution, 'eventId'), `terminal:${id}`)
  assert.equal(at(execution, 'price'), '0.42')
  assert.equal(at(execution, 'remainingSize'), '0')
  const trade = textAt(matched, 'tradeEventId')
  assert.equal(at(matched, 'eventId'), `matched:${trade}:${id}`)
  assert.equal(at(matched, 'takerOrderId'), id)
  // 3 @ 0.40 and 5 @ 0.42.
  assert.equal(at(matched, 'amountContracts'), String(8 * SHARE))
  assert.equal(at(matched, 'amountCollateral'), '3300000')
  assert.equal(at(matched, 'price'), '0.4125')
  assert.equal(at(matched, 'token'), 'YES')
  assert.equal(at(matched, 'marketSlug'), 'rain')
  assert.equal(at(matched, 'isEstimate'), true)
  assert.equal(at(matched, 'txHash'), undefined)
  const [, , made] = ordersSeen(maker, second)
  assert.equal(at(made, 'eventId'), `matched:${trade}:${second}`)
  assert.equal(at(made, 'takerOrderId'), id)
  assert.equal(at(made, 'token'), 'NO')
  assert.equal(at(made, 'price'), '0.58')
  assert.equal(at(made, 'amountCollateral'), '2900000')
  await cancel(alice, second)
})

test('a GTC filled in part: MATCHED, PLACEMENT of what rests', async () => {
  const made = await placed(alice, ask(500, 3))
  const id = await placed(bob, bid(500, 8))
  assert.deepEqual(await rows(taker, id, 2), ['MATCHED', 'PLACEMENT 5'])
  assert.deepEqual(await rows(maker, made, 3), ['PLACEMENT 3', 'UPDATE 0', 'MATCHED'])
  await cancel(bob, id)
})

test('a FAK ends with EXECUTION: PARTIALLY_FILLED after its MATCHED, or KILLED alone', async () => {
  await placed(alice, ask(500, 3))
  const part = await placed(bob, bid(500, 8), { orderType: 'FAK' })
  assert.deepEqual(await rows(taker, part, 2), ['MATCHED', 'EXECUTION PARTIALLY_FILLED 5'])
  const none = await placed(bob, bid(500, 8), { orderType: 'FAK' })
  assert.deepEqual(await rows(taker, none, 1), ['EXECUTION KILLED 8'])
})

test('a FOK: MATCHED, EXECUTION FILLED when it filled, else nothing', async () => {
  const made = await placed(alice, ask(500, 3))
  const none = await placed(bob, bid(500, 8), { orderType: 'FOK' })
  const whole = await placed(bob, bid(500, 3), { orderType: 'FOK' })
  assert.deepEqual(await rows(taker, whole, 2), ['MATCHED', 'EXECUTION FILLED 0'])
  assert.deepEqual(ordersSeen(taker, none), [])
  assert.deepEqual(await rows(maker, made, 3), ['PLACEMENT 3', 'UPDATE 0', 'MATCHED'])
})

test('a post-only order that would match leaves no frame', async () => {
  const made = await placed(alice, ask(500, 3))
  const before = beforeBlocks(taker).length
  const refused = await place(live, bob, rain, bid(500, 3), { postOnly: true })
  assert.equal(refused.status, 400)
  await cancel(alice, made)
  assert.deepEqual(await rows(maker, made, 2), ['PLACEMENT 3', 'CANCELLATION 3'])
  assert.equal(beforeBlocks(taker).length, before)
})

test('self-trade: the maker that goes says why; a stopped taker ends with KILLED', async () => {
  const own = await placed(bob, ask(500, 20))
  await placed(alice, ask(500, 50))
  const fak = await placed(bob, bid(500, 60), { orderType: 'FAK' })
  assert.deepEqual(await rows(taker, fak, 2), ['MATCHED', 'EXECUTION PARTIALLY_FILLED 10'])
  assert.deepEqual(await rows(taker, own, 2), ['PLACEMENT 20', 'CANCELLATION 20'])
  assert.equal(at(ordersSeen(taker, own)[1], 'reason'), 'STP_MAKER_CANCELLED')
  const again = await placed(bob, ask(500, 20))
  const stopped = await placed(bob, bid(500, 60), {
    ...{ orderType: 'FAK', stpPolicy: 'cancel_taker' },
  })
  assert.deepEqual(await rows(taker, stopped, 1), ['EXECUTION KILLED 60'])
  await cancel(bob, again)
})

test('what the exchange cancels says why, and comes after all that was before it', async () => {
  const hail = await openMarket(live, 'hail')
  const reply = await place(live, bob, hail, bid(300, 7))
  await live.admin('/admin/markets/hail/resolve', { winningOutcomeIndex: 0 })
  const id = idOf(reply)
  assert.deepEqual(await rows(taker, id, 2), ['PLACEMENT 7', 'CANCELLATION 7'])
  assert.equal(at(ordersSeen(taker, id)[1], 'reason'), 'MARKET_RESOLVED')
})

test('ids of lifecycle frames rise, no id comes twice, and nobody hears of others', () => {
  for (const [client, { profileId }] of [
    [maker, alice],
    [taker, bob],
  ] as const) {
    const frames = client.of('orderEvent')
    assert.deepEqual([...new Set(frames.map((frame) => at(frame, 'userId')))], [profileId])
    const ids = frames.map((frame) => at(frame, 'eventId'))
    assert.equal(new Set(ids).size, ids.length)
    const numbers = ids.filter((id) => typeof id === 'number')
    assert.deepEqual(
      numbers,
      [...numbers].sort((a, b) => a - b),
    )
    assert.ok(numbers.every(Number.isSafeInteger))
  }
})

test('two connections of a profile both hear; an unsubscribed one does not', async () => {
  const second = await listening(bob)
  const id = await placed(bob, bid(100, 1))
  assert.deepEqual(await rows(second, id, 1), ['PLACEMENT 1'])
  const answer: unknown = await second.socket
    .timeout(5000)
    .emitWithAck('unsubscribe', { channel: 'subscribe_order_events' })
  assert.deepEqual(answer, {})
  await cancel(bob, id)
  assert.deepEqual(await rows(taker, id, 2), ['PLACEMENT 1', 'CANCELLATION 1'])
  assert.deepEqual(await rows(second, id, 1), ['PLACEMENT 1'])
  second.close()
})

test('a token that is revoked ends what it opened', async () => {
  const snow = await openMarket(live, 'snow')
  const carol = await live.trader(10 * SHARE)
  const client = await listening(carol)
  const made = await place(live, carol, snow, bid(100, 1))
  assert.deepEqual(await rows(client, idOf(made), 1), ['PLACEMENT 1'])
  const path = `/auth/api-tokens/${carol.tokenId}`
  assert.equal((await live.call(carol, 'DELETE', path)).status, 200)
  await live.admin('/admin/markets/snow/resolve', { winningOutcomeIndex: 1 })
  await client.until(() => client.ends.length > 0)
  assert.equal(client.of('orderEvent').length, 1)
  assert.equal(at(client.of('exception')[0], 'code'), 'UNAUTHENTICATED')
})

test('a reader that is too slow is cut off within its bound, and the others go on', async () => {
  const dave = await live.trader(SHARE)
  const slow = await silent(dave)
  const brisk = await listening(dave)
  const slowBefore = live.sockets.slowCount
  const { news } = live.exchange.pipeline.publisher
  let sent = 0
  while (live.sockets.slowCount === slowBefore) {
    news.onFacts(Array.from({ length: 200 }, () => factOf(dave.profileId, ++sent)))
    await new Promise(setImmediate)
    assert.ok(sent < 1_000_000, 'the bound is met long before')
  }
  await brisk.until(() => brisk.of('orderEvent').length === sent)
  assert.deepEqual(brisk.ends, [])
  // What it does read in the end says why.
  slow.resume()
  await once(slow, 'close')
  assert.match(Buffer.concat(heard).subarray(-1000).toString(), /"code":"SLOW_READER"/)
  brisk.close()
})

const heard: Buffer[] = []

/** A subscribed connection of bare bytes whose owner reads nothing more. */
async function silent(trader: Trader): Promise<Socket> {
  const socket = connect(live.port, '127.0.0.1')
  const headers = Object.entries(handshakeOf(trader, live.nowMs()))
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  socket.write(upgradeText(lines))
  let said = ''
  const until = async (word: string) => {
    while (!said.includes(word)) said += String((await once(socket, 'data'))[0])
  }
  await until('"sid"')
  socket.write(textFrame('40/markets,'))
  socket.write(textFrame('42/markets,["subscribe_order_events"]'))
  await until('Subscribed')
  socket.on('data', (bytes: Buffer) => heard.push(bytes))
  socket.pause()
  return socket
}

function factOf(accountId: number, seq: number) {
  const order = { slot: 1, generation: 1, clientOrderId: '', side: 0, outcome: 0, orderType: 0 }
  const what = { type: 'PLACEMENT' as const, remainingRaw: 1, priceTicks: 500 }
  return { ...order, ...what, seq, nowMs: 0, accountId, marketId: 1 }
}

test('after a restart the ids go on rising, for clients that subscribe again', async () => {
  const idsOf = (client: SocketClient) =>
    client
      .of('orderEvent')
      .map((frame) => at(frame, 'eventId'))
      .filter((id) => typeof id === 'number')
  const newest = Math.max(...idsOf(taker))
  await live.stop()
  await taker.until(() => taker.ends.length > 0)
  assert.deepEqual(taker.ends, ['transport close'])
  live = await startLive({ dataDir })
  taker = await listening(bob)
  maker = await listening(alice)
  const id = await placed(bob, bid(100, 5))
  assert.deepEqual(await rows(taker, id, 1), ['PLACEMENT 5'])
  assert.ok(idsOf(taker)[0] > newest)
})
