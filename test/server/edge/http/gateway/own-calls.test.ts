import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { test } from 'node:test'
import { OwnServer } from '../../../../../server/demo/own-server.ts'
import { OwnCalls } from '../../../../../server/edge/http/access/own-calls.ts'
import {
  ADDRESS_RATES,
  PROFILE_RATES,
  RateLimiter,
} from '../../../../../server/edge/http/access/rate-limit.ts'
import { startToys } from './toy-exchange.ts'

// Calls that the process makes to itself: no rate limit counts them, and callers outside keep
// theirs. Time stands still for the limiters.

const ONE = { perSecond: 1, burst: 1 }
const ALICE = { 'svc-api-key': 'alice' }

test('no rate limit counts the calls of the process itself', async () => {
  const ownCalls = new OwnCalls()
  const addressLimiter = new RateLimiter<string>({ ...ADDRESS_RATES, public: ONE, trade: ONE })
  const profileLimiter = new RateLimiter<number>({ ...PROFILE_RATES, trade: ONE })
  const toys = await startToys({ addressLimiter, profileLimiter, ownCalls, clock: () => 5000 })
  const statusOf = async (headers: Record<string, string>, path = '/markets/active/slugs') => {
    const method = path.startsWith('/orders') ? 'DELETE' : 'GET'
    const reply = await fetch(`http://127.0.0.1:${toys.port}${path}`, { method, headers })
    await reply.arrayBuffer()
    return reply.status
  }
  const marked = ownCalls.headers
  for (let each = 0; each < 3; each++) {
    assert.equal(await statusOf(marked), 200)
    assert.equal(await statusOf({ ...ALICE, ...marked }, '/orders/1'), 200)
  }
  assert.equal(addressLimiter.keys(0) + profileLimiter.keys(0), 0, 'no bucket was touched')
  // A caller outside has its whole burst, and no more; a wrong mark counts for nothing.
  assert.equal(await statusOf({}), 200)
  assert.equal(await statusOf({}), 429)
  assert.equal(await statusOf(new OwnCalls().headers), 429)
  assert.equal(await statusOf({ 'x-outcomex-own': '' }), 429)
  assert.equal(await statusOf(ALICE, '/orders/1'), 200)
  assert.equal(await statusOf(ALICE, '/orders/1'), 429)
  assert.equal(await statusOf({ ...ALICE, ...marked }, '/orders/1'), 200)
  await toys.gateway.stop()
})

test('the demo makes a call again when a busy server did nothing', async () => {
  const answers = [
    [429, '0', {}],
    [503, '0', { code: 'OVERLOADED' }],
    [200, '', { ok: true }],
    [503, '0', { code: 'READ_TIMEOUT' }],
    [429, '3600', {}],
    [409, '', { code: 'CONFLICT' }],
  ] as const
  let requested = 0
  const server = createServer((_request, response) => {
    const [status, retryAfter, body] = answers[requested++]
    if (retryAfter !== '') response.setHeader('retry-after', retryAfter)
    response.writeHead(status).end(JSON.stringify(body))
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const at = server.address()
  assert.ok(at !== null && typeof at === 'object')
  const own = new OwnServer(`http://127.0.0.1:${at.port}`, { certFile: undefined, marks: {} })
  assert.deepEqual((await own.call('POST', '/orders', {}, '{}')).body, { ok: true })
  // Nobody knows whether a change was made when its reply was late; nor does it wait for an hour.
  for (const status of [503, 429, 409]) {
    assert.equal((await own.call('POST', '/orders', {}, '{}')).status, status)
  }
  assert.equal(requested, answers.length)
  own.close()
  server.close()
})
