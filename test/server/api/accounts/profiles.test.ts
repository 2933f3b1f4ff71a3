import assert from 'node:assert/strict'
import { test } from 'node:test'
import { referralCodeOf } from '../../../../server/api/referrals/referrals.ts'
import { exchange } from '../../../support/exchange.ts'
import { at } from '../../../support/json-path.ts'
import {
  cookieOf,
  login,
  loginWithWallet,
  newWallet,
  withCookie,
} from '../../../support/live-session.ts'
import { accepted, assertRefused } from '../../../support/replies.ts'

// Profiles over HTTP: what the owner sees and edits, and what others cannot.

const { live } = await exchange()

const ME = '/profiles/me'

test('a profile shows every field of rules §12.2, and unknown fields are empty', async () => {
  const alice = await live.trader(0)
  const { status, body, headers } = await live.call(alice, 'GET', ME)
  assert.equal(status, 200)
  assert.equal(headers.get('cache-control'), 'private, no-store')
  assert.match(String(at(body, 'createdAt')), /^\d{4}-\d\d-\d\dT/)
  assert.deepEqual(body, {
    id: alice.profileId,
    account: alice.account,
    username: null,
    displayName: alice.account,
    bio: null,
    client: 'eoa',
    pfpUrl: null,
    smartWallet: null,
    isCreator: false,
    isOnboarded: true,
    socialUrl: null,
    xHandle: null,
    hasTraded: false,
    tradeWalletOption: null,
    tradeWalletChoosen: false,
    embeddedAccount: null,
    mode: 'simple',
    referralCode: referralCodeOf(alice.profileId),
    points: 0,
    accumulativePoints: 0,
    rank: { id: 1, name: 'Bronze', feeRateBps: 300 },
    effectiveFeeRateBps: 300,
    referralData: [],
    referredUsersCount: 0,
    enrolledInPointsProgram: null,
    leaderboardPosition: null,
    isTop100: false,
    isCaptain: false,
    createdAt: at(body, 'createdAt'),
    partner: null,
  })
})

test('the fee rate to sign is the lower of rank and cap, and null without a rank', async () => {
  const rows: [object, number | null][] = [
    [{ rank: 'Gold' }, 200],
    [{ rank: 'Bronze', feeCapBps: 120 }, 120],
    [{ rank: 'Diamond', feeCapBps: 120 }, 100],
    [{ rank: 'Bronze', feeCapBps: 0 }, 0],
    [{ rank: null }, null],
    [{ rank: null, feeCapBps: 120 }, null],
  ]
  for (const [fields, expected] of rows) {
    const trader = await live.trader(0, fields)
    const { body } = await live.call(trader, 'GET', ME)
    assert.equal(at(body, 'effectiveFeeRateBps'), expected, JSON.stringify(fields))
    if (fields && 'rank' in fields && fields.rank === null) assert.equal(at(body, 'rank'), null)
  }
})

test('only its owner reads a profile, by any credential and any spelling', async () => {
  const wallet = newWallet()
  const cookie = cookieOf(await login(live, wallet))
  const bob = await live.trader(0, { apiToken: { scopes: ['trading', 'delegated_signing'] } })
  const own = await withCookie(live, cookie, 'GET', ME)
  for (const spelled of [wallet.address, wallet.address.toLowerCase()]) {
    const path = `/profiles/${spelled}`
    assert.equal((await withCookie(live, cookie, 'GET', path)).text, own.text)
    const refused = await live.call(bob, 'GET', path)
    assertRefused(refused, 403, 'FORBIDDEN')
    assert.ok(!refused.text.toLowerCase().includes(wallet.address.slice(2).toLowerCase()))
    assertRefused(await live.send('GET', path), 401, 'UNAUTHENTICATED')
  }
  assertRefused(await withCookie(live, cookie, 'GET', `/profiles/${bob.account}`), 403, 'FORBIDDEN')
  assertRefused(
    await live.call(bob, 'GET', `/profiles/${newWallet().address}`),
    404,
    'PROFILE_NOT_FOUND',
  )
  const { account } = bob
  const swapped = account.replace(/[a-f]/gi, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  )
  for (const wrong of ['you', '0x12', `${account}0`, account.slice(2), swapped, '%00', 'me2']) {
    assertRefused(await live.call(bob, 'GET', `/profiles/${wrong}`), 400, 'VALIDATION')
  }
  assertRefused(await live.call(bob, 'GET', `${ME}?a=1`), 400, 'VALIDATION')
})

