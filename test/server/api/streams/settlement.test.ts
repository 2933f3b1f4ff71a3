import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { LIMITS } from '../../../../engine/domain/limits.ts'
import { exchange } from '../../../support/exchange.ts'
import { framesOf, listening } from '../../../support/frame-story.ts'
import { crowd } from '../../../support/full-queue.ts'
import { at, textAt } from '../../../support/json-path.ts'
import type { Trader } from '../../../support/live-exchange.ts'
import { isReported, joined } from '../../../support/replay-client.ts'
import { orderIdOf } from '../../../support/replies.ts'
import type { SocketClient } from '../../../support/socket-client.ts'
import '../../../support/two-edges.ts'

// Rules §5.3, §5.4: the frames that the owners of a trade get when it is mined, and when it fails.
// A block comes when the test moves the clock.

const SHARE = 1_000_000
const BLOCK_MS = 60_000
const CHANNELS = ['subscribe_order_events', 'subscribe_transactions']
const flags = ['--block-ms', `${BLOCK_MS}`]
const { live, rain, alice, bob } = await exchange({
  flags,
  markets: ['rain'],
  fundsRaw: 1000 * SHARE,
  traders: ['alice', 'bob'],
})
const clients: SocketClient[] = []

afterEach(() => {
  for (const client of clients.splice(0)) client.close()
})

async function listens(trader: Trader, channels = CHANNELS): Promise<SocketClient> {
  const client = await listening(live, trader, channels)
  clients.push(client)
  return client
}

async function rows(client: SocketClient, orderId: string, count: number): Promise<unknown[]> {
  await client.until(() => framesOf(client, orderId).length >= count)
  return framesOf(client, orderId).map((frame) => at(frame, 'type'))
}

interface Trade {
  readonly made: string
  readonly taken: string
  readonly tradeSeq: string
}

let trades = 0

/** Bob buys 5 YES at 0.40 against Alice's NO at 0.60. Bob's order has a client order id. */
async function trade(): Promise<Trade> {
  const sizeRaw = 5 * SHARE
  const name = `trade-${++trades}`
  const ask = await live.place(alice, rain, { outcome: 1, ticks: 600, sizeRaw })
  const fields = { clientOrderId: name }
  const bid = await live.place(bob, rain, { ticks: 400, sizeRaw }, fields)
  const [made, taken] = [ask, bid].map(({ body }) => textAt(body, 'order', 'id'))
  return { made, taken, tradeSeq: textAt(bid.body, 'execution', 'tradeEventId') }
}

const fault = (outcome: string) =>
  live.admin('/admin/settlement/faults', { next: 1, outcome }).then((reply) => {
    assert.equal(reply.status, 200, reply.text)
  })

test('MINED follows MATCHED, with its hash and all makers of the taker', async () => {
  const [maker, taker] = [await listens(alice), await listens(bob)]
  const { made, taken, tradeSeq } = await trade()
  assert.deepEqual(await rows(taker, taken, 2), ['MATCHED', 'EXECUTION'])
  live.shiftClock(BLOCK_MS)
  assert.deepEqual(await rows(taker, taken, 3), ['MATCHED', 'EXECUTION', 'MINED'])
  assert.deepEqual(await rows(maker, made, 4), ['PLACEMENT', 'UPDATE', 'MATCHED', 'MINED'])
  const [matched, , mined] = framesOf(taker, taken)
  const { txHash, timestamp, occurredAt, publishedAt, ...stated } = Object(mined)
  const { isEstimate, timestamp: then, occurredAt: _, publishedAt: __, ...same } = Object(matched)
  assert.equal(isEstimate, true)
  assert.deepEqual(stated, {
    ...same,
    type: 'MINED',
    eventId: `settlement:${tradeSeq}:${taken}`,
    takerAccount: bob.account,
    makerMatches: [{ account: alice.account, orderId: made, matchedSize: '5000000', price: '0.6' }],
  })
  assert.match(txHash, /^0x[0-9a-f]{64}$/)
  assert.equal(timestamp, occurredAt)
  assert.equal(at(mined, 'matchedAt'), then)
  assert.ok(Date.parse(timestamp) >= Date.parse(then) + BLOCK_MS / 2)
  assert.ok(Date.parse(publishedAt) >= Date.parse(occurredAt))
  const ofMaker = framesOf(maker, made)[3]
  assert.equal(at(ofMaker, 'eventId'), `settlement:${tradeSeq}:${made}`)
  assert.equal(at(ofMaker, 'txHash'), txHash)
  assert.equal(at(ofMaker, 'takerOrderId'), taken)
  assert.equal(at(ofMaker, 'takerAccount'), bob.account)
  assert.equal(at(ofMaker, 'clientOrderId'), undefined, 'client order ids of others are not shown')
})

