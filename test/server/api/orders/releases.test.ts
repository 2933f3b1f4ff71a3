import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { exchange } from '../../../support/exchange.ts'
import { at, textAt } from '../../../support/json-path.ts'
import { type OrderRequest, orderBody } from '../../../support/live-orders.ts'
import { accepted, orderIdOf, type Reply } from '../../../support/replies.ts'

// Every way to cancel, before, during and after the release of a held order (rules §4.3). Time
// passes only when the test says so. A request that comes when a release is due finds the release
// under way.

const DELAY_MS = 10_000
const SHARE = 1_000_000
const IN_RELEASE = 'ORDER_RELEASE_IN_PROGRESS'
const ALL = '/orders/all/slow'
const { live, slow, maker, taker } = await exchange({
  stepwise: true,
  markets: { slow: { takerDelayMs: DELAY_MS } },
  fundsRaw: 1000 * SHARE,
  traders: ['maker', 'taker'],
})

afterEach(async () => {
  for (const trader of [maker, taker]) {
    await accepted(live.call(trader, 'DELETE', ALL))
    assert.equal(live.balances(trader).reservedRaw, 0)
  }
})

/** Offers one share at 0.5. */
const ask = (sizeRaw = SHARE) => live.placed(maker, slow, { outcome: 1, sizeRaw })

let names = 0

interface Names {
  readonly orderId: string
  readonly clientOrderId: string
}

/** Places a held order for three shares, of which one is offered. */
async function held(fields: object = {}, wanted: OrderRequest = {}): Promise<Names> {
  const clientOrderId = `held-${++names}`
  const reply = await live.placed(
    taker,
    slow,
    { sizeRaw: 3 * SHARE, ...wanted },
    { clientOrderId, ...fields },
  )
  assert.equal(at(reply.body, 'execution', 'settlementStatus'), 'DELAYED', reply.text)
  return { orderId: orderIdOf(reply), clientOrderId }
}

const call = (method: string, path: string, body?: object) => live.call(taker, method, path, body)
const replacement = () => orderBody(taker, slow, { ticks: 100, sizeRaw: SHARE })

async function statusOf(orderId: string): Promise<unknown> {
  const reply = await call('POST', '/orders/status/batch', { items: [{ orderId }] })
  return at(reply.body, 'results', 0, 'data')
}

/** The status of the order, and the settlement status of its trade on release. */
async function fateOf(orderId: string): Promise<unknown[]> {
  const data = await statusOf(orderId)
  return [at(data, 'order', 'status'), at(data, 'execution', 'settlementStatus')]
}

interface Row {
  readonly route: string
  readonly send: (names: Names) => Promise<Reply>
  readonly refused: (reply: Reply, names: Names) => void
}

const failedBy = (name: object) => ({ ...name, reason: IN_RELEASE, retryable: true })

function assertInRelease(reply: Reply): void {
  const { message, ...rest } = Object(reply.body)
  assert.equal(typeof message, 'string')
  const retry = { reason: IN_RELEASE, retryable: true }
  assert.deepEqual(rest, { error: 'Conflict', statusCode: 409, code: IN_RELEASE, ...retry })
}

function assertFailed(reply: Reply, status: number, name: object): void {
  assert.equal(reply.status, status, reply.text)
  assert.deepEqual(at(reply.body, 'canceled'), [])
  const [{ message, ...failed }, ...others] = Object(at(reply.body, 'failed'))
  assert.deepEqual([typeof message, failed, others], ['string', failedBy(name), []])
}

function assertLegs(legs: unknown, replaced: string): void {
  assert.equal(at(legs, 'cancel', 'status'), 'UNKNOWN')
  assert.equal(at(legs, 'cancel', 'error', 'code'), IN_RELEASE)
  assert.equal(at(legs, 'replacement', 'status'), replaced)
}

const byId = ({ orderId }: Names) => ({ orderId })
const operation = (names: Names, mode: string) => ({
  cancel: byId(names),
  replacement: replacement(),
  mode,
})

