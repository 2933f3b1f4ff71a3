import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { REJECT } from '../../../../engine/domain/reject-precedence.ts'
import { walletKeyOf } from '../../../../persistence/seal.ts'
import { ZERO_ADDRESS } from '../../../../server/crypto/address.ts'
import { Reported } from '../../../support/chain-desk.ts'
import { exchange } from '../../../support/exchange.ts'
import { at } from '../../../support/json-path.ts'
import type { Trader } from '../../../support/live-exchange.ts'
import { unsigned } from '../../../support/live-orders.ts'
import {
  login,
  newWallet,
  partnerMessage,
  signingMessage,
  type Wallet,
} from '../../../support/live-session.ts'
import { accepted, assertRefused, type Reply } from '../../../support/replies.ts'

// Calls about partner accounts by their partner, another partner and a thief (rules §12.1).

const PATH = '/profiles/partner-accounts'
const RIGHTS = ['trading', 'account_creation', 'delegated_signing']
const apiToken = { scopes: RIGHTS }
const { live, partner, stranger } = await exchange({
  fundsRaw: 0,
  traders: { partner: { rank: 'Gold', feeCapBps: 10, apiToken }, stranger: { apiToken } },
})

async function serverWallet(owner: Trader, displayName = 'Desk'): Promise<Reply> {
  const reply = await live.call(owner, 'POST', PATH, { displayName, createServerWallet: true })
  assert.equal(reply.status, 201, reply.text)
  return reply
}

async function proofOf(
  wallet: Wallet,
  wanted: { account?: string; message?: string; of?: Trader } = {},
) {
  const message = wanted.message ?? (await partnerMessage(live, wanted.of ?? partner))
  return {
    'x-account': wanted.account ?? wallet.address,
    'x-signing-message': `0x${Buffer.from(message).toString('hex')}`,
    'x-signature': await wallet.signMessage({ message }),
  }
}

test("a server wallet is a fresh address with its partner's rank, not its cap", async () => {
  const reply = await serverWallet(partner, 'Desk 1')
  const profileId = Number(at(reply.body, 'profileId'))
  assert.deepEqual(Object.keys(Object(reply.body)), ['profileId', 'account'])
  assert.match(String(at(reply.body, 'account')), /^0x[0-9a-fA-F]{40}$/)
  const { accounts } = live.exchange.pipeline.clearing
  const made = accounts.byId(profileId)
  assert.equal(made?.rank?.name, 'Gold')
  assert.equal(made?.feeCapBps, null)
  assert.equal(accounts.partners.byId(profileId)?.partnerId, partner.profileId)
  const account = String(at(reply.body, 'account'))
  const read = await live.call(partner, 'GET', `/profiles/${account}`)
  assertRefused(read, 403, 'FORBIDDEN')
})

test('a wallet that proves its address becomes a sub-account, once', async () => {
  const wallet = newWallet()
  const headers = await proofOf(wallet)
  const reply = await accepted(live.call(partner, 'POST', PATH, {}, { headers }), 201)
  assert.equal(at(reply.body, 'account'), wallet.address)
  const again = await live.call(partner, 'POST', PATH, {}, { headers })
  assertRefused(again, 401, 'ACCOUNT_UNPROVEN')
  const proven = { headers: await proofOf(wallet, { of: stranger }) }
  const fresh = await live.call(stranger, 'POST', PATH, {}, proven)
  assertRefused(fresh, 409, 'ACCOUNT_TAKEN')
  const log = await live.send('POST', '/auth/login', {
    headers: { ...headers, 'content-type': 'application/json' },
    body: '{}',
  })
  assertRefused(log, 400, 'LOGIN_INVALID')
})