test('a trade gives one tx frame to each of its owners', async () => {
  const [maker, taker] = [await listens(alice), await listens(bob, ['subscribe_transactions'])]
  const { made } = await trade()
  live.shiftClock(BLOCK_MS)
  const [tx] = await taker.take('tx', 1)
  const { timestamp, conditionId, txHash, ...stated } = Object(tx)
  assert.ok(Date.parse(timestamp) > 0)
  assert.match(conditionId, /^0x[0-9a-f]{64}$/)
  assert.match(txHash, /^0x[0-9a-f]{64}$/)
  assert.deepEqual(stated, {
    userId: bob.profileId,
    status: 'CONFIRMED',
    source: 'CLOB',
    marketSlug: 'rain',
    tokenId: rain.tokens[0],
    amountContracts: '5000000',
    amountCollateral: '2000000',
    price: '0.4',
    side: 'BUY',
  })
  await rows(maker, made, 4)
  const [made1] = await maker.take('tx', 1)
  assert.equal(at(made1, 'userId'), alice.profileId)
  assert.equal(at(made1, 'tokenId'), rain.tokens[1])
  assert.equal(at(made1, 'amountCollateral'), '3000000')
  assert.deepEqual(taker.of('orderEvent'), [], 'a client gets its channels only')
})

test('a client that comes between MATCHED and MINED gets MINED, also after a restart', async () => {
  for (const restarts of [false, true]) {
    const early = await listens(bob)
    const { made, taken, tradeSeq } = await trade()
    assert.deepEqual(await rows(early, taken, 2), ['MATCHED', 'EXECUTION'])
    const [matched] = framesOf(early, taken)
    early.close()
    if (restarts) await live.restart()
    const [maker, taker] = [await listens(alice), await listens(bob)]
    const back = await joined(live, bob, { afterEventId: 0 })
    clients.push(back)
    await back.until(() => isReported(back))
    assert.deepEqual(await rows(back, taken, 2), ['MATCHED', 'EXECUTION'])
    live.shiftClock(BLOCK_MS)
    const other = await trade()
    await rows(taker, taken, 1)
    live.shiftClock(BLOCK_MS)
    await rows(taker, other.taken, 3)
    assert.deepEqual(await rows(taker, taken, 1), ['MINED'])
    assert.deepEqual(await rows(maker, made, 1), ['MINED'])
    const fence = await live.place(bob, rain, { ticks: 10, sizeRaw: SHARE })
    await rows(back, orderIdOf(fence), 1)
    assert.deepEqual(await rows(back, taken, 0), ['MATCHED', 'EXECUTION', 'MINED'])
    const [mined] = framesOf(taker, taken)
    assert.equal(at(mined, 'eventId'), `settlement:${tradeSeq}:${taken}`)
    assert.equal(at(framesOf(maker, made)[0], 'eventId'), `settlement:${tradeSeq}:${made}`)
    for (const field of ['clientOrderId', 'price', 'amountCollateral', 'matchedAt', 'side']) {
      assert.equal(at(mined, field), at(matched, field), field)
    }
    const seqs = taker.of('tx').map((tx) => at(tx, 'txHash'))
    assert.equal(new Set(seqs).size, seqs.length, 'each trade comes once')
    for (const client of clients.splice(0)) client.close()
  }
})

test('a client that comes after a block gets no frame of its trades', async () => {
  const early = await listens(bob)
  const before = await trade()
  live.shiftClock(BLOCK_MS)
  await rows(early, before.taken, 3)
  const late = await listens(bob)
  const { taken } = await trade()
  live.shiftClock(BLOCK_MS)
  await rows(late, taken, 3)
  assert.deepEqual(framesOf(late, before.taken), [])
  assert.equal(late.of('tx').length, 1)
})

test('FAILED comes in place of MINED, also to a late client, and positions go back', async () => {
  const early = await listens(bob)
  const held = await listens(bob, [])
  held.socket.emit('subscribe_positions', { marketSlugs: ['rain'] })
  const balance = () => Number(at(held.of('positions').at(-1), 'positions', 0, 'ctfBalance'))
  await held.take('positions', 1)
  const beforeRaw = balance()
  await fault('FAILED')
  const { made, taken, tradeSeq } = await trade()
  await held.until(() => balance() === beforeRaw + 5 * SHARE)
  const late = await listens(alice)
  live.shiftClock(BLOCK_MS)
  assert.deepEqual(await rows(early, taken, 3), ['MATCHED', 'EXECUTION', 'FAILED'])
  assert.deepEqual(await rows(late, made, 1), ['FAILED'])
  const failed = framesOf(early, taken)[2]
  assert.equal(at(failed, 'eventId'), `settlement:${tradeSeq}:${taken}`)
  assert.equal(at(failed, 'txHash'), undefined)
  assert.equal(at(failed, 'makerMatches', 0, 'orderId'), made)
  const [tx] = await early.take('tx', 1)
  assert.equal(at(tx, 'status'), 'FAILED')
  assert.equal(at(tx, 'txHash'), undefined)
  await held.until(() => balance() === beforeRaw)
})

