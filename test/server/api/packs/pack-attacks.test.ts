import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DAY_MS } from '../../../../engine/domain/units.ts'
import { exchange } from '../../../support/exchange.ts'
import { at } from '../../../support/json-path.ts'
import type { Trader } from '../../../support/live-exchange.ts'
import type { LiveMarket } from '../../../support/live-orders.ts'
import { ownWallet, PARTNER_RIGHTS, tokenOf } from '../../../support/live-partners.ts'
import { accepted, assertRefused, codeOf, listAt } from '../../../support/replies.ts'

// Buyers that try to win from the house without a risk, with the settings of a start without flags
// (rules §8.2, §8.4). Each of them won before the rule that its test names.

const UNIT = 1_000_000
const HOUSE = 10_000 * UNIT
const STAKE = '70000000'
/** Orders rest for longer than `--pack-rest`, which has steps of a second. */
const RESTED_MS = 32_000
const CLOSE_MS = 60_000
const { live, maker, ann } = await exchange({
  flags: ['--block-ms', '1'],
  traders: { maker: 10_000_000 * UNIT, ann: 100_000 * UNIT },
})
let count = 0

await accepted(live.admin('/admin/house', { collateralRaw: HOUSE }))

/** An ask for YES at these ticks, by a bid for NO. */
const ask = (ticks: number, sizeRaw = 1000 * UNIT) =>
  ({ outcome: 1, ticks: 1000 - ticks, sizeRaw }) as const
const bid = (ticks: number, sizeRaw = 1000 * UNIT) => ({ ticks, sizeRaw })

const fresh = (fields: object = {}) => live.openMarket(`attacked-${++count}`, fields)

/** Markets with bids and asks around 0.5, by whoever it is. */
async function pairOf(
  by: Trader,
  fields: object = {},
  sizeRaw = 1000 * UNIT,
): Promise<LiveMarket[]> {
  const markets = [await fresh(fields), await fresh(fields)]
  for (const market of markets) {
    await live.placed(by, market, ask(500, sizeRaw))
    await live.placed(by, market, bid(490, sizeRaw))
  }
  return markets
}

async function restedPair(by = maker, sizeRaw?: number): Promise<LiveMarket[]> {
  const markets = await pairOf(by, {}, sizeRaw)
  live.shiftClock(RESTED_MS)
  return markets
}

const legsOf = (markets: readonly LiveMarket[]) =>
  markets.map(({ slug: marketSlug }) => ({ marketSlug, outcomeIndex: 0 }))

const quote = (by: Trader, markets: readonly LiveMarket[], stake = STAKE) =>
  live.call(by, 'POST', '/parlay/quote', { legs: legsOf(markets), stake })

async function reasons(by: Trader, markets: readonly LiveMarket[]): Promise<unknown[]> {
  return listAt(await quote(by, markets), 'ineligibleReasons').map((each) => at(each, 'code'))
}

async function quoted(by: Trader, markets: readonly LiveMarket[]): Promise<string> {
  const { body, text } = await quote(by, markets)
  assert.equal(at(body, 'eligible'), true, text)
  return String(at(body, 'quoteId'))
}

const create = (
  by: Trader,
  markets: readonly LiveMarket[],
  quoteId: string,
  changes: object = {},
) => {
  const body = { quoteId, legs: legsOf(markets), stake: STAKE, ...changes }
  return live.patientCall(by, 'POST', '/parlay/create', body)
}

async function buy(by: Trader, markets: readonly LiveMarket[]): Promise<void> {
  await accepted(create(by, markets, await quoted(by, markets)), 201)
}

test('an ask that is shown for a moment prices no leg', async () => {
  const markets = await restedPair()
  for (const market of markets) await live.placed(await live.trader(1000 * UNIT), market, ask(495))
  live.shiftClock(200)
  const { body, text } = await quote(ann, markets)
  assert.deepEqual([at(body, 'eligible'), at(body, 'legs', '0', 'bookPrice')], [true, 0.5], text)
  assert.equal(at(body, 'payout'), String(252 * UNIT), 'what asks at 0.5 pay')
  const shown = await pairOf(maker)
  live.shiftClock(200)
  assert.deepEqual(await reasons(ann, shown), ['NO_LIQUIDITY', 'NO_LIQUIDITY'])
})

