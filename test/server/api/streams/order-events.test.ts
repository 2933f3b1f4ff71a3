import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { after, before, test } from 'node:test'
import { exchange } from '../../../support/exchange.ts'
import { framesOf, listening, wordsOf } from '../../../support/frame-story.ts'
import { at } from '../../../support/json-path.ts'
import type { Trader } from '../../../support/live-exchange.ts'
import type { OrderRequest } from '../../../support/live-orders.ts'
import { orderIdOf } from '../../../support/replies.ts'
import {
  handshakeOf,
  type SocketClient,
  textFrame,
  upgradeText,
} from '../../../support/socket-client.ts'

// Rules §5.3: every field of the frames of an order. Alice makes, Bob takes, and both listen.

const SHARE = 1_000_000
/** No block comes here; settlement.test.ts checks the frames of blocks. */
const flags = ['--block-ms', '60000']
const { live, rain, alice, bob } = await exchange({
  flags,
  markets: ['rain'],
  fundsRaw: 10_000 * SHARE,
  traders: ['alice', 'bob'],
})
let maker: SocketClient
let taker: SocketClient

before(async () => {
  maker = await listening(live, alice)
  taker = await listening(live, bob)
})
after(async () => {
  maker.close()
  taker.close()
})

const rowsOf = (client: SocketClient, orderId: string) => framesOf(client, orderId).map(wordsOf)

/** The frames that the owner of an order got, in words, once there are `count` of them. */
async function rows(client: SocketClient, orderId: string, count: number): Promise<string[]> {
  await client.until(() => rowsOf(client, orderId).length >= count)
  return rowsOf(client, orderId)
}

const cancel = (trader: Trader, id: string) => live.call(trader, 'DELETE', `/orders/${id}`)

/** Alice's ask: NO bought at 1 − price. */
const ask = (ticks: number, shares: number): OrderRequest => ({
  outcome: 1,
  ticks: 1000 - ticks,
  sizeRaw: shares * SHARE,
})
const bid = (ticks: number, shares: number): OrderRequest => ({ ticks, sizeRaw: shares * SHARE })

test('a GTC that rests untouched: PLACEMENT; its cancel: CANCELLATION', async () => {
  const id = await live.ordered(bob, rain, bid(100, 5), { clientOrderId: 'mine' })
  assert.deepEqual(await rows(taker, id, 1), ['PLACEMENT 5'])
  assert.equal((await cancel(bob, id)).status, 200)
  assert.deepEqual(await rows(taker, id, 2), ['PLACEMENT 5', 'CANCELLATION 5'])
  const [placement, cancellation] = framesOf(taker, id)
  const { timestamp, occurredAt, publishedAt, eventId, ...stated } = Object(placement)
  assert.deepEqual(stated, {
    source: 'OME',
    type: 'PLACEMENT',
    orderId: id,
    clientOrderId: 'mine',
    userId: bob.profileId,
    marketId: '1',
    marketSlug: 'rain',
    side: 'BUY',
    outcome: 'YES',
    tokenId: rain.tokens[0],
    token: rain.tokens[0],
    price: 0.1,
    remainingSize: 5 * SHARE,
  })
  assert.equal(timestamp, occurredAt)
  assert.ok(Date.parse(publishedAt) >= Date.parse(occurredAt))
  assert.ok(Number(at(cancellation, 'eventId')) > Number(eventId))
  assert.equal(at(cancellation, 'clientOrderId'), 'mine')
  assert.equal(at(cancellation, 'reason'), undefined, 'a cancel by the owner has no reason')
})

/** The frame without its times, which must be in order. */
function timeless(frame: unknown): object {
  const { timestamp, occurredAt, publishedAt, matchedAt, ...stated } = Object(frame)
  const { source, type, status } = stated
  const isMatch = source === 'SETTLEMENT' || type === 'UPDATE' || /FILLED/.test(status ?? '')
  assert.equal(matchedAt, isMatch ? occurredAt : undefined, 'when the trade was matched')
  assert.equal(timestamp, occurredAt)
  assert.ok(Date.parse(publishedAt) >= Date.parse(occurredAt))
  assert.ok([timestamp, publishedAt].every((time) => new Date(time).toISOString() === time))
  return stated
}

let trades = 0

