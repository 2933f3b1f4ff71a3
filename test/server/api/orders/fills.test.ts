import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exchange } from '../../../support/exchange.ts'
import { at } from '../../../support/json-path.ts'
import { orderBody } from '../../../support/live-orders.ts'
import { accepted, assertRefused } from '../../../support/replies.ts'

// How much of an order was filled: every reply that names it says so, over all of its trades.

const SHARE = 1_000_000
const { live, rain, alice, bob } = await exchange({
  markets: ['rain'],
  fundsRaw: 1_000_000_000,
  traders: ['alice', 'bob'],
})

/**
 * A bid for ten shares that took two at 0.600, and then gave three and one at 0.650: six in all, at
 * (2 × 0.6 + 4 × 0.65) / 6.
 */
const FILLED = { filledSize: '6000000', remainingSize: '4000000', averagePrice: '0.633333' }
const COST_RAW = 2 * 600_000 + 4 * 650_000

async function partlyFilled(clientOrderId: string): Promise<string> {
  await live.ordered(bob, rain, { outcome: 1, ticks: 400, sizeRaw: 2 * SHARE })
  const id = await live.ordered(alice, rain, { ticks: 650, sizeRaw: 10 * SHARE }, { clientOrderId })
  await live.ordered(bob, rain, { outcome: 1, ticks: 350, sizeRaw: 3 * SHARE })
  await live.ordered(bob, rain, { outcome: 1, ticks: 350, sizeRaw: SHARE })
  return id
}

function fillsAt(value: unknown, ...path: (string | number)[]) {
  const found = at(value, ...path)
  return {
    filledSize: at(found, 'filledSize'),
    remainingSize: at(found, 'remainingSize'),
    averagePrice: at(found, 'averagePrice'),
  }
}

test('the replies to a cancel of one order say how much was filled', async () => {
  for (const [name, send] of [
    ['by-path', (id: string) => live.call(alice, 'DELETE', `/orders/${id}`)],
    ['by-id', (orderId: string) => live.call(alice, 'POST', '/orders/cancel', { orderId })],
    ['by-name', () => live.call(alice, 'POST', '/orders/cancel', { clientOrderId: 'by-name' })],
  ] as const) {
    const orderId = await partlyFilled(name)
    const reply = await accepted(send(orderId))
    const message = 'Order canceled successfully'
    assert.deepEqual(reply.body, { message, orderId, clientOrderId: name, ...FILLED })
  }
})

test('the replies to cancels of several orders say it of each', async () => {
  const orderIds = [
    await partlyFilled('batch'),
    await live.ordered(alice, rain, { sizeRaw: SHARE }),
  ]
  const batch = await live.call(alice, 'POST', '/orders/batch-cancel', { orderIds })
  const untouched = { filledSize: '0', remainingSize: '1000000', averagePrice: null }
  assert.deepEqual(
    [fillsAt(batch.body, 'orders', 0), fillsAt(batch.body, 'orders', 1)],
    [FILLED, untouched],
  )
  assert.deepEqual(at(batch.body, 'canceled'), orderIds)
  await partlyFilled('named')
  const named = await live.call(alice, 'POST', '/orders/batch-cancel', {
    clientOrderIds: ['named'],
  })
  assert.deepEqual(fillsAt(named.body, 'orders', 0), FILLED)
  assert.equal(at(named.body, 'orders', 0, 'clientOrderId'), 'named')
  for (const path of ['/orders/all/rain', '/orders/all']) {
    const id = await partlyFilled(path)
    const all = await live.call(alice, 'DELETE', path)
    assert.deepEqual(at(all.body, 'canceled'), [id], all.text)
    assert.equal(at(all.body, 'orders', 0, 'orderId'), id)
    assert.deepEqual(fillsAt(all.body, 'orders', 0), FILLED)
  }
})

test('the cancel of a cancel-replace says how much was filled', async () => {
  const orderId = await partlyFilled('quote')
  const replacement = orderBody(alice, rain, { ticks: 100, sizeRaw: SHARE })
  const body = { cancel: { orderId }, replacement, mode: 'STOP_ON_FAILURE' }
  const reply = await accepted(live.call(alice, 'POST', '/orders/cancel-replace', body))
  assert.deepEqual(fillsAt(reply.body, 'canceledOrder'), FILLED)
  await live.call(alice, 'DELETE', '/orders/all')
})

test('order, status batch and lists add up all trades of an order', async () => {
  const orderId = await partlyFilled('sums')
  const one = await live.call(alice, 'GET', `/orders/${orderId}`)
  const batch = await live.call(alice, 'POST', '/orders/status/batch', { items: [{ orderId }] })
  for (const found of [one.body, at(batch.body, 'results', 0, 'data')]) {
    assert.deepEqual(fillsAt(found, 'order'), FILLED)
    assert.deepEqual(at(found, 'execution', 'totalsRaw'), {
      contractsGross: '6000000',
      contractsFee: '0',
      contractsNet: '6000000',
      usdGross: String(COST_RAW),
      usdFee: '0',
      usdNet: String(COST_RAW),
    })
  }
  const lists = [
    at((await live.call(alice, 'GET', '/markets/rain/user-orders')).body, 0),
    at((await live.call(alice, 'GET', '/orders')).body, 'data', 0),
  ]
  for (const order of lists) assert.deepEqual(fillsAt(order), FILLED)
  await live.call(alice, 'DELETE', '/orders/all')
})

test('an order that was filled is ORDER_FILLED to its cancels, never unknown', async () => {
  const orderId = await live.ordered(
    alice,
    rain,
    { ticks: 500, sizeRaw: SHARE },
    { clientOrderId: 'gone' },
  )
  await live.ordered(bob, rain, { outcome: 1, ticks: 500, sizeRaw: SHARE })
  // Another order takes the slot of the filled one.
  await live.ordered(bob, rain, { ticks: 100, sizeRaw: SHARE })
  for (const reply of [
    await live.call(alice, 'DELETE', `/orders/${orderId}`),
    await live.call(alice, 'POST', '/orders/cancel', { clientOrderId: 'gone' }),
  ]) {
    assertRefused(reply, 400, 'ORDER_FILLED')
  }
  const batch = await live.call(alice, 'POST', '/orders/batch-cancel', { orderIds: [orderId] })
  assert.equal(at(batch.body, 'failed', 0, 'reason'), 'ORDER_FILLED')
  const replacement = orderBody(alice, rain, { ticks: 100, sizeRaw: SHARE })
  const body = { cancel: { orderId }, replacement, mode: 'STOP_ON_FAILURE' }
  const replaced = await live.call(alice, 'POST', '/orders/cancel-replace', body)
  assert.equal(at(replaced.body, 'cancel', 'error', 'code'), 'ORDER_FILLED')
})

test('no cancel that races with the fill calls the order unknown', async () => {
  for (let race = 0; race < 12; race++) {
    const clientOrderId = `race-${race}`
    const orderId = await live.ordered(
      alice,
      rain,
      { ticks: 500, sizeRaw: SHARE },
      { clientOrderId },
    )
    const taking = live.place(bob, rain, { outcome: 1, ticks: 500, sizeRaw: SHARE })
    const next = live.place(bob, rain, { ticks: 100, sizeRaw: SHARE })
    const cancel = await live.call(alice, 'DELETE', `/orders/${orderId}`)
    const word = cancel.status === 200 ? 'canceled' : at(cancel.body, 'code')
    assert.match(String(word), /^(canceled|ORDER_FILLED)$/, cancel.text)
    await Promise.all([taking, next])
    await live.call(bob, 'DELETE', '/orders/all')
  }
})
