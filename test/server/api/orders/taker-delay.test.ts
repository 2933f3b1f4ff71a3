import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { exchange } from '../../../support/exchange.ts'
import { at, textAt } from '../../../support/json-path.ts'
import {
  type LiveMarket,
  type OrderRequest,
  orderBody,
  signedFor,
  unsigned,
} from '../../../support/live-orders.ts'
import { accepted, assertRefused, orderIdOf } from '../../../support/replies.ts'

// Taker delay over HTTP (rules §4.3). Cancels that meet a release are in releases.test.ts. Time
// passes only when the test says so.

const DELAY_MS = 10_000
const SHARE = 1_000_000
const { live, maker, taker } = await exchange({
  stepwise: true,
  fundsRaw: 1000 * SHARE,
  traders: ['maker', 'taker'],
})
let slow: LiveMarket
let markets = 0

// Each test opens its own market, because some tests end theirs.
const newMarket = async (fields: object = {}) => {
  slow = await live.openMarket(`slow-${++markets}`, { takerDelayMs: DELAY_MS, ...fields })
}
afterEach(async () => {
  for (const { id } of await windows()) await endWindow(id)
  for (const trader of [maker, taker]) {
    await live.call(trader, 'DELETE', `/orders/all/${slow.slug}`)
    assert.equal(live.balances(trader).reservedRaw, 0)
  }
})

async function windows(): Promise<{ id: number }[]> {
  const { body } = await live.operator('GET', '/admin/trading-modes')
  return Object(at(body, 'windows'))
}

async function endWindow(id: number): Promise<void> {
  await accepted(live.operator('DELETE', `/admin/trading-modes/${id}`))
}

const stateOf = (value: unknown) => at(value, 'execution', 'settlementStatus')

/** Offers shares at 0.5. */
const ask = async (sizeRaw = SHARE) => await live.ordered(maker, slow, { outcome: 1, sizeRaw })

async function heldBy(body: Record<string, unknown>): Promise<string> {
  const reply = await live.call(taker, 'POST', '/orders', body)
  assert.deepEqual([reply.status, stateOf(reply.body)], [201, 'DELAYED'], reply.text)
  return orderIdOf(reply)
}

const held = (fields: object = {}, wanted: OrderRequest = {}) =>
  heldBy({ ...orderBody(taker, slow, { sizeRaw: 3 * SHARE, ...wanted }), ...fields })

async function statusOf(orderId: string, trader = taker): Promise<unknown> {
  const reply = await live.call(trader, 'POST', '/orders/status/batch', { items: [{ orderId }] })
  assert.equal(reply.status, 200, reply.text)
  return at(reply.body, 'results', 0, 'data')
}

/** The status of the order, its settlement status, and the shares that it bought. */
async function fateOf(orderId: string): Promise<unknown[]> {
  const data = await statusOf(orderId)
  const bought = at(data, 'execution', 'totalsRaw', 'contractsGross')
  return [at(data, 'order', 'status'), stateOf(data), bought]
}

test('an order that would take is held: 201, DELAYED, LIVE with its whole size', async () => {
  await newMarket()
  const shown = await live.send('GET', `/markets/${slow.slug}`)
  assert.equal(at(shown.body, 'settings', 'takerDelayMs'), DELAY_MS)
  assert.equal(at(shown.body, 'metadata', 'takerDelayMs'), DELAY_MS)
  await ask()
  const reply = await live.placed(taker, slow, { sizeRaw: 3 * SHARE })
  const { order, execution, makerMatches } = Object(reply.body)
  const eligibleAt = new Date(Date.parse(order.createdAt) + DELAY_MS).toISOString()
  assert.deepEqual([order.status, makerMatches], ['LIVE', []])
  const { matched, settlementStatus } = execution
  assert.deepEqual(
    [matched, settlementStatus, execution.eligibleAt],
    [false, 'DELAYED', eligibleAt],
  )
  assert.equal(live.balances(taker).reservedRaw, 1.5 * SHARE)
  const [row] = Object((await live.call(taker, 'GET', `/markets/${slow.slug}/user-orders`)).body)
  const { status, originalSize, remainingSize } = row
  assert.deepEqual([status, originalSize, remainingSize], ['LIVE', '3000000', '3000000'])
  assert.deepEqual(at(await statusOf(order.id), 'execution'), execution)
  const book = await live.send('GET', `/markets/${slow.slug}/orderbook`)
  assert.deepEqual(at(book.body, 'bids'), [], 'a held order is not in the book')
})

