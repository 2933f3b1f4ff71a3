import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { before, test } from 'node:test'
import { hashTypedData, hexToBytes, recoverAddress } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { exchange } from '../../../support/exchange.ts'
import { at, textAt } from '../../../support/json-path.ts'
import type { Trader } from '../../../support/live-exchange.ts'
import {
  CHAIN_ID,
  DOMAIN_NAME,
  type LiveMarket,
  signedFor,
  unsigned,
} from '../../../support/live-orders.ts'
import {
  unsignedBody as deskOrder,
  ownWallet,
  PARTNER_RIGHTS,
  type SubAccount,
  serverWallet,
  tokenOf,
} from '../../../support/live-partners.ts'
import { login, loginWithWallet, newWallet } from '../../../support/live-session.ts'
import { accepted, assertRefused, orderIdOf, type Reply } from '../../../support/replies.ts'

// Acting for sub-accounts (rules §12.1, §12.4): the partner may, the
// same partner without the scope, another partner, the account itself and a stranger may not.

const PATH = '/profiles/partner-accounts'
const FUNDS_RAW = 100_000_000
const {
  live,
  rain: market,
  snow: feeMarket,
  partner,
} = await exchange({
  markets: { rain: {}, snow: { fee: true } },
  traders: {
    partner: { collateralRaw: FUNDS_RAW, rank: 'Gold', apiToken: { scopes: PARTNER_RIGHTS } },
  },
})
/** Another token of the partner, with the scope `trading` only. */
let trading: Trader
let other: Trader
/** A server wallet of the partner, one of the other partner, and a wallet that signs for itself. */
let desk: SubAccount
let foreign: SubAccount
let own: Trader

before(async () => {
  trading = await tokenOf(live, partner, ['trading'])
  other = await live.trader(FUNDS_RAW, { apiToken: { scopes: PARTNER_RIGHTS } })
  desk = await serverWallet(live, partner, FUNDS_RAW)
  foreign = await serverWallet(live, other, FUNDS_RAW)
  own = await ownWallet(live, partner, FUNDS_RAW)
})

const unsignedBody = (profileId: number, venue = market) => deskOrder(partner, profileId, venue)

const post = (body: unknown, caller = partner) => live.call(caller, 'POST', '/orders', body)

async function resting(profileId: number): Promise<string> {
  const reply = await accepted(post(unsignedBody(profileId)), 201)
  return orderIdOf(reply)
}

/** The signer of the order in a 201, recovered as a contract does. */
async function signerOf(reply: Reply, venue: LiveMarket): Promise<string> {
  const field = (name: string) => String(at(reply.body, 'order', name))
  const names = ['salt', 'maker', 'signer', 'taker', 'tokenId', 'makerAmount', 'takerAmount']
  const more = ['expiration', 'nonce', 'feeRateBps']
  const isAddress = (name: string) => ['maker', 'signer', 'taker'].includes(name)
  const types = [...names, ...more].map((name) => ({
    name,
    type: isAddress(name) ? 'address' : 'uint256',
  }))
  const bytes = ['side', 'signatureType'].map((name) => ({ name, type: 'uint8' }))
  const signedNames = [...names, ...more, 'side', 'signatureType']
  const hash = hashTypedData({
    domain: {
      name: DOMAIN_NAME,
      version: '1',
      chainId: CHAIN_ID,
      verifyingContract: `0x${venue.exchange.slice(2)}`,
    },
    types: { Order: [...types, ...bytes] },
    primaryType: 'Order',
    message: Object.fromEntries(signedNames.map((name) => [name, field(name)])),
  })
  return recoverAddress({ hash, signature: hexToBytes(`0x${field('signature').slice(2)}`) })
}

test('an unsigned order is signed by the server wallet, with the fee of its account', async () => {
  for (const [venue, feeBps] of [
    [market, 0],
    [feeMarket, 200],
  ] as const) {
    const reply = await accepted(post(unsignedBody(desk.profileId, venue)), 201)
    assert.equal(at(reply.body, 'order', 'maker'), desk.account)
    assert.equal(at(reply.body, 'order', 'signer'), desk.account)
    assert.equal(at(reply.body, 'order', 'ownerId'), desk.profileId)
    assert.equal(at(reply.body, 'order', 'feeRateBps'), feeBps)
    assert.equal(at(reply.body, 'execution', 'feeRateBps'), feeBps)
    assert.equal(await signerOf(reply, venue), desk.account)
  }
  await accepted(live.admin('/admin/profiles', { account: desk.account, feeCapBps: 50 }), 201)
  const after = await post(unsignedBody(desk.profileId, feeMarket))
  assert.equal(at(after.body, 'order', 'feeRateBps'), 50)
})

