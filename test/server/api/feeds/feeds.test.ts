import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { openCheckpointer } from '../../../../persistence/database.ts'
import { newFolder } from '../../../support/data-folder.ts'
import { exchange } from '../../../support/exchange.ts'
import { at } from '../../../support/json-path.ts'
import type { Trader } from '../../../support/live-exchange.ts'
import { cookieOf, login, newWallet } from '../../../support/live-session.ts'
import { accepted, assertRefused, listAt, type Reply } from '../../../support/replies.ts'

// The feeds of the whole exchange, and of those whom a profile follows.

const SHARE = 1_000_000
const HOUR_MS = 3_600_000
const PUBLIC = 'public, max-age=60'
const dataDir = newFolder()
const { live, rain, ann, ben, cem } = await exchange({
  dataDir,
  markets: ['rain'],
  fundsRaw: 10_000 * SHARE,
  traders: { ann: { username: 'ann' }, ben: {}, cem: {} },
})

const trading = (query = '') => live.send('GET', `/feed/trading${query}`)

/** `taker` buys YES of `maker` at half a unit. */
async function trade(taker: Trader, maker: Trader, shares: number, market = rain): Promise<void> {
  await live.placed(maker, market, { outcome: 1, ticks: 500, sizeRaw: shares * SHARE })
  await live.placed(taker, market, { ticks: 500, sizeRaw: shares * SHARE })
}

/** Writes into the read tables, which the follower made. */
async function follow(owner: Trader, followed: Trader): Promise<void> {
  assert.equal((await trading()).status, 200, 'the tables are made')
  const db = openCheckpointer(join(dataDir, 'read.db'), 'normal')
  db.prepare('INSERT INTO follows VALUES (?, ?, 1)').run(owner.profileId, followed.profileId)
  db.close()
}

function reported(reply: Reply): string[] {
  assert.equal(reply.status, 200, reply.text)
  return listAt(reply, 'data').map((each) => {
    const names = [['type'], ['market', 'slug'], ['user', 'profileId'], ['amountUsd']]
    return names.map((path) => at(each, ...path) ?? '-').join(' ')
  })
}

test('a trade and a resolution come newest first, with who did it and where', async () => {
  const snow = await live.openMarket('snow')
  await trade(ann, ben, 10, snow)
  await live.placed(ben, snow, { outcome: 0, ticks: 400, sizeRaw: 5 * SHARE })
  await live.placed(ann, snow, { side: 'sell', ticks: 400, sizeRaw: 5 * SHARE })
  await accepted(live.admin('/admin/markets/snow/resolve', { payoutNumerators: [1, 1] }))
  const reply = await trading('?limit=3')
  assert.deepEqual(reported(reply), [
    'RESOLVED snow - -',
    `SOLD snow ${ann.profileId} 2`,
    `BOUGHT snow ${ann.profileId} 5`,
  ])
  const [resolved, sold, bought] = listAt(reply, 'data')
  assert.equal(at(resolved, 'winningOutcome'), null, 'the payout is split')
  assert.equal(at(resolved, 'user'), null)
  assert.deepEqual(at(bought, 'user'), {
    profileId: ann.profileId,
    account: ann.account,
    username: 'ann',
    displayName: 'ann',
    pfpUrl: null,
    rankName: 'Bronze',
  })
  const names = ['side', 'outcome', 'price', 'contracts']
  const fields = (each: unknown) => names.map((name) => at(each, name))
  assert.deepEqual(fields(sold), ['SELL', 'YES', 0.4, String(5 * SHARE)])
  assert.deepEqual(fields(bought), ['BUY', 'YES', 0.5, String(10 * SHARE)])
  assert.equal(at(bought, 'market', 'title'), 'Will snow?')
  assert.equal(at(bought, 'market', 'group'), null)
})

test('the feed has trades with pools, and no market that was never shown', async () => {
  await accepted(live.admin('/admin/markets', { kind: 'amm', slug: 'pool', title: 'Pool?' }), 201)
  await live.admin('/admin/markets', { kind: 'amm', slug: 'hidden', title: 'Hidden?' })
  await live.admin('/admin/markets/hidden/resolve', { winningOutcomeIndex: 0 })
  const scopes = ['trading', 'delegated_signing']
  const dan = await live.trader(1000 * SHARE, { apiToken: { scopes } })
  const fund = { profileId: ben.profileId, collateralRaw: 1000 * SHARE, hints: [1, 1] }
  assert.equal((await live.admin('/admin/markets/pool/liquidity', fund)).status, 201)
  const approval = { market: 'pool', side: 'BUY' }
  const approved = await live.call(dan, 'POST', '/amm/allowances/approve', approval)
  assert.ok(approved.status < 300, approved.text)
  const wanted = { market: 'pool', outcomeIndex: 1, collateralAmount: String(20 * SHARE) }
  // The next block confirms the approval.
  const buy = () => live.call(dan, 'POST', '/amm/buy', wanted)
  let bought = await buy()
  while (bought.status === 422) bought = await buy()
  assert.equal(bought.status, 201, bought.text)
  const reply = await trading('?limit=1')
  assert.deepEqual(reported(reply), [`BOUGHT pool ${dan.profileId} 20`])
  assert.equal(at(listAt(reply, 'data')[0], 'outcome'), 'NO')
  const slugs = listAt(await trading(), 'data').map((each) => at(each, 'market', 'slug'))
  assert.ok(!slugs.includes('hidden'))
})

