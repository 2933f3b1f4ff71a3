import assert from 'node:assert/strict'
import { test } from 'node:test'
import { APIError, CancelReplaceMode, Client, OrderType, Side } from '@limitless-exchange/sdk'
import type { Scope } from '../../engine/domain/command.ts'
import { exchange } from '../support/exchange.ts'
import { at } from '../support/json-path.ts'
import { IdentityProvider } from '../support/live-identity.ts'
import { login, newWallet, partnerMessage } from '../support/live-session.ts'
import { assertRefused } from '../support/replies.ts'
import { until } from '../support/until.ts'

// The public client, unmodified from npm, used by a partner. It derives a token with an identity
// token, makes accounts and trades for them.

const provider = new IdentityProvider()
const RIGHTS: readonly Scope[] = ['trading', 'account_creation', 'delegated_signing']
const FUNDS_RAW = 1_000_000_000
const partnerWallet = newWallet()
const { live } = await exchange({ flags: provider.flags })
let client: Client

const baseURL = `http://127.0.0.1:${live.port}`
const market = await live.openMarket('rain', { fee: true })
assert.equal((await login(live, partnerWallet)).status, 200)
const { pipeline } = live.exchange
const found = pipeline.clearing.accounts.byAddress(partnerWallet.address)
assert.ok(found !== undefined)
const partnerId = found.profileId
const rank = { id: 3, name: 'Gold', feeRateBps: 200 }
const profile = { ...found, rank, scopes: RIGHTS }
await pipeline.change(() => ({ kind: 'editProfile', profileId: partnerId, profile, token: null }))
const identity = await provider.token(live, partnerWallet.address)

const statusOf = (status: number) => (error: unknown) => {
  assert.ok(error instanceof APIError, String(error))
  assert.equal(error.status, status, error.message)
  return true
}

test('a partner learns what it may do, derives a token, lists and revokes it', async () => {
  const { apiTokens } = new Client({ baseURL })
  assert.deepEqual(await apiTokens.getCapabilities(identity), {
    partnerProfileId: partnerId,
    tokenManagementEnabled: true,
    allowedScopes: [...RIGHTS],
  })
  const spare = await apiTokens.deriveToken(identity, { label: 'spare' })
  assert.deepEqual(spare.scopes, ['trading'])
  const made = await apiTokens.deriveToken(identity, { label: 'desk', scopes: [...RIGHTS] })
  assert.deepEqual(made.profile, { id: partnerId, account: partnerWallet.address })
  const { tokenId, secret } = made
  client = new Client({ baseURL, hmacCredentials: { tokenId, secret } })
  const listed = await client.apiTokens.listTokens()
  assert.deepEqual(
    listed.map(({ label }) => label),
    ['spare', 'desk'],
  )
  assert.equal(await client.apiTokens.revokeToken(spare.tokenId), 'API token revoked successfully')
  assert.equal((await client.apiTokens.listTokens()).length, 1)
  await assert.rejects(client.apiTokens.revokeToken(spare.tokenId), statusOf(400))
  const more = apiTokens.deriveToken(identity, { scopes: ['trading', 'withdrawal'] })
  await assert.rejects(more, statusOf(403))
  await assert.rejects(apiTokens.deriveToken(identity, { scopes: ['admin'] }), statusOf(400))
  const alone = apiTokens.deriveToken(identity, { scopes: ['delegated_signing'] })
  await assert.rejects(alone, statusOf(400))
  await assert.rejects(apiTokens.getCapabilities('forged'), statusOf(401))
})

test('a partner makes accounts of both kinds, lists them and checks their allowances', async () => {
  const { partnerAccounts } = client
  const desk = await partnerAccounts.createAccount({
    displayName: 'Desk',
    createServerWallet: true,
  })
  const wallet = newWallet()
  const message = await partnerMessage(live, { profileId: partnerId })
  const proof = {
    account: wallet.address,
    signingMessage: `0x${Buffer.from(message).toString('hex')}`,
    signature: await wallet.signMessage({ message }),
  }
  const own = await partnerAccounts.createAccount({ displayName: 'Own' }, proof)
  assert.equal(own.account, wallet.address)
  await assert.rejects(partnerAccounts.createAccount({}, proof), statusOf(401))
  assert.deepEqual(await partnerAccounts.listAccounts(), {
    data: [
      { ...desk, displayName: 'Desk' },
      { ...own, displayName: 'Own' },
    ],
    page: 1,
    limit: 25,
    hasMore: false,
  })
  const found = await partnerAccounts.listAccounts({ account: own.account, limit: 100, page: 1 })
  assert.deepEqual(found.data, [{ ...own, displayName: 'Own' }])
  // On a chain, its wallet approves in blocks of its own.
  await until(async () => (await partnerAccounts.checkAllowances(desk.profileId)).ready)
  const allowances = await partnerAccounts.checkAllowances(desk.profileId)
  assert.equal(allowances.walletAddress, desk.account)
  assert.equal(allowances.partnerProfileId, partnerId)
  assert.equal(allowances.ready, true)
  assert.equal(allowances.summary.total, allowances.targets.length)
  assert.deepEqual(await partnerAccounts.retryAllowances(desk.profileId), allowances)
  await assert.rejects(partnerAccounts.retryAllowances(desk.profileId), statusOf(429))
  await assert.rejects(partnerAccounts.checkAllowances(partnerId), statusOf(403))
})

