import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ClientOrder } from '../../server/edge/intake/order/client-order.ts'
import { exchange } from '../support/exchange.ts'
import { at } from '../support/json-path.ts'
import { ADMIN_TOKEN, type CallChange, type Trader } from '../support/live-exchange.ts'
import { type LiveMarket, orderBody, signedFor, unsigned } from '../support/live-orders.ts'
import { ownWallet, PARTNER_RIGHTS, serverWallet, tokenOf } from '../support/live-partners.ts'
import { accepted, assertRefused, type Reply } from '../support/replies.ts'

// The order of checks of rules §1.8, in one table. The test runs from the last check to the first.
// No test over HTTP can reach the bounds on orders of a profile and of the exchange;
// test/engine/core/book/capacity and test/engine/core/decide/gates hold them.

const STALE_MS = 31_000
const FEE_BPS = 300
const LARGEST_RAW = 10_000_000_000_000
/** So many largest orders are one account's share of the open size of a market. */
const LARGEST_OF_ACCOUNT = 112
const BATCH = 28
/** What they reserve at 0.001. */
const RESERVED_RAW = (LARGEST_OF_ACCOUNT * LARGEST_RAW) / 1000
/** A server wallet that is older than the market has not approved this exchange. */
const exchangeAddress = `0x${'ab'.repeat(20)}`
const { live, alice } = await exchange({
  profileWaitSec: () => waitSec,
  traders: {
    alice: { collateralRaw: 3_000_000 + RESERVED_RAW, apiToken: { scopes: PARTNER_RIGHTS } },
  },
})
/**
 * Other tokens of Alice: `reader` lacks the scope for orders, `trading` the one for acting for
 * others.
 */
/** Accounts of Alice: `wallet` signs for itself; `desk` has approved another exchange. */
/** Alice's order that rests at 0.2 under the client id `used`. */
/** The wait that the rate limiter gives each order; 0 lets the order through. */
let waitSec = 0

/** The call that Alice sends: valid at first, then broken by rows of the table. */
interface Attempt {
  market: LiveMarket
  order: ClientOrder
  signer: Trader
  chainId: number
  token: Trader
  fields: Record<string, unknown>
  change: CallChange
  text: (right: string) => string
  /** Whether a server wallet signs the order. */
  isUnsigned: boolean
  /** What operators change before the call. */
  isDisabled: boolean
  isFrozen: boolean
  hasRank: boolean
  /** The token to revoke once the order has passed the intake. */
  revoked: Trader | null
}

function rightAttempt(): Attempt {
  waitSec = 0
  return {
    market,
    order: unsigned(alice, market, { ticks: 250, sizeRaw: 2_000_000 }),
    signer: alice,
    chainId: 8453,
    token: alice,
    fields: { ownerId: alice.profileId, orderType: 'GTC', marketSlug: market.slug },
    change: {},
    text: (right) => right,
    isUnsigned: false,
    isDisabled: false,
    isFrozen: false,
    hasRank: true,
    revoked: null,
  }
}