test('a book of one side prices no leg', async () => {
  const [first, second] = await restedPair()
  const oneSided = await fresh()
  await live.placed(maker, oneSided, ask(500))
  const thin = await fresh()
  await live.placed(maker, thin, ask(500))
  await live.placed(maker, thin, bid(490, UNIT))
  await live.placed(maker, thin, bid(399))
  live.shiftClock(RESTED_MS)
  assert.deepEqual(await reasons(ann, [first, oneSided]), ['NO_LIQUIDITY'])
  assert.deepEqual(await reasons(ann, [first, thin]), ['INSUFFICIENT_DEPTH'], 'bids far below')
  assert.deepEqual(await reasons(ann, [first, second]), [])
})

test('orders of the buyer, its partner and their sub-accounts price no leg for it', async () => {
  const wanted = ['NO_LIQUIDITY', 'NO_LIQUIDITY']
  const own = await restedPair(ann)
  assert.deepEqual(await reasons(ann, own), wanted)
  assert.deepEqual(await reasons(maker, own), [], 'they price legs for others')
  const partner = await tokenOf(live, await live.trader(100_000 * UNIT), PARTNER_RIGHTS)
  const child = await ownWallet(live, partner, 100_000 * UNIT)
  const sibling = await ownWallet(live, partner, 100_000 * UNIT)
  const ofPartner = await pairOf(partner)
  const ofChild = await restedPair(child)
  for (const buyer of [partner, child, sibling]) {
    assert.deepEqual(await reasons(buyer, ofPartner), wanted)
    assert.deepEqual(await reasons(buyer, ofChild), wanted)
  }
  assert.deepEqual(await reasons(ann, ofPartner), [])
})

test('a leg closes a minute before its market does', async () => {
  const deadline = live.nowMs() + CLOSE_MS + 3_600_000
  const markets = await pairOf(maker, { deadline })
  live.shiftClock(RESTED_MS)
  const early = await quoted(ann, markets)
  live.shiftClock(deadline - live.nowMs() - CLOSE_MS)
  assert.deepEqual(await reasons(ann, markets), ['MARKET_NOT_ACTIVE', 'MARKET_NOT_ACTIVE'])
  assert.notEqual((await create(ann, markets, early)).status, 201)
  const offering = { legs: legsOf(markets), stakeMax: STAKE, payout: '100000000' }
  const offer = await live.call(maker, 'POST', '/parlay/offers', offering)
  assert.equal(codeOf(offer), 'PACK_NOT_ELIGIBLE')
})

test('shares that priced a pack price no other until new ones have rested', async () => {
  // Each pack of 70 needs 252 shares of each leg.
  const markets = await restedPair(maker, 300 * UNIT)
  await buy(ann, markets)
  const short = ['INSUFFICIENT_DEPTH', 'INSUFFICIENT_DEPTH']
  for (const buyer of [ann, await live.trader(1000 * UNIT)]) {
    assert.deepEqual(await reasons(buyer, markets), short)
  }
  for (const market of markets) await live.placed(maker, market, ask(500, 210 * UNIT))
  assert.deepEqual(await reasons(ann, markets), short)
  live.shiftClock(RESTED_MS)
  assert.deepEqual(await reasons(ann, markets), [])
})

test('a quote makes one pack, whatever keys its calls have', async () => {
  const markets = await restedPair()
  const quoteId = await quoted(ann, markets)
  const first = await accepted(create(ann, markets, quoteId, { idempotencyKey: 'first' }), 201)
  const again = await create(ann, markets, quoteId, { idempotencyKey: 'first' })
  assert.deepEqual([again.status, at(again.body, 'id')], [201, at(first.body, 'id')])
  for (const change of [{ idempotencyKey: 'second' }, {}]) {
    const other = await create(ann, markets, quoteId, change)
    assertRefused(other, 409, 'QUOTE_USED')
  }
})

test('a market that delays takers takes no packs', async () => {
  const [first] = await restedPair()
  const [delayed] = await pairOf(maker, { takerDelayMs: 5000 })
  live.shiftClock(RESTED_MS)
  assert.deepEqual(await reasons(ann, [first, delayed]), ['MARKET_NOT_ELIGIBLE'])
  const listed = listAt(await live.send('GET', '/parlay/markets?limit=50'), 'data')
  const slugs = listed.map((each) => at(each, 'marketSlug'))
  assert.deepEqual([slugs.includes(first.slug), slugs.includes(delayed.slug)], [true, false])
})

