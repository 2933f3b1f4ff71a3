import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exchange } from '../../../support/exchange.ts'
import { at, textAt } from '../../../support/json-path.ts'
import type { Trader } from '../../../support/live-exchange.ts'
import { orderBody } from '../../../support/live-orders.ts'
import { accepted, orderIdOf, type Reply } from '../../../support/replies.ts'

// An order that is sent again after its reply was lost: the refusal names the first order, and
// `replay` gives its reply again.

const SHARE = 1_000_000
const DAY_MS = 86_400_000
// No block comes here, so that a reply and its repetition show one settlement.
const { live, rain, alice, bob } = await exchange({
  flags: ['--block-ms', '60000'],
  markets: { rain: { fee: true } },
  fundsRaw: 1_000_000_000,
  traders: ['alice', 'bob'],
})

const send = (trader: Trader, body: unknown, query = '') =>
  live.call(trader, 'POST', `/orders${query}`, body)

function assertNames(reply: Reply, code: string, orderId: string, status: string): void {
  assert.equal(reply.status, 409, reply.text)
  const { message, ...fields } = Object(reply.body)
  assert.match(message, /accepted/)
  const named = { orderId: fields.orderId, orderStatus: fields.orderStatus }
  assert.deepEqual(named, { orderId, orderStatus: status })
  assert.equal(fields.code, code)
}

test('a signed order that comes again is 409 with id and status of the first', async () => {
  const body = { ...orderBody(alice, rain, { sizeRaw: SHARE }), clientOrderId: 'first' }
  const id = textAt((await send(alice, body)).body, 'order', 'id')
  assertNames(await send(alice, body), 'DUPLICATE_ORDER', id, 'LIVE')
  const signedAgain = { ...orderBody(alice, rain, { sizeRaw: SHARE }), clientOrderId: 'first' }
  const code = 'DUPLICATE_CLIENT_ORDER_ID'
  assertNames(await send(alice, signedAgain), code, id, 'LIVE')
  await live.call(alice, 'DELETE', `/orders/${id}`)
  assertNames(await send(alice, body), 'DUPLICATE_ORDER', id, 'CANCELED')
  assertNames(await send(alice, signedAgain), code, id, 'CANCELED')
})

test('an order of a batch and a replacement that come again name the first too', async () => {
  const body = orderBody(alice, rain, { sizeRaw: SHARE })
  const id = textAt((await send(alice, body)).body, 'order', 'id')
  const batch = await live.call(alice, 'POST', '/orders/batch', { orders: [body] })
  assert.equal(at(batch.body, 'results', 0, 'orderId'), id, batch.text)
  assert.equal(at(batch.body, 'results', 0, 'status'), 409)
  await live.call(alice, 'DELETE', '/orders/all')
})

test('replay gives the first reply again, byte for byte, and places nothing', async () => {
  await live.place(bob, rain, { outcome: 1, ticks: 400, sizeRaw: 2 * SHARE })
  await live.place(bob, rain, { outcome: 1, ticks: 390, sizeRaw: SHARE })
  const requests = [
    [{ ticks: 610, sizeRaw: 10 * SHARE }, { clientOrderId: 'rests after fills' }],
    [{ ticks: 100, sizeRaw: SHARE }, {}],
    [{ ticks: 620, sizeRaw: 5 * SHARE }, { orderType: 'FAK' }],
    [
      { ticks: 200, sizeRaw: SHARE },
      { orderType: 'FOK', clientOrderId: 'killed' },
    ],
  ] as const
  for (const [wanted, fields] of requests) {
    const body = { ...orderBody(alice, rain, wanted), ...fields }
    const first = await accepted(send(alice, body), 201)
    assert.equal(first.headers.get('idempotent-replay'), null)
    // What comes of the order later does not change its first reply.
    await live.place(bob, rain, { outcome: 1, ticks: 390, sizeRaw: SHARE })
    const again = await accepted(send(alice, body, '?replay=true'), 201)
    assert.equal(again.headers.get('idempotent-replay'), 'true')
    assert.deepEqual(again.body, first.body)
  }
  await live.call(alice, 'DELETE', '/orders/all')
  await live.call(bob, 'DELETE', '/orders/all')
})

test('a new order with replay is placed once, and a retry of it is answered', async () => {
  const body = orderBody(alice, rain, { ticks: 100, sizeRaw: SHARE })
  const all = await Promise.all([1, 2, 3].map(() => send(alice, body, '?replay=true')))
  const ids = all.map((reply) => orderIdOf(reply))
  assert.equal(new Set(ids).size, 1)
  const replays = all.filter((reply) => reply.headers.get('idempotent-replay') === 'true')
  assert.equal(replays.length, 2)
  const canceled = await live.call(alice, 'DELETE', '/orders/all')
  assert.deepEqual(at(canceled.body, 'canceled'), [ids[0]])
})

test('an order signed again is replayed by its client id when its terms are the same', async () => {
  const terms = { ticks: 100, sizeRaw: SHARE }
  const named = { clientOrderId: 'the-key' }
  const first = await live.place(alice, rain, terms, named)
  const same = await send(alice, { ...orderBody(alice, rain, terms), ...named }, '?replay=true')
  assert.equal(same.status, 201, same.text)
  assert.deepEqual(same.body, first.body)
  const changed = { ...orderBody(alice, rain, { ...terms, ticks: 101 }), ...named }
  const other = await send(alice, changed, '?replay=true')
  const id = orderIdOf(first)
  assertNames(other, 'DUPLICATE_CLIENT_ORDER_ID', id, 'LIVE')
  await live.call(alice, 'DELETE', '/orders/all')
})

test('a reply is replayed for a day', async () => {
  const body = orderBody(alice, rain, { ticks: 100, sizeRaw: SHARE })
  const id = textAt((await send(alice, body)).body, 'order', 'id')
  live.shiftClock(DAY_MS - 60_000)
  assert.equal((await send(alice, body, '?replay=true')).status, 201)
  live.shiftClock(120_000)
  assertNames(await send(alice, body, '?replay=true'), 'DUPLICATE_ORDER', id, 'LIVE')
})

test('replay is true or false', async () => {
  const body = orderBody(alice, rain, { ticks: 100, sizeRaw: SHARE })
  const reply = await send(alice, body, '?replay=yes')
  assert.equal(reply.status, 400, reply.text)
})
