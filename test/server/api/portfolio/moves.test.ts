import assert from 'node:assert/strict'
import { test } from 'node:test'
import { moveHashOf } from '../../../../engine/core/money/tx-hash.ts'
import { signCall } from '../../../../server/auth/hmac-signature.ts'
import { exchange } from '../../../support/exchange.ts'
import { at, textAt } from '../../../support/json-path.ts'
import type { Trader } from '../../../support/live-exchange.ts'
import { byIdentity, IdentityProvider } from '../../../support/live-identity.ts'
import { CHAIN_ID } from '../../../support/live-orders.ts'
import { serverWallet, tokenOf } from '../../../support/live-partners.ts'
import {
  cookieOf,
  login,
  loginWithWallet,
  newWallet,
  withCookie,
} from '../../../support/live-session.ts'
import { accepted, assertRefused, codeOf, type Reply } from '../../../support/replies.ts'

// Pairs, redemptions, conversions and withdrawals over HTTP (rules §6.2 to §6.5).

const UNIT = 1_000_000
const RIGHTS = ['trading', 'withdrawal', 'delegated_signing', 'account_creation']
const COLD = '0x05c748E2f4DcDe0ec9Fa8DDc40DE6b867f923fa5'
const provider = new IdentityProvider()
const { live, ann } = await exchange({
  flags: [...provider.flags, '--block-ms', '1'],
  traders: { ann: { collateralRaw: 1000 * UNIT, apiToken: { scopes: RIGHTS } } },
})

const catalogue = () => live.exchange.pipeline.clearing.catalogue
const conditionOf = (slug: string) => {
  const market = catalogue().bySlug(slug)
  assert(market !== undefined)
  return market.conditionId
}
const shares = (trader: { profileId: number }, slug: string) => {
  const { ledger } = live.exchange.pipeline.clearing
  const marketId = catalogue().bySlug(slug)?.marketId ?? 0
  return [0, 1].map((outcome) => ledger.freeSharesRaw(trader.profileId, marketId, outcome))
}
const post = (trader: Trader, path: string, body: object) => live.call(trader, 'POST', path, body)
const made = (reply: Reply) => {
  assert.equal(reply.status, 201, reply.text)
  return reply.body
}

/** Resolves the market and waits for its payout. */
async function payOut(slug: string, winningOutcomeIndex = 0): Promise<void> {
  await accepted(live.admin(`/admin/markets/${slug}/resolve`, { winningOutcomeIndex }))
  const market = catalogue().bySlug(slug)
  while (market?.isPaidOut !== true) await new Promise(setImmediate)
}

test('a split makes pairs, a merge unmakes them, and replies name transactions', async () => {
  await live.openMarket('pairs')
  const conditionId = conditionOf('pairs')
  const before = live.balances(ann).freeRaw
  const split = made(await post(ann, '/portfolio/split', { conditionId, amount: '10000000' }))
  const transactionId = textAt(split, 'transactionId')
  assert.deepEqual(split, {
    hash: moveHashOf(CHAIN_ID, Number(transactionId)),
    userOperationHash: '',
    transactionId,
    walletAddress: ann.account,
    conditionId,
    marketId: catalogue().bySlug('pairs')?.marketId,
    amount: '10000000',
  })
  assert.deepEqual(shares(ann, 'pairs'), [10 * UNIT, 10 * UNIT])
  assert.equal(live.balances(ann).freeRaw, before - 10 * UNIT)
  made(await post(ann, '/portfolio/merge', { conditionId, amount: '10000000' }))
  assert.deepEqual(shares(ann, 'pairs'), [0, 0])
  assert.equal(live.balances(ann).freeRaw, before)
})