test('markets with one correlation key are never in one pack, until one loses it', async () => {
  const markets = await pairOf(maker, { correlationKey: 'bitcoin above' })
  live.shiftClock(RESTED_MS)
  assert.deepEqual(await reasons(ann, markets), ['CORRELATED_LEGS'])
  const { body } = await live.operator('GET', `/admin/markets?slug=${markets[0].slug}`)
  assert.equal(at(body, 'markets', '0', 'correlationKey'), 'bitcoin above')
  const path = `/admin/markets/${markets[0].slug}`
  await accepted(live.operator('PATCH', path, { correlationKey: '' }))
  assert.deepEqual(await reasons(ann, markets), [])
})

test('one time window is in a pack once, whatever its symbol', async () => {
  const series = (symbol: string, subFrequency: string) => {
    const slug = symbol.toLowerCase()
    const names = { stableSlug: `${slug}-now`, slugPrefix: slug }
    const about = { title: `${symbol} up?`, assetName: symbol, strikePrice: '1' }
    const key = { symbol, frequency: 'minutely', subFrequency }
    return live.admin('/admin/series', { ...key, ...names, ...about })
  }
  for (const symbol of ['BTC', 'ETH']) {
    await accepted(series(symbol, 'minutes_5'), 201)
  }
  const btc = await fresh({ correlationKey: 'BTC' })
  const { published } = live.exchange.pipeline
  const slotOf = async (prefix: string) => {
    const isSlot = (slug: string) => slug.startsWith(`${prefix}-`)
    for (;;) {
      const slot = published.all().find(({ market }) => isSlot(market.slug))
      if (slot !== undefined) return { ...btc, slug: slot.market.slug }
      await new Promise(setImmediate)
    }
  }
  const slots = [await slotOf('btc'), await slotOf('eth')]
  const codes = async (markets: readonly LiveMarket[]) =>
    (await reasons(ann, markets)).filter((code) => code === 'CORRELATED_LEGS')
  assert.deepEqual(await codes(slots), ['CORRELATED_LEGS'])
  assert.deepEqual(await codes([slots[0], btc]), ['CORRELATED_LEGS'], 'a series has its symbol')
  assert.deepEqual(await codes([slots[1], btc]), [])
})

test('the packs of one day cost the house a tenth at most, whoever buys', async () => {
  live.shiftClock(DAY_MS - (live.nowMs() % DAY_MS))
  const house = async () => (await live.operator('GET', '/admin/house')).body
  const number = async (name: string) => Number(at(await house(), name))
  // A pack of 70 that pays 252 costs 182 at most.
  for (let made = 0; (await number('dayLossRaw')) + 182 * UNIT <= (await number('dayBoundRaw')); ) {
    assert.ok(made++ < 20, 'the house stops')
    await buy(await live.trader(100 * UNIT), await restedPair())
  }
  const bound = await number('dayBoundRaw')
  assert.ok(bound <= HOUSE / 10, `a bound of ${bound}`)
  const fresh = await live.trader(100 * UNIT)
  assert.deepEqual(await reasons(fresh, await restedPair()), ['HOUSE_CAPACITY'])
  const more = await live.admin('/admin/house', { dayLossMaxRaw: 2000 * UNIT })
  assert.deepEqual([more.status, at(more.body, 'dayBoundRaw')], [200, 2000 * UNIT], more.text)
  await buy(fresh, await restedPair())
  await accepted(live.admin('/admin/house', { dayLossMaxRaw: 0 }))
  assert.deepEqual(await reasons(fresh, await restedPair()), ['HOUSE_CAPACITY'])
  const back = await live.admin('/admin/house', { dayLossMaxRaw: null })
  assert.equal(at(back.body, 'dayLossMaxRaw'), null)
  assert.equal((await live.admin('/admin/house', {})).status, 400)
})

test('a part of an offer that would win nothing is refused', async () => {
  const markets = await restedPair()
  const offering = { legs: legsOf(markets), stakeMax: '99999999', payout: '100000000' }
  const offer = await accepted(live.call(maker, 'POST', '/parlay/offers', offering), 201)
  const path = `/parlay/offers/${at(offer.body, 'id')}/accept`
  const small = await live.patientCall(ann, 'POST', path, { stake: '1000000' })
  assert.equal(codeOf(small), 'STAKE_TOO_LOW', small.text)
  const whole = await live.patientCall(ann, 'POST', path, { stake: '99999999' })
  assert.deepEqual([whole.status, at(whole.body, 'payout')], [201, '100000000'], whole.text)
})