/** In falling precedence. The call of a row is also broken in the ways of all rows below. */
const LADDER: readonly [
  status: number,
  code: string,
  breaks: (attempt: Attempt) => unknown,
  message?: string,
][] = [
  [413, 'BODY_TOO_LARGE', (a) => (a.text = (right) => right + ' '.repeat(70_000))],
  [401, 'UNAUTHENTICATED', (a) => (a.change = { ...a.change, tokenId: '' })],
  [401, 'API_KEY_INVALID', (a) => (a.change = { ...a.change, tokenId: 'nobody' })],
  [401, 'TIMESTAMP_INVALID', (a) => (a.change = { ...a.change, timestamp: iso(-STALE_MS) })],
  [401, 'HMAC_INVALID', (a) => (a.change = { ...a.change, secret: bob.secret })],
  [403, 'SCOPE_MISSING', (a) => (a.token = reader)],
  [400, 'BODY_MALFORMED', (a) => (a.text = (right) => right.slice(0, -1))],
  [400, 'VALIDATION', (a) => (a.fields.surprise = 1)],
  [400, 'VALIDATION', (a) => (a.change = { headers: { 'x-on-behalf-of': '1' } })],
  [403, 'SCOPE_MISSING', (a) => (a.token = trading)],
  [403, 'NOT_SUB_ACCOUNT', (a) => (a.fields.onBehalfOf = bob.profileId)],
  [404, 'MARKET_NOT_FOUND', (a) => (a.fields.marketSlug = 'atlantis'), 'Market not found'],
  [400, 'ORDERBOOK_OF_POOL', (a) => (a.fields.marketSlug = 'lake')],
  [400, 'TOKEN_NOT_IN_MARKET', (a) => (a.order = { ...a.order, tokenId: dead.tokens[0] })],
  [400, 'AMOUNTS_INVALID', (a) => (a.order = { ...a.order, makerAmount: 2_000_001 })],
  [
    ...([400, 'PRICE_MISMATCH'] as const),
    (a) => (a.order = { ...a.order, price: 0.9 }),
    'Price does not match amounts',
  ],
  [403, 'NO_SERVER_WALLET', (a) => (a.fields.onBehalfOf = wallet.profileId)],
  [400, 'ALLOWANCE_MISSING', forDesk],
  [401, 'TOKEN_REVOKED', revoked],
  [429, 'RATE_LIMITED', () => (waitSec = 1)],
  [403, 'PROFILE_FROZEN', (a) => (a.isFrozen = true)],
  [425, 'trading_disabled', (a) => (a.isDisabled = true)],
  [425, 'RECV_WINDOW_EXPIRED', (a) => Object.assign(a.fields, { timestamp: 1, recvWindow: 9 })],
  [400, 'MARKET_NOT_TRADABLE', toDeadMarket],
  [400, 'ORDER_EXPIRED', (a) => (a.order = { ...a.order, expiration: '1700000000' })],
  [
    ...([400, 'OWNER_MISMATCH'] as const),
    (a) => (a.fields.ownerId = bob.profileId),
    'Profile ID does not match the order owner',
  ],
  [400, 'SIGNER_MISMATCH', byBob, 'Signer does not match authenticated profile account'],
  [400, 'FEE_RATE_UNAVAILABLE', (a) => (a.hasRank = false)],
  [400, 'FEE_RATE_MISMATCH', (a) => (a.order = { ...a.order, feeRateBps: 299 })],
  [400, 'SIGNATURE_INVALID', (a) => (a.chainId = 1)],
  [409, 'DUPLICATE_ORDER', (a) => (a.order = rested)],
  [409, 'DUPLICATE_CLIENT_ORDER_ID', (a) => (a.fields.clientOrderId = ' used ')],
  [400, 'OPEN_SIZE_LIMIT', (a) => resize(a, LARGEST_RAW)],
  [400, 'INSUFFICIENT_COLLATERAL', (a) => resize(a, 20_000_000)],
  [
    ...([400, 'POST_ONLY_WOULD_MATCH'] as const),
    (a) => (a.fields.postOnly = true),
    'Post only order would match immediately',
  ],
]

function iso(byMs: number): string {
  return new Date(live.nowMs() + byMs).toISOString()
}

function toDeadMarket(attempt: Attempt): void {
  attempt.market = dead
  attempt.fields.marketSlug = dead.slug
  attempt.order = { ...attempt.order, tokenId: dead.tokens[0] }
}

function byBob(attempt: Attempt): void {
  attempt.order = { ...attempt.order, signer: bob.account }
  attempt.signer = bob
}

function resize(attempt: Attempt, sizeRaw: number): void {
  attempt.order = { ...attempt.order, makerAmount: sizeRaw / 4, takerAmount: sizeRaw }
}

/** Leaves the order to a server wallet, and makes its market and amounts valid again. */
function forDesk(attempt: Attempt): void {
  const { takerAmount, makerAmount } = rightAttempt().order
  const own = { maker: desk.account, signer: desk.account, takerAmount, makerAmount }
  attempt.order = { ...attempt.order, ...own, tokenId: market.tokens[0] }
  Object.assign(attempt, { isUnsigned: true, market })
  Object.assign(attempt.fields, { onBehalfOf: desk.profileId, marketSlug: market.slug })
}

async function revoked(attempt: Attempt): Promise<void> {
  attempt.token = await tokenOf(live, alice, PARTNER_RIGHTS)
  attempt.revoked = attempt.token
}

/** Sends the call after operators and the owner of the token do what the attempt says. */
async function sendAttempt(attempt: Attempt): Promise<Reply> {
  const { order, signer, chainId, token, change, fields } = attempt
  const signed = attempt.isUnsigned
    ? { ...order, signature: undefined }
    : signedFor(order, signer, attempt.market, { chainId })
  const body = attempt.text(JSON.stringify({ order: signed, ...fields }))
  const { account } = alice
  const ends = attempt.isDisabled ? await disable() : async () => {}
  if (attempt.isFrozen) await setFrozen('freeze')
  if (!attempt.hasRank) await live.admin('/admin/profiles', { account, rank: null })
  const send = () => live.call(token, 'POST', '/orders', body, change)
  const reply = await (attempt.revoked === null ? send() : sendAround(attempt.revoked, send))
  await live.admin('/admin/profiles', { account, rank: 'Bronze' })
  await ends()
  if (attempt.isFrozen) await setFrozen('unfreeze')
  return reply
}

/** Revokes the token after the intake has passed the order and before main takes the order. */
async function sendAround(token: Trader, send: () => Promise<Reply>): Promise<Reply> {
  const { intake } = live.exchange
  intake.pause()
  let isAnswered = false
  const sent = send().finally(() => {
    isAnswered = true
  })
  while (intake.heldCount === 0 && !isAnswered) await new Promise(setImmediate)
  const path = `/auth/api-tokens/${token.tokenId}`
  assert.equal((await live.call(alice, 'DELETE', path)).status, 200)
  intake.resume()
  return sent
}