test('a partner cannot read the private profile of its own accounts', async () => {
  const scopes = ['trading', 'account_creation', 'delegated_signing']
  const partner = await live.trader(0, { apiToken: { scopes } })
  const made = await live.call(partner, 'POST', '/profiles/partner-accounts', {
    createServerWallet: true,
  })
  assert.equal(made.status, 201, made.text)
  const path = `/profiles/${at(made.body, 'account')}`
  const onBehalfOf = { headers: { 'x-on-behalf-of': String(at(made.body, 'profileId')) } }
  assertRefused(await live.call(partner, 'GET', path), 403, 'FORBIDDEN')
  for (const each of [path, ME]) {
    const reply = await live.call(partner, 'GET', each, undefined, onBehalfOf)
    assertRefused(reply, 400, 'VALIDATION')
  }
  const own = await live.call(partner, 'GET', ME)
  assert.equal(at(own.body, 'id'), partner.profileId, 'me is the signer of the call')
})

test('after a trade hasTraded is true for both of its sides and for no other profile', async () => {
  const [maker, taker, idle] = [
    await live.trader(100e6),
    await live.trader(100e6),
    await live.trader(100e6),
  ]
  const market = await live.openMarket('traded')
  const traded = async () => {
    const all = [maker, taker, idle].map((each) => live.call(each, 'GET', ME))
    return (await Promise.all(all)).map(({ body }) => at(body, 'hasTraded'))
  }
  for (const each of [maker, idle]) await live.placed(each, market)
  assert.deepEqual(await traded(), [false, false, false])
  const taken = await live.place(taker, market, { outcome: 1 })
  assert.equal(at(taken.body, 'execution', 'matched'), true, taken.text)
  assert.deepEqual(await traded(), [true, true, false])
  assert.deepEqual(await traded(), [true, true, false])
})

test('an owner edits the texts and choices of a profile, each field by itself', async () => {
  const carol = await live.trader(0)
  const edit = (body: unknown) => live.call(carol, 'PATCH', ME, body)
  const fields = {
    username: 'Carol.of-the_9',
    displayName: 'Carol 🌧',
    bio: 'Rain,\nmostly.',
    pfpUrl: 'https://pictures.example/carol.png?size=2',
    socialUrl: 'https://social.example/@carol',
    mode: 'advanced',
    tradeWalletOption: 'eoa',
  }
  const before = await live.call(carol, 'GET', ME)
  const all = await accepted(edit(fields))
  assert.deepEqual(all.body, { ...Object(before.body), ...fields, tradeWalletChoosen: true })
  assert.equal((await live.call(carol, 'GET', ME)).text, all.text)
  assert.equal((await edit({})).text, all.text)
  const back = await edit({ bio: null, username: null, pfpUrl: null, mode: 'simple' })
  assert.deepEqual(back.body, {
    ...Object(all.body),
    bio: null,
    username: null,
    pfpUrl: null,
    mode: 'simple',
  })
})

test('a display name that the owner never chose follows the username', async () => {
  const dora = await live.trader(0)
  const shows = async (body: object) =>
    at((await live.call(dora, 'PATCH', ME, body)).body, 'displayName')
  assert.equal(await shows({ username: ' dora ' }), 'dora')
  assert.equal(await shows({ username: 'Dora2' }), 'Dora2')
  assert.equal(await shows({ username: null }), dora.account)
  assert.equal(await shows({ username: 'dora3', displayName: '  D.  ' }), 'D.')
  assert.equal(await shows({ username: 'dora4' }), 'D.')
})

test('a username belongs to one profile, in any letter case, until it is given up', async () => {
  const [erin, frank] = [await live.trader(0), await live.trader(0)]
  const name = (who: typeof erin, username: string | null) =>
    live.call(who, 'PATCH', ME, { username })
  assert.equal((await name(erin, 'Erin')).status, 200)
  for (const taken of ['Erin', 'erin', 'ERIN', ' eRiN ']) {
    assertRefused(await name(frank, taken), 409, 'USERNAME_TAKEN')
  }
  assert.equal((await name(erin, 'ERIN')).status, 200, 'its own name, in other letters')
  const both = await Promise.all([name(erin, 'same'), name(frank, 'SAME')])
  assert.deepEqual(both.map(({ status }) => status).sort(), [200, 409])
  const [first, second] = both[0].status === 200 ? [erin, frank] : [frank, erin]
  assert.equal((await name(first, null)).status, 200)
  assert.equal((await name(second, 'same')).status, 200)
})

test('the refusal of a username that is too long states the longest length', async () => {
  const gina = await live.trader(0)
  const edit = (letters: number) => live.call(gina, 'PATCH', ME, { username: 'g'.repeat(letters) })
  assert.match(String(at((await edit(45)).body, 'message', 0, 'message')), /up to 43 letters/)
  assert.equal((await edit(44)).status, 200)
})

