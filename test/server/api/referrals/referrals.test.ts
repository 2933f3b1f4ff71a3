import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { test } from 'node:test'
import { privateKeyToAccount } from 'viem/accounts'
import { openCheckpointer } from '../../../../persistence/database.ts'
import { referralCodeOf } from '../../../../server/api/referrals/referrals.ts'
import { loseReadTables } from '../../../support/data-folder.ts'
import { exchange } from '../../../support/exchange.ts'
import { at, textAt } from '../../../support/json-path.ts'
import type { Trader } from '../../../support/live-exchange.ts'
import { cookieOf, login } from '../../../support/live-session.ts'
import { accepted, assertRefused, listAt, type Reply } from '../../../support/replies.ts'

// Who referred whom: codes at the first login, fees that blocks mined, boards.

const SHARE = 1_000_000
const BOARD = '/referral/usdc/leaderboard'
const { live, rain, ann, ben } = await exchange({
  flags: ['--block-ms', '1'],
  markets: { rain: { fee: true } },
  fundsRaw: 10_000 * SHARE,
  traders: { ann: { username: 'ann' }, ben: {} },
})
let eve: Trader
let kim: Trader

const get = (trader: Trader, path: string) => live.call(trader, 'GET', path)
const codeFor = async (trader: Trader) =>
  textAt((await get(trader, '/profiles/me')).body, 'referralCode')

/** A wallet that logs in for the first time with this code, then trades as others do. */
async function newcomer(r?: string): Promise<Trader> {
  const key = randomBytes(32)
  const wallet = privateKeyToAccount(`0x${key.toString('hex')}`)
  const body = { client: 'eoa', ...(r === undefined ? {} : { r }) }
  cookieOf(await login(live, wallet, { body }))
  const fields = { account: wallet.address, rank: 'Bronze', apiToken: { scopes: ['trading'] } }
  const made = await live.admin('/admin/profiles', fields)
  assert.ok(made.status < 300, made.text)
  const profileId = Number(at(made.body, 'profileId'))
  await live.admin('/admin/balances', { profileId, collateralRaw: 1000 * SHARE })
  const [tokenId, secret] = [textAt(made.body, 'tokenId'), textAt(made.body, 'secret')]
  return { key, account: wallet.address, profileId, tokenId, secret }
}

/** Polls until a block holds what was traded. */
async function until(path: string, isThere: (reply: Reply) => boolean): Promise<Reply> {
  for (;;) {
    const reply = await accepted(get(ann, path))
    if (isThere(reply)) return reply
  }
}

test('a code at the first login refers the new profile, and never an old one', async () => {
  const code = await codeFor(ann)
  assert.equal(code, referralCodeOf(ann.profileId))
  eve = await newcomer(code.toLowerCase())
  kim = await newcomer(code)
  const reply = await get(ann, '/referral/usdc/referrals')
  assert.deepEqual(at(reply.body, 'counts'), { all: 2, awaiting: 2, earning: 0 })
  const ids = listAt(reply, 'entries').map((each) => at(each, 'referredProfileId'))
  assert.deepEqual(ids, [kim.profileId, eve.profileId], 'newest first')
  const mine = await get(ann, '/profiles/me')
  assert.equal(at(mine.body, 'referredUsersCount'), 2)
  assert.equal(at(mine.body, 'referralData', 0, 'referredProfileId'), kim.profileId)
  assert.equal(at(mine.body, 'referralData', 0, 'id'), 2)
  // Eve logs in again with the code of ben.
  const wallet = privateKeyToAccount(`0x${Buffer.from(eve.key).toString('hex')}`)
  cookieOf(await login(live, wallet, { body: { client: 'eoa', r: await codeFor(ben) } }))
  assert.equal(at((await get(ben, '/profiles/me')).body, 'referredUsersCount'), 0)
})

test('codes of nobody are ignored, whatever they say', async () => {
  const codes = ['', 'NOBODY', referralCodeOf(1_000_000), '0', "'; --", 'x'.repeat(128)]
  for (const code of codes) await newcomer(code)
  // The code that the new profile itself will have.
  await newcomer(referralCodeOf(live.exchange.pipeline.clearing.accounts.count + 1))
  assert.equal(at((await live.send('GET', BOARD)).body, 'total'), 1)
  const wallet = privateKeyToAccount(`0x${randomBytes(32).toString('hex')}`)
  const long = await login(live, wallet, { body: { client: 'eoa', r: 'x'.repeat(129) } })
  assertRefused(long, 400, 'VALIDATION')
})

