import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exchange } from '../../../support/exchange.ts'
import { at } from '../../../support/json-path.ts'
import type { Trader } from '../../../support/live-exchange.ts'
import { accepted, assertRefused } from '../../../support/replies.ts'

// Leaderboards, accuracy and volume over HTTP (rules §9.4, §9.5).

const SHARE = 1_000_000
const HOUR_MS = 3_600_000
const BIGGEST = '/leaderboard/pnl/unrealized/biggest-positions'
const { live, rain, hail } = await exchange({
  flags: ['--block-ms', '1'],
  markets: { rain: { fee: true, categories: ['Weather'] }, hail: { categories: ['Ice'] } },
})

// Programs of the operator count as many counterparties: these two trade with each other alone.
const ann = await live.trader(10_000 * SHARE, { username: 'ann' })
const ben = await live.trader(10_000 * SHARE)
await live.markAsPrograms(ann, ben)

/** Lets the follower see all, and brings the boards up to date as the clock would. */
async function json(path: string): Promise<unknown> {
  const { status, body, text } = await live.read(path)
  assert.equal(status, 200, `${path}: ${text}`)
  return body
}

function rowsOf(body: unknown, ...names: string[]): unknown[][] {
  const data = at(body, 'data')
  assert(Array.isArray(data))
  return data.map((row) => names.map((name) => at(row, name)))
}

/** The id of the market page of a category. */
async function idOf(category: string): Promise<string> {
  const pages = await json('/navigation')
  assert(Array.isArray(pages))
  return String(
    at(
      pages.find((each) => at(each, 'name') === category),
      'id',
    ),
  )
}

/** The example of rules §9.1: ann buys 100 at 0.45 as taker, then sells 40 at 0.60 as maker. */
async function trade(): Promise<void> {
  await live.placed(ben, rain, { outcome: 1, ticks: 550, sizeRaw: 100 * SHARE })
  await live.placed(ann, rain, { ticks: 450, sizeRaw: 100 * SHARE })
  await live.placed(ann, rain, { side: 'sell', ticks: 600, sizeRaw: 40 * SHARE })
  await live.placed(ben, rain, { ticks: 600, sizeRaw: 40 * SHARE })
}

test('before the first pass boards are empty, and positions are BUILDING', async () => {
  const board = await json('/leaderboard/pnl')
  assert.deepEqual(board, { data: [], page: 1, limit: 25, totalRows: 0, totalPages: 0 })
  const biggest = await json(BIGGEST)
  assert.deepEqual(
    ['state', 'asOf', 'markAsOf', 'data'].map((name) => at(biggest, name)),
    ['BUILDING', null, null, []],
  )
})

test('the boards show what was realised and traded, and by whom', async () => {
  await trade()
  await live.counted()
  for (const timeframe of ['24h', '7d', '30d', 'all']) {
    const board = await json(`/leaderboard/pnl?timeframe=${timeframe}`)
    assert.deepEqual(rowsOf(board, 'rank', 'profileId', 'username', 'pnl', 'volume'), [
      [1, ann.profileId, 'ann', 5.44, 61],
      [2, ben.profileId, null, 0, 61],
    ])
    const volume = await json(`/leaderboard/volume?timeframe=${timeframe}`)
    assert.deepEqual(rowsOf(volume, 'rank', 'account'), [
      [1, ann.account],
      [2, ben.account],
    ])
  }
  const second = await json('/leaderboard/volume?limit=1&page=2')
  assert.deepEqual(rowsOf(second, 'rank', 'profileId'), [[2, ben.profileId]])
  assert.deepEqual([at(second, 'totalRows'), at(second, 'totalPages')], [2, 2])
  assert.deepEqual(rowsOf(await json('/leaderboard/volume?page=9')), [])
  const { headers } = await live.read('/leaderboard/pnl')
  assert.equal(headers.get('cache-control'), 'public, max-age=15')
})

