import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { exchange } from '../../../support/exchange.ts'
import { at } from '../../../support/json-path.ts'
import { type LiveMarket, orderBody } from '../../../support/live-orders.ts'
import { accepted, assertRefused, type Reply } from '../../../support/replies.ts'

// A market with `delayedCancel: false` (rules §4.3): an order that it holds enters the market, and
// its owner cannot call it back. Time passes only when the test says so.

const DELAY_MS = 10_000
/** From the order to the deadline of its owner's heartbeat. */
const BEAT_MS = 6000
const SHARE = 1_000_000
const CODE = 'DELAYED_CANCEL_OFF'
const { live, maker, taker } = await exchange({
  stepwise: true,
  fundsRaw: 1000 * SHARE,
  traders: ['maker', 'taker'],
})
let market: LiveMarket
let markets = 0

beforeEach(async () => {
  const fields = { takerDelayMs: DELAY_MS, delayedCancel: false }
  market = await live.openMarket(`bound-${++markets}`, fields)
})
afterEach(async () => {
  await live.pass(DELAY_MS)
  for (const trader of [maker, taker]) {
    await live.call(trader, 'DELETE', `/orders/all/${market.slug}`)
    assert.equal(live.balances(trader).reservedRaw, 0)
  }
})

/** Offers shares at 0.5, and holds an order that takes a part of what it wants of them. */
async function held(fields: object = {}, sizeRaw = 3 * SHARE): Promise<string> {
  await live.ordered(maker, market, { outcome: 1, sizeRaw: SHARE })
  const orderId = await live.ordered(taker, market, { sizeRaw }, fields)
  assert.deepEqual(await fateOf(orderId), ['LIVE', 'DELAYED'])
  return orderId
}

const rests = () => live.ordered(taker, market, { ticks: 100, sizeRaw: SHARE })

async function fateOf(orderId: string): Promise<unknown[]> {
  const requested = { items: [{ orderId }] }
  const { body } = await live.call(taker, 'POST', '/orders/status/batch', requested)
  const data = at(body, 'results', 0, 'data')
  return [at(data, 'order', 'status'), at(data, 'execution', 'settlementStatus')]
}

/** The order is released and takes what is there; the rest of it may be canceled. */
async function enters(orderId: string): Promise<void> {
  await live.pass(DELAY_MS)
  assert.equal(live.exchange.pipeline.clearing.orders.held.releasingCount, 0)
  const [status, settlement] = await fateOf(orderId)
  assert.equal(status, 'LIVE')
  assert.ok(settlement === 'MATCHED' || settlement === 'MINED', String(settlement))
  assert.equal((await live.call(taker, 'DELETE', `/orders/${orderId}`)).status, 200)
}

const post = (path: string, body: object): Promise<Reply> => live.call(taker, 'POST', path, body)
const patched = (path: string, body: object): Promise<Reply> => {
  return live.operator('PATCH', path, body)
}
const FAILED = { reason: CODE, retryable: false }

function assertFailed(body: unknown, orderIds: readonly string[]): void {
  const failed = at(body, 'failed')
  assert(Array.isArray(failed))
  assert.deepEqual(
    failed.map((each) => ({
      orderId: at(each, 'orderId'),
      reason: at(each, 'reason'),
      retryable: at(each, 'retryable'),
    })),
    orderIds.map((orderId) => ({ orderId, ...FAILED })),
  )
}

test('a cancel of a held order is refused by both names, and what rests later may go', async () => {
  const orderId = await held({ clientOrderId: 'one' })
  for (const reply of [
    await live.call(taker, 'DELETE', `/orders/${orderId}`),
    await post('/orders/cancel', { orderId }),
    await post('/orders/cancel', { clientOrderId: 'one' }),
  ]) {
    assertRefused(reply, 409, CODE)
  }
  assert.deepEqual(await fateOf(orderId), ['LIVE', 'DELAYED'])
  await enters(orderId)
})

test('a batch cancels the others, and is refused when it names held orders alone', async () => {
  const orderId = await held()
  const other = await rests()
  const some = await post('/orders/cancel-batch', { orderIds: [orderId, other] })
  assert.deepEqual([some.status, at(some.body, 'canceled')], [207, [other]], some.text)
  assertFailed(some.body, [orderId])
  const none = await post('/orders/cancel-batch', { orderIds: [orderId] })
  assertRefused(none, 409, CODE)
  assertFailed(none.body, [orderId])
  await enters(orderId)
})

test('a cancel of all orders leaves held ones and names them in failed', async () => {
  for (const path of [`/orders/all/${market.slug}`, '/orders/all']) {
    const orderId = await held()
    const other = await rests()
    const reply = await live.call(taker, 'DELETE', path)
    assert.deepEqual([reply.status, at(reply.body, 'canceled')], [207, [other]], reply.text)
    assertFailed(reply.body, [orderId])
    await enters(orderId)
  }
})

