import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { exchange } from '../support/exchange.ts'
import { at, textAt } from '../support/json-path.ts'
import { orderBody } from '../support/live-orders.ts'
import { cookieOf, login, newWallet, withCookie } from '../support/live-session.ts'
import { accepted, codeOf, orderIdOf, type Reply } from '../support/replies.ts'

// Acts that conflict, sent at the same moment: each takes effect wholly before or after the other.

const START_RAW = 1_000_000_000
const { live } = await exchange()

function countOf(replies: readonly Reply[], status: number): number {
  return replies.filter((reply) => reply.status === status).length
}

test('one order sent alone and in batches at the same moment is taken once', async () => {
  const market = await live.openMarket('twice')
  const trader = await live.trader(START_RAW)
  const body = orderBody(trader, market)
  const alone = () => live.call(trader, 'POST', '/orders', body)
  const inBatch = () => live.call(trader, 'POST', '/orders/batch', { orders: [body, body] })
  const singles = Promise.all([alone(), alone(), alone()])
  const batches = await Promise.all([inBatch(), inBatch()])
  const statuses = [
    ...(await singles).map(({ status }) => status),
    ...batches.flatMap((each) => [0, 1].map((index) => at(each.body, 'results', index, 'status'))),
  ]
  assert.equal(statuses.filter((status) => status === 201).length, 1, statuses.join())
  assert.equal(statuses.filter((status) => status === 409).length, 6, statuses.join())
  assert.equal(live.balances(trader).reservedRaw, 5_000_000)
})

test('of orders with one client id at the same moment one is taken', async () => {
  const market = await live.openMarket('one-name')
  const trader = await live.trader(START_RAW)
  const clientOrderId = randomUUID()
  const replies = await Promise.all(
    [1, 2, 3, 4, 5, 6].map((ticks) => live.place(trader, market, { ticks }, { clientOrderId })),
  )
  assert.equal(countOf(replies, 201), 1)
  assert.equal(countOf(replies, 409), 5)
})

test('a token revoked while orders are under way places the earlier ones only', async () => {
  const market = await live.openMarket('revoked')
  const trader = await live.trader(START_RAW)
  const order = () => live.place(trader, market)
  const first = Array.from({ length: 12 }, order)
  const revoked = live.call(trader, 'DELETE', `/auth/api-tokens/${trader.tokenId}`)
  const replies = await Promise.all([...first, ...Array.from({ length: 12 }, order)])
  assert.equal((await revoked).status, 200)
  const taken = countOf(replies, 201)
  assert.equal(taken + countOf(replies, 401), replies.length)
  assert.equal(live.balances(trader).reservedRaw, taken * 5_000_000)
  assert.equal((await order()).status, 401)
})

test('a session that ends while it makes tokens makes the earlier ones only', async () => {
  const wallet = newWallet()
  const cookie = cookieOf(await login(live, wallet))
  const derive = () => withCookie(live, cookie, 'POST', '/auth/api-tokens/derive', {})
  const first = Array.from({ length: 6 }, derive)
  const left = withCookie(live, cookie, 'POST', '/auth/logout', {})
  const replies = await Promise.all([...first, ...Array.from({ length: 6 }, derive)])
  assert.equal((await left).status, 200)
  const made = countOf(replies, 201)
  assert.equal(made + countOf(replies, 401), replies.length)
  assert.equal(codeOf(await derive()), 'SESSION_INVALID')
  const listed = await withCookie(
    live,
    cookieOf(await login(live, wallet)),
    'GET',
    '/auth/api-tokens',
  )
  assert.ok(Array.isArray(listed.body))
  assert.equal(listed.body.length, made)
})

test('a market resolved while orders and cancels are under way leaves no reserve', async () => {
  const market = await live.openMarket('ending')
  const trader = await live.trader(START_RAW)
  const placed = await live.place(trader, market)
  const id = orderIdOf(placed)
  const orders = Array.from({ length: 10 }, () => live.place(trader, market))
  const cancel = live.call(trader, 'DELETE', `/orders/${id}`)
  await accepted(live.admin('/admin/markets/ending/resolve', { winningOutcomeIndex: 0 }))
  const replies = await Promise.all(orders)
  assert.equal(countOf(replies, 201) + countOf(replies, 400), replies.length)
  const status = (await cancel).status
  assert.ok(status === 200 || status === 400, `${status}`)
  assert.deepEqual(live.balances(trader), { freeRaw: START_RAW, reservedRaw: 0 })
})

test('of several replacements of one order at the same moment one is made', async () => {
  const market = await live.openMarket('replaced')
  const trader = await live.trader(START_RAW)
  const orderId = textAt((await live.place(trader, market)).body, 'order', 'id')
  const replies = await Promise.all(
    [300, 301, 302, 303].map((ticks) =>
      live.call(trader, 'POST', '/orders/cancel-replace', {
        cancel: { orderId },
        replacement: orderBody(trader, market, { ticks }),
        mode: 'STOP_ON_FAILURE',
      }),
    ),
  )
  assert.equal(countOf(replies, 200), 1, replies.map(({ text }) => text).join('\n'))
  assert.equal(countOf(replies, 409), 3)
})
