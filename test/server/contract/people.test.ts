import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { before, test } from 'node:test'
import { privateKeyToAccount } from 'viem/accounts'
import { exchange } from '../../support/exchange.ts'
import { at, textAt } from '../../support/json-path.ts'
import type { Trader } from '../../support/live-exchange.ts'
import { cookieOf, login } from '../../support/live-session.ts'
import { accepted, assertRefused, listAt, type Reply } from '../../support/replies.ts'

// What the contract says of bookmarks, feeds, social accounts and referrals, row by row. A row of
// server/docs/api.md names each test.

const UNIT = 1_000_000
const HOUR_MS = 3_600_000
const X = '/profiles/x/connection'
const MARKS = '/market-bookmarks'
const { live, rain, ann, ben } = await exchange({
  flags: ['--block-ms', '1', '--social-provider', 'demo', '--pack-rest', '0'],
  markets: ['rain'],
  traders: { ann: { username: 'ann' }, ben: {} },
})

const call = (who: Trader, method: string, path: string, body?: unknown) =>
  live.patientCall(who, method, path, body)
const get = (path: string) => live.read(path)

/** The text of a call that must be taken. */
async function taken(...requested: Parameters<typeof call>): Promise<Reply> {
  const reply = await call(...requested)
  assert.equal(reply.status, 200, `${requested[1]} ${requested[2]}: ${reply.text}`)
  return reply
}

/** Ann buys ten YES of ben, and sells five of them back. */
async function trade(): Promise<void> {
  await live.placed(ben, rain, { outcome: 1, ticks: 500, sizeRaw: 10 * UNIT })
  await live.placed(ann, rain, { ticks: 500, sizeRaw: 10 * UNIT })
  await live.placed(ben, rain, { ticks: 400, sizeRaw: 5 * UNIT })
  await live.placed(ann, rain, { side: 'sell', ticks: 400, sizeRaw: 5 * UNIT })
}

before(async () => {
  await live.openGroupAndPool()
  await trade()
})

test('PUT /market-bookmarks/:targetKind/:targetId: clob, negrisk, ladder and amm', async () => {
  for (const [kind, target] of [
    ['clob', 'rain'],
    ['negrisk', 'cup'],
    ['ladder', 'cup'],
    ['amm', 'pool'],
  ]) {
    const put = await taken(ann, 'PUT', `${MARKS}/${kind}/${target}`)
    assert.equal(at(put.body, 'slug'), target)
  }
  assert.equal((await call(ann, 'PUT', `${MARKS}/other/rain`)).status, 400)
})

test('GET /market-bookmarks/me: each with its market and its availability', async () => {
  const rows = listAt(await taken(ann, 'GET', `${MARKS}/me`), 'data')
  const reported = rows.map((row) => [at(row, 'market', 'slug'), at(row, 'availability')])
  for (const slug of ['rain', 'cup', 'pool']) {
    assert.ok(
      reported.some((each) => each[0] === slug && each[1] === 'active'),
      slug,
    )
  }
  assert.equal((await live.send('GET', `${MARKS}/me`)).status, 401)
})

test('PATCH /market-bookmarks/visibility: isPublic, true or false', async () => {
  for (const isPublic of [true, false]) {
    const shown = await taken(ann, 'PATCH', `${MARKS}/visibility`, { isPublic })
    assert.deepEqual(shown.body, { isPublic })
    assert.equal(at((await taken(ann, 'GET', `${MARKS}/me`)).body, 'isPublic'), isPublic)
  }
  assert.equal((await call(ann, 'PATCH', `${MARKS}/visibility`, {})).status, 400)
})

test('GET /market-bookmarks/public/:account: open to all, and 404 while private', async () => {
  const path = `${MARKS}/public/${ann.account}`
  assert.equal((await get(path)).status, 404)
  await taken(ann, 'PATCH', `${MARKS}/visibility`, { isPublic: true })
  const shown = listAt(await get(path), 'data').length
  assert.equal(shown, listAt(await taken(ann, 'GET', `${MARKS}/me`), 'data').length)
  await taken(ann, 'PATCH', `${MARKS}/visibility`, { isPublic: false })
  assert.equal((await get(path)).status, 404)
})