test('a retried trade is published once, when a later block mines it', async () => {
  const taker = await listens(bob)
  await fault('RETRYING')
  const { taken } = await trade()
  const other = await trade()
  live.shiftClock(BLOCK_MS)
  await rows(taker, other.taken, 3)
  assert.deepEqual(await rows(taker, taken, 2), ['MATCHED', 'EXECUTION'])
  live.shiftClock(BLOCK_MS)
  assert.deepEqual(await rows(taker, taken, 3), ['MATCHED', 'EXECUTION', 'MINED'])
  assert.equal(taker.of('tx').length, 2)
})

test('a frame waits while the tables cannot be read, and none is lost', async () => {
  const taker = await listens(bob)
  const { taken } = await trade()
  await rows(taker, taken, 2)
  const { pipeline, follower } = live.exchange
  const { mining } = pipeline
  assert(mining !== null)
  const stop = crowd(live.exchange.query)
  const mined = new Promise<void>((resolve) => {
    const leave = mining.listen({
      onBlock: () => {
        leave()
        resolve()
      },
      onSetback: () => {},
    })
  })
  live.shiftClock(BLOCK_MS)
  await mined
  await follower.whenApplied(pipeline.durableSeq, LIMITS.privateReadDeadlineMs)
  await new Promise(setImmediate)
  assert.deepEqual(await rows(taker, taken, 2), ['MATCHED', 'EXECUTION'])
  await stop()
  assert.deepEqual(await rows(taker, taken, 3), ['MATCHED', 'EXECUTION', 'MINED'])
})

test('if the tables cannot be read for long, the subscriptions end with a reason', async () => {
  const taker = await listens(bob)
  const { taken } = await trade()
  await rows(taker, taken, 2)
  const stop = crowd(live.exchange.query)
  live.shiftClock(BLOCK_MS)
  const stated = await taker.take('exception', CHANNELS.length)
  await stop()
  assert.deepEqual(
    stated.map((each) => [at(each, 'code'), at(each, 'channel')]),
    CHANNELS.map((channel) => ['READ_TIMEOUT', channel]),
  )
  for (const channel of CHANNELS) taker.socket.emit(channel)
  await taker.take('system', CHANNELS.length * 2)
  const next = await trade()
  live.shiftClock(BLOCK_MS)
  await rows(taker, next.taken, 3)
  assert.deepEqual(await rows(taker, taken, 2), ['MATCHED', 'EXECUTION'])
})

test('only the taker pays a fee, in what it receives', async () => {
  const [maker, taker] = [await listens(alice), await listens(bob)]
  const toll = await live.openMarket('toll', { fee: true })
  const sizeRaw = 100 * SHARE
  const wanted = { sizeRaw, feeBps: 300 }
  const ask = await live.place(alice, toll, { ...wanted, outcome: 1, ticks: 400 })
  const bid = await live.place(bob, toll, { ...wanted, ticks: 600 })
  const [made, taken] = [ask, bid].map(({ body }) => textAt(body, 'order', 'id'))
  live.shiftClock(BLOCK_MS)
  await rows(taker, taken, 3)
  await rows(maker, made, 4)
  const feesOf = (frame: unknown) => [
    at(frame, 'configuredFeeRateBps'),
    at(frame, 'effectiveFeeBps'),
    at(frame, 'feeAmountContracts'),
    at(frame, 'feeAmountCollateral'),
  ]
  // 100 shares at 0.6 pay two percent (rules §3.1).
  for (const place of [0, 2]) {
    assert.deepEqual(feesOf(framesOf(taker, taken)[place]), [300, 200, '2000000', undefined])
  }
  for (const place of [2, 3]) {
    assert.deepEqual(feesOf(framesOf(maker, made)[place]), [0, 0, '0', undefined])
  }
  const sale = await live.placed(bob, toll, { ...wanted, side: 'sell', ticks: 600, sizeRaw: SHARE })
  await live.placed(alice, toll, { ...wanted, ticks: 600, sizeRaw: SHARE })
  const sold = orderIdOf(sale)
  await rows(taker, sold, 3)
  assert.deepEqual(feesOf(framesOf(taker, sold)[2]), [0, 0, undefined, '0'])
})