test('a partner places and cancels orders of an account that the exchange signs for', async () => {
  const { delegatedOrders, partnerAccounts } = client
  const { profileId, account } = await partnerAccounts.createAccount({ createServerWallet: true })
  await live.deposit({ profileId }, FUNDS_RAW)
  const bid = (price: number) =>
    delegatedOrders.createOrder({
      onBehalfOf: profileId,
      marketSlug: market.slug,
      orderType: OrderType.GTC,
      args: { tokenId: market.tokens[0], side: Side.BUY, price, size: 10 },
    })
  const first = await bid(0.2)
  assert.equal(at(first, 'order', 'ownerId'), profileId)
  assert.equal(first.order.maker, account)
  assert.equal(first.order.feeRateBps, 200)
  const foreign = delegatedOrders.cancelOnBehalfOf(first.order.id, partnerId)
  await assert.rejects(foreign, statusOf(403))
  await assert.rejects(delegatedOrders.cancel(first.order.id), statusOf(404))
  const canceled = await delegatedOrders.cancelOnBehalfOf(first.order.id, profileId)
  assert.equal(canceled, 'Order canceled successfully')
  await bid(0.3)
  const post = await bid(0.31)
  const fok = await delegatedOrders.createOrder({
    onBehalfOf: profileId,
    marketSlug: market.slug,
    orderType: OrderType.FOK,
    args: { tokenId: market.tokens[0], side: Side.BUY, makerAmount: 5 },
  })
  assert.equal(fok.execution?.matched, false)
  assert.match(await delegatedOrders.cancelAllOnBehalfOf(market.slug, profileId), /canceled/)
  const read = await client.http.get<unknown>(`/markets/${market.slug}/user-orders`)
  assert.deepEqual(read, [])
  assert.ok(post.order.id !== first.order.id)
  assert.match(await delegatedOrders.cancelAll(market.slug), /canceled/)
  const { ledger } = live.exchange.pipeline.clearing
  assert.equal(ledger.collateralFreeRaw[profileId], FUNDS_RAW)
})

test('a partner replaces an order of its account, never one of another', async () => {
  const { delegatedOrders, partnerAccounts } = client
  const { profileId } = await partnerAccounts.createAccount({ createServerWallet: true })
  await live.deposit({ profileId }, 2_000_000)
  const args = { tokenId: market.tokens[0], side: Side.BUY, price: 0.2, size: 10 }
  const shared = { marketSlug: market.slug, orderType: OrderType.GTC } as const
  const placed = await delegatedOrders.createOrder({ onBehalfOf: profileId, ...shared, args })
  const replacement = { ...args, ...shared, price: 0.19 }
  const cancel = { orderId: placed.order.id }
  const wanted = {
    cancel,
    replacement,
    mode: CancelReplaceMode.ALLOW_FAILURE,
    onBehalfOf: profileId,
  }
  const foreign = delegatedOrders.cancelReplace({ ...wanted, onBehalfOf: partnerId })
  await assert.rejects(foreign, statusOf(403))
  const batch = await delegatedOrders.cancelReplaceBatch({
    operations: [{ ...wanted, onBehalfOf: 999_999 }, wanted],
  })
  const [refused, done] = batch.results
  assert.equal(refused.cancel.status, 'FAILURE')
  assert.equal(refused.replacement.status, 'NOT_ATTEMPTED')
  assert.equal(done.cancel.status, 'SUCCESS', JSON.stringify(done))
  assert.equal(done.replacement.status, 'SUCCESS', JSON.stringify(done))
  const again = await delegatedOrders.cancelReplace(wanted)
  assert.equal(again.cancel.status, 'FAILURE')
  const { ledger, orders } = live.exchange.pipeline.clearing
  assert.equal(ledger.collateralReservedRaw[profileId], 1_900_000)
  assert.equal(orders.live.of(profileId), 1)
  assert.equal(orders.live.of(partnerId), 0)
})

test('a legacy static key opens nothing', async () => {
  const headers = { 'x-api-key': 'lmts_0123456789', 'content-type': 'application/json' }
  for (const [method, path, body] of [
    ['POST', '/profiles/partner-accounts', '{"createServerWallet":true}'],
    ['GET', '/profiles/partner-accounts', undefined],
    ['POST', '/profiles/partner-accounts/1/allowances/retry', '{}'],
    ['POST', '/orders', '{}'],
    ['GET', '/profiles/me', undefined],
  ] as const) {
    const reply = await live.send(method, path, { headers, ...(body ? { body } : {}) })
    assertRefused(reply, 401, 'UNAUTHENTICATED', `${method} ${path} ${reply.text}`)
    assert.match(
      String(at(reply.body, 'message')),
      /Static API keys [(]the header x-api-key[)] are no longer accepted/,
    )
  }
})

test('a partner lists a withdrawal address and takes it off', async () => {
  const { partnerAccounts } = new Client({ baseURL })
  const { address } = newWallet()
  const added = await partnerAccounts.addWithdrawalAddress(identity, { address, label: 'Cold' })
  assert.equal(added.profileId, partnerId)
  assert.equal(added.destinationAddress, address)
  assert.equal(added.deletedAt, null)
  const twice = partnerAccounts.addWithdrawalAddress(identity, { address })
  await assert.rejects(twice, statusOf(409))
  await partnerAccounts.deleteWithdrawalAddress(identity, address)
  const gone = partnerAccounts.deleteWithdrawalAddress(identity, address)
  await assert.rejects(gone, statusOf(404))
  await assert.rejects(client.partnerAccounts.addWithdrawalAddress('', { address }), /identity/)
})
