import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exchange } from '../../../support/exchange.ts'
import { at, textAt } from '../../../support/json-path.ts'
import type { Trader } from '../../../support/live-exchange.ts'
import type { OrderRequest } from '../../../support/live-orders.ts'
import { ownWallet, PARTNER_RIGHTS, serverWallet } from '../../../support/live-partners.ts'
import { accepted, codeOf, listAt, type Reply } from '../../../support/replies.ts'

// What anybody sees of an account, and reads that clients of other languages make of their own.

const SHARE = 1_000_000
const FUNDS_RAW = 10_000 * SHARE
const NOBODY = '0x00000000000000000000000000000000000000a1'
const { live } = await exchange()

await live.openGroupAndPool()
const rain = await live.openMarket('rain')
const alice = await live.trader(FUNDS_RAW)
const bob = await live.trader(FUNDS_RAW, { apiToken: { scopes: PARTNER_RIGHTS } })
// Bob has 100 YES at 0.45, sells 40 of them at 0.6, and 0.58 is the midpoint (rules §9.1).
await placed(alice, { outcome: 1, ticks: 550, sizeRaw: 100 * SHARE })
await placed(bob, { ticks: 450, sizeRaw: 100 * SHARE })
await placed(bob, { side: 'sell', ticks: 600, sizeRaw: 40 * SHARE })
await placed(alice, { ticks: 600, sizeRaw: 40 * SHARE })
await placed(alice, { ticks: 560, sizeRaw: 100 * SHARE })
await placed(alice, { outcome: 1, ticks: 400, sizeRaw: 100 * SHARE })

async function placed(trader: Trader, wanted: OrderRequest, market = rain) {
  await live.placed(trader, market, wanted)
}

const open = (path: string): Promise<Reply> => live.read(path)
const get = (trader: Trader, path: string, change = {}) =>
  live.call(trader, 'GET', path, undefined, change)
const positionsOf = (account: string, query = '') => `/portfolio/${account}/positions${query}`
const historyOf = (account: string, query = '') => `/portfolio/${account}/history${query}`

test('anybody reads what an account holds, and none of its orders', async () => {
  const reply = await accepted(open(positionsOf(bob.account)))
  assert.match(String(reply.headers.get('cache-control')), /^public/)
  const { market, ...row } = Object(listAt(reply, 'data')[0])
  assert.equal(at(market, 'slug'), 'rain')
  assert.deepEqual(row, {
    asset: rain.tokens[0],
    outcome: 'Yes',
    outcomeIndex: 0,
    size: '60',
    avgPrice: '0.45',
    curPrice: '0.58',
    initialValue: '27',
    currentValue: '34.8',
    cashPnl: '7.8',
    realizedPnl: '6',
  })
  const own = await get(bob, '/portfolio/positions')
  const { orders, rewards, ...shares } = Object(at(own.body, 'clob', 0))
  assert.ok(orders !== undefined && rewards !== undefined)
  assert.deepEqual(listAt(reply, 'clob'), [shares], 'the same without orders and rewards')
  // Alice has open orders in a market of which she holds nothing.
  const calm = await live.openMarket('calm')
  await placed(alice, { ticks: 100, sizeRaw: SHARE }, calm)
  const ofAlice = await open(positionsOf(alice.account))
  assert.deepEqual(
    listAt(ofAlice, 'clob').map((each) => at(each, 'market', 'slug')),
    ['rain'],
  )
  assert.doesNotMatch(ofAlice.text, /"orders"|"rewards"|liveOrders/)
})

test('anybody reads what an account did, without the ids of its orders', async () => {
  let own = await get(bob, '/portfolio/history')
  let shown = await open(historyOf(bob.account))
  // Between two reads a block may give a trade its transaction.
  for (let before = ''; before !== own.text; ) {
    before = own.text
    shown = await open(historyOf(bob.account))
    own = await get(bob, '/portfolio/history')
  }
  assert.equal(shown.status, 200, shown.text)
  const named = ['orderId', 'makerMatchId']
  const bare = listAt(own, 'data').map((each) =>
    Object.fromEntries(Object.entries(Object(each)).filter(([name]) => !named.includes(name))),
  )
  assert.deepEqual(listAt(shown, 'data'), bare)
  assert.ok(named.every((name) => own.text.includes(name) && !shown.text.includes(name)))
  const first = await open(historyOf(bob.account, '?limit=1'))
  const next = await open(
    historyOf(bob.account, `?limit=1&cursor=${textAt(first.body, 'nextCursor')}`),
  )
  assert.deepEqual([...listAt(first, 'data'), ...listAt(next, 'data')], bare.slice(0, 2))
})

