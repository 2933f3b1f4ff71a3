import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { afterEach, test } from 'node:test'
import { LIMITS } from '../../../../engine/domain/limits.ts'
import { replaceOrder, replaceOrders } from '../../../../server/api/orders/cancel-replace.ts'
import { compile } from '../../../../server/edge/http/schema/schema.ts'
import { exchange } from '../../../support/exchange.ts'
import { at } from '../../../support/json-path.ts'
import type { Trader } from '../../../support/live-exchange.ts'
import { type OrderRequest, orderBody } from '../../../support/live-orders.ts'
import { assertRefused, type Reply } from '../../../support/replies.ts'

// POST /orders/cancel-replace (rules §4.8) over HTTP.

const SHARE = 1_000_000
const one = compile(replaceOrder.reply)
const several = compile(replaceOrders.reply)
let tokensLeft = Number.POSITIVE_INFINITY
const {
  live,
  rain: market,
  snow: other,
  alice,
  bob,
} = await exchange({
  flags: ['--market-threads', '2'],
  profileWaitSec: () => (tokensLeft-- > 0 ? 0 : 2),
  markets: ['rain', 'snow'],
  traders: { alice: 5 * SHARE, bob: 100 * SHARE },
})
/** Has exactly the money for one order of ten shares at 0.5. */

afterEach(async () => {
  for (const trader of [alice, bob]) {
    for (const slug of ['rain', 'snow']) await live.call(trader, 'DELETE', `/orders/all/${slug}`)
    assert.equal(live.balances(trader).reservedRaw, 0)
  }
  assert.equal(live.exchange.pipeline.queues.count, 0)
  assert.equal(live.exchange.pipeline.orders.reserved, 0)
})

function rest(trader: Trader, fields: object = {}, wanted: OrderRequest = {}): Promise<string> {
  return live.ordered(trader, market, wanted, fields)
}

const STOP = { mode: 'STOP_ON_FAILURE' }
const ALLOW = { mode: 'ALLOW_FAILURE' }
const send = (trader: Trader, body: object) =>
  live.call(trader, 'POST', '/orders/cancel-replace', body)
const sendAll = (trader: Trader, operations: readonly object[]) =>
  live.call(trader, 'POST', '/orders/cancel-replace/batch', { operations })

/** The status of both legs, and the code of each leg that failed. */
function legs(value: unknown): unknown[] {
  return ['cancel', 'replacement'].flatMap((leg) => {
    const code = at(value, leg, 'error', 'code')
    return [at(value, leg, 'status'), ...(code === undefined ? [] : [code])]
  })
}

function legsOf(reply: Reply, status: number): unknown[] {
  assert.equal(reply.status, status, reply.text)
  assert.ok(one.holds(reply.body), JSON.stringify(one.issues(reply.body)))
  return legs(reply.body)
}

test('the money that the cancel frees pays for the replacement in any market', async () => {
  const id = await rest(alice, { clientOrderId: 'first' })
  assert.equal(live.balances(alice).freeRaw, 0)
  const replacement = { ...orderBody(alice, other), clientOrderId: 'second' }
  const reply = await send(alice, { cancel: { orderId: id.toUpperCase() }, replacement, ...STOP })
  assert.deepEqual(legsOf(reply, 200), ['SUCCESS', 'SUCCESS'])
  assert.deepEqual(at(reply.body, 'cancel'), {
    status: 'SUCCESS',
    orderId: id,
    clientOrderId: 'first',
  })
  assert.deepEqual(at(reply.body, 'canceledOrder'), {
    orderId: id,
    clientOrderId: 'first',
    filledSize: '0',
    remainingSize: String(10 * SHARE),
    averagePrice: null,
  })
  const data = at(reply.body, 'replacement', 'data')
  const requested = { items: [{ clientOrderId: 'second' }] }
  const reported = await live.call(alice, 'POST', '/orders/status/batch', requested)
  assert.deepEqual(at(reported.body, 'results', 0, 'data'), data)
  const back = orderBody(alice, market)
  const again = await send(alice, {
    cancel: { clientOrderId: ' second ' },
    replacement: back,
    ...ALLOW,
  })
  assert.deepEqual(legsOf(again, 200), ['SUCCESS', 'SUCCESS'])
  assert.equal(at(again.body, 'cancel', 'orderId'), at(data, 'order', 'id'))
})