test('mined fees of those who were referred count, once they are worth collateral', async () => {
  await live.placed(ben, rain, { outcome: 1, ticks: 550, sizeRaw: 100 * SHARE })
  await live.placed(eve, rain, { ticks: 450, sizeRaw: 100 * SHARE })
  const path = '/referral/usdc/referrals'
  const isMined = ({ body }: Reply) => at(body, 'entries', 1, 'volumeRaw') === '45000000'
  const mined = await until(path, isMined)
  assert.equal(at(mined.body, 'entries', 1, 'feesGeneratedRaw'), '0', 'a fee of 3 YES shares')
  const split = { payoutNumerators: [9, 11] }
  assert.equal((await live.admin('/admin/markets/rain/resolve', split)).status, 200)
  const reply = await until(path, ({ body }) => at(body, 'counts', 'earning') === 1)
  assert.deepEqual(at(reply.body, 'counts'), { all: 2, awaiting: 1, earning: 1 })
  const entry = listAt(reply, 'entries')[1]
  // A fee of 3 YES (rules §9.1), of which each pays 0.45.
  const names = ['referredProfileId', 'feesGeneratedRaw', 'volumeRaw', 'earnedRaw']
  const reported = names.map((name) => at(entry, name))
  assert.deepEqual(reported, [eve.profileId, '1350000', '45000000', '0'])
  const second = await get(ann, `${path}?limit=1&offset=1`)
  assert.deepEqual(listAt(second, 'entries'), [entry])
})

test('the board shows all who refer, and a proven caller its own place', async () => {
  await newcomer(await codeFor(ben))
  const open = await accepted(live.send('GET', BOARD))
  assert.equal(open.headers.get('cache-control'), 'public, no-cache', 'the same for everybody')
  const reported = listAt(open, 'entries').map((each) =>
    ['rank', 'username', 'feesGeneratedRaw', 'referredCount'].map((name) => at(each, name)),
  )
  assert.deepEqual(reported, [
    [1, 'ann', '1350000', 2],
    [2, null, '0', 1],
  ])
  assert.equal(at(open.body, 'me'), undefined)
  const own = await get(ben, `${BOARD}?limit=1`)
  assert.equal(at(own.body, 'me', 'rank'), 2)
  assert.equal(at(own.body, 'me', 'entry', 'referrerProfileId'), ben.profileId)
  assert.equal(at((await get(eve, BOARD)).body, 'me'), undefined, 'eve referred nobody')
  assert.deepEqual(listAt(await get(ben, `${BOARD}?offset=10000`), 'entries'), [])
  for (const query of ['limit=101', 'limit=0', 'offset=10001', 'offset=-1', 'x=1']) {
    for (const path of [BOARD, `${BOARD}/friends`, '/referral/usdc/referrals']) {
      const wrong = await get(ben, `${path}?${query}`)
      assertRefused(wrong, 400, 'VALIDATION', `${path} ${query}`)
    }
  }
})

test('friends are those whom the caller follows, and itself', async () => {
  const path = `${BOARD}/friends`
  assert.equal((await live.send('GET', path)).status, 401)
  const ids = async (trader: Trader) =>
    listAt(await get(trader, path), 'entries').map((each) => at(each, 'referrerProfileId'))
  assert.deepEqual(await ids(ben), [ben.profileId])
  assert.deepEqual(await ids(eve), [])
  const db = openCheckpointer(join(live.dataDir, 'read.db'), 'normal')
  db.prepare('INSERT INTO follows VALUES (?, ?, 1)').run(ben.profileId, ann.profileId)
  db.close()
  assert.deepEqual(await ids(ben), [ann.profileId, ben.profileId])
  assert.deepEqual(await ids(ann), [ann.profileId])
})

test('a start without the read tables finds who referred whom in the journal', async () => {
  const path = '/referral/usdc/referrals'
  const [board, own] = [await live.send('GET', BOARD), await get(ann, path)]
  await live.restart({}, loseReadTables)
  assert.deepEqual((await live.send('GET', BOARD)).body, board.body)
  assert.deepEqual((await get(ann, path)).body, own.body)
})

test('GET /referral/usdc/me has the own volume, the part of fees and what was earned', async () => {
  const {
    live: paid,
    rain: market,
    maker,
    referrer,
  } = await exchange({
    flags: ['--block-ms', '1', '--referral-bps', '1250'],
    markets: { rain: { fee: true } },
    traders: ['maker', 'referrer'],
  })
  const standing = async (trader: Trader) =>
    (await paid.call(trader, 'GET', '/referral/usdc/me')).body
  const tiers = [{ minBasisRaw: '0', name: 'Standard', rate: '0.125' }]
  const nothing = { customTier: null, tiers, totalBasisRaw: '0', totalEarnedRaw: '0' }
  assert.deepEqual(await standing(referrer), nothing)
  await paid.trade(maker, referrer, market, { ticks: 450, sizeRaw: 100 * SHARE })
  assert.deepEqual(await standing(referrer), { ...nothing, totalBasisRaw: '45000000' })
  assert.equal((await paid.send('GET', '/referral/usdc/me')).status, 401)
})