test('numbers of an unsigned order are numbers in its reply', async () => {
  const reply = await post(unsignedBody(desk.profileId))
  const order: unknown = at(reply.body, 'order')
  const { makerAmount, takerAmount, price, nonce, side, expiration } = Object(order)
  assert.deepEqual(
    [makerAmount, takerAmount, price, nonce, side],
    [1_000_000, 10_000_000, 0.1, 0, 0],
  )
  assert.equal(expiration, '0')
})

test('without a signature the signature type may be absent, and is 0', async () => {
  const body = unsignedBody(desk.profileId)
  const { signatureType: _type, ...order } = body.order
  const reply = await accepted(post({ ...body, order }), 201)
  assert.equal(at(reply.body, 'order', 'signatureType'), 0)
  assert.equal(await signerOf(reply, market), desk.account)
  const other = await post({ ...body, order: { ...order, signatureType: 1 } })
  assert.deepEqual(at(other.body, 'message', 0), {
    field: 'order.signatureType',
    message: 'must be 0 without a signature',
  })
  // A signed order still names it: it is a part of what is signed.
  const signed = signedFor(unsigned(own, market), own, market)
  const { signatureType: _none, ...bare } = signed
  const refused = await post({
    ...body,
    ownerId: own.profileId,
    onBehalfOf: own.profileId,
    order: bare,
  })
  assert.equal(at(refused.body, 'message', 0, 'field'), 'order.signatureType')
})

test('maker, signer, fee and owner may be left out, or name the server wallet', async () => {
  const { ownerId: _owner, ...body } = unsignedBody(desk.profileId)
  const { maker: _maker, signer: _signer, feeRateBps: _fee, ...order } = body.order
  const bare = await accepted(post({ ...body, order }), 201)
  assert.equal(at(bare.body, 'order', 'maker'), desk.account)
  const maker = desk.account.toLowerCase()
  await accepted(post({ ...body, order: { ...order, salt: 77, maker, signer: maker } }), 201)
})

test('each field that a delegated order may not set has its own refusal', async () => {
  const body = unsignedBody(desk.profileId)
  const { onBehalfOf: _none, ...undelegated } = body
  assertRefused(await post(undelegated), 400, 'VALIDATION')
  assertRefused(await post({ ...body, ownerId: partner.profileId }), 400, 'OWNER_MISMATCH')
  assertRefused(await post({ ...body, ownerId: foreign.profileId }), 400, 'OWNER_MISMATCH')
  const stolen = { ...body.order, maker: partner.account }
  assertRefused(await post({ ...body, order: stolen }), 400, 'OWNER_MISMATCH')
  const typed = { ...body.order, signatureType: 1 }
  assertRefused(await post({ ...body, order: typed }), 400, 'VALIDATION')
  const signer = { ...body.order, signer: partner.account }
  assertRefused(await post({ ...body, order: signer }), 400, 'VALIDATION')
  const empty = { ...body.order, signature: '' }
  assertRefused(await post({ ...body, order: empty }), 400, 'VALIDATION')
  for (const onBehalfOf of [0, -1, 1.5, 2 ** 31, String(desk.profileId), null]) {
    assertRefused(await post({ ...body, onBehalfOf }), 400, 'VALIDATION')
  }
  assertRefused(await post(unsignedBody(own.profileId)), 403, 'NO_SERVER_WALLET')
})

test('only its partner acts for an account, and only with the scope', async () => {
  assertRefused(await post(unsignedBody(desk.profileId), trading), 403, 'SCOPE_MISSING')
  const stranger = await live.trader(FUNDS_RAW)
  assertRefused(await post(unsignedBody(desk.profileId), stranger), 403, 'SCOPE_MISSING')
  for (const target of [foreign.profileId, partner.profileId, 999_999, stranger.profileId]) {
    assertRefused(await post(unsignedBody(target)), 403, 'NOT_SUB_ACCOUNT')
  }
  assertRefused(await post(unsignedBody(desk.profileId), other), 403, 'NOT_SUB_ACCOUNT')
  assertRefused(await post(unsignedBody(own.profileId), own), 403, 'NOT_SUB_ACCOUNT')
})

test('a sub-account with its own wallet signs, and its partner may send the order', async () => {
  const order = signedFor(unsigned(own, market, { ticks: 110 }), own, market)
  const body = { order, orderType: 'GTC', marketSlug: market.slug, ownerId: own.profileId }
  const reply = await accepted(post({ ...body, onBehalfOf: own.profileId }), 201)
  assert.equal(at(reply.body, 'order', 'ownerId'), own.profileId)
  const forged = signedFor(unsigned(own, market), partner, market)
  const wrong = { ...body, order: forged, onBehalfOf: own.profileId }
  assertRefused(await post(wrong), 400, 'SIGNATURE_INVALID')
  const mine = signedFor(unsigned(partner, market), partner, market)
  const crossed = { ...body, order: mine, onBehalfOf: own.profileId }
  assertRefused(await post(crossed), 400, 'OWNER_MISMATCH')
  assertRefused(await post({ ...body, order }), 400, 'OWNER_MISMATCH')
})

