import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, afterEach, before, test } from 'node:test'
import { privateKeyToAccount } from 'viem/accounts'
import { ZERO_ADDRESS } from '../../server/auth/address.ts'
import {
  at,
  type LiveExchange,
  type Reply,
  startLive,
  type Trader,
  textAt,
} from '../support/live-exchange.ts'
import { type LiveMarket, openMarket, signedFor, unsigned } from '../support/live-orders.ts'
import {
  codeOf,
  cookieOf,
  login,
  newWallet,
  signingMessage,
  withCookie,
} from '../support/live-session.ts'

// A login names its smart wallet and proves nothing of it: what that opens is the caller's own.

const FUNDS_RAW = 100_000_000
let live: LiveExchange
let market: LiveMarket
let victim: Trader
/** What a thief may claim, by what it is. */
let claims: readonly (readonly [what: string, address: string])[]

/** Logs in with a smart wallet and gets a token, without funds. */
async function trader(smartWallet: string): Promise<Trader> {
  const key = randomBytes(32)
  const wallet = privateKeyToAccount(`0x${key.toString('hex')}`)
  const cookie = cookieOf(await login(live, wallet, { body: { client: 'base', smartWallet } }))
  const made = await withCookie(live, cookie, 'POST', '/auth/api-tokens/derive', {})
  return {
    key,
    account: wallet.address,
    profileId: Number(at(made.body, 'profile', 'id')),
    tokenId: textAt(made.body, 'tokenId'),
    secret: textAt(made.body, 'secret'),
  }
}

before(async () => {
  live = await startLive()
  market = await openMarket(live, 'rain')
  const smartWallet = newWallet().address
  victim = await trader(smartWallet)
  await live.admin('/admin/balances', { profileId: victim.profileId, collateralRaw: FUNDS_RAW })
  const scopes = ['trading', 'account_creation', 'delegated_signing']
  const partner = await live.trader(0, { apiToken: { scopes } })
  const made = await live.call(partner, 'POST', '/profiles/partner-accounts', {
    createServerWallet: true,
  })
  const profileId = Number(at(made.body, 'profileId'))
  await live.admin('/admin/balances', { profileId, collateralRaw: FUNDS_RAW })
  claims = [
    ["another's account", victim.account],
    ["another's smart wallet", smartWallet],
    ['a server wallet', textAt(made.body, 'account')],
    ["a market's exchange", market.exchange],
  ]
})
after(async () => {
  await live.stop()
})
afterEach(() => assert.deepEqual(live.faults, []))

function assertRefused(reply: Reply, status: number, code: string): void {
  assert.equal(reply.status, status, reply.text)
  assert.equal(codeOf(reply), code)
}

/** Orders of every signature type that names the claimed wallet. */
async function orders(thief: Trader, maker: string, ownerId = thief.profileId): Promise<Reply[]> {
  const forms = [1, 2, 3].flatMap((signatureType) => [
    { signatureType, maker },
    ...(signatureType === 3 ? [{ signatureType, maker, signer: maker }] : []),
  ])
  return Promise.all(
    forms.map((form) => {
      const order = { ...unsigned(thief, market, { ticks: 100 }), ...form }
      const body = { order: signedFor(order, thief, market), orderType: 'GTC', ownerId }
      return live.call(thief, 'POST', '/orders', { ...body, marketSlug: market.slug })
    }),
  )
}

/** Collateral of every profile but the thief's. */
function moneyOfOthers(thief: Trader): string {
  const { ledger, accounts } = live.exchange.pipeline.clearing
  const ids = Array.from({ length: accounts.count }, (_none, index) => index + 1)
  const others = ids.filter((id) => id !== thief.profileId)
  return others
    .map((id) => [ledger.collateralFreeRaw[id], ledger.collateralReservedRaw[id]].join('+'))
    .join(' ')
}

test('a claimed wallet spends the money of whoever claims it, and no other', async () => {
  for (const [what, claimed] of claims) {
    const thief = await trader(claimed)
    const before = moneyOfOthers(thief)
    for (const reply of await orders(thief, claimed)) {
      assertRefused(reply, 400, 'INSUFFICIENT_COLLATERAL')
    }
    for (const reply of await orders(thief, claimed, victim.profileId)) {
      assertRefused(reply, 400, 'OWNER_MISMATCH')
    }
    await live.admin('/admin/balances', { profileId: thief.profileId, collateralRaw: FUNDS_RAW })
    for (const reply of await orders(thief, claimed)) assert.equal(reply.status, 201, reply.text)
    assert.ok(live.balances(thief).reservedRaw > 0, what)
    assert.equal(moneyOfOthers(thief), before, what)
  }
})

test('a claimed wallet is no account: it reads, logs in and is taken over as before', async () => {
  for (const [what, claimed] of claims) {
    const thief = await trader(claimed)
    const read = await live.call(thief, 'GET', `/profiles/${claimed}`)
    assert.ok(read.status === 403 || read.status === 404, `${what}: ${read.text}`)
    const wallet = privateKeyToAccount(`0x${Buffer.from(thief.key).toString('hex')}`)
    assertRefused(await login(live, wallet, { account: claimed }), 400, 'LOGIN_INVALID')
    const message = await signingMessage(live)
    const scopes = ['account_creation']
    const partner = await live.trader(0, { apiToken: { scopes } })
    const headers = {
      'x-account': claimed,
      'x-signing-message': message,
      'x-signature': await wallet.signMessage({ message }),
    }
    const taken = await live.call(partner, 'POST', '/profiles/partner-accounts', {}, { headers })
    assertRefused(taken, 401, 'ACCOUNT_UNPROVEN')
  }
})

test('whoever a wallet belongs to may still log in with it, name it and trade', async () => {
  const key = randomBytes(32)
  const wallet = privateKeyToAccount(`0x${key.toString('hex')}`)
  const smartWallet = newWallet().address
  await trader(wallet.address)
  await trader(smartWallet)
  const reply = await login(live, wallet, { body: { client: 'etherspot', smartWallet } })
  assert.equal(at(reply.body, 'account'), wallet.address)
  assert.equal(at(reply.body, 'smartWallet'), smartWallet)
  const made = await withCookie(live, cookieOf(reply), 'POST', '/auth/api-tokens/derive', {})
  const owner = {
    key,
    account: wallet.address,
    profileId: Number(at(made.body, 'profile', 'id')),
    tokenId: textAt(made.body, 'tokenId'),
    secret: textAt(made.body, 'secret'),
  }
  await live.admin('/admin/balances', { profileId: owner.profileId, collateralRaw: FUNDS_RAW })
  for (const placed of await orders(owner, smartWallet)) {
    assert.equal(placed.status, 201, placed.text)
  }
  const order = signedFor(unsigned(owner, market, { ticks: 100 }), owner, market)
  const body = { order, orderType: 'GTC', ownerId: owner.profileId, marketSlug: market.slug }
  assert.equal((await live.call(owner, 'POST', '/orders', body)).status, 201)
})

test('a smart wallet is named once, and never the zero address', async () => {
  const wallet = newWallet()
  const claim = (smartWallet: string) =>
    login(live, wallet, { body: { client: 'base', smartWallet } })
  assertRefused(await claim(ZERO_ADDRESS), 400, 'VALIDATION')
  const [first, second] = [newWallet().address, newWallet().address]
  assert.equal(at((await login(live, wallet)).body, 'smartWallet'), null)
  assert.equal(at((await claim(first.toLowerCase())).body, 'smartWallet'), first)
  assert.equal(at((await claim(second)).body, 'smartWallet'), first)
})
