import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { exchange } from '../../../support/exchange.ts'
import { at, textAt } from '../../../support/json-path.ts'
import type { CallChange, Trader } from '../../../support/live-exchange.ts'
import { byBearer, openProgram } from '../../../support/live-mcp.ts'
import { orderBody } from '../../../support/live-orders.ts'
import { PARTNER_RIGHTS, serverWallet, unsignedBody } from '../../../support/live-partners.ts'
import { accepted, assertRefused, codeOf, orderIdOf, type Reply } from '../../../support/replies.ts'

// `Idempotency-Key` of POST /orders (rules §4.5): it names the order, and the same call again gets
// its first reply.

const SHARE = 1_000_000
const DAY_MS = 86_400_000
const TERMS = { ticks: 100, sizeRaw: SHARE }
// No block comes here, so that a reply and its repetition show one settlement.
const { live, rain, alice, bob, partner } = await exchange({
  flags: ['--block-ms', '60000', '--cors-origin', 'https://app.example'],
  markets: ['rain'],
  fundsRaw: 1_000_000_000,
  traders: { alice: {}, bob: {}, partner: { apiToken: { scopes: PARTNER_RIGHTS } } },
})

afterEach(async () => {
  for (const trader of [alice, bob]) await live.call(trader, 'DELETE', '/orders/all')
})

const keyed = (key: string): CallChange => ({ headers: { 'Idempotency-Key': key } })

function send(trader: Trader, body: unknown, key: string, query = ''): Promise<Reply> {
  return live.call(trader, 'POST', `/orders${query}`, body, keyed(key))
}

async function openIds(trader: Trader): Promise<unknown[]> {
  const open = await accepted(live.call(trader, 'GET', '/orders'))
  return Object(at(open.body, 'data')).map((each: unknown) => at(each, 'id'))
}

function assertReplay(reply: Reply, first: Reply): void {
  assert.equal(reply.status, 201, reply.text)
  assert.equal(reply.headers.get('idempotent-replay'), 'true')
  assert.deepEqual(reply.body, first.body)
}

function assertTaken(reply: Reply, first: Reply): void {
  const { orderId, orderStatus, message } = Object(reply.body)
  assertRefused(reply, 409, 'IDEMPOTENCY_KEY_TAKEN')
  assert.deepEqual({ orderId, orderStatus }, { orderId: orderIdOf(first), orderStatus: 'LIVE' })
  assert.match(message, /another body.*new key/)
}

function assertIssue(reply: Reply, message: RegExp): void {
  assert.equal(reply.status, 400, reply.text)
  assert.equal(at(reply.body, 'message', 0, 'field'), 'idempotency-key', reply.text)
  assert.match(textAt(reply.body, 'message', 0, 'message'), message)
}

test('the same body under the same key gets the first reply, and nothing is placed', async () => {
  await live.place(bob, rain, { outcome: 1, ticks: 400, sizeRaw: 2 * SHARE })
  const body = orderBody(alice, rain, { ticks: 610, sizeRaw: 10 * SHARE })
  const first = await accepted(send(alice, body, 'key 1'), 201)
  assert.equal(first.headers.get('idempotent-replay'), null)
  await live.place(bob, rain, { outcome: 1, ticks: 390, sizeRaw: SHARE })
  const all = await Promise.all([1, 2, 3].map(() => send(alice, body, 'key 1')))
  for (const again of all) assertReplay(again, first)
  assert.deepEqual(await openIds(alice), [orderIdOf(first)])
})

test('an order that is signed again under its key is the same order', async () => {
  const first = await send(alice, orderBody(alice, rain, TERMS), 'key 2')
  const [again, ...others] = await Promise.all(
    [1, 2, 3].map(() => send(alice, orderBody(alice, rain, TERMS), 'key 2')),
  )
  for (const each of [again, ...others]) assertReplay(each, first)
  assert.deepEqual(await openIds(alice), [orderIdOf(first)])
})

