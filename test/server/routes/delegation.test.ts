import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, afterEach, before, test } from 'node:test'
import { hashTypedData, hexToBytes, recoverAddress } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { newFolder } from '../../support/data-folder.ts'
import {
  at,
  type LiveExchange,
  type Reply,
  startLive,
  type Trader,
  textAt,
} from '../../support/live-exchange.ts'
import {
  CHAIN_ID,
  DOMAIN_NAME,
  type LiveMarket,
  type OrderWish,
  openMarket,
  signedFor,
  unsigned,
} from '../../support/live-orders.ts'
import { codeOf, signingMessage } from '../../support/live-session.ts'

// Acting for sub-accounts (api-spec "Authentication" 3 and 4, domain §12.4): the partner may, the
// same partner without the scope, another partner, the account itself and a stranger may not.

const PATH = '/profiles/partner-accounts'
const RIGHTS = ['trading', 'account_creation', 'delegated_signing']
const FUNDS_RAW = 100_000_000
const ZERO = `0x${'0'.repeat(40)}`
const dataDir = newFolder()
let live: LiveExchange
let market: LiveMarket
let feeMarket: LiveMarket
let partner: Trader
/** The partner's other token. */
let trading: Trader
let other: Trader
/** A server wallet of the partner, one of the other partner, and a wallet that signs for itself. */
let desk: { profileId: number; account: string }
let foreign: { profileId: number; account: string }
let own: Trader

async function subAccount(owner: Trader): Promise<{ profileId: number; account: string }> {
  const made = await live.call(owner, 'POST', PATH, { createServerWallet: true })
  assert.equal(made.status, 201, made.text)
  const profileId = Number(at(made.body, 'profileId'))
  await live.admin('/admin/balances', { profileId, collateralRaw: FUNDS_RAW })
  return { profileId, account: textAt(made.body, 'account') }
}

async function ownWallet(owner: Trader): Promise<Trader> {
  const key = randomBytes(32)
  const wallet = privateKeyToAccount(`0x${key.toString('hex')}`)
  const message = await signingMessage(live)
  const headers = {
    'x-account': wallet.address,
    'x-signing-message': `0x${Buffer.from(message).toString('hex')}`,
    'x-signature': await wallet.signMessage({ message }),
  }
  const made = await live.call(owner, 'POST', PATH, {}, { headers })
  assert.equal(made.status, 201, made.text)
  const profileId = Number(at(made.body, 'profileId'))
  await live.admin('/admin/balances', { profileId, collateralRaw: FUNDS_RAW })
  const token = await live.admin('/admin/profiles', {
    account: wallet.address,
    apiToken: { scopes: ['trading', 'delegated_signing'] },
  })
  const [tokenId, secret] = [textAt(token.body, 'tokenId'), textAt(token.body, 'secret')]
  return { key, account: wallet.address, profileId, tokenId, secret }
}

before(async () => {
  live = await startLive({ dataDir })
  market = await openMarket(live, 'rain')
  feeMarket = await openMarket(live, 'snow', { fee: true })
  partner = await live.trader(FUNDS_RAW, { rank: 'Gold', apiToken: { scopes: RIGHTS } })
  const made = await live.admin('/admin/profiles', {
    account: partner.account,
    apiToken: { scopes: ['trading'] },
  })
  const tokenId = textAt(made.body, 'tokenId')
  trading = { ...partner, tokenId, secret: textAt(made.body, 'secret') }
  other = await live.trader(FUNDS_RAW, { apiToken: { scopes: RIGHTS } })
  desk = await subAccount(partner)
  foreign = await subAccount(other)
  own = await ownWallet(partner)
})
after(async () => {
  await live.stop()
})
afterEach(() => assert.deepEqual(live.faults, []))

function assertRefused(reply: Reply, status: number, code: string): void {
  assert.equal(reply.status, status, reply.text)
  assert.equal(codeOf(reply), code)
}

/** An order that nobody has signed yet, as the public client sends it. */
function unsignedBody(profileId: number, venue = market, wish: OrderWish = {}) {
  const { signature: _none, ...order } = unsigned(partner, venue, { ticks: 100, ...wish })
  return {
    order: { ...order, maker: ZERO, signer: ZERO, feeRateBps: 300 },
    orderType: 'GTC',
    marketSlug: venue.slug,
    ownerId: profileId,
    onBehalfOf: profileId,
  }
}

const post = (body: unknown, caller = partner) => live.call(caller, 'POST', '/orders', body)

async function resting(profileId: number): Promise<string> {
  const reply = await post(unsignedBody(profileId))
  assert.equal(reply.status, 201, reply.text)
  return textAt(reply.body, 'order', 'id')
}