/** A freeze cancels the resting order, so its reserve is free from then on. */
async function setFrozen(act: 'freeze' | 'unfreeze'): Promise<void> {
  const path = `/admin/profiles/${alice.profileId}/${act}`
  let reply = await live.admin(path, {})
  while (reply.status === 409) reply = await live.admin(path, {})
  assert.equal(reply.status, 200, reply.text)
}

async function disable(): Promise<() => Promise<void>> {
  const made = await accepted(live.admin('/admin/trading-modes', { mode: 'disabled' }), 201)
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}` }
  return async () => {
    const path = `/admin/trading-modes/${at(made.body, 'id')}`
    assert.equal((await live.send('DELETE', path, { headers })).status, 200)
  }
}

async function takeShare(trader: Trader): Promise<void> {
  const largest = () => orderBody(trader, market, { ticks: 1, sizeRaw: LARGEST_RAW })
  for (let count = 0; count < LARGEST_OF_ACCOUNT; count += BATCH) {
    const orders = Array.from({ length: BATCH }, largest)
    const reply = await live.call(trader, 'POST', '/orders/batch', { orders })
    assert.equal(reply.text.match(/"status":201/g)?.length, BATCH, reply.text.slice(0, 300))
  }
}

const desk = await serverWallet(live, alice, 0)
const wallet = await ownWallet(live, alice, 0)
const market = await live.openMarket('rain', { fee: true, exchangeAddress })
const dead = await live.openMarket('gone', { fee: true })
await accepted(live.admin('/admin/markets', { kind: 'amm', slug: 'lake', title: 'Lake?' }), 201)
await accepted(live.admin('/admin/markets/gone/resolve', { winningOutcomeIndex: 1 }))
const bob = await live.trader(50_000_000)
const whale = await live.trader(LARGEST_RAW)
const reader = await tokenOf(live, alice, ['withdrawal'])
const trading = await tokenOf(live, alice, ['trading'])
const rested = unsigned(alice, market, { ticks: 200 })
const used = { order: signedFor(rested, alice, market), clientOrderId: 'used' }
await live.placed(alice, market, {}, used)
// A buy of NO at 0.75 is an ask of YES at 0.25.
await live.placed(bob, market, { outcome: 1, ticks: 750 })
await takeShare(whale)
await takeShare(alice)

function assertRung(reply: Reply, [status, code, , stated]: (typeof LADDER)[number]): void {
  assertRefused(reply, status, code)
  const message = at(reply.body, 'message')
  if (stated !== undefined) assert.ok(String(message).startsWith(stated), String(message))
  if (code !== 'VALIDATION') assert.equal(typeof message, 'string')
  else {
    assert.ok(Array.isArray(message) && message.length > 0, reply.text)
    for (const issue of message) assert.deepEqual(Object.keys(issue), ['field', 'message'])
  }
  const expected = code === 'FEE_RATE_MISMATCH' ? FEE_BPS : undefined
  assert.equal(at(reply.body, 'expectedFeeRateBps'), expected)
  assert.equal(at(reply.body, 'mode'), code === 'trading_disabled' ? 'disabled' : undefined)
  assert.equal(reply.headers.get('retry-after'), code === 'RATE_LIMITED' ? '1' : null)
}

test('of several faults of an order the one that stands highest is answered', async () => {
  const resting = { freeRaw: 1_000_000, reservedRaw: 2_000_000 + RESERVED_RAW }
  const allFree = { freeRaw: 3_000_000 + RESERVED_RAW, reservedRaw: 0 }
  assert.deepEqual(live.balances(alice), resting)
  for (let row = LADDER.length - 1; row >= 0; row--) {
    const attempt = rightAttempt()
    for (let lower = LADDER.length - 1; lower >= row; lower--) await LADDER[lower][2](attempt)
    const reply = await sendAttempt(attempt)
    waitSec = 0
    assertRung(reply, LADDER[row])
    const expected = attempt.isFrozen ? allFree : resting
    assert.deepEqual(live.balances(alice), expected, LADDER[row][1])
    // The secret is base64, and its + would mean something else in a regular expression.
    assert.equal(reply.text.includes(attempt.token.secret), false)
    assert.doesNotMatch(reply.text, /node_modules|\.ts/)
  }
})

test('afterwards nothing is under way, and one call gives a whole share back', async () => {
  const all = await live.call(whale, 'DELETE', '/orders/all/rain')
  assert.equal(all.status, 200, all.text.slice(0, 300))
  assert.deepEqual(live.balances(whale), { freeRaw: LARGEST_RAW, reservedRaw: 0 })
  const largest = rightAttempt()
  resize(largest, LARGEST_RAW)
  const reply = await sendAttempt(largest)
  assert.equal(at(reply.body, 'code'), 'INSUFFICIENT_COLLATERAL', 'the share is free again')
  assert.equal(await live.gauge('outcomex_replies_waiting'), 0)
})