test('after a failed cancel the mode decides whether the replacement is placed', async () => {
  const dead = await rest(alice)
  await live.call(alice, 'DELETE', `/orders/${dead}`)
  const theirs = await rest(bob, { clientOrderId: 'theirs' })
  const names = [
    { orderId: dead },
    { orderId: theirs },
    { orderId: randomUUID() },
    { clientOrderId: 'theirs' },
  ]
  for (const cancel of names) {
    const stopped = await send(alice, { cancel, replacement: orderBody(alice, market), ...STOP })
    assert.deepEqual(legsOf(stopped, 409), ['FAILURE', 'ORDER_NOT_FOUND', 'NOT_ATTEMPTED'])
    assert.equal(live.balances(alice).reservedRaw, 0)
  }
  for (const cancel of names) {
    const went = await send(alice, { cancel, replacement: orderBody(alice, market), ...ALLOW })
    assert.deepEqual(legsOf(went, 409), ['FAILURE', 'ORDER_NOT_FOUND', 'SUCCESS'])
    await live.call(alice, 'DELETE', '/orders/all/rain')
  }
  assert.equal(live.balances(bob).reservedRaw, 5 * SHARE)
})

test('a replacement that is refused before the cancel leaves the old order standing', async () => {
  const fees = await live.openMarket('hail', { fee: true })
  await rest(bob, {}, { outcome: 1, ticks: 500, sizeRaw: SHARE })
  const signed = Object(orderBody(alice, market).order)
  const rows: [string, object][] = [
    ['MARKET_NOT_FOUND', { marketSlug: 'atlantis' }],
    ['RECV_WINDOW_EXPIRED', { timestamp: 1, recvWindow: 9 }],
    ['OWNER_MISMATCH', { ownerId: bob.profileId }],
    ['SIGNATURE_INVALID', { order: { ...signed, makerAmount: 4 * SHARE } }],
    ['DUPLICATE_CLIENT_ORDER_ID', { clientOrderId: 'first' }],
    ['FEE_RATE_MISMATCH', orderBody(alice, fees, { feeBps: 5 })],
    ['AMOUNTS_INVALID', { order: { ...signed, makerAmount: 4_000_100 } }],
  ]
  const id = await rest(alice, {}, { ticks: 400 })
  for (const [code, fields] of rows) {
    for (const mode of [STOP, ALLOW]) {
      const replacement = { ...orderBody(alice, market), ...fields }
      const reply = await send(alice, { cancel: { orderId: id }, replacement, ...mode })
      assert.deepEqual(legsOf(reply, 409), ['FAILURE', 'NOT_ATTEMPTED', 'FAILURE', code])
      const shown = await live.call(alice, 'GET', `/orders/${id}`)
      assert.equal(at(shown.body, 'order', 'status'), 'LIVE', 'the old order stands')
    }
  }
  const replacement = { ...orderBody(alice, market), postOnly: true }
  const crossed = await send(alice, { cancel: { orderId: id }, replacement, ...STOP })
  assert.deepEqual(legsOf(crossed, 409), ['SUCCESS', 'FAILURE', 'POST_ONLY_WOULD_MATCH'])
  assert.equal(live.balances(alice).reservedRaw, 0)
  await live.call(bob, 'DELETE', '/orders/all/rain')
  const next = await rest(alice)
  const large = orderBody(alice, market, { sizeRaw: 20 * SHARE, ticks: 300 })
  const short = await send(alice, { cancel: { orderId: next }, replacement: large, ...STOP })
  assert.deepEqual(legsOf(short, 409), ['SUCCESS', 'FAILURE', 'INSUFFICIENT_COLLATERAL'])
})

test('an invalid body is refused whole, and nothing is canceled', async () => {
  const id = await rest(alice)
  const replacement = orderBody(alice, market)
  const right = { cancel: { orderId: id }, replacement, ...STOP }
  const bodies: [string, object][] = [
    ['cancel', { ...right, cancel: {} }],
    ['cancel', { ...right, cancel: { orderId: id, clientOrderId: 'x' } }],
    ['cancel.clientOrderId', { ...right, cancel: { clientOrderId: ' ' } }],
    ['cancel.orderId', { ...right, cancel: { orderId: 'x' } }],
    ['mode', { ...right, mode: 'SOMETIMES' }],
    ['onBehalfOf', { ...right, onBehalfOf: 2 ** 31 }],
    ['replacement.onBehalfOf', { ...right, replacement: { ...replacement, onBehalfOf: 1 } }],
    ['replacement.orderType', { ...right, replacement: { ...replacement, orderType: 'IOC' } }],
    ['replacement.clientOrderId', { ...right, replacement: { ...replacement, clientOrderId: '' } }],
    ['replacement.postOnly', rightBut({ postOnly: true, orderType: 'FAK' })],
  ]
  function rightBut(fields: object) {
    return { ...right, replacement: { ...replacement, ...fields } }
  }
  for (const [field, body] of bodies) {
    const reply = await send(alice, body)
    assert.deepEqual([reply.status, at(reply.body, 'message', 0, 'field')], [400, field])
    const all = await sendAll(alice, [right, body])
    assert.equal(all.status, 400, all.text)
    assert.equal(at(all.body, 'message', 0, 'field'), `operations.1.${field}`)
  }
  const many = Array.from({ length: 21 }, () => right)
  for (const operations of [[], many]) {
    const reply = await sendAll(alice, operations)
    assertRefused(reply, 400, 'VALIDATION')
  }
  const unknown = await live.call(
    { ...alice, tokenId: 'x' },
    'POST',
    '/orders/cancel-replace',
    right,
  )
  assert.equal(unknown.status, 401)
  assert.equal(live.balances(alice).reservedRaw, 5 * SHARE)
})

