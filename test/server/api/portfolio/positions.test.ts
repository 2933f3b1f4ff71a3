import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Client } from '@limitless-exchange/sdk'
import { exchange } from '../../../support/exchange.ts'
import { at } from '../../../support/json-path.ts'
import type { Trader } from '../../../support/live-exchange.ts'
import { PARTNER_RIGHTS, serverWallet } from '../../../support/live-partners.ts'
import { accepted } from '../../../support/replies.ts'

// What a profile has: balance, positions and their worth (rules §9.1).

const SHARE = 1_000_000
const FUNDS_RAW = 10_000 * SHARE
const { live, rain, alice, bob } = await exchange({
  markets: { rain: { fee: true } },
  fundsRaw: FUNDS_RAW,
  traders: { alice: {}, bob: { apiToken: { scopes: PARTNER_RIGHTS } } },
})

const get = (trader: Trader, path: string, change = {}) =>
  live.call(trader, 'GET', path, undefined, change)
const clob = async (trader: Trader) => at((await get(trader, '/portfolio/positions')).body, 'clob')

test('the balance follows each order, and states what may be withdrawn', async () => {
  const wanted = { ticks: 100, sizeRaw: 1000 * SHARE }
  const placed = await live.place(alice, rain, wanted)
  assert.equal(placed.status, 201)
  const reply = await get(alice, '/portfolio/balance')
  assert.deepEqual(reply.body, {
    free: String(9900 * SHARE),
    reserved: String(100 * SHARE),
    inOrders: String(100 * SHARE),
    parked: '0',
    withdrawable: String(9900 * SHARE),
    total: String(FUNDS_RAW),
  })
  await live.call(alice, 'DELETE', '/orders/all/rain')
  assert.equal(at((await get(alice, '/portfolio/balance')).body, 'free'), String(FUNDS_RAW))
})

test('the worked example: cost, average, profit and worth of a position (rules §9.1)', async () => {
  // 100 @ 0.45 with a fee of 3%, then 40 @ 0.60 as maker.
  await live.place(alice, rain, { outcome: 1, ticks: 550, sizeRaw: 100 * SHARE })
  await live.place(bob, rain, { ticks: 450, sizeRaw: 100 * SHARE })
  const shown = async () => at(await clob(bob), 0, 'positions', 'yes')
  const bought = await shown()
  const costs = ['cost', 'fillPrice', 'realisedPnl'].map((name) => at(bought, name))
  assert.deepEqual(costs, ['45000000', '463918', '0'])
  await live.place(bob, rain, { side: 'sell', ticks: 600, sizeRaw: 40 * SHARE })
  await live.place(alice, rain, { ticks: 600, sizeRaw: 40 * SHARE })
  // The midpoint of 0.56 and 0.60 is the mark.
  await live.place(alice, rain, { ticks: 560, sizeRaw: 100 * SHARE })
  await live.place(alice, rain, { outcome: 1, ticks: 400, sizeRaw: 100 * SHARE })
  assert.deepEqual(await shown(), {
    cost: '26443299',
    fillPrice: '463918',
    marketValue: '33060000',
    realisedPnl: '5443299',
    unrealizedPnl: '6616701',
  })
  assert.deepEqual(at(await clob(bob), 0, 'tokensBalance'), { yes: '57000000', no: '0' })
  assert.deepEqual(at(await clob(bob), 0, 'latestTrade'), {
    latestYesPrice: 0.6,
    latestNoPrice: 0.4,
    outcomeTokenPrice: 0.6,
  })
})

test('open orders stand in the row of their market, with what they lock', async () => {
  const row = at(await clob(alice), 0)
  assert.equal(at(row, 'market', 'slug'), 'rain')
  const orders = at(row, 'orders', 'liveOrders')
  assert(Array.isArray(orders))
  assert.deepEqual(
    orders.map((order) => at(order, 'price')),
    [0.4, 0.56],
  )
  assert.equal(at(row, 'orders', 'totalCollateralLocked'), String(96 * SHARE))
  assert.deepEqual(at(await clob(bob), 0, 'orders', 'liveOrders'), [])
})