test('a signature is valid for one purpose, and a sub-account has one partner', async () => {
  const wallet = newWallet()
  const claim = async (owner: Trader, message: string) => {
    const headers = await proofOf(wallet, { message })
    return live.call(owner, 'POST', PATH, {}, { headers })
  }
  for (const query of ['', `?account=${wallet.address}`]) {
    const message = await signingMessage(live, query)
    assertRefused(await claim(partner, message), 401, 'ACCOUNT_UNPROVEN')
    assert.equal((await login(live, wallet, { message })).status, 200, 'the message still logs in')
  }
  const other = newWallet()
  const message = await partnerMessage(live, partner)
  assertRefused(await login(live, other, { message }), 400, 'LOGIN_INVALID')
  const headers = await proofOf(other, { message })
  const stolen = await live.call(stranger, 'POST', PATH, {}, { headers })
  assertRefused(stolen, 401, 'ACCOUNT_UNPROVEN')
  assert.equal((await live.call(partner, 'POST', PATH, {}, { headers })).status, 201)
})

test('a signing message has one purpose, and a query that does not fit it is refused', async () => {
  const account = newWallet().address
  const rows = [
    ['purpose=sub-account', 'partner is required'],
    ['partner=1', 'partner is only allowed for a sub-account'],
    [
      `purpose=sub-account&partner=1&smartWallet=${account}`,
      'smartWallet is only allowed for a login',
    ],
    [`smartWallet=${account}`, 'account is required'],
    [`account=${account.replace(/[a-f]/, (letter) => letter.toUpperCase())}x`, 'account'],
    [`account=${account}&smartWallet=0x12`, 'smartWallet'],
    ['purpose=withdraw', 'purpose'],
    ['purpose=sub-account&partner=x', 'partner'],
  ]
  for (const [query, stated] of rows) {
    const reply = await live.send('GET', `/auth/signing-message?${query}`)
    assertRefused(reply, 400, 'VALIDATION')
    const [field, ...words] = stated.split(' ')
    assert.equal(at(reply.body, 'message', 0, 'field'), field, reply.text)
    assert.ok(String(at(reply.body, 'message', 0, 'message')).includes(words.join(' ')), reply.text)
  }
  const named = await signingMessage(live, `?purpose=sub-account&partner=7&account=${account}`)
  assert.match(named, /partner with profile id 7\. Account: 0x/)
})

test('each wrong request for a sub-account has its own refusal', async () => {
  const wallet = newWallet()
  const other = newWallet()
  const right = await proofOf(wallet)
  const text = (body: unknown, headers: Record<string, string> = right) =>
    live.call(partner, 'POST', PATH, body, { headers })
  const own = { ...right, 'x-account': partner.account.toLowerCase() }
  assertRefused(await text({}, own), 400, 'OWN_ADDRESS')
  assertRefused(await text({}, { ...right, 'x-account': other.address }), 401, 'ACCOUNT_UNPROVEN')
  assertRefused(await text({}, { ...right, 'x-signature': '0x00' }), 401, 'ACCOUNT_UNPROVEN')
  const old = { ...right, 'x-signing-message': 'hello' }
  assertRefused(await text({}, old), 401, 'ACCOUNT_UNPROVEN')
  assertRefused(await text({}, {}), 400, 'VALIDATION')
  const { 'x-signature': _none, ...two } = right
  assertRefused(await text({}, two), 400, 'VALIDATION')
  assertRefused(await text({ displayName: 'x'.repeat(45) }), 400, 'VALIDATION')
  for (const displayName of ['', '  ', 'two\nlines', 'a\u0000b', '\u202Eexe.txt']) {
    assertRefused(await text({ displayName }), 400, 'VALIDATION')
  }
  assertRefused(await text({ createServerWallet: 'yes' }), 400, 'VALIDATION')
  assertRefused(await text({ partnerId: 1 }), 400, 'VALIDATION')
  assert.equal((await text({ displayName: 'x'.repeat(44) })).status, 201)
  assertRefused(await live.send('POST', PATH, { body: '{}' }), 401, 'UNAUTHENTICATED')
})

test('a token needs the scope account_creation to make and list accounts', async () => {
  const trader = await live.trader(0)
  const body = { createServerWallet: true }
  assertRefused(await live.call(trader, 'POST', PATH, body), 403, 'SCOPE_MISSING')
  assertRefused(await live.call(trader, 'GET', PATH), 403, 'SCOPE_MISSING')
  const maker = await live.trader(0, { apiToken: { scopes: ['account_creation'] } })
  await accepted(live.call(maker, 'POST', PATH, body), 201)
  const headers = await proofOf(newWallet(), { of: maker })
  const made = await accepted(live.call(maker, 'POST', PATH, {}, { headers }), 201)
  const path = `${PATH}/${at(made.body, 'profileId')}/allowances`
  assertRefused(await live.call(maker, 'GET', path), 403, 'SCOPE_MISSING')
})