test('shares of a split are sold like any others', async () => {
  const market = await live.openMarket('sold')
  const conditionId = conditionOf('sold')
  made(await post(ann, '/portfolio/split', { conditionId, amount: '10000000' }))
  const wanted = { side: 'sell' as const, outcome: 1 as const, ticks: 400, sizeRaw: 10 * UNIT }
  await live.placed(ann, market, wanted)
  assertRefused(
    await post(ann, '/portfolio/merge', { conditionId, amount: '1' }),
    400,
    'INSUFFICIENT_SHARES',
  )
})

test('a wrong call gets the refusal that stands first', async () => {
  await live.openMarket('refused')
  const conditionId = conditionOf('refused')
  const rows: [string, object, number, string][] = [
    ['split', { conditionId }, 400, 'VALIDATION'],
    ['split', { conditionId, amount: '0' }, 400, 'VALIDATION'],
    ['split', { conditionId, amount: 10 }, 400, 'VALIDATION'],
    ['split', { conditionId, amount: '9007199254740992' }, 400, 'VALIDATION'],
    ['split', { conditionId, amount: '1', idempotencyKey: '  ' }, 400, 'VALIDATION'],
    ['split', { conditionId, amount: '1', unknown: 1 }, 400, 'VALIDATION'],
    ['split', { conditionId: `0x${'0'.repeat(64)}`, amount: '1' }, 404, 'MARKET_NOT_FOUND'],
    ['split', { conditionId, amount: '9007199254740991' }, 400, 'INSUFFICIENT_COLLATERAL'],
    ['merge', { conditionId, amount: '1' }, 400, 'INSUFFICIENT_SHARES'],
    ['redeem', { conditionId }, 400, 'MARKET_NOT_RESOLVED'],
    ['convert', { conditionIds: [], amount: '1' }, 400, 'VALIDATION'],
    ['convert', { conditionIds: [conditionId], amount: '1' }, 400, 'MARKET_NOT_GROUP'],
    ['withdraw', { amount: '1' }, 400, 'VALIDATION'],
    ['withdraw', { amount: '1', destination: COLD.replace('c748', 'C748') }, 400, 'VALIDATION'],
    ['withdraw', { amount: '1', destination: COLD }, 403, 'DESTINATION_NOT_ALLOWED'],
    ['withdraw', { amount: '1', token: COLD, destination: COLD }, 400, 'TOKEN_NOT_COLLATERAL'],
  ]
  for (const [act, body, status, code] of rows) {
    const reply = await post(ann, `/portfolio/${act}`, body)
    assert.deepEqual([act, body, reply.status, codeOf(reply)], [act, body, status, code])
  }
})

test('a redemption waits for the payout and burns the losing side too', async () => {
  await live.openMarket('won')
  const conditionId = conditionOf('won')
  made(await post(ann, '/portfolio/split', { conditionId, amount: '7000000' }))
  const before = live.balances(ann).freeRaw
  await payOut('won')
  const redeemed = made(await post(ann, '/portfolio/redeem', { conditionId }))
  assert.equal(textAt(redeemed, 'amount'), '7000000')
  assert.equal(live.balances(ann).freeRaw, before + 7 * UNIT)
  const again = () => post(ann, '/portfolio/redeem', { conditionId })
  assert.equal(codeOf(await again()), 'NOTHING_TO_REDEEM')
  // Nobody holds a share any more, so the market leaves memory; the answer stays.
  await live.archived('won')
  assert.equal(codeOf(await again()), 'NOTHING_TO_REDEEM')
  const never = { conditionId: `0x${'ab'.repeat(32)}` }
  assert.equal(codeOf(await post(ann, '/portfolio/redeem', never)), 'MARKET_NOT_FOUND')
})