test('an account that never came is empty, and what is no account is refused', async () => {
  for (const path of [positionsOf(NOBODY), historyOf(NOBODY)]) {
    const reply = await open(path)
    assert.deepEqual([reply.status, listAt(reply, 'data')], [200, []], path)
  }
  // The last letter has the wrong case for its checksum.
  const flipped = bob.account.replace(/[a-fA-F](?=[^a-fA-F]*$)/, (letter) =>
    letter === letter.toUpperCase() ? letter.toLowerCase() : letter.toUpperCase(),
  )
  for (const account of ['rain', '0x12', flipped]) {
    for (const path of [positionsOf(account), historyOf(account)]) {
      assert.equal(codeOf(await open(path)), 'VALIDATION', path)
    }
  }
})

test('a page of a public read is bounded, and its cursor is of its own list', async () => {
  for (const query of ['?limit=0', '?limit=101', '?cursor=%21', '?cursor=bm9uZQ', '?x=1']) {
    for (const path of [positionsOf(bob.account, query), historyOf(bob.account, query)]) {
      assert.equal(codeOf(await open(path)), 'VALIDATION', path)
    }
  }
  for (const of of [positionsOf, historyOf]) {
    assert.equal(codeOf(await open(of(bob.account, '?market=nothing'))), 'MARKET_NOT_FOUND')
    const ofRain = await open(of(bob.account, '?market=rain'))
    assert.ok(listAt(ofRain, 'data').length > 0)
  }
  const many = await live.trader(1000 * SHARE)
  for (const slug of ['m1', 'm2', 'm3']) {
    await live.openMarket(slug)
    const conditionId = live.exchange.pipeline.clearing.catalogue.bySlug(slug)?.conditionId
    const amount = String(SHARE)
    await live.call(many, 'POST', '/portfolio/split', { conditionId, amount })
  }
  const found: unknown[] = []
  for (let cursor: unknown = ''; cursor !== null; ) {
    const part = await open(positionsOf(many.account, `?limit=2&cursor=${cursor}`))
    assert.ok(listAt(part, 'clob').length <= 2)
    found.push(...listAt(part, 'data').map((each) => at(each, 'market', 'slug')))
    cursor = at(part.body, 'nextCursor')
  }
  assert.deepEqual(found, ['m3', 'm3', 'm2', 'm2', 'm1', 'm1'])
})

test('an address shares its public reads with nobody, and pays for them', async () => {
  const { live: limited } = await exchange({
    flags: ['--address-header', 'x-forwarded-for', '--address-rate-public', '1:3'],
    limited: true,
  })
  const by = (address: string) =>
    limited.send('GET', positionsOf(NOBODY), { headers: { 'x-forwarded-for': address } })
  const replies: Reply[] = []
  while (replies.at(-1)?.status !== 429) replies.push(await by('10.0.0.1'))
  assert.ok(replies.length > 1)
  assert.equal((await by('10.0.0.2')).status, 200)
})

test('positions have a summary of all that is held, on the first page alone', async () => {
  const whole = await get(bob, '/portfolio/positions')
  assert.deepEqual(at(whole.body, 'summary'), {
    totalValue: 34_800_000,
    totalCostBasis: 27_000_000,
    totalUnrealizedPnl: 7_800_000,
    totalRealizedPnl: 6_000_000,
    totalUnrealizedPnlPercent: 28.89,
    totalUnpaidRewards: 0,
    positionCount: 1,
    marketCount: 1,
    breakdown: {
      clob: { positions: 1, value: 34_800_000, pnl: 7_800_000 },
      amm: { positions: 0, value: 0, pnl: 0 },
    },
  })
  const one = await get(bob, '/portfolio/positions?market=rain')
  assert.equal(at(one.body, 'summary'), undefined)
  const fresh = await get(await live.trader(0), '/portfolio/positions')
  assert.equal(at(fresh.body, 'summary', 'totalUnrealizedPnlPercent'), 0)
})

