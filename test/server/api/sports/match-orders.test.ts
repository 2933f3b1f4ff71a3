import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exchange } from '../../../support/exchange.ts'
import { at, textAt } from '../../../support/json-path.ts'
import type { Trader } from '../../../support/live-exchange.ts'
import {
  askMatch,
  eventOf,
  matchBody,
  publishScores,
  putMatch,
  removeMatch,
} from '../../../support/live-matches.ts'
import type { LiveMarket } from '../../../support/live-orders.ts'
import { freshSeed, Random } from '../../../support/random.ts'
import { accepted, answered, assertRefused, listAt, type Reply } from '../../../support/replies.ts'

// The orders of a profile over the markets of a match, and matches after they left memory or the
// exchange was started again.

const SEED = freshSeed()
const SHARE = 1_000_000
const FUNDS_RAW = 10_000 * SHARE
const { live, home, draw, away, rain } = await exchange({
  flags: ['--block-ms', '20'],
  markets: ['home', 'draw', 'away', 'rain'],
})
const markets = [home, draw, away, rain]
await putMatch(live, 'derby', 1, ['home', 'draw', 'away'])

function rest(trader: Trader, market: LiveMarket, wanted: object = {}): Promise<string> {
  return live.ordered(trader, market, { ticks: 100, sizeRaw: SHARE, ...wanted })
}

const ordersOf = (trader: Trader, query = '', slug = 'derby') =>
  answered(() => live.call(trader, 'GET', `/sports-markets/${slug}/user-orders${query}`))
const cancelIn = (trader: Trader, slug = 'derby') =>
  answered(() => live.call(trader, 'DELETE', `/sports-markets/${slug}/user-orders`))

function idsOf({ status, body, text }: Reply): string[] {
  assert.equal(status, 200, text)
  assert.ok(Array.isArray(body))
  return body.map((each) => textAt(each, 'id'))
}

test('orders of all markets of the match come newest first, whatever their statuses', async () => {
  const random = new Random(SEED)
  const [alice, bob] = [await live.trader(FUNDS_RAW), await live.trader(FUNDS_RAW)]
  /** Oldest first. */
  const placed: { id: string; status: string; ofMatch: boolean }[] = []
  for (let step = 0; step < 40; step++) {
    const market = random.pick(markets)
    const fate = random.pick(['LIVE', 'LIVE', 'CANCELED', 'MATCHED'])
    const isTaker = fate === 'MATCHED'
    if (isTaker) await rest(bob, market, { outcome: 1, ticks: 400 })
    const id = await rest(alice, market, isTaker ? { ticks: 600 } : {})
    if (fate === 'CANCELED') await live.call(alice, 'DELETE', `/orders/${id}`)
    placed.push({ id, status: fate, ofMatch: market !== rain })
  }
  const names = ['LIVE', 'CANCELED', 'MATCHED', 'UNMATCHED']
  for (let round = 0; round < 30; round++) {
    const statuses = names.filter(() => random.chance(0.6))
    const limit = random.between(1, 40)
    const wanted = statuses.length === 0 ? ['LIVE'] : statuses
    const expected = placed.filter(({ status, ofMatch }) => ofMatch && wanted.includes(status))
    const newest = expected.map(({ id }) => id).reverse()
    const query = [`limit=${limit}`, ...statuses.map((each) => `statuses=${each.toLowerCase()}`)]
    const found = idsOf(await ordersOf(alice, `?${query.join('&')}`))
    assert.deepEqual(found, newest.slice(0, limit), `seed ${SEED} round ${round}`)
  }
  const [first] = Object.values(Object((await ordersOf(alice, '?limit=1', 'draw')).body))
  assert.deepEqual([first], (await ordersOf(alice, '?limit=1')).body, 'a market names its match')
  assert.deepEqual((await ordersOf(bob, '?statuses=UNMATCHED')).body, [])
  for (const trader of [alice, bob]) await live.call(trader, 'DELETE', '/orders/all')
})

test('a cancel takes the orders of the match alone, and of the caller alone', async () => {
  const [alice, bob] = [await live.trader(FUNDS_RAW), await live.trader(FUNDS_RAW)]
  const ids = [await rest(alice, home), await rest(alice, away), await rest(alice, draw)]
  const kept = await rest(alice, rain)
  const theirs = await rest(bob, home)
  const reply = await cancelIn(alice)
  assert.deepEqual([reply.status, at(reply.body, 'failed')], [200, []], reply.text)
  const canceled = at(reply.body, 'canceled')
  assert.ok(Array.isArray(canceled))
  assert.deepEqual([...canceled].sort(), ids.sort())
  assert.deepEqual(idsOf(await ordersOf(alice)), [])
  assert.deepEqual(
    idsOf(await answered(() => live.call(alice, 'GET', '/markets/rain/user-orders'))),
    [kept],
  )
  assert.deepEqual(idsOf(await ordersOf(bob)), [theirs])
  const again = await cancelIn(alice, 'home')
  assert.deepEqual([again.status, at(again.body, 'canceled')], [200, []])
  const { freeRaw, reservedRaw } = live.balances(alice)
  assert.equal(freeRaw + reservedRaw, FUNDS_RAW)
  assert.equal(reservedRaw, SHARE / 10, 'the order in the other market keeps its reserve')
  for (const trader of [alice, bob]) await live.call(trader, 'DELETE', '/orders/all')
})

