import assert from 'node:assert/strict'
import { Agent, request } from 'node:http'
import { test } from 'node:test'
import { FAULT_VARIABLE } from '../../../../engine/thread/fault-point.ts'
import { signCall } from '../../../../server/auth/hmac-signature.ts'
import { exchange } from '../../../support/exchange.ts'
import { at } from '../../../support/json-path.ts'
import type { LiveExchange, Trader } from '../../../support/live-exchange.ts'
import { type LiveMarket, orderBody } from '../../../support/live-orders.ts'
import { accepted, type Reply } from '../../../support/replies.ts'

// Connections on edge threads: they share one port, one set of limits and one core (design §3).

const TWO = ['--edge-threads', '2']
const THREADS = ['edge-0', 'edge-1']

/** The status of a call on a connection of its own; 0 when it closed without a reply. */
function statusOf(
  { port }: LiveExchange,
  method: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  body = '',
): Promise<number> {
  return new Promise((resolve) => {
    const agent = new Agent({ keepAlive: false })
    const call = request({ host: '127.0.0.1', port, method, path, headers, agent }, (response) => {
      response.resume().on('close', () => resolve(response.statusCode ?? 0))
    })
    call.on('error', () => resolve(0))
    call.end(body)
  })
}

function orderStatus(
  live: LiveExchange,
  trader: Trader,
  market: LiveMarket,
  changes: Readonly<Record<string, string>> = {},
): Promise<number> {
  const wanted = { ticks: 100, sizeRaw: 1_000_000 }
  const body = JSON.stringify(orderBody(trader, market, wanted))
  const timestamp = new Date(live.nowMs()).toISOString()
  const secret = Buffer.from(trader.secret, 'base64')
  const call = { secret, timestamp, method: 'POST', pathWithQuery: '/orders' }
  const signature = signCall({ ...call, body: Buffer.from(body) })
  const headers = {
    'svc-api-key': trader.tokenId,
    'svc-timestamp': timestamp,
    'svc-signature': signature,
    'content-type': 'application/json',
    'content-length': `${Buffer.byteLength(body)}`,
    ...changes,
  }
  return statusOf(live, 'POST', '/orders', headers, body)
}

async function times<T>(count: number, work: () => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, work))
}

async function workedCounts(live: LiveExchange): Promise<number[]> {
  const counts = []
  for (const thread of THREADS) {
    counts.push(await live.gauge(`outcomex_busy_seconds_count{thread="${thread}"}`))
  }
  return counts
}

/** A call of a client whose idle connection may have closed, as that of any client may. */
async function reached(call: () => Promise<Reply>): Promise<Reply> {
  for (;;) {
    try {
      return await call()
    } catch (error) {
      assert.ok(error instanceof TypeError, String(error))
    }
  }
}

async function restingCount(live: LiveExchange, trader: Trader): Promise<number> {
  const own = await reached(() => live.call(trader, 'GET', '/markets/rain/user-orders'))
  assert.ok(Array.isArray(own.body), own.text)
  return own.body.length
}

test('every thread has connections, and all of them reach one book', async () => {
  const { live, rain, alice } = await exchange({
    flags: TWO,
    markets: ['rain'],
    traders: ['alice'],
  })
  const before = await workedCounts(live)
  const replies = await times(64, () => orderStatus(live, alice, rain))
  assert.deepEqual(
    replies.filter((status) => status !== 201),
    [],
  )
  assert.equal(await restingCount(live, alice), 64)
  const after = await workedCounts(live)
  for (const [index, count] of after.entries()) assert.ok(count > before[index], THREADS[index])
})

test('a thread that breaks is replaced, and none of its calls is made twice', async () => {
  process.env[FAULT_VARIABLE] = 'edge-ends:5'
  const { live, rain, alice } = await exchange({
    flags: TWO,
    markets: ['rain'],
    traders: ['alice'],
  })
  delete process.env[FAULT_VARIABLE]
  const statuses = await times(40, () => orderStatus(live, alice, rain))
  const placed = statuses.filter((status) => status === 201).length
  assert.equal(statuses.filter((status) => status === 0).length, 40 - placed)
  assert.ok(placed < 40, 'a thread broke')
  await live.idle()
  const resting = await restingCount(live, alice)
  assert.ok(resting >= placed && resting <= 40, `${placed} placed, ${resting} rest`)
  const faults = live.faults.splice(0)
  assert.ok(faults.length >= 1, 'the thread reports why it ends')
  for (const fault of faults) assert.match(fault, /edge-ends/)
  await accepted(reached(() => live.call(alice, 'DELETE', '/orders/all/rain')))
  // A client whose connection was refused by a thread that is starting tries again.
  let later = [0]
  while (later.includes(0)) later = await times(16, () => orderStatus(live, alice, rain))
  assert.deepEqual([...new Set(later)], [201], 'a new thread knows what its predecessor knew')
})