test('a private profile shows its owner the place on the board of all time', async () => {
  const placeOf = async (trader: Trader) => {
    const { body } = await live.call(trader, 'GET', '/profiles/me')
    return [at(body, 'leaderboardPosition'), at(body, 'isTop100')]
  }
  assert.deepEqual(await placeOf(ann), [1, true])
  assert.deepEqual(await placeOf(ben), [2, true])
  assert.deepEqual(await placeOf(await live.trader(0)), [null, false])
  const edited = await live.call(ann, 'PATCH', '/profiles/me', { bio: 'I trade the weather.' })
  assert.equal(at(edited.body, 'leaderboardPosition'), 1)
})

test('traded volume counts at once, in whole units', async () => {
  const path = (account: string) => `/portfolio/${account}/traded-volume`
  assert.deepEqual(await json(path(ann.account)), { data: '69' })
  assert.deepEqual(await json(path(ben.account)), { data: '79' })
  assert.deepEqual(await json(path(`0x${'1'.repeat(40)}`)), { data: '0' })
  assert.equal((await live.send('GET', path('0x12'))).status, 400)
})

test('the biggest positions have their worth, their mark and their market', async () => {
  // The books are empty, so the last trade at 0.6 is the mark.
  const body = await json(BIGGEST)
  assert.equal(at(body, 'state'), 'READY')
  const rows = rowsOf(body, 'profileId', 'side')
  assert.deepEqual(rows, [
    [ben.profileId, 'NO'],
    [ann.profileId, 'YES'],
    [ben.profileId, 'YES'],
  ])
  const second = at(body, 'data', 1)
  assert.deepEqual(at(second, 'heldShares'), { raw: '57000000', formatted: '57' })
  assert.deepEqual(at(second, 'positionSize'), { raw: '34200000', formatted: '34.2', usd: 34.2 })
  assert.equal(at(second, 'unrealizedPnl', 'raw'), String(34_200_000 - 26_443_299))
  assert.deepEqual(
    ['slug', 'address', 'category'].map((name) => at(second, 'market', name)),
    ['rain', null, 'Weather'],
  )
  assert.equal(at(second, 'mark', 'source'), 'last_trade')
  const gained = await json(`${BIGGEST}?metric=pnl&limit=1`)
  assert.deepEqual(rowsOf(gained, 'profileId', 'side'), [[ann.profileId, 'YES']])
})

test('a market page has a board and positions of its own markets', async () => {
  const [weatherId, iceId] = [await idOf('Weather'), await idOf('Ice')]
  const board = (id: string) => `/leaderboard/pnl?scope=category&marketPageId=${id}`
  const weather = await json(board(weatherId))
  assert.deepEqual(rowsOf(weather, 'rank', 'profileId', 'pnl'), [
    [1, ann.profileId, 5.44],
    [2, ben.profileId, 0],
  ])
  assert.equal(rowsOf(await json(`${board('__home__')}&timeframe=24h&limit=1`)).length, 1)
  assert.deepEqual(rowsOf(await json(board(iceId))), [])
  const ofPage = await json(`${BIGGEST}?marketPageId=${weatherId}`)
  assert.equal(rowsOf(ofPage).length, 3)
  assert.deepEqual(at(ofPage, 'scope'), { type: 'category', marketPageId: weatherId })
  assert.equal(rowsOf(await json(`${BIGGEST}?marketPageId=${iceId}`)).length, 0)
})

test('a request with wrong parameters is refused with a sentence', async () => {
  const wrong = [
    '/leaderboard/rank',
    '/leaderboard/pnl?timeframe=1d',
    '/leaderboard/pnl?limit=0',
    '/leaderboard/pnl?limit=101',
    '/leaderboard/pnl?page=0',
    '/leaderboard/pnl?scope=category',
    '/leaderboard/pnl?marketPageId=__home__',
    '/leaderboard/volume?scope=category&marketPageId=__home__',
    '/leaderboard/pnl?scope=category&marketPageId=__home__&timeframe=7d',
    '/leaderboard/pnl?x=1',
    `${BIGGEST}?metric=size`,
    `${BIGGEST}?limit=101`,
    '/user-stats/accuracy/0x12',
  ]
  for (const path of wrong) {
    const reply = await live.send('GET', path)
    assertRefused(reply, 400, 'VALIDATION', path)
  }
  for (const path of [
    '/leaderboard/pnl?scope=category&marketPageId=no',
    `${BIGGEST}?marketPageId=no`,
  ]) {
    const reply = await live.send('GET', path)
    assertRefused(reply, 404, 'PAGE_NOT_FOUND', path)
  }
  for (const page of [101, 102, 10_001]) {
    assert.deepEqual(rowsOf(await json(`/leaderboard/pnl?page=${page}&limit=100`)), [])
  }
})