/** Who signed the order of a 201, as a contract would find it. */
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
    const reply = await post(unsignedBody(desk.profileId, venue))
    assert.equal(reply.status, 201, reply.text)
    assert.equal(at(reply.body, 'order', 'maker'), desk.account)
    assert.equal(at(reply.body, 'order', 'signer'), desk.account)
    assert.equal(at(reply.body, 'order', 'ownerId'), desk.profileId)
    assert.equal(at(reply.body, 'order', 'feeRateBps'), feeBps)
    assert.equal(at(reply.body, 'execution', 'feeRateBps'), feeBps)
    assert.equal(await signerOf(reply, venue), desk.account)
  }
  const capped = await live.admin('/admin/profiles', { account: desk.account, feeCapBps: 50 })
  assert.equal(capped.status, 201, capped.text)
  const after = await post(unsignedBody(desk.profileId, feeMarket))
  assert.equal(at(after.body, 'order', 'feeRateBps'), 50)
})

test('maker, signer, fee and owner may be left out, or name the server wallet', async () => {
  const { ownerId: _owner, ...body } = unsignedBody(desk.profileId)
  const { maker: _maker, signer: _signer, feeRateBps: _fee, ...order } = body.order
  const bare = await post({ ...body, order })
  assert.equal(bare.status, 201, bare.text)
  assert.equal(at(bare.body, 'order', 'maker'), desk.account)
  const maker = desk.account.toLowerCase()
  const named = await post({ ...body, order: { ...order, salt: 77, maker, signer: maker } })
  assert.equal(named.status, 201, named.text)
})

test('what a delegated order may not say has its own answer', async () => {
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
  assertRefused(await post(unsignedBody(own.profileId)), 400, 'NO_SERVER_WALLET')
})

test('only its partner acts for an account, with the scope for it', async () => {
  assertRefused(await post(unsignedBody(desk.profileId), trading), 403, 'SCOPE_MISSING')
  const stranger = await live.trader(FUNDS_RAW)
  assertRefused(await post(unsignedBody(desk.profileId), stranger), 403, 'SCOPE_MISSING')
  for (const target of [foreign.profileId, partner.profileId, 999_999, stranger.profileId]) {
    assertRefused(await post(unsignedBody(target)), 403, 'NOT_SUB_ACCOUNT')
  }
  assertRefused(await post(unsignedBody(desk.profileId), other), 403, 'NOT_SUB_ACCOUNT')
  assertRefused(await post(unsignedBody(own.profileId), own), 403, 'NOT_SUB_ACCOUNT')
})

test('a wallet of its own signs, and its partner may hand the order in', async () => {
  const order = signedFor(unsigned(own, market, { ticks: 110 }), own, market)
  const body = { order, orderType: 'GTC', marketSlug: market.slug, ownerId: own.profileId }
  const reply = await post({ ...body, onBehalfOf: own.profileId })
  assert.equal(reply.status, 201, reply.text)
  assert.equal(at(reply.body, 'order', 'ownerId'), own.profileId)
  const forged = signedFor(unsigned(own, market), partner, market)
  const wrong = { ...body, order: forged, onBehalfOf: own.profileId }
  assertRefused(await post(wrong), 400, 'SIGNATURE_INVALID')
  const mine = signedFor(unsigned(partner, market), partner, market)
  const crossed = { ...body, order: mine, onBehalfOf: own.profileId }
  assertRefused(await post(crossed), 400, 'OWNER_MISMATCH')
  assertRefused(await post({ ...body, order }), 400, 'OWNER_MISMATCH')
})

test('what is spent is the money of the account and never its partner’s', async () => {
  const poor = await live.call(partner, 'POST', PATH, { createServerWallet: true })
  const profileId = Number(at(poor.body, 'profileId'))
  assertRefused(await post(unsignedBody(profileId)), 400, 'INSUFFICIENT_COLLATERAL')
  const before = live.balances(partner)
  await resting(desk.profileId)
  assert.deepEqual(live.balances(partner), before)
  const { reservedRaw } = live.balances({ ...partner, profileId: desk.profileId })
  assert.ok(reservedRaw > 0)
})

test('a group of orders mixes what the caller signs and what its accounts do', async () => {
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
  const reply = await live.call(partner, 'POST', '/orders/batch', { orders })
  assert.equal(reply.status, 200, reply.text)
  const statuses = [0, 1, 2].map((index) => at(reply.body, 'results', index, 'status'))
  assert.deepEqual(statuses, [201, 201, 403])
  assert.equal(at(reply.body, 'results', 1, 'order', 'ownerId'), desk.profileId)
})

/** Each cancel of an order of the desk, by the way it names the account. */
const CANCELS: readonly [
  name: string,
  send: (query: string, id: string, caller: Trader) => Promise<Reply>,
][] = [
  ['one by path', (query, id, caller) => live.call(caller, 'DELETE', `/orders/${id}${query}`)],
  [
    'one by body',
    (query, orderId, caller) => live.call(caller, 'POST', `/orders/cancel${query}`, { orderId }),
  ],
  [
    'a batch',
    (query, id, caller) =>
      live.call(caller, 'POST', `/orders/batch-cancel${query}`, { orderIds: [id] }),
  ],
  [
    'an older batch',
    (query, id, caller) =>
      live.call(caller, 'POST', `/orders/cancel-batch${query}`, { orderIds: [id] }),
  ],
  [
    'a market',
    (query, _id, caller) => live.call(caller, 'DELETE', `/orders/all/${market.slug}${query}`),
  ],
]