test('each order of a batch has its own verdict', async () => {
  const { live, rain, alice, bob } = await exchange({
    flags: TWO,
    markets: ['rain'],
    traders: ['alice', 'bob'],
  })
  const bodies = [100, 200, 300].map((ticks) => orderBody(alice, rain, { ticks }))
  const forged = { ...orderBody(alice, rain, { ticks: 400 }), order: orderBody(bob, rain).order }
  const orders = [bodies[0], forged, bodies[1], bodies[2]]
  const reply = await live.call(alice, 'POST', '/orders/batch', { orders })
  const results = at(reply.body, 'results')
  assert.ok(Array.isArray(results), reply.text)
  assert.deepEqual(
    results.map((each) => at(each, 'status')),
    [201, 400, 201, 201],
  )
  const prices = [0, 2, 3].map((index) => at(results[index], 'order', 'price'))
  assert.deepEqual(prices, [0.1, 0.2, 0.3])
})

// A plain order comes to the core without its head. Each of these headers changes the reply, so the
// same calls get the same replies with edge threads and without.
for (const threads of ['0', '2']) {
  test(`headers of an order matter with ${threads} edge threads`, async () => {
    const origin = 'https://app.example'
    const regions = ['--geo-header', 'x-country', '--geo-block', 'KP']
    const { live, rain, alice } = await exchange({
      flags: ['--edge-threads', threads, '--cors-origin', origin, ...regions],
      markets: ['rain'],
      traders: ['alice'],
    })
    const rows: [header: string, value: string, status: number][] = [
      ['accept', '*/*', 201],
      ['x-country', 'FR', 201],
      ['x-country', 'KP', 403],
      ['x-on-behalf-of', '77', 403],
      ['x-on-behalf-of', 'none', 400],
      ['content-encoding', 'gzip', 415],
      ['idempotency-key', '', 400],
      ['idempotency-key', 'quote-1', 201],
    ]
    for (const [header, value, status] of rows) {
      const found = await orderStatus(live, alice, rain, { [header]: value })
      assert.equal(found, status, `${header}: ${value}`)
    }
    const open = await live.call(alice, 'GET', '/markets/rain/user-orders')
    assert.ok(Array.isArray(open.body))
    const named = open.body.filter((each) => at(each, 'clientOrderId') === 'quote-1')
    assert.equal(named.length, 1)
    const body = orderBody(alice, rain)
    const plain = await live.call(alice, 'POST', '/orders', body)
    assert.equal(plain.headers.get('access-control-allow-origin'), null)
    assert.equal(plain.headers.get('vary'), 'origin')
    const page = await live.call(alice, 'POST', '/orders', orderBody(alice, rain), {
      headers: { origin },
    })
    assert.equal(page.headers.get('access-control-allow-origin'), origin)
  })
}

test('a caller has one limit on all threads together', async () => {
  const { live, rain, alice } = await exchange({
    flags: [...TWO, '--rate-trade', '1:6'],
    limited: true,
    markets: ['rain'],
    traders: ['alice'],
  })
  const fromMs = performance.now()
  const statuses = await times(40, () => orderStatus(live, alice, rain))
  const earned = Math.ceil((performance.now() - fromMs) / 1000)
  const placed = statuses.filter((status) => status === 201).length
  assert.ok(placed >= 6 && placed <= 6 + earned, `${placed} were placed`)
  assert.equal(statuses.filter((status) => status === 429).length, 40 - placed)
  assert.equal(await restingCount(live, alice), placed)
})

test('nobody can use up the rate of the token of another caller', async () => {
  const { live, rain, alice } = await exchange({
    flags: [...TWO, '--rate-trade', '1:6', '--address-header', 'x-from'],
    limited: true,
    markets: ['rain'],
    traders: ['alice'],
  })
  const forged = { 'svc-signature': Buffer.alloc(32).toString('base64'), 'x-from': '192.0.2.1' }
  const statuses = await times(40, () => orderStatus(live, alice, rain, forged))
  assert.deepEqual([...new Set(statuses)].sort(), [401, 429])
  const own = await times(6, () => orderStatus(live, alice, rain, { 'x-from': '192.0.2.2' }))
  assert.deepEqual([...new Set(own)], [201])
})

test('a token that was revoked is refused on every thread at once', async () => {
  const { live, rain, alice } = await exchange({
    flags: TWO,
    markets: ['rain'],
    traders: ['alice'],
  })
  assert.equal(await orderStatus(live, alice, rain), 201)
  await accepted(live.call(alice, 'DELETE', `/auth/api-tokens/${alice.tokenId}`))
  const statuses = await times(32, () => orderStatus(live, alice, rain))
  assert.deepEqual([...new Set(statuses)], [401])
})