const SPEND = { order: (order: object) => ({ ...order, makerAmount: SHARE, takerAmount: 1 }) }
const asIs = { order: (order: object) => order }
/** The end of an order for three shares at 0.5, or of one that spends one unit of collateral. */
const ENDS: readonly [string, typeof asIs, number, unknown[]][] = [
  ['GTC', asIs, 0, ['LIVE', 'UNMATCHED', '0']],
  ['GTC', asIs, 1, ['LIVE', 'MATCHED', '1000000']],
  ['GTC', asIs, 5, ['MATCHED', 'MATCHED', '3000000']],
  ['FAK', asIs, 0, ['UNMATCHED', 'UNMATCHED', '0']],
  ['FAK', asIs, 1, ['MATCHED', 'MATCHED', '1000000']],
  ['FOK', asIs, 1, ['UNMATCHED', 'UNMATCHED', '0']],
  ['FOK', asIs, 3, ['MATCHED', 'MATCHED', '3000000']],
  ['FOK', SPEND, 1, ['UNMATCHED', 'UNMATCHED', '0']],
  ['FOK', SPEND, 2, ['MATCHED', 'MATCHED', '2000000']],
]

test('at eligibleAt an order meets the current book, and ends as its type says', async () => {
  for (const [orderType, { order }, shares, fate] of ENDS) {
    await newMarket()
    const first = await ask(5 * SHARE)
    const terms = order(unsigned(taker, slow, { sizeRaw: 3 * SHARE }))
    const body = orderBody(taker, slow)
    const signed = signedFor(Object(terms), taker, slow)
    const id = await heldBy({ ...body, orderType, order: signed })
    assert.equal((await live.call(maker, 'DELETE', `/orders/${first}`)).status, 200)
    if (shares > 0) await ask(shares * SHARE)
    await live.pass(DELAY_MS / 2)
    assert.deepEqual(await fateOf(id), ['LIVE', 'DELAYED', '0'], 'no release before its time')
    await live.pass(DELAY_MS / 2)
    const [status, settled, bought] = await fateOf(id)
    const mined = settled === 'MINED' ? 'MATCHED' : settled
    assert.deepEqual([status, mined, bought], fate, `${orderType}, ${shares} shares offered`)
    await live.call(maker, 'DELETE', `/orders/all/${slow.slug}`)
    await live.call(taker, 'DELETE', `/orders/all/${slow.slug}`)
    assert.equal(live.balances(taker).reservedRaw, 0)
  }
})

test('a held order rests behind orders that came to its price while it was held', async () => {
  await newMarket()
  const first = await ask()
  const late = await held({}, { sizeRaw: SHARE })
  await live.call(maker, 'DELETE', `/orders/${first}`)
  const early = await live.ordered(taker, slow, { sizeRaw: SHARE })
  await live.pass(DELAY_MS)
  assert.deepEqual(await fateOf(late), ['LIVE', 'UNMATCHED', '0'])
  const sale = await live.placed(maker, slow, { outcome: 1 }, { orderType: 'FAK' })
  assert.equal(stateOf(sale.body), 'DELAYED')
  await live.pass(DELAY_MS)
  const matches = at(await statusOf(orderIdOf(sale), maker), 'makerMatches')
  assert.deepEqual(
    Object(matches).map((each: unknown) => at(each, 'orderId')),
    [early, late],
  )
})

test('an order that would not take is never held, and post-only is refused', async () => {
  await newMarket()
  await ask()
  const low = await live.placed(taker, slow, { ticks: 499 })
  assert.deepEqual(
    [stateOf(low.body), at(low.body, 'execution', 'eligibleAt')],
    ['UNMATCHED', undefined],
  )
  const quiet = await live.place(taker, slow, {}, { postOnly: true })
  assertRefused(quiet, 400, 'POST_ONLY_WOULD_MATCH')
  const killed = await live.placed(taker, slow, { ticks: 499 }, { orderType: 'FAK' })
  assert.equal(at(killed.body, 'order', 'status'), 'UNMATCHED')
})

test('orders of a batch and a replacement are held like any other', async () => {
  await newMarket()
  await ask()
  const orders = [orderBody(taker, slow), orderBody(taker, slow, { ticks: 100 })]
  const batch = await live.call(taker, 'POST', '/orders/batch', { orders })
  const states = Object(at(batch.body, 'results')).map(stateOf)
  assert.deepEqual(states, ['DELAYED', 'UNMATCHED'])
  const orderId = textAt(batch.body, 'results', 1, 'order', 'id')
  const replaced = await live.call(taker, 'POST', '/orders/cancel-replace', {
    cancel: { orderId },
    replacement: orderBody(taker, slow),
    mode: 'STOP_ON_FAILURE',
  })
  assert.equal(replaced.status, 200, replaced.text)
  const { execution, order } = Object(at(replaced.body, 'replacement', 'data'))
  const eligibleMs = Date.parse(order.createdAt) + DELAY_MS
  assert.deepEqual(
    [execution.settlementStatus, execution.eligibleAt],
    ['DELAYED', new Date(eligibleMs).toISOString()],
  )
})

