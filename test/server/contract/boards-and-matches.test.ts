import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exchange } from '../../support/exchange.ts'
import { at } from '../../support/json-path.ts'
import type { Trader } from '../../support/live-exchange.ts'
import { eventOf, publishScores, putMatch } from '../../support/live-matches.ts'
import { byBearer, openProgram } from '../../support/live-mcp.ts'
import { cookieOf, login, newWallet, withCookie } from '../../support/live-session.ts'
import { accepted, assertRefused, listAt, type Reply } from '../../support/replies.ts'

// What the contract says of boards, matches, market pages and tools, row by row. A row of
// server/docs/api.md names each test.

const UNIT = 1_000_000
const BIGGEST = '/leaderboard/pnl/unrealized/biggest-positions'
const WRONG_ACCOUNT = '0x12'
const { live, rain, home, away, ann, ben } = await exchange({
  flags: ['--block-ms', '1'],
  markets: { rain: { categories: ['Weather'] }, home: {}, away: {} },
  fundsRaw: 1000 * UNIT,
  traders: { ann: { username: 'ann' }, ben: {} },
})

const get = (path: string) => live.read(path)
const call = (who: Trader, method: string, path: string) => live.patientCall(who, method, path)
const statusOf = async (path: string) => (await get(path)).status

function wordsOf(reply: Reply, ...path: string[]): unknown[] {
  return ['username', 'profileId'].map((name) => at(reply.body, ...path, name))
}

/** The id of the market page of a category. */
async function pageId(name: string): Promise<string> {
  const pages = listAt(await get('/navigation'))
  return String(
    at(
      pages.find((each) => at(each, 'name') === name),
      'id',
    ),
  )
}

/** Brings the boards up to date, as the clock would. */
await live.markAsPrograms(ann, ben)
await live.placed(ben, rain, { outcome: 1, ticks: 500, sizeRaw: 10 * UNIT })
await live.placed(ann, rain, { ticks: 500, sizeRaw: 10 * UNIT })
await live.placed(ben, rain, { ticks: 600, sizeRaw: 5 * UNIT })
await live.placed(ann, rain, { side: 'sell', ticks: 600, sizeRaw: 5 * UNIT })
await putMatch(live, 'derby', 1, ['home', 'away'])
await publishScores(live, eventOf(1, 1, { homeScore: 2 }))
await live.counted()

test('GET /portfolio/:account/realized-pnl: of a day, a week, a month or all time', async () => {
  const path = `/portfolio/${ann.account}/realized-pnl`
  for (const timeframe of ['1d', '1w', '1m', 'all']) {
    const { body } = await get(`${path}?timeframe=${timeframe}`)
    assert.deepEqual([at(body, 'timeframe'), at(body, 'realizedPnl')], [timeframe, 0.5])
  }
  assert.equal(await statusOf(`${path}?timeframe=2d`), 400)
})

test('GET /portfolio/:account/pnl-chart: of anybody; that of the caller is not kept', async () => {
  const path = `/portfolio/${ann.account}/pnl-chart`
  const others = await get(path)
  assert.deepEqual([at(others.body, 'currentValue'), at(others.body, 'current')], [0.5, null])
  const own = await call(ann, 'GET', path)
  assert.equal(at(own.body, 'current', 'realised'), 0.5)
  assert.equal(own.headers.get('cache-control'), 'private, no-store')
})

test('what everybody gets alike has an entity tag, though a proof is welcome', async () => {
  const paths = [`/portfolio/${ann.account}/realized-pnl`, '/referral/usdc/leaderboard']
  for (const path of paths) {
    const { headers } = await live.send('GET', path)
    assert.equal(headers.get('cache-control'), 'public, no-cache', path)
    assert.ok((headers.get('etag') ?? '').length > 0, path)
  }
  const [realised, board] = await Promise.all(paths.map((path) => call(ann, 'GET', path)))
  assert.equal(board.headers.get('cache-control'), 'private, no-store')
  assert.equal(realised.headers.get('cache-control'), 'public, no-cache', 'the same for everybody')
})

test('GET /leaderboard/:type: username and profileId; a category needs page and day', async () => {
  assert.deepEqual(wordsOf(await get('/leaderboard/pnl'), 'data', '0'), ['ann', ann.profileId])
  const volume = listAt(await get('/leaderboard/volume'), 'data')
  const owners = volume.map((each) => at(each, 'profileId'))
  assert.deepEqual(owners.sort(), [ann.profileId, ben.profileId].sort())
  assert.equal(await statusOf('/leaderboard/other'), 400)
  const category = '/leaderboard/pnl?scope=category'
  assert.equal(await statusOf(category), 400)
  const weather = `${category}&marketPageId=${await pageId('Weather')}`
  assert.equal(await statusOf(weather), 200)
  assert.equal(await statusOf(`${weather}&timeframe=24h`), 200)
  assert.equal(await statusOf(`${weather}&timeframe=7d`), 400)
})