test('DELETE /market-bookmarks/:bookmarkId: one of the caller', async () => {
  const rows = listAt(await taken(ann, 'GET', `${MARKS}/me`), 'data')
  const path = `${MARKS}/${at(rows[0], 'bookmarkId')}`
  assert.equal((await call(ben, 'DELETE', path)).status, 404)
  await taken(ann, 'DELETE', path)
  const left = listAt(await taken(ann, 'GET', `${MARKS}/me`), 'data')
  assert.equal(left.length, rows.length - 1)
})

test('DELETE /market-bookmarks: all of the caller', async () => {
  await taken(ben, 'PUT', `${MARKS}/clob/rain`)
  await taken(ann, 'DELETE', MARKS)
  assert.equal(at((await taken(ann, 'GET', `${MARKS}/me`)).body, 'total'), 0)
  assert.equal(at((await taken(ben, 'GET', `${MARKS}/me`)).body, 'total'), 1)
})

test('limit: 100 bookmarks a profile, and 409 above them', async () => {
  const slugs = Array.from({ length: 101 }, (_, index) => `mark-${index}`)
  for (const slug of slugs) await live.openMarket(slug)
  const last = slugs.pop()
  for (const slug of slugs) await taken(ann, 'PUT', `${MARKS}/clob/${slug}`)
  const above = await call(ann, 'PUT', `${MARKS}/clob/${last}`)
  assertRefused(above, 409, 'BOOKMARK_LIMIT')
})

/** Ann stakes on two markets; one of them is lost at once. */
async function packLost(): Promise<void> {
  assert.equal((await live.admin('/admin/house', { collateralRaw: 5000 * UNIT })).status, 200)
  const legs: object[] = []
  for (const slug of ['leg-1', 'leg-2']) {
    const wanted = { outcome: 1, ticks: 500, sizeRaw: 100 * UNIT } as const
    const market = await live.openMarket(slug)
    for (const each of [wanted, { ...wanted, ticks: 490, outcome: 0 as const }]) {
      await live.placed(ben, market, each)
    }
    legs.push({ marketSlug: slug, outcomeIndex: 0 })
  }
  const stake = '10000000'
  const quote = await taken(ann, 'POST', '/parlay/quote', { legs, stake })
  const body = { quoteId: at(quote.body, 'quoteId'), legs, stake }
  const made = await accepted(call(ann, 'POST', '/parlay/create', body), 201)
  const path = '/admin/markets/leg-1/resolve'
  assert.equal((await live.admin(path, { winningOutcomeIndex: 1 })).status, 200)
  const pack = `/parlay/positions/${at(made.body, 'id')}`
  while (at((await get(pack)).body, 'status') !== 'LOST') await new Promise(setImmediate)
}

test('GET /feed/trading: three audiences, pages of up to 30, kinds of entries', async () => {
  await packLost()
  const types = (reply: Reply) => listAt(reply, 'data').map((each) => at(each, 'type'))
  const all = ['PARLAY_RESOLVED', 'RESOLVED', 'PARLAY_PLACED', 'SOLD', 'BOUGHT']
  assert.deepEqual(types(await get('/feed/trading')), all)
  assert.deepEqual(types(await get('/feed/trading?audience=all')), all)
  assert.ok(types(await get('/feed/trading?audience=featured')).includes('RESOLVED'))
  assert.equal((await get('/feed/trading?audience=following')).status, 401)
  await taken(ben, 'PUT', `/profiles/${ann.account}/follow`)
  const followed = await taken(ben, 'GET', '/feed/trading?audience=following')
  assert.deepEqual(
    types(followed),
    all.filter((each) => each !== 'RESOLVED'),
  )
  const first = await get('/feed/trading?limit=1')
  const next = await get(`/feed/trading?limit=1&cursor=${at(first.body, 'nextCursor')}`)
  assert.deepEqual(types(next), ['RESOLVED'])
})