test('NO of one child becomes YES of the others, and the winner is redeemed', async () => {
  const markets = ['reds', 'blues', 'greens'].map((slug) => ({ slug, title: `Will ${slug} win?` }))
  const group = { slug: 'cup', title: 'Who wins the cup?', markets }
  assert.equal((await live.admin('/admin/groups', group)).status, 201)
  const conditionId = conditionOf('reds')
  made(await post(ann, '/portfolio/split', { conditionId, amount: '10000000' }))
  const body = { conditionIds: [conditionId], amount: '10000000' }
  const converted = made(await post(ann, '/portfolio/convert', body))
  assert.equal(textAt(converted, 'yesAmount'), '10000000')
  assert.equal(textAt(converted, 'collateralAmount'), '0')
  assert.deepEqual(shares(ann, 'reds'), [10 * UNIT, 0])
  assert.deepEqual(shares(ann, 'blues'), [10 * UNIT, 0])
  const before = live.balances(ann).freeRaw
  await accepted(live.admin('/admin/groups/cup/resolve', { winner: 'greens' }))
  const greens = catalogue().bySlug('greens')
  while (greens?.isPaidOut !== true) await new Promise(setImmediate)
  made(await post(ann, '/portfolio/redeem', { conditionId: greens.conditionId }))
  assert.equal(live.balances(ann).freeRaw, before + 10 * UNIT)
})

test('a partner moves money of its sub-account, and of no other profile', async () => {
  await live.openMarket('child')
  const conditionId = conditionOf('child')
  const child = await serverWallet(live, ann, 20 * UNIT)
  const onBehalfOf = child.profileId
  const split = { conditionId, amount: '5000000', onBehalfOf }
  const done = made(await post(ann, '/portfolio/split', split))
  assert.equal(textAt(done, 'walletAddress'), child.account)
  assert.deepEqual(shares(child, 'child'), [5 * UNIT, 5 * UNIT])
  const paid = made(await post(ann, '/portfolio/withdraw', { amount: '3000000', onBehalfOf }))
  assert.equal(textAt(paid, 'destination'), ann.account)
  const other = await live.trader(10 * UNIT)
  const foreign = { amount: '1', onBehalfOf: other.profileId }
  assertRefused(await post(ann, '/portfolio/withdraw', foreign), 403, 'NOT_SUB_ACCOUNT')
  const both = await live.call(ann, 'POST', '/portfolio/withdraw', foreign, {
    headers: { 'x-on-behalf-of': String(child.profileId) },
  })
  assertRefused(both, 400, 'VALIDATION')
})

test('each call needs its scope, and a static API key is none', async () => {
  await live.openMarket('scoped')
  const conditionId = conditionOf('scoped')
  const trading = await tokenOf(live, ann, ['trading'])
  const paying = await tokenOf(live, ann, ['withdrawal'])
  const to = { amount: '1', destination: ann.account }
  assertRefused(await post(trading, '/portfolio/withdraw', to), 403, 'SCOPE_MISSING')
  made(await post(paying, '/portfolio/withdraw', to))
  for (const path of ['split', 'merge', 'redeem', 'convert']) {
    const body =
      path === 'convert'
        ? { conditionIds: [conditionId], amount: '1' }
        : { conditionId, ...(path === 'redeem' ? {} : { amount: '1' }) }
    assertRefused(await post(paying, `/portfolio/${path}`, body), 403, 'SCOPE_MISSING')
    const headers = { 'x-api-key': 'lmts_0123456789', 'content-type': 'application/json' }
    const legacy = { headers, body: JSON.stringify(body) }
    assertRefused(await live.send('POST', `/portfolio/${path}`, legacy), 401, 'UNAUTHENTICATED')
  }
  const headers = { 'x-api-key': 'lmts_0123456789', 'content-type': 'application/json' }
  const legacy = { headers, body: JSON.stringify(to) }
  assertRefused(await live.send('POST', '/portfolio/withdraw', legacy), 401, 'UNAUTHENTICATED')
})