test('featured has large trades alone, and resolutions', async () => {
  await trade(ann, ben, 199)
  await trade(ben, ann, 200)
  await trade(cem, ben, 10)
  const featured = reported(await trading('?audience=featured'))
  assert.equal(featured[0], `BOUGHT rain ${ben.profileId} 100`)
  assert.ok(
    featured.every((each) => /^RESOLVED|(\d{3,})$/.test(each)),
    featured.join(),
  )
  assert.ok(featured.some((each) => each.startsWith('RESOLVED')))
})

test('a market of a group names its group', async () => {
  const markets = ['a', 'b'].map((slug) => ({ slug: `cup-${slug}`, title: `Will ${slug} win?` }))
  await accepted(live.admin('/admin/groups', { slug: 'cup', title: 'Who wins?', markets }), 201)
  await accepted(live.admin('/admin/groups/cup/resolve', { winner: 'cup-b' }))
  const [first, second] = listAt(await trading('?limit=2'), 'data')
  assert.deepEqual(at(first, 'market', 'group'), { slug: 'cup', title: 'Who wins?' })
  assert.deepEqual([at(first, 'winningOutcome'), at(second, 'winningOutcome')], ['YES', 'NO'])
})

test('pages follow each other, and a cursor is good for its own list alone', async () => {
  const whole = listAt(await trading(), 'data')
  const seen: unknown[] = []
  let cursor = ''
  do {
    const reply = await accepted(trading(`?limit=2&cursor=${cursor}`))
    seen.push(...listAt(reply, 'data'))
    cursor = String(at(reply.body, 'nextCursor') ?? '')
    if (cursor === '') break
    const other = await trading(`?audience=featured&cursor=${cursor}`)
    assertRefused(other, 400, 'VALIDATION')
    const day = await live.call(ann, 'GET', `/feed/following?cursor=${cursor}`)
    assertRefused(day, 400, 'VALIDATION')
  } while (seen.length < whole.length)
  assert.deepEqual(seen, whole)
  const forged = ['x', 'MS4w', Buffer.from('0.0.all').toString('base64url'), 'A'.repeat(81), '%00']
  for (const query of [...forged.map((each) => `cursor=${each}`), 'limit=31', 'limit=0', 'x=1']) {
    const reply = await trading(`?${query}`)
    assertRefused(reply, 400, 'VALIDATION', query)
  }
  assert.equal((await trading('?audience=friends')).status, 400)
})

test('following needs a proof, and shows those whom the caller follows alone', async () => {
  await follow(ann, cem)
  await trade(cem, ben, 7)
  await trade(ben, cem, 8)
  const open = await trading('?audience=following')
  assertRefused(open, 401, 'UNAUTHENTICATED')
  const own = await live.call(ann, 'GET', '/feed/trading?audience=following')
  assert.equal(reported(own)[0], `BOUGHT rain ${cem.profileId} 3.5`)
  assert.ok(reported(own).every((each) => each.includes(` ${cem.profileId} `)))
  assert.deepEqual(reported(await live.call(ben, 'GET', '/feed/trading?audience=following')), [])
  const ended = { headers: { cookie: 'outcomex_session=ended' } }
  const stale = await live.send('GET', '/feed/trading?audience=following', ended)
  assert.equal(stale.status, 401)
  const cookie = cookieOf(await login(live, newWallet()))
  const session = await live.send('GET', '/feed/following', { headers: { cookie } })
  assert.deepEqual(reported(session), [])
})

test('what one caller follows is kept by nobody; what all see is kept a minute', async () => {
  for (const audience of ['all', 'featured']) {
    const path = `/feed/trading?audience=${audience}`
    const open = await live.send('GET', path)
    const signed = await live.call(ann, 'GET', path)
    assert.equal(open.text, signed.text, 'a proof changes nothing in a reply that is kept')
    for (const reply of [open, signed]) assert.equal(reply.headers.get('cache-control'), PUBLIC)
    const tag = open.headers.get('etag') ?? ''
    const again = await live.send('GET', path, { headers: { 'if-none-match': tag } })
    assert.deepEqual([again.status, again.text], [304, ''])
    const forged = await live.call({ ...ann, secret: ben.secret }, 'GET', path)
    assert.deepEqual([forged.status, forged.headers.get('etag')], [401, null])
  }
  for (const path of ['/feed/trading?audience=following', '/feed/following']) {
    const own = await accepted(live.call(ann, 'GET', path))
    assert.equal(own.headers.get('cache-control'), 'private, no-store')
    assert.equal(own.headers.get('etag'), null)
    const headers = { 'if-none-match': '*' }
    const other = await live.call(ben, 'GET', path, undefined, { headers })
    assert.deepEqual([other.status, reported(other)], [200, []], 'nobody gets what another follows')
    const refused = await live.send('GET', path, { headers })
    assert.equal(refused.status, 401)
    assert.match(String(refused.headers.get('cache-control')), /no-store/)
  }
})

test('the feed of a day forgets what is older', async () => {
  const path = '/feed/following?limit=100'
  const fresh = await live.call(ann, 'GET', path)
  assert.deepEqual(reported(fresh), [
    `BOUGHT rain ${cem.profileId} 3.5`,
    `BOUGHT rain ${cem.profileId} 5`,
  ])
  assert.equal(at(fresh.body, 'nextCursor'), null)
  live.shiftClock(25 * HOUR_MS)
  const later = await live.call(ann, 'GET', path)
  assert.deepEqual([reported(later), at(later.body, 'nextCursor')], [[], null])
  assert.equal((await live.call(ann, 'GET', '/feed/following?limit=101')).status, 400)
})