test('a batch runs its operations in sequence and reports the outcome of each', async () => {
  const id = await rest(alice)
  const next = (clientOrderId: string) => ({ ...orderBody(alice, market), clientOrderId })
  // Each step has only the money that the step before it has freed.
  const reply = await sendAll(alice, [
    { cancel: { orderId: id }, replacement: next('a'), ...STOP },
    { cancel: { clientOrderId: 'a' }, replacement: next('b'), ...STOP },
    { cancel: { clientOrderId: 'a' }, replacement: next('c'), ...STOP },
    { cancel: { clientOrderId: 'a' }, replacement: next('c'), ...ALLOW },
    { cancel: { clientOrderId: 'b' }, replacement: next('a'), ...STOP },
    { cancel: { clientOrderId: 'b' }, replacement: next('d'), ...ALLOW },
  ])
  assert.equal(reply.status, 200, reply.text)
  assert.ok(several.holds(reply.body), JSON.stringify(several.issues(reply.body)))
  const results = at(reply.body, 'results')
  assert.ok(Array.isArray(results))
  assert.deepEqual(results.map(legs), [
    ['SUCCESS', 'SUCCESS'],
    ['SUCCESS', 'SUCCESS'],
    ['FAILURE', 'ORDER_NOT_FOUND', 'NOT_ATTEMPTED'],
    ['FAILURE', 'ORDER_NOT_FOUND', 'FAILURE', 'INSUFFICIENT_COLLATERAL'],
    ['FAILURE', 'NOT_ATTEMPTED', 'FAILURE', 'DUPLICATE_CLIENT_ORDER_ID'],
    ['SUCCESS', 'SUCCESS'],
  ])
  assert.deepEqual(
    results.map((each) => at(each, 'index')),
    [0, 1, 2, 3, 4, 5],
  )
})

test('each operation counts against the rate; without a token the request is refused', async () => {
  const id = await rest(alice)
  const replacement = orderBody(alice, market)
  tokensLeft = 0
  const none = await send(alice, { cancel: { orderId: id }, replacement, ...STOP })
  assert.deepEqual([none.status, none.headers.get('retry-after')], [429, '2'])
  tokensLeft = 1
  const step = { cancel: { orderId: id }, replacement, ...STOP }
  const some = await sendAll(alice, [step, step])
  tokensLeft = Number.POSITIVE_INFINITY
  assert.deepEqual(legs(at(some.body, 'results', 0)), ['SUCCESS', 'SUCCESS'])
  const late = ['FAILURE', 'RATE_LIMITED', 'NOT_ATTEMPTED']
  assert.deepEqual(legs(at(some.body, 'results', 1)), late)
})

test('a cancel-replace sets the time of last use of its token', async () => {
  const { accounts } = live.exchange.pipeline.clearing
  const fresh = await live.trader(5 * SHARE)
  assert.equal(accounts.tokenById(fresh.tokenId)?.lastUsedMs, null)
  const cancel = { orderId: randomUUID() }
  await send(fresh, { cancel, replacement: orderBody(fresh, market), ...STOP })
  assert.ok(Number(accounts.tokenById(fresh.tokenId)?.lastUsedMs) > 0)
})

test('no other order of the account can take the money that the cancel frees', async () => {
  for (let round = 0; round < 8; round++) {
    const id = await rest(alice)
    const replacement = orderBody(alice, market, { ticks: 250, sizeRaw: 20 * SHARE })
    const wanted = { ticks: 100, sizeRaw: SHARE }
    const thief = () => live.place(alice, market, wanted)
    const [before, replaced, ...thieves] = await Promise.all([
      thief(),
      send(alice, { cancel: { orderId: id }, replacement, ...STOP }),
      thief(),
      thief(),
      thief(),
    ])
    assert.deepEqual(legsOf(replaced, 200), ['SUCCESS', 'SUCCESS'])
    for (const { status, text } of [before, ...thieves]) assert.equal(status, 400, text)
    await live.call(alice, 'DELETE', '/orders/all/rain')
  }
})