test('a fill that was answered is in the next positions of both sides', async () => {
  const fast = await live.openMarket('fast')
  for (let slice = 0; slice < 20; slice++) {
    await live.place(alice, fast, { outcome: 1, ticks: 500, sizeRaw: SHARE })
    await live.place(bob, fast, { ticks: 500, sizeRaw: SHARE })
    const held = await Promise.all([clob(bob), clob(alice)])
    const shares = held.map((rows, index) => {
      return at(rows, 0, 'tokensBalance', index === 0 ? 'yes' : 'no')
    })
    assert.deepEqual(shares, Array(2).fill(String((slice + 1) * SHARE)))
  }
})

test('a resolved market shows its payout, and leaves the list once it is redeemed', async () => {
  await live.openMarket('over')
  const { catalogue } = live.exchange.pipeline.clearing
  const market = catalogue.bySlug('over')
  assert(market !== undefined)
  const { conditionId } = market
  await live.call(bob, 'POST', '/portfolio/split', { conditionId, amount: '4000000' })
  await live.admin('/admin/markets/over/resolve', { payoutNumerators: [1, 3] })
  const row = at(await clob(bob), 0)
  assert.deepEqual(at(row, 'market', 'closed'), true)
  assert.deepEqual(at(row, 'market', 'payoutNumerators'), [1, 3])
  assert.deepEqual(at(row, 'positions', 'yes', 'marketValue'), '1000000')
  assert.deepEqual(at(row, 'positions', 'no', 'unrealizedPnl'), '1000000')
  while (!market.isPaidOut) await new Promise(setImmediate)
  await accepted(live.call(bob, 'POST', '/portfolio/redeem', { conditionId }), 201)
  assert.notEqual(at(await clob(bob), 0, 'market', 'slug'), 'over')
})

test('a market that never traded and has no deadline fills every field of its row', async () => {
  const calm = await live.openMarket('calm')
  const latest = async () => at(await clob(alice), 0, 'latestTrade')
  await live.place(alice, calm, { ticks: 300, sizeRaw: SHARE })
  // No ask counts as 1.
  const untraded = { latestYesPrice: 0.65, latestNoPrice: 0.35, outcomeTokenPrice: 0.65 }
  assert.deepEqual(await latest(), untraded)
  assert.equal(at(await clob(alice), 0, 'market', 'deadline'), '9999-12-31T00:00:00.000Z')
  const deadline = live.nowMs() + 3_600_000
  const soon = await live.openMarket('soon', { deadline })
  await live.place(alice, soon, { ticks: 300, sizeRaw: SHARE })
  const ends = at(await clob(alice), 0, 'market', 'deadline')
  assert.equal(ends, new Date(deadline).toISOString())
  for (const slug of ['calm', 'soon']) await live.call(alice, 'DELETE', `/orders/all/${slug}`)
})

test('a partner reads what its sub-account has, and of no other profile', async () => {
  const child = await serverWallet(live, bob, 7 * SHARE)
  const asChild = { headers: { 'x-on-behalf-of': String(child.profileId) } }
  const balance = await get(bob, '/portfolio/balance', asChild)
  assert.equal(at(balance.body, 'free'), String(7 * SHARE))
  const positions = await get(bob, '/portfolio/positions', asChild)
  assert.deepEqual(at(positions.body, 'clob'), [])
  const foreign = { headers: { 'x-on-behalf-of': String(alice.profileId) } }
  for (const path of ['balance', 'positions', 'trades']) {
    assert.equal((await get(bob, `/portfolio/${path}`, foreign)).status, 403)
    assert.equal((await live.send('GET', `/portfolio/${path}`)).status, 401)
  }
})

test('the portfolio calls of the public client work unmodified', async () => {
  const { tokenId, secret } = bob
  const baseURL = `http://127.0.0.1:${live.port}`
  const { portfolio } = new Client({ baseURL, hmacCredentials: { tokenId, secret } })
  const whole = await portfolio.getPositions()
  assert.deepEqual(await portfolio.getCLOBPositions(), whole.clob)
  assert.deepEqual(await portfolio.getAMMPositions(), [])
  const row = whole.clob.find(({ market }) => market.slug === 'rain')
  assert.equal(row?.positions.yes.cost, '26443299')
})
