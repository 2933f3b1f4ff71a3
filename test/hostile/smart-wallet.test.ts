import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { privateKeyToAccount } from 'viem/accounts'
import { ZERO_ADDRESS } from '../../server/crypto/address.ts'
import { exchange } from '../support/exchange.ts'
import { at, textAt } from '../support/json-path.ts'
import type { Trader } from '../support/live-exchange.ts'
import { signedFor, unsigned } from '../support/live-orders.ts'
import {
  cookieOf,
  login,
  loginWithWallet,
  newWallet,
  partnerMessage,
  signingMessage,
  type Wallet,
  withCookie,
} from '../support/live-session.ts'
import { accepted, assertRefused, codeOf, type Reply } from '../support/replies.ts'

// An account gets a smart wallet only by the signature of that wallet, or from the operator. A
// smart wallet can be the maker of orders, and money may be withdrawn to it.

const FUNDS_RAW = 100_000_000
const { live, rain: market } = await exchange({ markets: ['rain'] })
/** The addresses that a thief may claim, each with what it is. */

/** Makes a trader from a login, with a token and without funds. */
async function traderOf(key: Uint8Array, logged: Reply): Promise<Trader> {
  const cookie = cookieOf(logged)
  const made = await withCookie(live, cookie, 'POST', '/auth/api-tokens/derive', {})
  return {
    key,
    account: textAt(made.body, 'profile', 'account'),
    profileId: Number(at(made.body, 'profile', 'id')),
    tokenId: textAt(made.body, 'tokenId'),
    secret: textAt(made.body, 'secret'),
  }
}

function freshKey(): { key: Uint8Array; wallet: Wallet } {
  const key = randomBytes(32)
  return { key, wallet: privateKeyToAccount(`0x${key.toString('hex')}`) }
}

/** A trader that names a smart wallet without a proof of it. */
async function claimant(smartWallet: string): Promise<{ trader: Trader; logged: Reply }> {
  const { key, wallet } = freshKey()
  const logged = await login(live, wallet, { body: { client: 'base', smartWallet } })
  return { trader: await traderOf(key, logged), logged }
}

/** A trader with a smart wallet, proven by the signature of that wallet. */
async function owner(smartWallet: Wallet): Promise<Trader> {
  const { key, wallet } = freshKey()
  return traderOf(key, await loginWithWallet(live, wallet, smartWallet))
}

const victimWallet = newWallet()
const victim = await owner(victimWallet)
await live.admin('/admin/balances', { profileId: victim.profileId, collateralRaw: FUNDS_RAW })
const scopes = ['trading', 'account_creation', 'delegated_signing']
const partner = await live.trader(0, { apiToken: { scopes } })
const made = await live.call(partner, 'POST', '/profiles/partner-accounts', {
  createServerWallet: true,
})
const profileId = Number(at(made.body, 'profileId'))
await live.admin('/admin/balances', { profileId, collateralRaw: FUNDS_RAW })
const claims = [
  ["another's account", victim.account],
  ["another's smart wallet", victimWallet.address],
  ['a server wallet', textAt(made.body, 'account')],
  ["a market's exchange", market.exchange],
]

/** Sends an order of every signature type that names the claimed wallet. */
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

test("a wallet that is only claimed is not the account's, and makes no order", async () => {
  for (const [what, claimed] of claims) {
    const { trader: thief, logged } = await claimant(claimed)
    assert.equal(at(logged.body, 'smartWallet'), null, what)
    const own = await live.call(thief, 'GET', '/profiles/me')
    assert.equal(at(own.body, 'smartWallet'), null, what)
    const chosen = { tradeWalletOption: 'smartWallet' }
    const requested = await live.call(thief, 'PATCH', '/profiles/me', chosen)
    assertRefused(requested, 400, 'SMART_WALLET_REQUIRED')
    await live.admin('/admin/balances', { profileId: thief.profileId, collateralRaw: FUNDS_RAW })
    const before = moneyOfOthers(thief)
    for (const ownerId of [thief.profileId, victim.profileId]) {
      for (const reply of await orders(thief, claimed, ownerId)) {
        assertRefused(reply, 400, 'OWNER_MISMATCH')
      }
    }
    assert.equal(moneyOfOthers(thief), before, what)
  }
})

test('a claim of a wallet gives no right to read, log in as or take over its account', async () => {
  const partner = await live.trader(0, { apiToken: { scopes: ['account_creation'] } })
  for (const [what, claimed] of claims) {
    const { trader: thief } = await claimant(claimed)
    const read = await live.call(thief, 'GET', `/profiles/${claimed}`)
    assert.ok(read.status === 403 || read.status === 404, `${what}: ${read.text}`)
    const wallet = privateKeyToAccount(`0x${Buffer.from(thief.key).toString('hex')}`)
    assertRefused(await login(live, wallet, { account: claimed }), 400, 'LOGIN_INVALID')
    const message = await partnerMessage(live, partner)
    const headers = {
      'x-account': claimed,
      'x-signing-message': message,
      'x-signature': await wallet.signMessage({ message }),
    }
    const taken = await live.call(partner, 'POST', '/profiles/partner-accounts', {}, { headers })
    assertRefused(taken, 401, 'ACCOUNT_UNPROVEN')
  }
})