test('of two claims of one address at the same moment one succeeds', async () => {
  const wallet = newWallet()
  const claims = [await proofOf(wallet), await proofOf(wallet)]
  const replies = await Promise.all(
    claims.map((headers) => live.call(partner, 'POST', PATH, {}, { headers })),
  )
  assert.deepEqual(replies.map(({ status }) => status).sort(), [201, 409])
})

test('a partner lists its own accounts in pages, and finds one by its address', async () => {
  const owner = await live.trader(0, { apiToken: { scopes: RIGHTS } })
  const empty = await live.call(owner, 'GET', PATH)
  assert.deepEqual(empty.body, { data: [], page: 1, limit: 25, hasMore: false })
  const made: unknown[] = []
  for (let each = 0; each < 3; each++) {
    const { body } = await serverWallet(owner, `Desk ${each}`)
    made.push({ ...Object(body), displayName: `Desk ${each}` })
  }
  const first = await live.call(owner, 'GET', `${PATH}?limit=2`)
  assert.deepEqual(first.body, { data: made.slice(0, 2), page: 1, limit: 2, hasMore: true })
  const second = await live.call(owner, 'GET', `${PATH}?limit=2&page=2`)
  assert.deepEqual(second.body, { data: made.slice(2), page: 2, limit: 2, hasMore: false })
  const wide = await live.call(owner, 'GET', `${PATH}?limit=1000`)
  assert.deepEqual(wide.body, { data: made, page: 1, limit: 25, hasMore: false })
  const account = String(at(made[1], 'account'))
  const named = await live.call(owner, 'GET', `${PATH}?account=${account.toLowerCase()}`)
  assert.deepEqual(at(named.body, 'data'), [made[1]])
  const foreign = await live.call(stranger, 'GET', `${PATH}?account=${account}`)
  assert.deepEqual(at(foreign.body, 'data'), [])
  for (const query of ['page=0', 'limit=0', 'page=x', 'account=alice', 'sort=1', 'limit=1.5']) {
    assertRefused(await live.call(owner, 'GET', `${PATH}?${query}`), 400, 'VALIDATION')
  }
})