test('a key that came with another body is refused, and names its order', async () => {
  const first = await send(alice, orderBody(alice, rain, TERMS), 'key 3')
  const changes = [{ ticks: 101 }, { sizeRaw: 2 * SHARE }, { outcome: 1 as const }]
  for (const change of changes) {
    const body = orderBody(alice, rain, { ...TERMS, ...change })
    assertTaken(await send(alice, body, 'key 3'), first)
  }
  const other = { ...orderBody(alice, rain, TERMS), postOnly: true }
  assertTaken(await send(alice, other, 'key 3'), first)
  // The same signed order, with another field beside it.
  const signed = orderBody(alice, rain, { ...TERMS, ticks: 99 })
  const plain = await send(alice, signed, 'key 4')
  assertTaken(await send(alice, { ...signed, postOnly: true }, 'key 4'), plain)
  assert.equal((await openIds(alice)).length, 2)
})

test('the key is the client order id of an order that has none', async () => {
  const first = await send(alice, orderBody(alice, rain, TERMS), 'key 5')
  assert.equal(at(first.body, 'execution', 'clientOrderId'), 'key 5')
  const named = { ...orderBody(alice, rain, TERMS), clientOrderId: 'key 5' }
  const unkeyed = await live.call(alice, 'POST', '/orders', named)
  assert.equal(codeOf(unkeyed), 'DUPLICATE_CLIENT_ORDER_ID', unkeyed.text)
  assertReplay(await send(alice, named, 'key 5'), first)
  const other = { ...named, clientOrderId: 'another' }
  assertIssue(await send(alice, other, 'key 5'), /clientOrderId/)
  const canceled = await live.call(alice, 'POST', '/orders/cancel', { clientOrderId: 'key 5' })
  assert.equal(at(canceled.body, 'orderId'), orderIdOf(first), canceled.text)
  assertReplay(await send(alice, named, 'key 5'), first)
})

test('a key has the form of a client order id', async () => {
  const body = orderBody(alice, rain, TERMS)
  assertIssue(await send(alice, body, ''), /blank/)
  assertIssue(await send(alice, body, 'k'.repeat(129)), /128 characters/)
  assertIssue(await send(alice, body, 'k'.repeat(5000)), /128 characters/)
  const longest = await send(alice, body, 'k'.repeat(128))
  assert.equal(at(longest.body, 'execution', 'clientOrderId'), 'k'.repeat(128), longest.text)
})

test('two accounts may use one key', async () => {
  const [hers, his] = await Promise.all(
    [alice, bob].map((each) => send(each, orderBody(each, rain, TERMS), 'key 6')),
  )
  assert.equal(his.headers.get('idempotent-replay'), null, his.text)
  assert.notEqual(orderIdOf(hers), orderIdOf(his))
})

test('a key of a partner names an order of the sub-account that it acts for', async () => {
  const desks = [
    await serverWallet(live, partner, 100 * SHARE),
    await serverWallet(live, partner, 100 * SHARE),
  ]
  for (const { profileId } of desks) {
    const first = await send(partner, unsignedBody(partner, profileId, rain, TERMS), 'key 7')
    assert.equal(first.status, 201, first.text)
    assert.equal(first.headers.get('idempotent-replay'), null)
    // Its salt is another one.
    const again = unsignedBody(partner, profileId, rain, TERMS)
    assertReplay(await send(partner, again, 'key 7'), first)
    const dearer = unsignedBody(partner, profileId, rain, { ...TERMS, ticks: 101 })
    assertTaken(await send(partner, dearer, 'key 7'), first)
  }
})

test('a key is for the first reply only while that is given', async () => {
  const body = orderBody(alice, rain, TERMS)
  const first = await send(alice, body, 'key 8')
  const without = await send(alice, body, 'key 8', '?replay=false')
  assert.equal(codeOf(without), 'DUPLICATE_ORDER', without.text)
  live.shiftClock(DAY_MS - 60_000)
  assertReplay(await send(alice, body, 'key 8'), first)
  live.shiftClock(120_000)
  const late = await send(alice, body, 'key 8')
  assert.deepEqual([late.status, at(late.body, 'orderId')], [409, orderIdOf(first)], late.text)
  const signedAgain = await send(alice, orderBody(alice, rain, TERMS), 'key 8')
  assert.equal(codeOf(signedAgain), 'DUPLICATE_CLIENT_ORDER_ID', signedAgain.text)
})