test("only the wallet's signature for this login makes it the account's wallet", async () => {
  const { wallet } = freshKey()
  const { address: smartWallet } = victimWallet
  const body = { client: 'base', smartWallet }
  const request = (query: string) => signingMessage(live, query)
  const right = `?account=${wallet.address}&smartWallet=${smartWallet}`
  const rows: [what: string, message: string, signer: Wallet][] = [
    ['the thief signs for it', await request(right), wallet],
    [
      'the wallet signed a login for itself',
      await request(`?account=${smartWallet}`),
      victimWallet,
    ],
    ['the wallet signed a login that names no account', await request(''), victimWallet],
    [
      'the wallet signed for another account',
      await request(`?account=${victim.account}&smartWallet=${smartWallet}`),
      victimWallet,
    ],
    [
      'the wallet signed for another wallet',
      await request(`?account=${wallet.address}&smartWallet=${newWallet().address}`),
      victimWallet,
    ],
    ['the wallet signed to become a sub-account', await partnerMessage(live, victim), victimWallet],
  ]
  for (const [what, message, signer] of rows) {
    const walletSignature = await signer.signMessage({ message })
    const reply = await login(live, wallet, { message, walletSignature, body })
    assert.equal(codeOf(reply), 'LOGIN_INVALID', what)
  }
  const message = await request(right)
  const bare = await login(live, wallet, { message, body })
  assert.equal(at(bare.body, 'smartWallet'), null, 'the message alone proves no wallet')
})

test('a claim of a wallet takes nothing from its owner, not even an order hash', async () => {
  const smartWallet = newWallet()
  const { address } = smartWallet
  const { trader: thief } = await claimant(address)
  const { key, wallet } = freshKey()
  const logged = await loginWithWallet(live, wallet, smartWallet, 'etherspot')
  assert.equal(at(logged.body, 'account'), wallet.address)
  assert.equal(at(logged.body, 'smartWallet'), address)
  const trader = await traderOf(key, logged)
  for (const { profileId } of [trader, thief]) {
    await live.admin('/admin/balances', { profileId, collateralRaw: FUNDS_RAW })
  }
  // The wallet is also the signer, so the hash of this order names no account.
  const form = { signatureType: 3, maker: address, signer: address }
  const order = { ...unsigned(trader, market, { ticks: 100 }), ...form }
  const send = (from: Trader) => {
    const fields = { orderType: 'GTC', ownerId: from.profileId, marketSlug: market.slug }
    const body = { ...fields, order: signedFor(order, from, market) }
    return live.call(from, 'POST', '/orders', body)
  }
  assertRefused(await send(thief), 400, 'OWNER_MISMATCH')
  assert.equal((await send(trader)).status, 201)
  for (const placed of await orders(trader, address)) {
    assert.equal(placed.status, 201, placed.text)
  }
  const own = signedFor(unsigned(trader, market, { ticks: 100 }), trader, market)
  const body = { order: own, orderType: 'GTC', ownerId: trader.profileId }
  await accepted(live.call(trader, 'POST', '/orders', { ...body, marketSlug: market.slug }), 201)
})

test('a smart wallet is proven once, and never the zero address', async () => {
  const wallet = newWallet()
  const claim = (smartWallet: string) =>
    login(live, wallet, { body: { client: 'base', smartWallet } })
  assertRefused(await claim(ZERO_ADDRESS), 400, 'VALIDATION')
  const [first, second] = [newWallet(), newWallet()]
  assert.equal(at((await login(live, wallet)).body, 'smartWallet'), null)
  const proven = await loginWithWallet(live, wallet, first)
  assert.equal(at(proven.body, 'smartWallet'), first.address)
  assert.equal(at((await claim(second.address)).body, 'smartWallet'), first.address)
  const later = await loginWithWallet(live, wallet, second)
  assert.equal(at(later.body, 'smartWallet'), first.address)
})

test('an account that is its own smart wallet needs no second signature', async () => {
  const wallet = newWallet()
  const { address } = wallet
  const body = { client: 'base', smartWallet: address.toLowerCase() }
  assert.equal(at((await login(live, wallet, { body })).body, 'smartWallet'), address)
})

test('the operator may give a contract wallet to an account', async () => {
  const { trader } = await claimant(newWallet().address)
  const edit = (smartWallet: string) =>
    live.operator('PATCH', `/admin/profiles/${trader.profileId}`, { smartWallet })
  const { address } = newWallet()
  const swapped = [...address.slice(2)].map((each) =>
    each < 'a' ? each.toLowerCase() : each.toUpperCase(),
  )
  assertRefused(await edit(`0x${swapped.join('')}`), 400, 'VALIDATION')
  assertRefused(await edit(ZERO_ADDRESS), 400, 'VALIDATION')
  assert.equal((await edit(address.toLowerCase())).status, 200)
  const own = await live.call(trader, 'GET', '/profiles/me')
  assert.equal(at(own.body, 'smartWallet'), address)
  await live.admin('/admin/balances', { profileId: trader.profileId, collateralRaw: FUNDS_RAW })
  for (const placed of await orders(trader, address)) {
    assert.equal(placed.status, 201, placed.text)
  }
})