test('a cancel-replace of a held order fails, and stops or goes on as its mode says', async () => {
  const orderId = await held()
  for (const [mode, status] of [
    ['STOP_ON_FAILURE', 'NOT_ATTEMPTED'],
    ['ALLOW_FAILURE', 'SUCCESS'],
  ] as const) {
    const replacement = orderBody(taker, market, { ticks: 100, sizeRaw: SHARE })
    const operation = { cancel: { orderId }, replacement, mode }
    const reply = await post('/orders/cancel-replace', operation)
    assert.equal(reply.status, 409)
    const found = [
      at(reply.body, 'cancel', 'status'),
      at(reply.body, 'cancel', 'error', 'code'),
      at(reply.body, 'replacement', 'status'),
    ]
    assert.deepEqual(found, ['FAILURE', CODE, status], reply.text)
  }
  await enters(orderId)
})

test('an own order in its way does not stop a held order, whatever its policy says', async () => {
  const orderId = await held({ stpPolicy: 'cancel_taker' })
  const own = await live.ordered(
    taker,
    market,
    { outcome: 1, ticks: 501, sizeRaw: SHARE },
    { postOnly: true },
  )
  await live.pass(DELAY_MS)
  assert.equal((await fateOf(own))[0], 'CANCELED')
  await enters(orderId)
})

test('a heartbeat cancels a held order after its release: it takes and does not rest', async () => {
  const orderId = await held()
  const other = await rests()
  const { heartbeats } = live.exchange.pipeline.clearing
  const cancelAt = live.nowMs() + BEAT_MS
  assert.equal((await post('/heartbeats', { cancelAt })).status, 200)
  await live.pass(BEAT_MS)
  assert.deepEqual(await fateOf(orderId), ['LIVE', 'DELAYED'])
  assert.equal((await fateOf(other))[0], 'CANCELED')
  assert.notEqual(heartbeats.of(taker.profileId)?.firedSeq, 0)
  const early = await post('/heartbeats', {})
  assertRefused(early, 409, 'HEARTBEAT_CANCELING')
  await live.pass(DELAY_MS - BEAT_MS)
  await live.pass(0)
  const { orders } = live.exchange.pipeline.clearing
  assert.equal(orders.live.of(taker.profileId), 0)
  const [status, settlement] = await fateOf(orderId)
  assert.equal(status, 'CANCELED')
  assert.ok(settlement === 'MATCHED' || settlement === 'MINED', String(settlement))
  assert.equal((await post('/heartbeats', {})).status, 200)
})

test('a lock and a resolution of the market cancel held orders', async () => {
  const orderId = await held()
  assert.equal((await live.admin(`/admin/markets/${market.slug}/lock`, {})).status, 200)
  await live.exchange.pipeline.whenIdle()
  assert.equal((await fateOf(orderId))[0], 'CANCELED')
})

test('an edit counts for orders that are held then', async () => {
  const orderId = await held()
  const edit = async (delayedCancel: boolean) => {
    const path = `/admin/markets/${market.slug}`
    const reply = await accepted(patched(path, { delayedCancel }))
    assert.equal(at(reply.body, 'settings', 'delayedCancel'), delayedCancel ? undefined : false)
    return live.call(taker, 'DELETE', `/orders/${orderId}`)
  }
  assert.equal((await edit(false)).status, 409)
  assert.equal((await edit(true)).status, 200)
  assert.deepEqual(await fateOf(orderId), ['CANCELED', 'UNMATCHED'])
})

test('markets show the setting, those of groups and slots of series too', async () => {
  const settingOf = async (slug: string) => {
    const { body } = await live.send('GET', `/markets/${slug}`)
    return [at(body, 'settings', 'delayedCancel'), at(body, 'metadata', 'delayedCancel')]
  }
  assert.deepEqual(await settingOf(market.slug), [false, false])
  const group = await live.admin('/admin/groups', {
    slug: 'cup',
    title: 'Who wins?',
    takerDelayMs: DELAY_MS,
    delayedCancel: false,
    markets: [
      { slug: 'reds', title: 'Reds?' },
      { slug: 'blues', title: 'Blues?', delayedCancel: true },
    ],
  })
  assert.equal(group.status, 201, group.text)
  assert.deepEqual(await settingOf('reds'), [false, false])
  assert.deepEqual(await settingOf('blues'), [undefined, undefined])
  await accepted(patched('/admin/markets/cup', { delayedCancel: true }))
  assert.deepEqual(await settingOf('reds'), [undefined, undefined])
  const series = await live.admin('/admin/series', {
    symbol: 'BTC',
    frequency: 'minutely',
    subFrequency: 'minutes_5',
    title: 'Bitcoin',
    stableSlug: 'btc-5min',
    slugPrefix: 'btc-5m',
    assetName: 'Bitcoin',
    takerDelayMs: DELAY_MS,
    delayedCancel: false,
    strikePrice: '95000',
  })
  assert.equal(series.status, 201, series.text)
  await live.pass(0)
  const { catalogue } = live.exchange.pipeline.clearing
  const slot = catalogue.all().find((each) => each.slot !== undefined)
  assert(slot !== undefined)
  assert.deepEqual(await settingOf(slot.slug), [false, false])
})

test('the audit shows the setting as calls name it', async () => {
  await accepted(patched('/admin/markets/blues', { delayedCancel: false }))
  const { body } = await live.operator('GET', '/admin/audit?limit=1')
  assert.equal(at(body, 'entries', 0, 'delayedCancel'), false, JSON.stringify(body))
  assert.equal(at(body, 'entries', 0, 'noDelayedCancel'), undefined)
})
