import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exchange } from '../../../support/exchange.ts'
import { orderBody } from '../../../support/live-orders.ts'
import { assertRefused } from '../../../support/replies.ts'

// `--hmac-skew`: old signatures of orders for load tests, and of nothing else.

const UNIT = 1_000_000
const { live, ann } = await exchange({
  flags: ['--hmac-skew', '3600'],
  traders: { ann: 1000 * UNIT },
})
const market = await live.openMarket('rain')
const before = (seconds: number) => ({
  timestamp: new Date(live.nowMs() - seconds * 1000).toISOString(),
})

test('a signed order is accepted for that long, and once', async () => {
  const body = orderBody(ann, market, { sizeRaw: 10 * UNIT })
  const place = (seconds: number) => live.call(ann, 'POST', '/orders', body, before(seconds))
  assertRefused(await place(3700), 401, 'TIMESTAMP_INVALID')
  assert.equal((await place(3500)).status, 201)
  assertRefused(await place(3400), 409, 'DUPLICATE_ORDER')
})

test('any other call is accepted for half a minute', async () => {
  const read = (seconds: number) => live.call(ann, 'GET', '/orders', undefined, before(seconds))
  assert.equal((await read(20)).status, 200)
  assertRefused(await read(60), 401, 'TIMESTAMP_INVALID')
})