test('GET /feed/following: the last 24 hours of those whom the caller follows', async () => {
  assert.equal((await live.send('GET', '/feed/following')).status, 401)
  const count = async () => listAt(await taken(ben, 'GET', '/feed/following'), 'data').length
  assert.equal(await count(), 4)
  assert.deepEqual(listAt(await taken(ann, 'GET', '/feed/following'), 'data'), [])
  live.shiftClock(24 * HOUR_MS + 60_000)
  assert.equal(await count(), 0)
})

test('limit: feed pages of up to 30 entries (trading), of 1 to 100 (following)', async () => {
  for (const [limit, status] of [
    [1, 200],
    [30, 200],
    [0, 400],
    [31, 400],
  ]) {
    assert.equal((await get(`/feed/trading?limit=${limit}`)).status, status, `trading ${limit}`)
  }
  for (const [limit, status] of [
    [1, 200],
    [100, 200],
    [0, 400],
    [101, 400],
  ]) {
    const reply = await call(ben, 'GET', `/feed/following?limit=${limit}`)
    assert.equal(reply.status, status, `following ${limit}`)
  }
})

test('POST /profiles/x/connection/social-data: username and avatar, or why not', async () => {
  const apply = (who: Trader, body: object) => taken(who, 'POST', `${X}/social-data`, body)
  await taken(ann, 'POST', X, { code: 'demo:Rainmaker' })
  const mine = await apply(ann, { username: true, avatar: true })
  assert.deepEqual(
    [at(mine.body, 'usernameApplied'), at(mine.body, 'usernameSkippedReason')],
    [true, null],
  )
  assert.equal(typeof at(mine.body, 'avatarApplied'), 'boolean')
  await taken(ben, 'POST', X, { code: 'demo:rainmaker' })
  const theirs = await apply(ben, { username: true })
  assert.deepEqual(theirs.body, {
    usernameApplied: false,
    avatarApplied: false,
    usernameSkippedReason: 'taken',
  })
  const body = JSON.stringify({ username: true })
  assert.equal((await live.send('POST', `${X}/social-data`, { body })).status, 401)
})

/** Ann refers a newcomer, who follows nobody. */
async function refer(): Promise<void> {
  const r = textAt((await taken(ann, 'GET', '/profiles/me')).body, 'referralCode')
  const wallet = privateKeyToAccount(`0x${randomBytes(32).toString('hex')}`)
  cookieOf(await login(live, wallet, { body: { client: 'eoa', r } }))
}

const REFERRALS = '/referral/usdc'

test('GET /referral/usdc/leaderboard: username and displayName of each', async () => {
  await refer()
  const board = await get(`${REFERRALS}/leaderboard`)
  assert.equal(at(board.body, 'entries', 0, 'username'), 'Rainmaker')
  assert.equal(at(board.body, 'entries', 0, 'displayName'), 'Rainmaker')
})

test('GET /referral/usdc/leaderboard/friends: the same of those whom one follows', async () => {
  const path = `${REFERRALS}/leaderboard/friends`
  assert.equal((await live.send('GET', path)).status, 401)
  const friends = await taken(ben, 'GET', path)
  const entry = at(friends.body, 'entries', 0)
  assert.deepEqual([at(entry, 'username'), at(entry, 'displayName')], ['Rainmaker', 'Rainmaker'])
})

test('GET /referral/usdc/referrals: username, null without one, and displayName', async () => {
  const path = `${REFERRALS}/referrals`
  assert.equal((await live.send('GET', path)).status, 401)
  const referred = at((await taken(ann, 'GET', path)).body, 'entries', 0)
  assert.equal(at(referred, 'username'), null)
  assert.equal(at(referred, 'displayName'), at(referred, 'account'))
})
