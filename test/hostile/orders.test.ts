import assert from 'node:assert/strict'
import { test } from 'node:test'
import { brokenInvariant } from '../../engine/core/state/invariants.ts'
import type { ClientOrder } from '../../server/edge/intake/order/client-order.ts'
import { exchange } from '../support/exchange.ts'
import { at } from '../support/json-path.ts'
import type { CallChange } from '../support/live-exchange.ts'
import { signedFor, unsigned } from '../support/live-orders.ts'
import { mirroredText } from '../support/mirrored.ts'
import { accepted, assertRefused, type Reply } from '../support/replies.ts'

// POST /orders as an attacker sends it. After every refusal nothing is reserved.

const STALE_MS = 31_000
const {
  live,
  rain: market,
  alice,
  bob,
} = await exchange({
  markets: { rain: { fee: true } },
  traders: { alice: 3_000_000, bob: 50_000_000 },
})

/** The order that Alice sends: valid at first, then broken by a test. */
interface Attempt {
  order: ClientOrder
  chainId: number
  fields: Record<string, unknown>
}

function rightAttempt(): Attempt {
  return {
    order: unsigned(alice, market, { ticks: 250, sizeRaw: 2_000_000 }),
    chainId: 8453,
    fields: { ownerId: alice.profileId, orderType: 'GTC', marketSlug: market.slug },
  }
}

function sendAttempt({ order, chainId, fields }: Attempt): Promise<Reply> {
  const signed = signedFor(order, alice, market, { chainId })
  return live.call(alice, 'POST', '/orders', { order: signed, ...fields })
}

await live.placed(alice, market, { ticks: 200 })
// A buy of NO at 0.75 is an ask of YES at 0.25.
await live.placed(bob, market, { outcome: 1, ticks: 750 })

function iso(byMs: number): string {
  return new Date(live.nowMs() + byMs).toISOString()
}

test('a refusal uses nothing up: the corrected order is taken', async () => {
  const attempt = rightAttempt()
  attempt.order = { ...attempt.order, makerAmount: 480_000 }
  attempt.fields.clientOrderId = 'renamed'
  attempt.fields.postOnly = true
  const crossing = { ...attempt, order: { ...attempt.order, makerAmount: 500_000 } }
  assertRefused(await sendAttempt(crossing), 400, 'POST_ONLY_WOULD_MATCH')
  assertRefused(await sendAttempt(crossing), 400, 'POST_ONLY_WOULD_MATCH')
  assertRefused(await sendAttempt({ ...attempt, chainId: 2 }), 400, 'SIGNATURE_INVALID')
  await accepted(sendAttempt(attempt), 201)
  assertRefused(await sendAttempt(attempt), 409, 'DUPLICATE_ORDER')
  await accepted(live.call(alice, 'POST', '/orders/cancel', { clientOrderId: 'renamed' }))
  assertRefused(await sendAttempt(attempt), 409, 'DUPLICATE_ORDER')
  assert.deepEqual(live.balances(alice), { freeRaw: 1_000_000, reservedRaw: 2_000_000 })
})

function flipped(text: string): string {
  return text.replace(/[a-f]/, (letter) => letter.toUpperCase())
}

test('an address with a wrong checksum is refused, one in lower case is taken', async () => {
  const attempt = rightAttempt()
  const order = signedFor(attempt.order, alice, market)
  const maker = flipped(alice.account.toLowerCase())
  const wrong = { ...attempt.fields, order: { ...order, maker } }
  assertRefused(await live.call(alice, 'POST', '/orders', wrong), 400, 'VALIDATION')
  const lower = alice.account.toLowerCase()
  const fields = { ...attempt.fields, postOnly: true }
  const right = { ...fields, order: { ...order, maker: lower, signer: lower } }
  // The address passes: the order gets as far as the book, where it would cross.
  assertRefused(await live.call(alice, 'POST', '/orders', right), 400, 'POST_ONLY_WOULD_MATCH')
})