test('what refuses orders since then does not refuse the first reply', async () => {
  const dusk = await live.openMarket('dusk', { fee: true })
  const nowMs = live.nowMs()
  const body = {
    ...orderBody(alice, dusk, { ...TERMS, expirationSec: Math.floor(nowMs / 1000) + 60 }),
    timestamp: nowMs,
    recvWindow: 10_000,
  }
  const first = await accepted(send(alice, body, 'key 10'), 201)
  const fresh = (fields: object) => ({ ...orderBody(alice, dusk, TERMS), ...fields })
  const assertSince = async (code: string, other: unknown) => {
    assertReplay(await send(alice, body, 'key 10'), first)
    const unrequested = await live.call(alice, 'POST', '/orders', body)
    assert.equal(codeOf(unrequested), code, unrequested.text)
    // The same refusal of an order that was never accepted.
    const orderEvents = await send(alice, other, `never accepted: ${code}`)
    assert.equal(codeOf(orderEvents), code, orderEvents.text)
  }
  live.shiftClock(20_000)
  await assertSince('RECV_WINDOW_EXPIRED', fresh({ timestamp: nowMs, recvWindow: 10_000 }))
  // Without its window, the signed order is the same.
  const { timestamp: _time, recvWindow: _window, ...lasting } = body
  assertReplay(await send(alice, lasting, 'key 10'), first)
  await live.admin(`/admin/profiles/${alice.profileId}/freeze`, {})
  await assertSince('PROFILE_FROZEN', fresh({}))
  await live.admin(`/admin/profiles/${alice.profileId}/unfreeze`, {})
  await live.admin('/admin/markets/dusk/lock', {})
  const locked = await send(alice, fresh({}), 'key 11')
  assert.equal(codeOf(locked), 'MARKET_NOT_TRADABLE', locked.text)
  assertReplay(await send(alice, lasting, 'key 10'), first)
  assertReplay(await live.call(alice, 'POST', '/orders?replay=true', lasting), first)
})

test('calls that take several orders, or cancel one, refuse the header', async () => {
  const order = orderBody(alice, rain, TERMS)
  const cancel = { orderId: '0e4a4b5c-0f6b-4c8e-9d43-5a4b7f0c2d11' }
  const replace = { cancel, replacement: order, mode: 'ALLOW_FAILURE' }
  for (const [path, body] of [
    ['/orders/batch', { orders: [order] }],
    ['/orders/cancel-replace', replace],
    ['/orders/cancel-replace/batch', { operations: [replace] }],
  ] as const) {
    assertIssue(await live.call(alice, 'POST', path, body, keyed('key 9')), /clientOrderId/)
  }
  assert.deepEqual(await openIds(alice), [])
})

test('a key of POST /mcp names no order of its tools', async () => {
  const headers = { ...byBearer(alice).headers, 'Idempotency-Key': 'of the session' }
  const program = await openProgram(live, { headers })
  for (const ticks of [100, 101]) {
    const reported = await program.use('place_order', orderBody(alice, rain, { ...TERMS, ticks }))
    assert.equal(reported.isError, false, reported.text)
    assert.equal(at(reported.body, 'execution', 'clientOrderId'), undefined)
  }
  assert.equal((await openIds(alice)).length, 2)
  await program.end()
})

test('documents list the header, and pages of other hosts may send it', async () => {
  const document = await live.send('GET', '/openapi.json')
  const { parameters } = Object(at(document.body, 'paths', '/orders', 'post'))
  const [header] = Object(parameters).filter(
    ({ name }: { name: string }) => name.toLowerCase() === 'idempotency-key',
  )
  assert.equal(header.in, 'header')
  assert.equal(header.required, false)
  const origin = { Origin: 'https://app.example' }
  const requested = await live.send('OPTIONS', '/orders', { headers: origin })
  assert.match(requested.headers.get('access-control-allow-headers') ?? '', /idempotency-key/)
  assert.match(document.headers.get('vary') ?? '', /origin/)
  const read = await live.send('GET', '/health', { headers: origin })
  assert.match(read.headers.get('access-control-expose-headers') ?? '', /idempotent-replay/)
})