test('an edit with a wrong field is refused and changes nothing', async () => {
  const gina = await live.trader(0)
  const before = await live.call(gina, 'GET', ME)
  const long = (characters: number) => 'x'.repeat(characters)
  const bad: unknown[] = [
    ...['', ' ', 'a b', '@gina', '0x12', '9gina', 'gïna', 'gina\n', 'gi\u202ena', 5, long(45)].map(
      (username) => ({ username }),
    ),
    ...['', '  ', 'a\nb', 'a\u0000', 'a\u202eb', long(45), 5].map((displayName) => ({
      displayName,
    })),
    ...[long(281), 'a\u0007', 5].map((bio) => ({ bio })),
    ...[
      'http://a.example/',
      'javascript:alert(1)',
      'https://',
      'https://a b',
      `https://${long(505)}`,
    ]
      .concat(['https://a"b', "https://a'b", 'https://a<b', 'a', ''])
      .flatMap((url) => [{ pfpUrl: url }, { socialUrl: url }]),
    ...['expert', ''].map((mode) => ({ mode })),
    ...['metamask', ''].map((tradeWalletOption) => ({ tradeWalletOption })),
    { rank: 'Gold' },
    { feeCapBps: 0 },
    { scopes: ['withdrawal'] },
    { id: 1 },
    { account: '0x' },
    [],
    null,
    'x',
    5,
  ]
  for (const body of bad) {
    const reply = await live.call(gina, 'PATCH', ME, JSON.stringify(body))
    assert.equal(reply.status, 400, `${JSON.stringify(body).slice(0, 60)} ${reply.text}`)
    assertRefused(reply, 400, 'VALIDATION')
  }
  const wallet = await live.call(gina, 'PATCH', ME, { tradeWalletOption: 'smartWallet' })
  assertRefused(wallet, 400, 'SMART_WALLET_REQUIRED')
  assertRefused(await live.send('PATCH', ME), 401, 'UNAUTHENTICATED')
  assert.equal((await live.call(gina, 'GET', ME)).text, before.text)
})

test('the longest value of every field is taken', async () => {
  const hugo = await live.trader(0)
  const fields = {
    username: 'h'.repeat(44),
    displayName: '😀'.repeat(44),
    bio: '😀'.repeat(280),
    pfpUrl: `https://${'p'.repeat(504)}`,
  }
  const reply = await accepted(live.call(hugo, 'PATCH', ME, fields))
  assert.deepEqual(reply.body, { ...Object(reply.body), ...fields })
})

test('a proven smart wallet can be the trade wallet', async () => {
  const wallet = newWallet()
  const owned = newWallet()
  const smartWallet = owned.address
  const cookie = cookieOf(await loginWithWallet(live, wallet, owned))
  const reply = await withCookie(live, cookie, 'PATCH', ME, { tradeWalletOption: 'smartWallet' })
  assert.equal(reply.status, 200, reply.text)
  assert.equal(at(reply.body, 'tradeWalletOption'), 'smartWallet')
  assert.equal(at(reply.body, 'smartWallet'), smartWallet)
})

test('PUT /profiles edits name and wallet to trade with, and a login shows it', async () => {
  const [wallet, smart] = [newWallet(), newWallet()]
  const cookie = cookieOf(await loginWithWallet(live, wallet, smart))
  const put = (body: unknown) => withCookie(live, cookie, 'PUT', '/profiles', body)
  const edited = await accepted(put({ tradeWalletOption: 'smartWallet', displayName: ' Rain ' }))
  assert.equal(at(edited.body, 'tradeWalletOption'), 'smartWallet')
  assert.equal(at(edited.body, 'displayName'), 'Rain')
  const again = await login(live, wallet)
  assert.equal(at(again.body, 'tradeWalletOption'), 'smartWallet')
  assert.equal(at((await put({})).body, 'tradeWalletOption'), 'smartWallet')
  assert.equal(at((await put({ tradeWalletOption: 'eoa' })).body, 'tradeWalletOption'), 'eoa')
  assertRefused(await put({ tradeWalletOption: 'metamask' }), 400, 'VALIDATION')
  assertRefused(await put({ username: 'rainmaker' }), 400, 'VALIDATION')
  const bare = cookieOf(await login(live, newWallet()))
  const wanted = { tradeWalletOption: 'smartWallet' }
  const refused = await withCookie(live, bare, 'PUT', '/profiles', wanted)
  assertRefused(refused, 400, 'SMART_WALLET_REQUIRED')
  const trader = await live.trader(0)
  assert.equal((await live.call(trader, 'PUT', '/profiles', { displayName: 'Bot' })).status, 200)
  assert.equal((await live.send('PUT', '/profiles')).status, 401)
})