test('points are none, in the shape that clients read', async () => {
  const reply = await get(bob, '/portfolio/points')
  assert.deepEqual(reply.body, { points: 0, accumulativePoints: 0, breakdown: [] })
  assert.equal((await live.send('GET', '/portfolio/points')).status, 401)
})

test('the allowance is what orders may reserve; 0 where a wallet has not approved', async () => {
  const path = '/portfolio/trading/allowance'
  const own = await live.trader(7 * SHARE)
  const reply = await get(own, `${path}?type=clob`)
  assert.deepEqual(reply.body, {
    type: 'clob',
    spender: rain.exchange,
    checkedAddress: own.account,
    allowance: String(7 * SHARE),
    allowanceFormatted: '7',
    hasMinimumAllowance: true,
  })
  await placed(own, { ticks: 100, sizeRaw: 10 * SHARE })
  assert.equal(at((await get(own, path)).body, 'allowance'), String(6 * SHARE))
  const desk = await serverWallet(live, bob, 5 * SHARE)
  const asDesk = { headers: { 'x-on-behalf-of': String(desk.profileId) } }
  const approved = await get(bob, path, asDesk)
  assert.deepEqual(
    ['checkedAddress', 'allowance', 'hasMinimumAllowance'].map((name) => at(approved.body, name)),
    [desk.account, String(5 * SHARE), true],
  )
  const elsewhere = await get(bob, `${path}?type=negrisk&spender=${NOBODY}`, asDesk)
  assert.deepEqual(
    ['type', 'spender', 'allowance', 'hasMinimumAllowance'].map((name) => at(elsewhere.body, name)),
    ['negrisk', NOBODY, '0', false],
  )
  const signer = await ownWallet(live, bob, SHARE)
  const asSigner = { headers: { 'x-on-behalf-of': String(signer.profileId) } }
  assert.equal(at((await get(bob, path, asSigner)).body, 'hasMinimumAllowance'), true)
  for (const query of ['?type=amm', '?spender=rain', '?x=1']) {
    assert.equal(codeOf(await get(own, path + query)), 'VALIDATION', query)
  }
  const foreign = { headers: { 'x-on-behalf-of': String(alice.profileId) } }
  assert.equal(codeOf(await get(bob, path, foreign)), 'NOT_SUB_ACCOUNT')
})

test('the locked balance is what open orders reserve in a market, or in a group', async () => {
  const own = await live.trader(100 * SHARE)
  const lockedIn = async (slug: string) => {
    const { body } = await get(own, `/markets/${slug}/locked-balance`)
    return [at(body, 'lockedBalance'), at(body, 'lockedShares')]
  }
  const hail = await live.openMarket('hail')
  assert.deepEqual(await lockedIn('hail'), ['0', '0'])
  const { conditionId = '' } = live.exchange.pipeline.clearing.catalogue.bySlug('hail') ?? {}
  await live.call(own, 'POST', '/portfolio/split', { conditionId, amount: String(10 * SHARE) })
  await placed(own, { ticks: 300, sizeRaw: 10 * SHARE }, hail)
  await placed(own, { side: 'sell', ticks: 700, sizeRaw: 4 * SHARE }, hail)
  assert.deepEqual(await lockedIn('hail'), [String(3 * SHARE), String(4 * SHARE)])
  for (const slug of ['cup-reds', 'cup-blues']) {
    await placed(own, { ticks: 200, sizeRaw: 5 * SHARE }, await live.marketOf(slug))
  }
  assert.deepEqual(await lockedIn('cup'), [String(2 * SHARE), '0'])
  assert.deepEqual(await lockedIn('cup-reds'), [String(SHARE), '0'])
  const whole = await get(own, '/markets/hail/locked-balance')
  assert.equal(at(whole.body, 'lockedBalanceFormatted'), '3')
  await live.call(own, 'DELETE', '/orders/all')
  assert.deepEqual(await lockedIn('hail'), ['0', '0'])
  assert.equal(codeOf(await get(own, '/markets/nothing/locked-balance')), 'MARKET_NOT_FOUND')
  assert.equal((await live.send('GET', '/markets/hail/locked-balance')).status, 401)
})
