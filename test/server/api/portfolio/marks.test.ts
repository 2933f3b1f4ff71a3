import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exchange } from '../../../support/exchange.ts'
import { at } from '../../../support/json-path.ts'
import type { LiveMarket } from '../../../support/live-orders.ts'
import { accepted } from '../../../support/replies.ts'

// A mark needs a least size (rules §9.1): what costs nothing to show marks no position, on no page
// and on no board.

const SHARE = 1_000_000
const HELD_RAW = 1000 * SHARE
const BIGGEST = '/leaderboard/pnl/unrealized/biggest-positions'
const { live, holder, other } = await exchange({
  fundsRaw: 10_000 * SHARE,
  traders: { holder: { username: 'holder' }, other: {} },
})

/** The holder buys 1,000 shares at 0.50 in a new market without a fee. */
async function bought(slug: string): Promise<LiveMarket> {
  const market = await live.openMarket(slug, { minSizeRaw: 10 * SHARE })
  await live.placed(other, market, { outcome: 1, ticks: 500, sizeRaw: HELD_RAW })
  await live.placed(holder, market, { ticks: 500, sizeRaw: HELD_RAW })
  return market
}

async function sideOf(slug: string, outcome: 'yes' | 'no' = 'yes') {
  const { body } = await live.call(holder, 'GET', `/portfolio/positions?market=${slug}`)
  return at(body, 'clob', 0, 'positions', outcome)
}

/** Worth, profit and source of the holder's YES shares on the board of biggest positions. */
async function onBoard(slug: string): Promise<unknown[]> {
  await live.counted()
  const { body } = await live.read(BIGGEST)
  const data = at(body, 'data')
  assert(Array.isArray(data))
  const row = data.find((each) => {
    const isHolder = at(each, 'profileId') === holder.profileId
    return isHolder && at(each, 'side') === 'YES' && at(each, 'market', 'slug') === slug
  })
  return [
    at(row, 'positionSize', 'raw'),
    at(row, 'unrealizedPnl', 'raw'),
    at(row, 'mark', 'source'),
  ]
}

async function marksAt(slug: string, ticks: number, source: string): Promise<void> {
  const worthRaw = (HELD_RAW / 1000) * ticks
  const gainRaw = worthRaw - HELD_RAW / 2
  const side = await sideOf(slug)
  assert.deepEqual(
    [at(side, 'marketValue'), at(side, 'unrealizedPnl')],
    [String(worthRaw), String(gainRaw)],
  )
  assert.deepEqual(await onBoard(slug), [String(worthRaw), String(gainRaw), source])
}

test('one bid of dust marks nothing: 1,000 shares bought at 0.50 gained nothing', async () => {
  const market = await bought('dust-bid')
  await live.placed(other, market, { ticks: 990, sizeRaw: SHARE / 1000 })
  await marksAt('dust-bid', 500, 'last_trade')
})

test('one side of a book marks nothing, however large it is', async () => {
  const market = await bought('one-side')
  await live.placed(other, market, { ticks: 600, sizeRaw: HELD_RAW })
  await marksAt('one-side', 500, 'last_trade')
})

test('two accounts that trade dust mark nothing, and a trade of ten shares does', async () => {
  const market = await bought('dust-trade')
  await live.placed(other, market, { outcome: 1, ticks: 1, sizeRaw: SHARE / 1000 })
  await live.placed(holder, market, { ticks: 999, sizeRaw: SHARE / 1000 })
  const { body } = await live.call(holder, 'GET', '/portfolio/positions?market=dust-trade')
  assert.equal(at(body, 'clob', 0, 'latestTrade', 'latestYesPrice'), 0.999)
  const side = at(body, 'clob', 0, 'positions', 'yes')
  assert.equal(at(side, 'marketValue'), String((HELD_RAW + 1000) / 2))
  await live.placed(other, market, { outcome: 1, ticks: 300, sizeRaw: 10 * SHARE })
  await live.placed(holder, market, { ticks: 700, sizeRaw: 10 * SHARE })
  const marked = await sideOf('dust-trade')
  assert.equal(at(marked, 'marketValue'), String((1010 * SHARE + 1000) * 0.7))
})

test('both sides mark from the price at which they have the least size together', async () => {
  const market = await bought('two-sides')
  for (const [ticks, sizeRaw] of [
    [620, SHARE],
    [600, 8 * SHARE],
    [580, SHARE],
  ] as const) {
    await live.placed(other, market, { ticks, sizeRaw })
  }
  await live.placed(other, market, { outcome: 1, ticks: 360, sizeRaw: 9 * SHARE })
  await marksAt('two-sides', 500, 'last_trade')
  await live.placed(other, market, { outcome: 1, ticks: 320, sizeRaw: SHARE })
  // Ten shares rest at 0.58 or better, and ten at 0.68 or better.
  await marksAt('two-sides', 630, 'midpoint')
})

test('shares of a market without any price are worth what they cost', async () => {
  await live.openMarket('no-price')
  const conditionId = live.exchange.pipeline.clearing.catalogue.bySlug('no-price')?.conditionId
  const split = { conditionId, amount: String(HELD_RAW) }
  await accepted(live.call(holder, 'POST', '/portfolio/split', split), 201)
  for (const outcome of ['yes', 'no'] as const) {
    const side = await sideOf('no-price', outcome)
    assert.deepEqual([at(side, 'marketValue'), at(side, 'unrealizedPnl')], ['500000000', '0'])
  }
  assert.deepEqual(await onBoard('no-price'), ['500000000', '0', 'cost'])
})