test('a name that is of no match is refused, and cancels wait for no market', async () => {
  const alice = await live.trader(FUNDS_RAW)
  for (const slug of ['nowhere', 'rain', 'constructor']) {
    for (const reply of [await ordersOf(alice, '', slug), await cancelIn(alice, slug)]) {
      assertRefused(reply, 404, 'MATCH_NOT_FOUND', slug)
    }
  }
  for (const query of ['?limit=0', '?limit=201', '?statuses=odd', '?page=1']) {
    assert.equal((await ordersOf(alice, query)).status, 400, query)
  }
  const open = { mode: 'disabled' }
  const made = await accepted(live.admin('/admin/trading-modes', open), 201)
  const restricted = await cancelIn(alice)
  assertRefused(restricted, 425, 'trading_disabled')
  await live.operator('DELETE', `/admin/trading-modes/${String(at(made.body, 'id'))}`)
})

test('a market that its match names no more is of no match', async () => {
  const alice = await live.trader(0)
  await live.openMarket('hail')
  await putMatch(live, 'storm', 3, ['rain', 'hail'])
  assert.equal((await ordersOf(alice, '', 'rain')).status, 200)
  await putMatch(live, 'storm', 3, ['hail'])
  assert.equal((await ordersOf(alice, '', 'rain')).status, 404)
  assert.equal((await ordersOf(alice, '', 'hail')).status, 200)
  await removeMatch(live, 'storm')
})

test('a removed match is gone at once, and its markets may be of another', async () => {
  const alice = await live.trader(FUNDS_RAW)
  await putMatch(live, 'short', 2, ['rain'])
  assert.equal((await ordersOf(alice, '', 'rain')).status, 200)
  await publishScores(live, eventOf(2, 1))
  await removeMatch(live, 'short')
  for (const slug of ['short', 'rain']) {
    assert.equal((await ordersOf(alice, '', slug)).status, 404)
  }
  assert.deepEqual(await publishScores(live, eventOf(2, 2)), [0, 0, 0])
  await putMatch(live, 'long', 2, ['rain'])
  const shown = await live.read('/sports/events?status=upcoming')
  assert.ok(shown.text.includes('"long"') && !shown.text.includes('"short"'), shown.text)
  await removeMatch(live, 'long')
})

test('a start shows the same score, and an event from before counts once', async () => {
  await publishScores(live, eventOf(1, 3, { homeScore: 2 }), eventOf(1, 4, { homeScore: 3 }))
  const shown = await live.read('/sports/live')
  assert.ok(shown.text.includes('"homeScore":3'), shown.text)
  await live.restart()
  assert.equal((await live.read('/sports/live')).text, shown.text)
  assert.deepEqual(await publishScores(live, eventOf(1, 4), eventOf(1, 3)), [0, 2, 0])
  assert.deepEqual(await publishScores(live, eventOf(1, 2)), [0, 0, 1])
})

test('a match that left memory is read, and its orders too', async () => {
  const alice = await live.trader(FUNDS_RAW)
  const wet = await live.openMarket('wet')
  await putMatch(live, 'ended', 5, ['wet'])
  const id = await rest(alice, wet)
  await live.call(alice, 'DELETE', `/orders/${id}`)
  await publishScores(live, eventOf(5, 1, { homeScore: 4, isFinished: true }))
  const { published } = live.exchange.pipeline
  assert.ok(published.matches.bySlug('ended') !== undefined, 'its market is in memory')
  await accepted(live.admin('/admin/markets/wet/resolve', { payoutNumerators: [1, 1] }))
  await live.archived('wet')
  assert.equal(published.matches.bySlug('ended'), undefined)
  for (const slug of ['ended', 'wet']) {
    assert.deepEqual(idsOf(await ordersOf(alice, '?statuses=CANCELED', slug)), [id])
    const canceled = await cancelIn(alice, slug)
    assert.deepEqual([canceled.status, at(canceled.body, 'canceled')], [200, []])
  }
  const finished = await live.read('/sports/events?status=finished')
  assert.equal(at(finished.body, 'data', 0, 'slug'), 'ended')
  assert.equal(at(finished.body, 'data', 0, 'score', 'homeScore'), 4)
  assert.deepEqual(await publishScores(live, eventOf(5, 2)), [0, 0, 0])
  const again = await askMatch(live, 'ended', matchBody(5, ['wet']))
  assertRefused(again, 404, 'MARKET_NOT_FOUND')
})

test('a match that is put again after it left memory begins again', async () => {
  await putMatch(live, 'ended', 5, ['rain'])
  const all = await live.read('/sports/events')
  const shown = listAt(all, 'data').filter((each) => at(each, 'slug') === 'ended')
  assert.deepEqual(
    shown.map((each) => [at(each, 'status'), at(each, 'score')]),
    [['upcoming', null]],
  )
  assert.deepEqual(await publishScores(live, eventOf(5, 1)), [1, 0, 0])
  const alice = await live.trader(0)
  assert.equal((await ordersOf(alice, '', 'wet')).status, 404, 'the old market is of no match')
})
