import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FAULT_VARIABLE } from '../../engine/thread/fault-point.ts'
import { doubtEverything } from '../support/doubtful-filter.ts'
import { exchange } from '../support/exchange.ts'
import { at, textAt } from '../support/json-path.ts'
import type { LiveExchange, Trader } from '../support/live-exchange.ts'
import { type LiveMarket, orderBody } from '../support/live-orders.ts'
import { accepted, assertRefused, orderIdOf, type Reply } from '../support/replies.ts'

// Threads that break while they check orders or answer reads. The call at which a thread broke gets
// 500 with a fault id, the other calls are answered, and the exchange goes on (design §11).

interface Stage {
  readonly live: LiveExchange
  readonly market: LiveMarket
  readonly alice: Trader
}

/**
 * Every thread that starts here counts its own passings of the fault point; threads that start
 * later do not break. The read is the first question to the query thread.
 */
async function stage(fault: string): Promise<Stage> {
  process.env[FAULT_VARIABLE] = fault
  try {
    const flags = ['--edge-threads', '1']
    const staged = await exchange({ flags, markets: ['rain'], traders: ['alice'] })
    const { live, rain: market, alice } = staged
    await live.exchange.query.warm()
    await accepted(live.call(alice, 'GET', '/markets/rain/user-orders'))
    return { live, market, alice }
  } finally {
    delete process.env[FAULT_VARIABLE]
  }
}

function assertBroke(reply: Reply): void {
  assertRefused(reply, 500, 'INTERNAL')
  assert.match(textAt(reply.body, 'faultId'), /^[0-9a-f]{12}$/)
}

/** The log and the metric have `count` faults, and nothing is under way. */
async function assertOver({ live }: Stage, edge: 'intake' | 'query', count: number): Promise<void> {
  assert.equal(await live.gauge(`outcomex_faults_total{edge="${edge}"}`), count)
  const faults = live.faults.splice(0)
  assert.equal(faults.length, count, faults.join('\n'))
  const { pipeline } = live.exchange
  assert.equal(pipeline.orders.reserved, 0)
  assert.equal(pipeline.queues.count, 0)
}

test('one order of many breaks its check, and the others are placed', async () => {
  const here = await stage('in-intake:5')
  const { live, market, alice } = here
  const sent = Array.from({ length: 24 }, () =>
    live.place(alice, market, { ticks: 100, sizeRaw: 1_000_000 }),
  )
  const replies = await Promise.all(sent)
  const broken = replies.filter(({ status }) => status !== 201)
  assert.equal(broken.length, 1)
  assertBroke(broken[0])
  const own = await live.call(alice, 'GET', '/markets/rain/user-orders')
  assert.ok(Array.isArray(own.body) && own.body.length === 23, own.text)
  await assertOver(here, 'intake', 1)
})

test('a cancel-replace that breaks its check cancels and places nothing', async () => {
  const here = await stage('in-intake:2')
  const { live, market, alice } = here
  const rests = await live.place(alice, market, { ticks: 100, sizeRaw: 1_000_000 })
  const orderId = orderIdOf(rests)
  const replacement = orderBody(alice, market, { ticks: 100, sizeRaw: 1_000_000 })
  const operation = { cancel: { orderId }, replacement, mode: 'ALLOW_FAILURE' }
  assertBroke(await live.call(alice, 'POST', '/orders/cancel-replace', operation))
  const still = await live.call(alice, 'GET', '/markets/rain/user-orders')
  assert.equal(at(still.body, 0, 'id'), orderId, still.text)
  await accepted(live.call(alice, 'POST', '/orders/cancel-replace', operation))
  await assertOver(here, 'intake', 1)
})

for (const point of ['in-query', 'query-ends']) {
  test(`${point}: one read of many breaks its thread, and the others are answered`, async () => {
    const here = await stage(`${point}:4`)
    const { live, alice } = here
    const sent = Array.from({ length: 12 }, () =>
      live.call(alice, 'GET', '/markets/rain/user-orders'),
    )
    const replies = await Promise.all(sent)
    const broken = replies.filter(({ status }) => status === 500)
    assert.equal(broken.length, 1)
    assertBroke(broken[0])
    // A new thread may start after the deadline of the reads that wait for it.
    for (const { status } of replies) assert.ok([200, 500, 503].includes(status))
    const later = await readAgain(here)
    assert.deepEqual(later.body, [])
    await assertOver(here, 'query', 1)
  })
}

async function untilTaken(call: () => Promise<Reply>): Promise<Reply> {
  for (;;) {
    const reply = await call()
    if (reply.status !== 503) return reply
  }
}

function readAgain({ live, alice }: Stage): Promise<Reply> {
  return untilTaken(() => live.call(alice, 'GET', '/markets/rain/user-orders'))
}

test('a read that finds no file descriptor is 503 and may be retried', async () => {
  const here = await stage('query-hindered:2')
  const { live, alice } = here
  live.isHasty = true
  const reply = await live.call(alice, 'GET', '/markets/rain/user-orders')
  assertRefused(reply, 503, 'READ_TIMEOUT')
  assert.ok(Number(reply.headers.get('retry-after')) > 0)
  assert.equal((await readAgain(here)).status, 200)
  // A thread that ends while it is idle is replaced; the next read only takes longer.
  await live.exchange.query.crash()
  assert.equal((await readAgain(here)).status, 200)
  await assertOver(here, 'query', 0)
})

test('an order whose lookup breaks is not placed, and its caller gets 500', async () => {
  const here = await stage('in-query:2')
  const { live, market, alice } = here
  doubtEverything(live)
  const body = orderBody(alice, market, { ticks: 100, sizeRaw: 1_000_000 })
  assertBroke(await live.call(alice, 'POST', '/orders', body))
  assert.equal(live.balances(alice).reservedRaw, 0)
  assert.equal((await live.call(alice, 'POST', '/orders', body)).status, 201)
  await assertOver(here, 'query', 1)
})