test('money goes to the account, the proven smart wallet or a listed address', async () => {
  const wallet = newWallet()
  const smart = newWallet()
  const cookie = cookieOf(await loginWithWallet(live, wallet, smart))
  const profile = live.exchange.pipeline.clearing.accounts.byAddress(wallet.address)
  assert(profile !== undefined)
  await live.admin('/admin/balances', { profileId: profile.profileId, collateralRaw: 10 * UNIT })
  const send = (destination: string) =>
    withCookie(live, cookie, 'POST', '/portfolio/withdraw', { amount: '1000000', destination })
  assertRefused(await send(COLD), 403, 'DESTINATION_NOT_ALLOWED')
  const token = await provider.token(live, wallet.address)
  const listed = await byIdentity(live, token, 'POST', '/portfolio/withdrawal-addresses', {
    address: COLD,
  })
  assert.equal(listed.status, 201)
  for (const address of [wallet.address, smart.address, COLD]) {
    assert.equal(textAt(made(await send(address.toLowerCase())), 'destination'), address)
  }
  assert.equal(live.exchange.pipeline.clearing.ledger.freeRaw(profile.profileId), 7 * UNIT)
  assert.equal((await login(live, wallet)).status, 200)
})

test('a signed call is made once, and a key gives the first reply again', async () => {
  const to = { amount: '1000000', destination: ann.account }
  const timestamp = new Date(live.nowMs()).toISOString()
  const before = live.balances(ann).freeRaw
  const send = (body: object, change = {}) =>
    live.call(ann, 'POST', '/portfolio/withdraw', body, change)
  made(await send(to, { timestamp }))
  assertRefused(await send(to, { timestamp }), 409, 'DUPLICATE_CALL')
  // Another spelling of the same signature is none.
  const signature = signCall({
    secret: Buffer.from(ann.secret, 'base64'),
    timestamp,
    method: 'POST',
    pathWithQuery: '/portfolio/withdraw',
    body: Buffer.from(JSON.stringify(to)),
  })
  for (const text of [signature.replace('=', ''), signature.replaceAll('+', '-')]) {
    if (text === signature) continue
    assertRefused(await send(to, { timestamp, signature: text }), 401, 'HMAC_INVALID')
  }
  const keyed = { ...to, idempotencyKey: 'payout 17' }
  const first = made(await send(keyed, { timestamp }))
  assert.deepEqual(made(await send(keyed, { timestamp })), first)
  assert.deepEqual(made(await send(keyed)), first)
  assertRefused(await send({ ...keyed, amount: '2' }), 409, 'IDEMPOTENCY_KEY_TAKEN')
  assert.equal(live.balances(ann).freeRaw, before - 2 * UNIT)
})

test('a frozen profile moves no money, its own or that of a sub-account', async () => {
  const trader = await live.trader(10 * UNIT, { apiToken: { scopes: RIGHTS } })
  await live.admin(`/admin/profiles/${trader.profileId}/freeze`, {})
  const to = { amount: '1', destination: trader.account }
  assertRefused(await post(trader, '/portfolio/withdraw', to), 403, 'PROFILE_FROZEN')
  const partner = await live.trader(10 * UNIT, { apiToken: { scopes: RIGHTS } })
  const child = await serverWallet(live, partner, 10 * UNIT)
  await live.admin(`/admin/profiles/${partner.profileId}/freeze`, {})
  const ofChild = { amount: '1', onBehalfOf: child.profileId }
  assertRefused(await post(partner, '/portfolio/withdraw', ofChild), 403, 'PROFILE_FROZEN')
})

test('behind a restart a call that was made is still known', async () => {
  const to = { amount: '1000000', destination: ann.account, idempotencyKey: 'over a restart' }
  const signed = { amount: '1000000', destination: ann.account }
  const timestamp = new Date(live.nowMs()).toISOString()
  const first = made(await post(ann, '/portfolio/withdraw', to))
  made(await live.call(ann, 'POST', '/portfolio/withdraw', signed, { timestamp }))
  await live.restart()
  assert.deepEqual(made(await post(ann, '/portfolio/withdraw', to)), first)
  const again = await live.call(ann, 'POST', '/portfolio/withdraw', signed, { timestamp })
  assertRefused(again, 409, 'DUPLICATE_CALL')
  assert.equal(at(again.body, 'statusCode'), 409)
})