const ROWS: readonly Row[] = [
  {
    route: 'DELETE /orders/{orderId}',
    send: ({ orderId }) => call('DELETE', `/orders/${orderId}`),
    refused: assertInRelease,
  },
  {
    route: 'POST /orders/cancel by order id',
    send: ({ orderId }) => call('POST', '/orders/cancel', { orderId }),
    refused: assertInRelease,
  },
  {
    route: 'POST /orders/cancel by client order id',
    send: ({ clientOrderId }) => call('POST', '/orders/cancel', { clientOrderId }),
    refused: assertInRelease,
  },
  {
    route: 'POST /orders/batch-cancel by order ids',
    send: ({ orderId }) => call('POST', '/orders/batch-cancel', { orderIds: [orderId] }),
    refused: (reply, { orderId }) => assertFailed(reply, 400, { orderId }),
  },
  {
    route: 'POST /orders/batch-cancel by client order ids',
    send: ({ clientOrderId }) =>
      call('POST', '/orders/batch-cancel', { clientOrderIds: [clientOrderId] }),
    refused: (reply, each) => assertFailed(reply, 400, each),
  },
  {
    route: 'POST /orders/cancel-batch',
    send: ({ orderId }) => call('POST', '/orders/cancel-batch', { orderIds: [orderId] }),
    refused: (reply, { orderId }) => assertFailed(reply, 400, { orderId }),
  },
  {
    route: 'DELETE /orders/all/{slug}',
    send: () => call('DELETE', ALL),
    refused: (reply, { orderId }) => assertFailed(reply, 207, { orderId }),
  },
  {
    route: 'POST /orders/cancel-replace that stops',
    send: (each) => call('POST', '/orders/cancel-replace', operation(each, 'STOP_ON_FAILURE')),
    refused: ({ status, body }) => {
      assert.equal(status, 409)
      assertLegs(body, 'NOT_ATTEMPTED')
    },
  },
  {
    route: 'POST /orders/cancel-replace that goes on',
    send: (each) => call('POST', '/orders/cancel-replace', operation(each, 'ALLOW_FAILURE')),
    refused: ({ status, body }) => {
      assert.equal(status, 409)
      assertLegs(body, 'SUCCESS')
    },
  },
  {
    route: 'POST /orders/cancel-replace/batch',
    send: (each) =>
      call('POST', '/orders/cancel-replace/batch', {
        operations: [operation(each, 'STOP_ON_FAILURE')],
      }),
    refused: ({ status, body }) => {
      assert.equal(status, 200)
      assertLegs(at(body, 'results', 0), 'NOT_ATTEMPTED')
    },
  },
]

for (const { route, send, refused } of ROWS) {
  test(`${route} cancels before and after a release, and does nothing during it`, async () => {
    await ask()
    const before = await held()
    await accepted(send(before))
    assert.deepEqual(await fateOf(before.orderId), ['CANCELED', 'UNMATCHED'])

    const entering = await held()
    live.shiftClock(DELAY_MS)
    const { pipeline } = live.exchange
    const met = await send(entering)
    refused(met, entering)
    await pipeline.whenIdle()
    assert.deepEqual((await fateOf(entering.orderId))[0], 'LIVE', 'the release goes on')
    await accepted(send(entering))
    assert.deepEqual((await fateOf(entering.orderId))[0], 'CANCELED')
  })
}

test('a batch with an order under release cancels the others: 207', async () => {
  await ask()
  const entering = await held()
  const resting = textAt((await live.placed(taker, slow, { ticks: 100 })).body, 'order', 'id')
  live.shiftClock(DELAY_MS)
  const orderIds = [entering.orderId, resting]
  const reply = await accepted(call('POST', '/orders/batch-cancel', { orderIds }), 207)
  assert.deepEqual(at(reply.body, 'canceled'), [resting])
  assert.equal(at(reply.body, 'failed', 0, 'orderId'), entering.orderId)
  assert.equal(at(reply.body, 'failed', 0, 'reason'), IN_RELEASE)
})