test('an order spends the money of its account and never that of its partner', async () => {
  const poor = await live.call(partner, 'POST', PATH, { createServerWallet: true })
  const profileId = Number(at(poor.body, 'profileId'))
  assertRefused(await post(unsignedBody(profileId)), 400, 'INSUFFICIENT_COLLATERAL')
  const before = live.balances(partner)
  await resting(desk.profileId)
  assert.deepEqual(live.balances(partner), before)
  const { reservedRaw } = live.balances({ ...partner, profileId: desk.profileId })
  assert.ok(reservedRaw > 0)
})

test('a batch may mix orders of the caller with orders of its accounts', async () => {
  const mine = unsigned(partner, market, { ticks: 90 })
  const orders = [
    {
      order: signedFor(mine, partner, market),
      orderType: 'GTC',
      marketSlug: market.slug,
      ownerId: partner.profileId,
    },
    unsignedBody(desk.profileId),
    unsignedBody(foreign.profileId),
  ]
  const reply = await accepted(live.call(partner, 'POST', '/orders/batch', { orders }))
  const statuses = [0, 1, 2].map((index) => at(reply.body, 'results', index, 'status'))
  assert.deepEqual(statuses, [201, 201, 403])
  assert.equal(at(reply.body, 'results', 1, 'order', 'ownerId'), desk.profileId)
})

test('the account that proved a smart wallet signs the orders for that wallet', async () => {
  const key = randomBytes(32)
  const wallet = privateKeyToAccount(`0x${key.toString('hex')}`)
  const owned = newWallet()
  const smartWallet = owned.address
  const swapped = [...smartWallet]
    .map((letter) => (letter < 'a' ? letter.toLowerCase() : letter.toUpperCase()))
    .join('')
  const wrong = { client: 'etherspot', smartWallet: `0x${swapped.slice(2)}` }
  assertRefused(await login(live, wallet, { body: wrong }), 400, 'VALIDATION')
  assert.equal((await loginWithWallet(live, wallet, owned, 'etherspot')).status, 200)
  const made = await live.admin('/admin/profiles', { account: wallet.address, apiToken: {} })
  const trader: Trader = {
    key,
    account: wallet.address,
    profileId: Number(at(made.body, 'profileId')),
    tokenId: textAt(made.body, 'tokenId'),
    secret: textAt(made.body, 'secret'),
  }
  await live.admin('/admin/balances', { profileId: trader.profileId, collateralRaw: FUNDS_RAW })
  const send = (fields: object, signer: Pick<Trader, 'key'> = trader) => {
    const order = { ...unsigned(trader, market, { ticks: 80 }), ...fields }
    const body = { order: signedFor(order, signer, market), orderType: 'GTC' }
    return post({ ...body, marketSlug: market.slug, ownerId: trader.profileId }, trader)
  }
  for (const signatureType of [1, 2, 3]) {
    const right = await accepted(send({ signatureType, maker: smartWallet }), 201)
    assert.equal(at(right.body, 'order', 'signatureType'), signatureType)
    assert.equal(at(right.body, 'order', 'maker'), smartWallet)
    await accepted(send({ signatureType, maker: smartWallet.toLowerCase() }), 201)
    assertRefused(await send({ signatureType }), 400, 'OWNER_MISMATCH')
    const theirs = { signatureType, maker: partner.account }
    assertRefused(await send(theirs), 400, 'OWNER_MISMATCH')
    const forged = await send({ signatureType, maker: smartWallet }, partner)
    assertRefused(forged, 400, 'SIGNATURE_INVALID')
    const itself = await send({ signatureType, maker: smartWallet, signer: smartWallet })
    if (signatureType === 3) assert.equal(itself.status, 201, itself.text)
    else assertRefused(itself, 400, 'SIGNER_MISMATCH')
  }
  assertRefused(await send({ maker: smartWallet }), 400, 'OWNER_MISMATCH')
  assertRefused(await send({ signatureType: 4, maker: smartWallet }), 400, 'VALIDATION')
})

test('a restart keeps the partner of each account, and the keys of server wallets', async () => {
  await live.restart()
  const reply = await accepted(post(unsignedBody(desk.profileId, feeMarket)), 201)
  assert.equal(await signerOf(reply, feeMarket), desk.account)
  assertRefused(await post(unsignedBody(foreign.profileId)), 403, 'NOT_SUB_ACCOUNT')
})
