import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SOCIAL_LIMITS } from '../../../../engine/domain/social/social-limits.ts'
import { exchange } from '../../../support/exchange.ts'
import { at } from '../../../support/json-path.ts'
import type { Trader } from '../../../support/live-exchange.ts'
import { PARTNER_RIGHTS, serverWallet } from '../../../support/live-partners.ts'
import { newWallet } from '../../../support/live-session.ts'
import { Random } from '../../../support/random.ts'
import { accepted, assertRefused, type Reply } from '../../../support/replies.ts'

// Profiles for others: searches, follows, and one by its address.

const SHARE = 1_000_000
const { live, ann, ben, cat } = await exchange({
  traders: {
    ann: { collateralRaw: 100 * SHARE, username: 'Rain.Ann', feeCapBps: 100 },
    ben: { collateralRaw: 100 * SHARE, username: 'bigrain' },
    cat: { collateralRaw: 0, username: 'rain', apiToken: { scopes: PARTNER_RIGHTS } },
  },
})

const market = await live.openMarket('rain')
await live.place(ann, market, { sizeRaw: 10 * SHARE })
const taken = await live.place(ben, market, { outcome: 1, sizeRaw: 10 * SHARE })
assert.equal(at(taken.body, 'execution', 'matched'), true, taken.text)

const get = (path: string) => live.read(path)
const search = (text: string, more = '') =>
  get(`/profiles/search?query=${encodeURIComponent(text)}${more}`)
const follow = (who: Trader, account: string, method = 'PUT') =>
  live.patientCall(who, method, `/profiles/${account}/follow`)
const idsIn = (reply: Reply) => {
  assert.equal(reply.status, 200, reply.text)
  const data = at(reply.body, 'data')
  assert.ok(Array.isArray(data))
  return data.map((each) => at(each, 'id'))
}
const ids = (...all: Trader[]) => all.map(({ profileId }) => profileId)

test('a search finds the exact name, then longer ones, then those with it inside', async () => {
  assert.deepEqual(idsIn(await search('rain')), ids(cat, ann, ben))
  assert.deepEqual(idsIn(await search(' RAIN ', '&limit=2')), ids(cat, ann))
  assert.deepEqual(idsIn(await search(ann.account.slice(0, 14))), ids(ann))
  assert.deepEqual(idsIn(await search(`@${ann.account.slice(0, 14)}`)), [])
  const found = at((await search('rain.ann')).body, 'data', 0)
  assert.deepEqual(found, {
    id: ann.profileId,
    account: ann.account,
    username: 'Rain.Ann',
    displayName: 'Rain.Ann',
    pfpUrl: null,
    rankName: 'Bronze',
    followersCount: 0,
    hasTraded: true,
    volume: String(5 * SHARE),
  })
})

test('short texts find nobody, long ones and unknown parameters are refused', async () => {
  for (const text of ['', ' ', 'r', '@', '@r', '\u{1f600}']) {
    assert.deepEqual(idsIn(await search(text)), [], text)
  }
  assert.equal((await search('r'.repeat(100))).status, 200)
  assert.equal((await search('r'.repeat(101))).status, 400)
  for (const query of ['', '?limit=5', '?query=rain&limit=0', '?query=rain&limit=21']) {
    assert.equal((await get(`/profiles/search${query}`)).status, 400, query)
  }
  assert.equal((await get('/profiles/search?query=rain&page=2')).status, 400)
  assert.equal((await get('/profiles/social?limit=21')).status, 400)
})

test('any text is answered, and none of them finds all', async () => {
  const random = new Random(7)
  const signs = [
    '%',
    '_',
    "'",
    '"',
    '\\',
    '*',
    '\u0000',
    'ra',
    '0x',
    '@',
    '\u{1f600}',
    '\u202e',
    ' ',
  ]
  for (let round = 0; round < 200; round++) {
    const text = Array.from({ length: random.between(1, 8) }, () => random.pick(signs)).join('')
    const reply = await search(text)
    assert.equal(reply.status, 200, JSON.stringify(text))
  }
  for (const text of ['%%%', '___', 'ra%', 'rai_', '""', "''"]) {
    assert.deepEqual(idsIn(await search(text)), [], text)
  }
  assert.equal((await get('/profiles/search?query=%ff%fe')).status, 400)
})

test('a follow counts once, and ends once', async () => {
  const state = (isFollowing: boolean, followersCount: number) => {
    return { profileId: cat.profileId, isFollowing, followersCount }
  }
  for (const _twice of [1, 2]) {
    const reply = await follow(ann, cat.account)
    assert.deepEqual([reply.status, reply.body], [200, state(true, 1)])
  }
  assert.deepEqual((await follow(ben, cat.account.toLowerCase())).body, state(true, 2))
  assert.deepEqual(idsIn(await get('/profiles/social?limit=1')), ids(cat))
  for (const _twice of [1, 2]) {
    assert.deepEqual((await follow(ann, cat.account, 'DELETE')).body, state(false, 1))
  }
  assert.equal(at((await get(`/profiles/public/${cat.account}`)).body, 'followersCount'), 1)
})