test('a signature that does not prove the signer for this market is refused', async () => {
  const before = live.balances(alice)
  const { order, fields } = rightAttempt()
  const { signature } = signedFor(order, alice, market)
  const signatures = [
    mirroredText(signature),
    `${signature.slice(0, -2)}00`,
    `${signature.slice(0, -2)}1d`,
    `0x${'00'.repeat(65)}`,
    `0x${'ff'.repeat(65)}`,
    `0x${'00'.repeat(64)}1b`,
    signedFor(order, bob, market).signature,
    signedFor(order, alice, market, { chainId: 1 }).signature,
    signedFor(order, alice, market, { name: 'Another Exchange' }).signature,
    signedFor(order, alice, market, { exchange: bob.account }).signature,
    signedFor({ ...order, feeRateBps: 299 }, alice, market).signature,
    signedFor({ ...order, takerAmount: 1_000_000 }, alice, market).signature,
  ]
  for (const each of signatures) {
    const body = { ...fields, order: { ...order, signature: each } }
    assertRefused(await live.call(alice, 'POST', '/orders', body), 400, 'SIGNATURE_INVALID')
  }
  assert.deepEqual(live.balances(alice), before)
})

test('a signed call needs its three headers exactly', async () => {
  const { order, fields } = rightAttempt()
  const body = { ...fields, order: signedFor(order, alice, market), ownerId: bob.profileId }
  const rows: readonly [string, CallChange][] = [
    ['TIMESTAMP_INVALID', { timestamp: iso(STALE_MS) }],
    ['TIMESTAMP_INVALID', { timestamp: String(live.nowMs()) }],
    ['TIMESTAMP_INVALID', { timestamp: new Date(live.nowMs()).toUTCString() }],
    ['TIMESTAMP_INVALID', { timestamp: '' }],
    ['HMAC_INVALID', { signature: '' }],
    ['HMAC_INVALID', { signature: 'x'.repeat(44) }],
    ['HMAC_INVALID', { method: 'GET' }],
    ['HMAC_INVALID', { signedPath: '/orders?' }],
    ['HMAC_INVALID', { signedPath: '/orders/' }],
    ['HMAC_INVALID', { signedBody: '{}' }],
    ['HMAC_INVALID', { tokenId: bob.tokenId }],
    ['HMAC_INVALID', { headers: { 'svc-signature': 'A'.repeat(43) } }],
    ['API_KEY_INVALID', { headers: { 'svc-api-key': `${alice.tokenId}, ${alice.tokenId}` } }],
    ['API_KEY_INVALID', { tokenId: `${alice.tokenId} x` }],
    ['UNAUTHENTICATED', { prefix: 'other-' }],
    ['OWNER_MISMATCH', {}],
    ['OWNER_MISMATCH', { prefix: 'lmts-' }],
    ['OWNER_MISMATCH', { timestamp: iso(-29_000) }],
    ['OWNER_MISMATCH', { timestamp: iso(29_000) }],
  ]
  for (const [code, change] of rows) {
    const reply = await live.call(alice, 'POST', '/orders', body, change)
    assertRefused(reply, code === 'OWNER_MISMATCH' ? 400 : 401, code)
  }
})

test('an order is taken inside its receive window only', async () => {
  const stamp = async (byMs: number, recvWindow?: number) => {
    const attempt = rightAttempt()
    const window = recvWindow === undefined ? {} : { recvWindow }
    Object.assign(attempt.fields, { timestamp: live.nowMs() + byMs, ...window, postOnly: true })
    return String(at((await sendAttempt(attempt)).body, 'code'))
  }
  assert.equal(await stamp(-6000, 5000), 'RECV_WINDOW_EXPIRED')
  assert.equal(await stamp(3000, 10_000), 'RECV_WINDOW_EXPIRED')
  assert.equal(await stamp(-2000, 10_000), 'POST_ONLY_WOULD_MATCH')
  assert.equal(await stamp(500, 1), 'POST_ONLY_WOULD_MATCH')
  // Without a receive window the timestamp is not checked.
  assert.equal(await stamp(-3_600_000), 'POST_ONLY_WOULD_MATCH')
  assert.equal(await stamp(3_600_000), 'POST_ONLY_WOULD_MATCH')
})