test('GET /leaderboard/pnl/unrealized/biggest-positions: by size or profit, by page', async () => {
  const positions = async (query: string) => {
    const reply = await accepted(get(`${BIGGEST}${query}`))
    return reply
  }
  const bySize = await positions('')
  assert.equal(bySize.text, (await positions('?metric=position_size')).text)
  await positions('?metric=pnl')
  await positions(`?marketPageId=${await pageId('Weather')}`)
  assert.equal(await statusOf(`${BIGGEST}?metric=other`), 400)
  assert.equal(at(bySize.body, 'scopeVersion'), '1')
  const first = at(bySize.body, 'data', 0)
  assert.ok(first !== undefined, bySize.text)
  assert.ok(
    ['username', 'profileId'].every((name) => name in Object(first)),
    bySize.text,
  )
})

test('GET /sports/live: scores of what is in play, by sport', async () => {
  const [match, ...more] = listAt(await get('/sports/live'), 'data')
  assert.deepEqual(more, [])
  assert.deepEqual([at(match, 'slug'), at(match, 'sportType')], ['derby', 'football'])
  for (const sport of ['football', 'tennis', 'cricket']) {
    const found = listAt(await get(`/sports/live?sportType=${sport}`), 'data')
    assert.equal(found.length, sport === 'football' ? 1 : 0, sport)
  }
})

test('GET /sports/events: all matches, those of esports with esportType', async () => {
  await live.openMarket('map')
  await putMatch(live, 'final', 2, ['map'], { sportType: 'esports', esportType: 'cs2' })
  const types = async (query = '') =>
    listAt(await get(`/sports/events${query}`), 'data').map((each) => at(each, 'esportType'))
  assert.deepEqual(await types(), [null, 'cs2'])
  assert.deepEqual(await types('?esportType=cs2'), ['cs2'])
})

const OF_DERBY = '/sports-markets/derby/user-orders'

test('GET /sports-markets/:slug/user-orders: of all markets of the match', async () => {
  assert.equal((await live.send('GET', OF_DERBY)).status, 401)
  for (const market of [home, away]) await live.placed(ann, market, { ticks: 100 })
  assert.equal(listAt(await call(ann, 'GET', OF_DERBY)).length, 2)
  assert.equal(listAt(await call(ben, 'GET', OF_DERBY)).length, 0)
  const cookie = cookieOf(await login(live, newWallet()))
  const bySession = await withCookie(live, cookie, 'GET', OF_DERBY)
  assert.deepEqual([bySession.status, bySession.body], [200, []], 'a session reads its own')
})

test('DELETE /sports-markets/:slug/user-orders: all open orders of the match', async () => {
  assert.equal((await live.send('DELETE', OF_DERBY)).status, 401)
  const canceled = await call(ann, 'DELETE', OF_DERBY)
  assert.equal(listAt(canceled, 'canceled').length, 2, canceled.text)
  assert.deepEqual(listAt(await call(ann, 'GET', OF_DERBY)), [])
})

test('GET /market-pages/:id/markets: counts while a filter is active', async () => {
  const path = '/market-pages/__home__/markets'
  assert.ok(!('counts' in Object((await get(path)).body)))
  const filtered = await get(`${path}?tradeType=clob`)
  assert.ok('counts' in Object(filtered.body), filtered.text)
  const nothing = await get(`${path}?tradeType=amm`)
  assert.ok('counts' in Object(nothing.body), nothing.text)
})

test('POST /mcp: tools for a proven caller, the price history among them', async () => {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  }
  assert.equal((await live.send('POST', '/mcp', { body, headers })).status, 401)
  const program = await openProgram(live, byBearer(ann))
  for (const interval of ['5m', '1h', '6h', '1d', '1w', '1m', 'all']) {
    const reported = await program.use('get_market_price_history', { slug: 'rain', interval })
    assert.equal(reported.isError, false, reported.text)
  }
  assert.equal((await program.use('get_market_price_history', { slug: 'rain' })).isError, false)
  await program.end()
})

test('GET /user-stats/accuracy/:account: a body or null, 400, and 404 when it is off', async () => {
  const path = (account: string) => `/user-stats/accuracy/${account}`
  const none = await get(path(ann.account))
  assert.deepEqual([none.status, none.text], [200, 'null'])
  assert.equal(none.headers.get('cache-control'), 'public, max-age=15')
  assert.equal(await statusOf(path(WRONG_ACCOUNT)), 400)
  await accepted(live.admin('/admin/markets/rain/resolve', { winningOutcomeIndex: 0 }))
  const { catalogue } = live.exchange.pipeline.clearing
  while (catalogue.unpaid.size > 0) await new Promise(setImmediate)
  await live.counted()
  const { body } = await get(path(ann.account))
  const counts = ['marketsWon', 'marketsLost', 'totalResolved', 'since']
  const [won, lost, total, since] = counts.map((name) => at(body, name))
  assert.deepEqual([won, lost, total, typeof since], [1, 0, 1, 'string'])
  const { live: quiet } = await exchange({ flags: ['--accuracy', 'off'] })
  const off = await quiet.send('GET', path(ann.account))
  assertRefused(off, 404, 'ACCURACY_OFF')
})