const MODES = [
  { mode: 'post_only', cancels: 200 },
  { mode: 'cancel_only', cancels: 200 },
  { mode: 'disabled', cancels: 425 },
] as const

for (const { mode, cancels } of MODES) {
  test(`${mode}: releases wait until trading is normal, and are no failure`, async () => {
    await newMarket()
    await ask()
    const other = await held()
    const id = await held({}, { sizeRaw: SHARE })
    const reported = await statusOf(id)
    const endsAt = live.nowMs() + 3 * DELAY_MS
    assert.equal((await live.admin('/admin/trading-modes', { mode, endsAt })).status, 201)
    await live.pass(2 * DELAY_MS)
    assert.deepEqual(await statusOf(id), reported, 'the order is DELAYED with the same eligibleAt')
    const canceled = await live.call(taker, 'DELETE', `/orders/${other}`)
    assert.equal(canceled.status, cancels, canceled.text)
    await live.pass(DELAY_MS)
    const [status] = await fateOf(id)
    const [otherStatus] = await fateOf(other)
    // Orders are released in the order in which they came.
    const expected = cancels === 200 ? ['MATCHED', 'CANCELED'] : ['LIVE', 'LIVE']
    assert.deepEqual([status, otherStatus], expected)
  })
}

const HOUR_MS = 3_600_000
const OTHER_ENDS: readonly [string, (ms: number) => Promise<unknown>][] = [
  ['an expiration', async () => {}],
  ['a heartbeat', (ms) => live.call(taker, 'POST', '/heartbeats', { cancelAt: ms })],
  ['the deadline of its market', async () => {}],
  [
    'a resolution',
    () => live.admin(`/admin/markets/${slow.slug}/resolve`, { winningOutcomeIndex: 0 }),
  ],
]

for (const [what, begin] of OTHER_ENDS) {
  test(`${what} cancels a held order, which never trades`, async () => {
    const endsMs = Math.ceil(live.nowMs() / 1000) * 1000 + 7000
    const isDeadline = what === 'the deadline of its market'
    await newMarket(isDeadline ? { deadline: new Date(endsMs).toISOString() } : {})
    await ask()
    const terms = unsigned(taker, slow, { sizeRaw: SHARE })
    const expiration = what === 'an expiration' ? String(endsMs / 1000 - 1) : '0'
    const order = signedFor({ ...terms, expiration }, taker, slow)
    const id = await heldBy({ ...orderBody(taker, slow), order })
    await begin(endsMs)
    await live.pass(endsMs - live.nowMs())
    assert.deepEqual(await fateOf(id), ['CANCELED', 'UNMATCHED', '0'])
    assert.equal(live.balances(taker).reservedRaw, 0)
    await live.pass(HOUR_MS)
    assert.deepEqual(await fateOf(id), ['CANCELED', 'UNMATCHED', '0'])
  })
}

test('the takers of one batch are released in the order in which they came', async () => {
  await newMarket()
  const batchMax = 50
  await ask(20 * SHARE)
  const orders = Array.from({ length: batchMax }, () =>
    orderBody(taker, slow, { sizeRaw: SHARE, ticks: 500 }),
  )
  const { status, body } = await live.call(taker, 'POST', '/orders/batch', { orders })
  assert.equal(status, 200)
  const ids: string[] = []
  for (let index = 0; index < batchMax; index++) {
    assert.equal(stateOf(at(body, 'results', index)), 'DELAYED')
    ids.push(textAt(body, 'results', index, 'order', 'id'))
  }
  await live.pass(DELAY_MS + 1000)
  const items = ids.map((orderId) => ({ orderId }))
  const reported = await live.call(taker, 'POST', '/orders/status/batch', { items })
  const states = ids.map((_, index) => stateOf(at(reported.body, 'results', index, 'data')))
  const expected = ids.map((_, index) => (index < 20 ? 'MATCHED' : 'UNMATCHED'))
  assert.deepEqual(
    states.map((state) => (state === 'MINED' ? 'MATCHED' : state)),
    expected,
  )
})