/** Bob takes eight of Alice's ten shares. Gives the frames of both. */
async function traded() {
  trades++
  const made = await live.ordered(alice, rain, ask(420, 10), { clientOrderId: `maker ${trades}` })
  const id = await live.ordered(bob, rain, bid(430, 8), { clientOrderId: `taker ${trades}` })
  await rows(taker, id, 2)
  await rows(maker, made, 3)
  await cancel(alice, made)
  const [matched, execution] = framesOf(taker, id).map(timeless)
  const [, update, met] = framesOf(maker, made).map(timeless)
  const ofTaker = { orderId: id, clientOrderId: `taker ${trades}`, userId: bob.profileId }
  const ofMaker = { orderId: made, clientOrderId: `maker ${trades}`, userId: alice.profileId }
  return { made, id, matched, execution, update, met, ofTaker, ofMaker }
}

test('a trade: every field of MATCHED, as taker and as maker', async () => {
  const { made, id, matched, met, ofTaker, ofMaker } = await traded()
  const { tradeEventId: trade } = Object(matched)
  assert.match(trade, /^\d+$/)
  const both = {
    source: 'SETTLEMENT',
    type: 'MATCHED',
    tradeEventId: trade,
    takerOrderId: id,
    marketId: '1',
    marketSlug: 'rain',
    side: 'BUY',
    amountContracts: '8000000',
    configuredFeeRateBps: 0,
    effectiveFeeBps: 0,
    feeAmountContracts: '0',
    isEstimate: true,
  }
  assert.deepEqual(matched, {
    ...both,
    ...ofTaker,
    eventId: `matched:${trade}:${id}`,
    tokenId: rain.tokens[0],
    outcome: 'YES',
    token: 'YES',
    price: '0.42',
    amountCollateral: '3360000',
  })
  assert.deepEqual(met, {
    ...both,
    ...ofMaker,
    eventId: `matched:${trade}:${made}`,
    tokenId: rain.tokens[1],
    outcome: 'NO',
    token: 'NO',
    price: '0.58',
    amountCollateral: '4640000',
  })
})

test('a trade: every field of its UPDATE and EXECUTION', async () => {
  const { id, execution, update, ofTaker, ofMaker } = await traded()
  const ome = { source: 'OME', marketId: '1', marketSlug: 'rain', side: 'BUY' }
  assert.deepEqual(execution, {
    ...ome,
    ...ofTaker,
    type: 'EXECUTION',
    eventId: `terminal:${id}`,
    tokenId: rain.tokens[0],
    token: rain.tokens[0],
    outcome: 'YES',
    status: 'FILLED',
    price: '0.43',
    remainingSize: '0',
    filledSize: '8000000',
    averagePrice: '0.42',
  })
  const { eventId, ...rest } = Object(update)
  assert.ok(Number.isSafeInteger(eventId))
  assert.deepEqual(rest, {
    ...ome,
    ...ofMaker,
    type: 'UPDATE',
    tokenId: rain.tokens[1],
    token: rain.tokens[1],
    outcome: 'NO',
    price: 0.58,
    remainingSize: 2 * SHARE,
  })
})

test('an order that trades with nobody has no time of a match', async () => {
  const id = await live.ordered(bob, rain, bid(430, 1), { orderType: 'FAK' })
  assert.deepEqual(await rows(taker, id, 1), ['EXECUTION KILLED 1 @0.43'])
  timeless(framesOf(taker, id)[0])
})

test('a cancel by the exchange has a reason, and comes after all earlier frames', async () => {
  const hail = await live.openMarket('hail')
  const id = orderIdOf(await live.place(bob, hail, bid(300, 7)))
  await live.admin('/admin/markets/hail/resolve', { winningOutcomeIndex: 0 })
  assert.deepEqual(await rows(taker, id, 2), ['PLACEMENT 7', 'CANCELLATION 7 MARKET_RESOLVED'])
  const { eventId, ...stated } = Object(timeless(framesOf(taker, id)[1]))
  assert.ok(Number.isSafeInteger(eventId))
  assert.deepEqual(stated, {
    source: 'OME',
    type: 'CANCELLATION',
    orderId: id,
    userId: bob.profileId,
    marketId: '2',
    marketSlug: 'hail',
    tokenId: hail.tokens[0],
    token: hail.tokens[0],
    outcome: 'YES',
    side: 'BUY',
    price: 0.3,
    remainingSize: 7 * SHARE,
    filledSize: '0',
    reason: 'MARKET_RESOLVED',
  })
})