test('nobody follows itself or nobody, and a follow needs a proof', async () => {
  const stranger = newWallet().address
  const rows = [
    [ann.account, 400, 'FOLLOW_OF_SELF'],
    [stranger, 404, 'PROFILE_NOT_FOUND'],
    [`0x${'aB'.repeat(20)}`, 400, 'VALIDATION'],
    ['me', 400, 'VALIDATION'],
  ] as const
  for (const [account, status, code] of rows) {
    const reply = await follow(ann, account)
    assertRefused(reply, status, code, account)
  }
  const missing = await follow(ann, stranger, 'DELETE')
  assertRefused(missing, 404, 'PROFILE_NOT_FOUND')
  assert.equal((await live.send('PUT', `/profiles/${ann.account}/follow`)).status, 401)
  assert.equal((await get('/profiles/following')).status, 401)
})

test('the follow above the limit is refused', async () => {
  const { follows } = live.exchange.pipeline.clearing.social
  const dora = await live.trader(0)
  const most = SOCIAL_LIMITS.followsPerProfileMax
  // The state is filled as ten thousand calls would fill it.
  for (let at = 0; at < most; at++) follows.add(dora.profileId, 5_000_000 - at)
  const above = await follow(dora, cat.account)
  assertRefused(above, 409, 'FOLLOW_LIMIT')
  for (let at = 0; at < most; at++) follows.remove(dora.profileId, 5_000_000 - at)
  assert.equal((await follow(dora, cat.account)).status, 200)
  await follow(dora, cat.account, 'DELETE')
})

test('the own list is read page by page, at once after a follow', async () => {
  const list = (query = '') => live.patientCall(ben, 'GET', `/profiles/following${query}`)
  await follow(ben, cat.account, 'DELETE')
  assert.deepEqual((await list()).body, { data: [], nextCursor: null })
  const others = await Promise.all([1, 2, 3].map(() => live.trader(0)))
  for (const each of [...others].reverse()) await follow(ben, each.account)
  const sorted = ids(...others).sort((a, b) => a - b)
  const first = await list('?limit=2')
  assert.deepEqual(idsIn(first), sorted.slice(0, 2))
  const second = await list(`?limit=2&cursor=${at(first.body, 'nextCursor')}`)
  assert.deepEqual([idsIn(second), at(second.body, 'nextCursor')], [sorted.slice(2), null])
  assert.deepEqual(idsIn(await list('?cursor=')), sorted)
  for (const bad of ['limit=0', 'limit=101', 'cursor=x', 'cursor=-1', 'cursor=1e9']) {
    assert.equal((await list(`?${bad}`)).status, 400, bad)
  }
})

test('server wallets are found by name and address, and are not listed among people', async () => {
  const wallet = await serverWallet(live, cat, 0)
  for (const who of [ann, ben]) await follow(who, wallet.account)
  assert.ok(!idsIn(await get('/profiles/social?limit=20')).includes(wallet.profileId))
  assert.deepEqual(idsIn(await search(wallet.account)), [wallet.profileId])
})

test('profiles that an operator calls programs are not listed among people', async () => {
  const path = `/admin/profiles/${ben.profileId}`
  for (const isMachine of [true, false]) {
    const edited = await live.operator('PATCH', path, { isMachine })
    assert.equal(at(edited.body, 'isMachine'), isMachine, edited.text)
    assert.equal(at((await live.operator('GET', path)).body, 'isMachine'), isMachine)
    const listed = idsIn(await get('/profiles/social?limit=20'))
    assert.equal(listed.includes(ben.profileId), !isMachine)
  }
})

test('a public profile shows names, picture, rank and standing, and nothing private', async () => {
  const edit = { bio: 'I trade rain.', pfpUrl: 'https://a.example/x.png' }
  assert.equal((await live.patientCall(ann, 'PATCH', '/profiles/me', edit)).status, 200)
  const reply = await accepted(get(`/profiles/public/${ann.account.toLowerCase()}`))
  const { createdAt, ...shown } = Object(reply.body)
  assert.match(String(createdAt), /^20\d\d-/)
  assert.deepEqual(shown, {
    id: ann.profileId,
    account: ann.account,
    username: 'Rain.Ann',
    displayName: 'Rain.Ann',
    ...edit,
    socialUrl: null,
    xHandle: null,
    hasTraded: true,
    followersCount: 0,
    volume: String(5 * SHARE),
    rank: { id: 1, name: 'Bronze', feeRateBps: 300 },
  })
  assert.ok(!reply.text.includes('100'.padStart(4, ':')), 'the cap of the fee is private')
  const missing = await get(`/profiles/public/${newWallet().address}`)
  assertRefused(missing, 404, 'PROFILE_NOT_FOUND')
  assert.equal((await get(`/profiles/public/0x${'aB'.repeat(20)}`)).status, 400)
})