test('amounts off the tick, the step or the bounds are refused', async () => {
  const rows: readonly [string, number, number, string][] = [
    ['AMOUNTS_INVALID', 0, 1000, 'GTC'],
    ['AMOUNTS_INVALID', 1000, 1000, 'GTC'],
    ['AMOUNTS_INVALID', 500, 0, 'GTC'],
    ['AMOUNTS_INVALID', 1, 1, 'GTC'],
    ['AMOUNTS_INVALID', 1, 1, 'FAK'],
    ['AMOUNTS_INVALID', 0, 1, 'FOK'],
    ['AMOUNTS_INVALID', 500_001, 1_000_000, 'GTC'],
    ['AMOUNTS_INVALID', 250, 999, 'GTC'],
    ['AMOUNTS_INVALID', 250_250, 1_000_500, 'FAK'],
    ['AMOUNTS_INVALID', 5_000_000_001_000, 10_000_000_002_000, 'GTC'],
    ['AMOUNTS_INVALID', 9_007_199_254_740_991, 9_007_199_254_740_991, 'GTC'],
    ['AMOUNTS_INVALID', 10_000_000_000_001, 1, 'FOK'],
    ['INSUFFICIENT_COLLATERAL', 10_000_000_000_000, 1, 'FOK'],
    ['INSUFFICIENT_COLLATERAL', 9_990_000_000_000, 10_000_000_000_000, 'GTC'],
    ['INSUFFICIENT_COLLATERAL', 1_000_001, 1, 'FOK'],
  ]
  const before = live.balances(alice)
  for (const [code, makerAmount, takerAmount, orderType] of rows) {
    const attempt = rightAttempt()
    attempt.order = { ...attempt.order, makerAmount, takerAmount }
    attempt.fields.orderType = orderType
    assertRefused(await sendAttempt(attempt), 400, code)
  }
  const sale = rightAttempt()
  sale.order = { ...sale.order, side: 1, makerAmount: 1000, takerAmount: 990 }
  assertRefused(await sendAttempt(sale), 400, 'INSUFFICIENT_SHARES')
  assert.deepEqual(live.balances(alice), before)
})

test('a profile without a rank cannot trade where there is a fee', async () => {
  const carol = await live.trader(10_000_000, { rank: null })
  const reply = await live.place(carol, market)
  assertRefused(reply, 400, 'FEE_RATE_UNAVAILABLE')
  assert.deepEqual(live.balances(carol), { freeRaw: 10_000_000, reservedRaw: 0 })
})

test('an order expires after its second, and its reserve is free again', async () => {
  const attempt = rightAttempt()
  const expirationSec = Math.floor(live.nowMs() / 1000) + 60
  attempt.order = { ...attempt.order, makerAmount: 200_000, expiration: String(expirationSec) }
  await accepted(sendAttempt(attempt), 201)
  const far = rightAttempt()
  const farSec = expirationSec + 9 * 365 * 86_400
  far.order = { ...far.order, makerAmount: 200_000, expiration: String(farSec) }
  const kept = await accepted(sendAttempt(far), 201)
  assert.equal(live.balances(alice).freeRaw, 600_000)
  await live.pass(70_000)
  assert.equal(live.balances(alice).freeRaw, 800_000)
  assertRefused(await sendAttempt(attempt), 400, 'ORDER_EXPIRED')
  // The wall clock goes back; the time of the exchange does not.
  live.shiftClock(-70_000)
  assertRefused(await sendAttempt(attempt), 400, 'ORDER_EXPIRED')
  const path = `/orders/${String(at(kept.body, 'order', 'id'))}`
  assert.equal((await live.call(alice, 'DELETE', path)).status, 200)
  assert.deepEqual(live.balances(alice), { freeRaw: 1_000_000, reservedRaw: 2_000_000 })
})

test('a revoked token places no more orders', async () => {
  const dave = await live.trader(10_000_000)
  const path = `/auth/api-tokens/${dave.tokenId}`
  assert.equal((await live.call(dave, 'DELETE', path)).status, 200)
  assertRefused(await live.place(dave, market), 401, 'API_KEY_INVALID')
  assertRefused(await live.call(dave, 'GET', '/profiles/me'), 401, 'API_KEY_INVALID')
})

test('afterwards nothing is under way, and a restart finds the same state', async () => {
  assert.deepEqual(live.faults, [])
  assert.equal(await live.gauge('outcomex_replies_waiting'), 0)
  assert.equal(live.gateway.inFlight, 0)
  assert.equal(brokenInvariant(live.exchange.pipeline.clearing), null)
  await live.restart()
})