test('a new server wallet approves the exchanges in use; a retry approves later ones', async () => {
  const id = Number(at((await serverWallet(partner)).body, 'profileId'))
  const path = `${PATH}/${id}/allowances`
  const whole = await accepted(live.call(partner, 'GET', path))
  assert.equal(at(whole.body, 'profileId'), id)
  assert.equal(at(whole.body, 'partnerProfileId'), partner.profileId)
  assert.equal(at(whole.body, 'chainId'), 8453)
  assert.equal(at(whole.body, 'ready'), true)
  const none = { missing: 0, submitted: 0, failed: 0 }
  assert.deepEqual(at(whole.body, 'summary'), { total: 3, confirmed: 3, ...none })
  assert.deepEqual(
    [0, 1, 2].map((index) => at(whole.body, 'targets', index, 'type')),
    ['USDC_ALLOWANCE', 'USDC_ALLOWANCE', 'CTF_APPROVAL'],
  )
  // Clients of partners look for it before they buy a pack.
  const vault = ['label', 'confirmed', 'status'].map((name) => at(whole.body, 'targets', 0, name))
  assert.deepEqual(vault, ['parlay-treasury-vault', true, 'confirmed'])
  // An exchange address in lower case is the same exchange.
  const exchangeAddress = String(at(whole.body, 'targets', 1, 'spenderOrOperator'))
  await live.openMarket('lower-case', { exchangeAddress: exchangeAddress.toLowerCase() })
  const unchanged = await live.call(partner, 'POST', `${path}/retry`, {})
  assert.equal(unchanged.text, whole.text)
  const soon = await live.call(partner, 'POST', `${path}/retry`, {})
  assertRefused(soon, 429, 'ALLOWANCE_RETRY_TOO_SOON')
  assert.equal(at(soon.body, 'retryAfterSeconds'), 5)
  assert.equal(soon.headers.get('retry-after'), '5')

  const venue = await live.openMarket('other-venue', {
    exchangeAddress: `0x${'ab'.repeat(20)}`,
  })
  const { signature: _none, ...order } = unsigned(partner, venue)
  const delegated = () =>
    live.call(partner, 'POST', '/orders', {
      order: { ...order, maker: ZERO_ADDRESS, signer: ZERO_ADDRESS },
      orderType: 'GTC',
      marketSlug: venue.slug,
      onBehalfOf: id,
    })
  assertRefused(await delegated(), 400, 'ALLOWANCE_MISSING')
  const missing = await live.call(partner, 'GET', path)
  assert.equal(at(missing.body, 'ready'), false)
  const counts = { total: 5, confirmed: 3, missing: 2, submitted: 0, failed: 0 }
  assert.deepEqual(at(missing.body, 'summary'), counts)
  assert.equal(at(missing.body, 'targets', 3, 'status'), 'missing')
  assert.equal(at(missing.body, 'targets', 3, 'retryable'), true)
  const reported = new Reported(live)
  live.shiftClock(5000)
  // In one turn, so that no block comes between them.
  const both = [1, 2].map(() => live.services.partners.retryAllowances(partner.profileId, id))
  const [, second] = await Promise.all(both)
  assert.ok('reject' in second && second.reject === REJECT.ALLOWANCE_RETRY_RUNNING)
  await reported.block(1)
  const done = await live.call(partner, 'GET', path)
  assert.equal(at(done.body, 'ready'), true)
  assertRefused(await delegated(), 400, 'INSUFFICIENT_COLLATERAL')
})

test('only their partner can read allowances, and only for server wallets', async () => {
  const id = Number(at((await serverWallet(partner)).body, 'profileId'))
  for (const wrong of [id, 999_999, stranger.profileId]) {
    const path = `${PATH}/${wrong}/allowances`
    assertRefused(await live.call(stranger, 'GET', path), 403, 'NOT_SUB_ACCOUNT')
    assertRefused(await live.call(stranger, 'POST', `${path}/retry`, {}), 403, 'NOT_SUB_ACCOUNT')
  }
  for (const malformed of ['x', '0', '-1', '2147483648', '1.5']) {
    const reply = await live.call(partner, 'GET', `${PATH}/${malformed}/allowances`)
    assertRefused(reply, 400, 'VALIDATION')
  }
  const headers = await proofOf(newWallet())
  const own = await live.call(partner, 'POST', PATH, {}, { headers })
  const path = `${PATH}/${at(own.body, 'profileId')}/allowances`
  assertRefused(await live.call(partner, 'GET', path), 403, 'NO_SERVER_WALLET')
  assertRefused(await live.call(partner, 'POST', `${path}/retry`, {}), 403, 'NO_SERVER_WALLET')
})

function filesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    return entry.isDirectory() ? filesIn(path) : [path]
  })
}

test('sub-accounts survive a restart, and their keys are only sealed on disk', async () => {
  const before = await live.call(partner, 'GET', PATH)
  const { accounts } = live.exchange.pipeline.clearing
  const keys = [...accounts.partners.all()].flatMap(({ profileId, sealedKey }) =>
    sealedKey === null ? [] : [live.exchange.seal.open(sealedKey, walletKeyOf(profileId))],
  )
  assert.ok(keys.length >= 6)
  await live.restart({}, (dataDir) => {
    for (const path of filesIn(dataDir)) {
      const bytes = readFileSync(path)
      for (const key of keys) {
        assert.ok(!bytes.includes(Buffer.from(key)), `${path} holds no key`)
        assert.ok(!bytes.includes(Buffer.from(key).toString('hex')), `${path} holds no key as text`)
      }
    }
  })
  assert.ok(live.exchange.recovered.snapshotSeq > 0)
  assert.equal((await live.call(partner, 'GET', PATH)).text, before.text)
})