test("ids of lifecycle frames rise, none comes twice, and no profile gets another's", () => {
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

test('two connections of a profile both get frames; an unsubscribed one does not', async () => {
  const second = await listening(live, bob)
  const id = await live.ordered(bob, rain, bid(100, 1))
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

test('a revoked token ends the connections that it opened', async () => {
  const snow = await live.openMarket('snow')
  const carol = await live.trader(10 * SHARE)
  const client = await listening(live, carol)
  const made = await live.place(carol, snow, bid(100, 1))
  assert.deepEqual(await rows(client, orderIdOf(made), 1), ['PLACEMENT 1'])
  const path = `/auth/api-tokens/${carol.tokenId}`
  assert.equal((await live.call(carol, 'DELETE', path)).status, 200)
  await live.admin('/admin/markets/snow/resolve', { winningOutcomeIndex: 1 })
  await client.until(() => client.ends.length > 0)
  assert.equal(client.of('orderEvent').length, 1)
  assert.equal(at(client.of('exception')[0], 'code'), 'UNAUTHENTICATED')
})

test('a reader that is too slow is cut off at its bound, and the others go on', async () => {
  const dave = await live.trader(SHARE)
  const slow = await silent(dave)
  const brisk = await listening(live, dave)
  const slowBefore = live.sockets.slowCount
  const { orderEvents } = live.exchange.pipeline.publisher
  let sent = 0
  while (live.sockets.slowCount === slowBefore) {
    orderEvents.publish(Array.from({ length: 500 }, () => eventOf(dave.profileId, ++sent)))
    // Events that come faster than an account's frames are built end all of its sockets.
    await brisk.until(() => brisk.frames.length >= sent)
    assert.ok(sent < 1_000_000, 'the bound is reached long before')
  }
  await brisk.until(() => brisk.of('orderEvent').length === sent)
  assert.deepEqual(brisk.ends, [])
  assert.equal(live.sockets.heldBytes, 0, 'nothing is kept for a connection that is gone')
  // The last bytes that the slow reader reads say why it was cut off.
  slow.resume()
  await once(slow, 'close')
  assert.match(Buffer.concat(received).subarray(-1000).toString(), /"code":"SLOW_READER"/)
  brisk.close()
})

const received: Buffer[] = []

/** A subscribed connection of raw bytes that stops reading. */
async function silent(trader: Trader): Promise<Socket> {
  const socket = connect(live.port, '127.0.0.1')
  socket.write(upgradeText(handshakeOf(trader, live.nowMs())))
  let stated = ''
  const until = async (word: string) => {
    while (!stated.includes(word)) stated += String((await once(socket, 'data'))[0])
  }
  await until('"sid"')
  socket.write(textFrame('40/markets,'))
  socket.write(textFrame('42/markets,["subscribe_order_events"]'))
  await until('Subscribed')
  socket.on('data', (bytes: Buffer) => received.push(bytes))
  socket.pause()
  return socket
}

function eventOf(accountId: number, seq: number) {
  const order = { slot: 1, generation: 1, clientOrderId: '', side: 0, outcome: 0, orderType: 0 }
  const what = { type: 'PLACEMENT' as const, remainingRaw: 1, priceTicks: 500 }
  return { ...order, ...what, seq, nowMs: 0, accountId, marketId: 1 }
}

test('after a restart the ids still rise, for clients that subscribe again', async () => {
  const idsOf = (client: SocketClient) =>
    client
      .of('orderEvent')
      .map((frame) => at(frame, 'eventId'))
      .filter((id) => typeof id === 'number')
  const kept = await live.ordered(bob, rain, bid(100, 5), { clientOrderId: 'from before' })
  await rows(taker, kept, 1)
  const newest = Math.max(...idsOf(taker))
  await live.stop()
  await taker.until(() => taker.ends.length > 0)
  assert.deepEqual(taker.ends, ['transport close'])
  await live.restart()
  taker = await listening(live, bob)
  maker = await listening(live, alice)
  const id = await live.ordered(bob, rain, bid(100, 5))
  assert.deepEqual(await rows(taker, id, 1), ['PLACEMENT 5'])
  assert.ok(idsOf(taker)[0] > newest)
  await cancel(bob, kept)
  assert.deepEqual(await rows(taker, kept, 1), ['CANCELLATION 5'])
  assert.equal(at(framesOf(taker, kept)[0], 'clientOrderId'), 'from before')
})