test('calls that wait in the queue of an account are decided in their order', async () => {
  const { pipeline } = live.exchange
  const { queues } = pipeline
  const { profileId } = alice
  assert.ok(await queues.begin(profileId))
  const seq = pipeline.clearing.lastSeq
  const waiting = async (count: number) => {
    while (queues.waiting < count) await new Promise(setImmediate)
  }
  const wanted = { ticks: 250, sizeRaw: 8 * SHARE }
  const first = live.place(alice, market, wanted, { clientOrderId: 'held 1' })
  await waiting(1)
  const second = live.place(alice, market, wanted, { clientOrderId: 'held 2' })
  await waiting(2)
  const all = live.call(alice, 'DELETE', '/orders/all/rain')
  await waiting(3)
  // The cancel has not freed its money yet: only a fifth of it is free.
  const rest = { ticks: 250, sizeRaw: 4 * SHARE }
  const third = live.place(alice, market, rest, { clientOrderId: 'held 3' })
  await waiting(4)
  const cancel = live.call(alice, 'POST', '/orders/cancel', { clientOrderId: 'held 3' })
  await waiting(5)
  const replacement = orderBody(alice, market)
  const replaced = send(alice, { cancel: { clientOrderId: 'held 3' }, replacement, ...ALLOW })
  await waiting(6)
  // Other accounts do not wait.
  const free = await live.place(bob, market, { ticks: 100, sizeRaw: SHARE })
  assert.equal(free.status, 201)
  assert.equal(pipeline.clearing.lastSeq, seq + 1)
  queues.end(profileId)
  assert.equal((await first).status, 201)
  assert.equal((await second).status, 201)
  const canceled = at((await all).body, 'canceled')
  assert.equal(Array.isArray(canceled) && canceled.length, 2)
  assert.equal((await third).status, 201)
  assert.equal((await cancel).status, 200)
  assert.deepEqual(legsOf(await replaced, 409), ['FAILURE', 'ORDER_NOT_FOUND', 'SUCCESS'])
})

test('a client that hangs up still gets its replacement, and blocks no other account', async () => {
  const { queues, clearing } = live.exchange.pipeline
  const id = await rest(alice)
  assert.ok(await queues.begin(alice.profileId))
  const hangUp = new AbortController()
  const replacement = { ...orderBody(alice, market, { ticks: 400 }), clientOrderId: 'unheard' }
  const body = { cancel: { orderId: id }, replacement, ...STOP }
  const { signal } = hangUp
  const call = live.call(alice, 'POST', '/orders/cancel-replace', body, { signal })
  while (queues.waiting === 0) await new Promise(setImmediate)
  hangUp.abort()
  await assert.rejects(call, { name: 'AbortError' })
  const others = await live.place(bob, market, { ticks: 100, sizeRaw: SHARE })
  assert.equal(others.status, 201)
  queues.end(alice.profileId)
  while (queues.count > 0) await new Promise(setImmediate)
  assert.equal(live.balances(alice).reservedRaw, 4 * SHARE)
  assert.notEqual(clearing.orders.slotByClientId(alice.profileId, 'unheard'), 0)
})

test('a full queue of an account refuses with 503 and does nothing', async () => {
  const { queues } = live.exchange.pipeline
  assert.ok(await queues.begin(alice.profileId))
  let ran = 0
  while (queues.wait(alice.profileId, 'at once', () => ran++)) {}
  assert.equal(queues.waiting, LIMITS.accountQueueMax)
  const order = await live.place(alice, market)
  const cancel = await live.call(alice, 'DELETE', '/orders/all/rain')
  const id = randomUUID()
  const body = { cancel: { orderId: id }, replacement: orderBody(alice, market), ...ALLOW }
  const replaced = await send(alice, body)
  assert.deepEqual([order.status, cancel.status], [503, 503])
  assert.deepEqual(legsOf(replaced, 409), ['FAILURE', '503', 'NOT_ATTEMPTED'])
  queues.end(alice.profileId)
  assert.equal(ran, LIMITS.accountQueueMax)
  assert.equal(queues.waiting, 0)
})

test('an order that fills during its cancel is replaced whole or not at all', async () => {
  for (let round = 0; round < 8; round++) {
    const id = await rest(alice, {}, { ticks: 500, sizeRaw: SHARE })
    const replacement = orderBody(alice, market, { ticks: 400, sizeRaw: SHARE })
    const [fill, replaced] = await Promise.all([
      live.place(bob, market, { outcome: 1, sizeRaw: SHARE }, { orderType: 'FAK' }),
      send(alice, { cancel: { orderId: id }, replacement, ...STOP }),
    ])
    const isFilled = at(fill.body, 'execution', 'matched') === true
    const expected = isFilled
      ? ['FAILURE', 'ORDER_FILLED', 'NOT_ATTEMPTED']
      : ['SUCCESS', 'SUCCESS']
    assert.deepEqual(legsOf(replaced, isFilled ? 409 : 200), expected)
    await live.call(alice, 'DELETE', '/orders/all/rain')
  }
})