test('every cancel works for a sub-account, and for nobody else', async () => {
  for (const [name, send] of CANCELS) {
    const id = await resting(desk.profileId)
    const right = `?onBehalfOf=${desk.profileId}`
    assertRefused(await send(right, id, trading), 403, 'SCOPE_MISSING')
    assertRefused(await send(right, id, other), 403, 'NOT_SUB_ACCOUNT')
    for (const target of [foreign.profileId, partner.profileId, 999_999]) {
      assertRefused(await send(`?onBehalfOf=${target}`, id, partner), 403, 'NOT_SUB_ACCOUNT')
    }
    for (const malformed of ['0', '-1', 'x', '1.5', '2147483648', '']) {
      assertRefused(await send(`?onBehalfOf=${malformed}`, id, partner), 400, 'VALIDATION')
    }
    if (name !== 'a market') assert.equal((await send('', id, partner)).status, 404, name)
    const done = await send(right, id, partner)
    assert.equal(done.status, 200, `${name} ${done.text}`)
    const again = await send(right, id, partner)
    assert.equal(again.status, name === 'a market' ? 200 : 400, again.text)
  }
})

test('orders of a sub-account are read with the header, by its partner alone', async () => {
  const id = await resting(desk.profileId)
  const path = `/markets/${market.slug}/user-orders`
  const read = (target: string, caller = partner) =>
    live.call(caller, 'GET', path, undefined, { headers: { 'x-on-behalf-of': target } })
  const found = await read(String(desk.profileId))
  assert.equal(found.status, 200, found.text)
  assert.equal(at(found.body, 0, 'id'), id)
  assert.equal(at(found.body, 0, 'ownerId'), desk.profileId)
  const ownOrders = await live.call(partner, 'GET', path)
  assert.ok(!ownOrders.text.includes(id))
  for (const malformed of ['0', '-1', 'x', '1.5', '2147483648', '', '1, 2', '01']) {
    assertRefused(await read(malformed), 400, 'VALIDATION')
  }
  assertRefused(await read(String(desk.profileId), trading), 403, 'SCOPE_MISSING')
  assertRefused(await read(String(desk.profileId), other), 403, 'NOT_SUB_ACCOUNT')
  assertRefused(await read('999999'), 403, 'NOT_SUB_ACCOUNT')
  const status = await live.call(
    partner,
    'POST',
    '/orders/status/batch',
    { items: [{ orderId: id }] },
    { headers: { 'x-on-behalf-of': String(desk.profileId) } },
  )
  assert.equal(at(status.body, 'results', 0, 'status'), 'found', status.text)
  const both = await live.call(
    partner,
    'DELETE',
    `/orders/${id}?onBehalfOf=${desk.profileId}`,
    undefined,
    { headers: { 'x-on-behalf-of': String(own.profileId) } },
  )
  assertRefused(both, 400, 'VALIDATION')
})

test('orders for smart wallets are signed by the account that registered them', async () => {
  const key = randomBytes(32)
  const wallet = privateKeyToAccount(`0x${key.toString('hex')}`)
  const smartWallet = privateKeyToAccount(`0x${randomBytes(32).toString('hex')}`).address
  const login = async (account: string | null) => {
    const message = await signingMessage(live)
    return live.send('POST', '/auth/login', {
      headers: {
        'x-account': wallet.address,
        'x-signing-message': message,
        'x-signature': await wallet.signMessage({ message }),
        'content-type': 'application/json',
      },
      body: JSON.stringify(account === null ? {} : { client: 'etherspot', smartWallet: account }),
    })
  }
  const swapped = [...smartWallet]
    .map((letter) => (letter < 'a' ? letter.toLowerCase() : letter.toUpperCase()))
    .join('')
  assertRefused(await login(`0x${swapped.slice(2)}`), 400, 'VALIDATION')
  assert.equal((await login(smartWallet)).status, 200)
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
    const right = await send({ signatureType, maker: smartWallet })
    assert.equal(right.status, 201, right.text)
    assert.equal(at(right.body, 'order', 'signatureType'), signatureType)
    assert.equal(at(right.body, 'order', 'maker'), smartWallet)
    const lower = await send({ signatureType, maker: smartWallet.toLowerCase() })
    assert.equal(lower.status, 201, lower.text)
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

test('a restart keeps who may act for whom, and the keys that sign', async () => {
  const last = await live.stop()
  live = await startLive({ dataDir })
  assert.equal(live.exchange.recovered.stateHash, last.stateHash)
  const reply = await post(unsignedBody(desk.profileId, feeMarket))
  assert.equal(reply.status, 201, reply.text)
  assert.equal(await signerOf(reply, feeMarket), desk.account)
  assertRefused(await post(unsignedBody(foreign.profileId)), 403, 'NOT_SUB_ACCOUNT')
})