test('an hour that ended leaves its window, and a page is rebuilt after a minute', async () => {
  live.shiftClock(24 * HOUR_MS)
  await live.counted()
  assert.deepEqual(rowsOf(await json('/leaderboard/pnl?timeframe=24h')), [])
  assert.equal(rowsOf(await json('/leaderboard/pnl?timeframe=7d')).length, 2)
  const home = await json('/leaderboard/pnl?scope=category&marketPageId=__home__')
  assert.deepEqual(rowsOf(home), [])
})

test('accuracy is null until a market that the account held is paid out', async () => {
  const path = (account: string) => `/user-stats/accuracy/${account}`
  const before = await live.read(path(ann.account))
  assert.deepEqual([before.status, before.text], [200, 'null'])
  assert.equal(before.headers.get('cache-control'), 'public, max-age=15')
  await live.placed(ben, hail, { outcome: 1, ticks: 500, sizeRaw: 5 * SHARE })
  await live.placed(ann, hail, { ticks: 500, sizeRaw: 5 * SHARE })
  for (const [slug, winningOutcomeIndex] of [
    ['rain', 1],
    ['hail', 0],
  ] as const) {
    await accepted(live.admin(`/admin/markets/${slug}/resolve`, { winningOutcomeIndex }))
  }
  const { catalogue } = live.exchange.pipeline.clearing
  while (catalogue.unpaid.size > 0) await new Promise(setImmediate)
  await live.counted()
  // Rain pays NO: ann lost what 57 shares cost, less what it realised; ben's 100 NO won.
  const reported = await json(path(ann.account))
  assert.deepEqual(
    ['account', 'marketsWon', 'marketsLost', 'totalResolved', 'accuracy'].map((name) =>
      at(reported, name),
    ),
    [ann.account, 1, 1, 2, 0.5],
  )
  const other = await json(path(ben.account))
  assert.deepEqual([at(other, 'marketsWon'), at(other, 'marketsLost')], [1, 1])
})

test('the board of a page counts markets that left memory since', async () => {
  const fog = await live.openMarket('fog', { categories: ['Fog'] })
  await live.openMarket('fog-later', { categories: ['Fog'] })
  await live.placed(ben, fog, { outcome: 1, ticks: 500, sizeRaw: 10 * SHARE })
  await live.placed(ann, fog, { ticks: 500, sizeRaw: 10 * SHARE })
  const { catalogue } = live.exchange.pipeline.clearing
  const market = catalogue.bySlug('fog')
  await live.admin('/admin/markets/fog/resolve', { winningOutcomeIndex: 0 })
  while (market?.isPaidOut !== true) await new Promise(setImmediate)
  const { conditionId } = market
  await accepted(live.call(ann, 'POST', '/portfolio/redeem', { conditionId }), 201)
  // The exchange redeems the shares that pay nothing, and then nobody needs the market.
  while (catalogue.bySlug('fog') !== undefined) await new Promise(setImmediate)
  await live.counted()
  const path = `/leaderboard/pnl?scope=category&marketPageId=${await idOf('Fog')}`
  const board = await json(path)
  assert.deepEqual(rowsOf(board, 'profileId', 'pnl', 'volume'), [
    [ann.profileId, 5, 5],
    [ben.profileId, -5, 5],
  ])
})

test('an exchange may keep accuracy to itself', async () => {
  const { live: quiet } = await exchange({ flags: ['--accuracy', 'off'] })
  try {
    const reply = await quiet.send('GET', `/user-stats/accuracy/${ann.account}`)
    assertRefused(reply, 404, 'ACCURACY_OFF')
  } finally {
  }
})
