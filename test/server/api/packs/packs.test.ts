import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PACK_LIMITS } from '../../../../engine/domain/packs/pack-limits.ts'
import { exchange } from '../../../support/exchange.ts'
import { at } from '../../../support/json-path.ts'
import type { Trader } from '../../../support/live-exchange.ts'
import type { LiveMarket } from '../../../support/live-orders.ts'
import { marketsForPacks } from '../../../support/pack-markets.ts'
import { accepted, codeOf } from '../../../support/replies.ts'

// Packs over HTTP: quotes, stakes, offers and what becomes of them (rules §8).

const UNIT = 1_000_000
const STAKE = '10000000'
const { live, maker, ann, ben } = await exchange({
  flags: ['--block-ms', '1', '--pack-rest', '0'],
  traders: { maker: 1_000_000 * UNIT, ann: 10_000 * UNIT, ben: 10_000 * UNIT },
})
let markets: LiveMarket[]
let count = 0

await accepted(live.admin('/admin/house', { collateralRaw: 10_000 * UNIT }))

/** Two fresh markets whose YES is for sale at 0.5 and at 0.4, and wanted a cent below. */
async function fresh(): Promise<void> {
  count++
  markets = await marketsForPacks(live, maker, [`first-${count}`, `second-${count}`])
}

const legs = (outcomeIndex = 0) =>
  markets.map(({ slug: marketSlug }) => ({ marketSlug, outcomeIndex }))

const get = (path: string) => live.read(path)
const quote = (by: Trader, body: object) => live.call(by, 'POST', '/parlay/quote', body)

async function quoted(by: Trader, stake = STAKE): Promise<string> {
  const { body, text } = await quote(by, { legs: legs(), stake })
  assert.equal(at(body, 'eligible'), true, text)
  return String(at(body, 'quoteId'))
}

const create = (by: Trader, quoteId: string, changes: object = {}) =>
  live.patientCall(by, 'POST', '/parlay/create', {
    quoteId,
    legs: legs(),
    stake: STAKE,
    ...changes,
  })

async function resolve(market: LiveMarket, payoutNumerators: number[]): Promise<void> {
  const path = `/admin/markets/${market.slug}/resolve`
  await accepted(live.admin(path, { payoutNumerators }))
}

async function balance(of: Trader): Promise<{ free: number; parked: number }> {
  const { body } = await live.call(of, 'GET', '/portfolio/balance')
  return { free: Number(at(body, 'free')), parked: Number(at(body, 'parked')) }
}

/** The pack once it is over. */
async function over(id: unknown): Promise<unknown> {
  for (;;) {
    const { body } = await get(`/parlay/positions/${id}`)
    if (at(body, 'status') !== 'ACTIVE') return body
  }
}

test('a quote is priced from the public books', async () => {
  await fresh()
  const { body } = await quote(ann, { legs: legs(), stake: STAKE })
  const names = ['payout', 'toWin', 'fairMultiplier', 'multiplier', 'vigPercent', 'maxStake']
  assert.deepEqual(
    names.map((name) => at(body, name)),
    ['45000000', '35000000', 5, 4.5, 10, '70000000'],
  )
  const [first, second] = [0, 1].map((leg) => at(body, 'legs', String(leg)))
  assert.deepEqual([at(first, 'bookPrice'), at(second, 'bookPrice')], [0.5, 0.4])
  assert.equal(at(first, 'depth'), String(1000 * UNIT))
  const nobody = await live.send('POST', '/parlay/quote', {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ legs: legs(), stake: STAKE }),
  })
  assert.equal(at(nobody.body, 'eligible'), true, nobody.text)
  assert.equal(at(nobody.body, 'quoteId'), null, 'a promise is made to a profile')
})

test('a quote names every reason, and such a pack is refused with the same list', async () => {
  await fresh()
  const [leg] = legs()
  const requested = {
    legs: [leg, leg, { marketSlug: 'no-such-market', outcomeIndex: 1 }],
    stake: '1',
  }
  const { body, status } = await quote(ann, requested)
  assert.equal(status, 200)
  const codes = JSON.stringify(at(body, 'ineligibleReasons')).match(/"code":"[A-Z_]+"/g)
  assert.deepEqual(codes, [
    '"code":"STAKE_TOO_LOW"',
    '"code":"DUPLICATE_MARKET"',
    '"code":"MARKET_NOT_FOUND"',
  ])
  assert.equal(at(body, 'quoteId'), null)
  const quoteId = await quoted(ann)
  const poor = await live.trader(UNIT)
  const theirs = await quoted(poor)
  const refused = await create(poor, theirs)
  assert.equal(refused.status, 422, refused.text)
  assert.equal(at(refused.body, 'ineligibleReasons', '0', 'code'), 'INSUFFICIENT_BALANCE')
  assert.equal(codeOf(await create(ben, quoteId)), 'QUOTE_INVALID', 'a quote of another caller')
  assert.equal(codeOf(await create(ann, quoteId, { stake: '20000000' })), 'QUOTE_INVALID')
  assert.equal(codeOf(await create(ann, quoteId, { legs: legs(1) })), 'QUOTE_INVALID')
  const bent = quoteId.startsWith('A') ? `B${quoteId.slice(1)}` : `A${quoteId.slice(1)}`
  assert.equal(codeOf(await create(ann, bent)), 'QUOTE_INVALID')
})

test('a quote answers at its edges too; a refusal of a leg names its index', async () => {
  await fresh()
  const [first, second] = legs()
  const requested = async (stated: object[], stake = STAKE) => {
    const { body, status, text } = await quote(ann, { legs: stated, stake })
    if (status === 400) return JSON.stringify(at(body, 'message'))
    assert.equal(at(body, 'eligible'), false, text)
    return at(body, 'ineligibleReasons', '0', 'code')
  }
  const many = (length: number) => Array.from({ length }, () => first)
  assert.equal(await requested([]), 'TOO_FEW_LEGS')
  assert.equal(await requested(many(20)), 'TOO_MANY_LEGS')
  assert.match(String(await requested(many(21))), /"field":"legs"/)
  assert.equal(await requested([first, second], '0'), 'STAKE_TOO_LOW')
  for (const wrong of [{ outcomeIndex: 0 }, { ...first, marketId: 1 }]) {
    const stated = await requested([first, wrong])
    assert.equal(stated, '[{"field":"legs.1","message":"must name either marketSlug or marketId"}]')
  }
})

test('more legs than a pack takes are named, and none of them is looked at', async () => {
  await fresh()
  const none = Array.from({ length: PACK_LIMITS.legsMax + 1 }, (_, at) => {
    return { marketSlug: `never-${at}`, outcomeIndex: 0 }
  })
  const { body, text } = await quote(ann, { legs: none, stake: STAKE })
  const codes = at(body, 'ineligibleReasons')
  assert(Array.isArray(codes))
  assert.deepEqual(
    codes.map((each) => at(each, 'code')),
    ['TOO_MANY_LEGS'],
    text,
  )
  assert.deepEqual([at(body, 'legs'), at(body, 'quoteId'), at(body, 'payout')], [[], null, '0'])
  const few = none.slice(1)
  const named = await quote(ann, { legs: few, stake: STAKE })
  const reasons = at(named.body, 'ineligibleReasons')
  assert(Array.isArray(reasons))
  assert.equal(reasons.filter((each) => at(each, 'code') === 'MARKET_NOT_FOUND').length, few.length)
  const quoteId = await quoted(ann)
  assert.equal(codeOf(await create(ann, quoteId, { legs: none })), 'QUOTE_INVALID')
  const offering = { legs: none, stakeMax: STAKE, payout: '20000000' }
  const refused = await live.call(ben, 'POST', '/parlay/offers', offering)
  assert.equal(at(refused.body, 'ineligibleReasons', '0', 'code'), 'TOO_MANY_LEGS')
})

test('a market that is over is not active, also when it left memory', async () => {
  await fresh()
  const [, leg] = legs()
  const { slug } = await live.openMarket(`over-${count}`)
  const path = `/admin/markets/${slug}/resolve`
  const resolved = await live.admin(path, { winningOutcomeIndex: 0 })
  const marketId = at(resolved.body, 'id')
  await live.archived(slug)
  for (const name of [{ marketSlug: slug }, { marketId }]) {
    const requested = [leg, { ...name, outcomeIndex: 0 }]
    const { body, text } = await quote(ann, { legs: requested, stake: STAKE })
    const reason = at(body, 'ineligibleReasons', '0')
    assert.deepEqual([at(reason, 'code'), at(reason, 'legIndex')], ['MARKET_NOT_ACTIVE', 1], text)
    const shown = at(body, 'legs', '1')
    assert.deepEqual([at(shown, 'marketSlug'), at(shown, 'title')], [slug, `Will ${slug}?`])
    const offering = { legs: requested, stakeMax: STAKE, payout: '20000000' }
    const refused = await live.call(ben, 'POST', '/parlay/offers', offering)
    assert.equal(at(refused.body, 'ineligibleReasons', '0', 'code'), 'MARKET_NOT_ACTIVE')
  }
})

test('a pack is made once of its quote, and wins', async () => {
  await fresh()
  const before = await balance(ann)
  const quoteId = await quoted(ann)
  const made = await accepted(create(ann, quoteId), 201)
  const again = await accepted(create(ann, quoteId), 201)
  assert.equal(at(again.body, 'id'), at(made.body, 'id'), 'the same quote gives the same pack')
  const { free, parked } = await balance(ann)
  assert.deepEqual([before.free - free, parked - before.parked], [10 * UNIT, 10 * UNIT])
  await resolve(markets[0], [1, 0])
  await resolve(markets[1], [1, 0])
  const won = await over(at(made.body, 'id'))
  assert.deepEqual([at(won, 'status'), at(won, 'payout')], ['WON', '45000000'])
  assert.equal((await balance(ann)).free - before.free, 35 * UNIT)
  const repeated = await create(ann, quoteId)
  assert.equal(at(repeated.body, 'id'), at(made.body, 'id'))
})

test('a void leg lowers the multiplier with the payout', async () => {
  await fresh()
  const made = await create(ann, await quoted(ann))
  assert.deepEqual([at(made.body, 'payout'), at(made.body, 'multiplier')], ['45000000', 4.5])
  await resolve(markets[0], [1, 0])
  await resolve(markets[1], [1, 1])
  await over(at(made.body, 'id'))
  const { body } = await get(`/parlay/${ann.account}/positions?status=WON&limit=1`)
  const pack = at(body, 'data', '0')
  assert.deepEqual([at(pack, 'payout'), at(pack, 'multiplier')], ['18000000', 1.8])
})

test('a quote ends, and is refused when the books pay less', async () => {
  await fresh()
  const late = await quoted(ann)
  const stale = await quoted(ann, '11000000')
  // The cheap asks are bought.
  await live.placed(ben, markets[0], { ticks: 500, sizeRaw: 1000 * UNIT })
  const dearer = { outcome: 1, ticks: 450, sizeRaw: 1000 * UNIT } as const
  await live.placed(maker, markets[0], dearer)
  assert.equal(codeOf(await create(ann, stale, { stake: '11000000' })), 'QUOTE_CHANGED')
  live.shiftClock(PACK_LIMITS.quoteMs)
  assert.equal(codeOf(await create(ann, late)), 'QUOTE_EXPIRED')
})

test('everybody sees packs: by account, by market, by text and by id', async () => {
  await fresh()
  const made = await create(ann, await quoted(ann))
  const id = at(made.body, 'id')
  const mine = await get(`/parlay/${ann.account}/positions?status=ACTIVE&limit=1`)
  assert.deepEqual(
    [at(mine.body, 'data', '0', 'id'), at(mine.body, 'totalRows'), at(mine.body, 'totalPages')],
    [id, 1, 1],
  )
  assert.equal((await get(`/parlay/${ann.account}/positions?status=OPEN`)).status, 400)
  const far = await get(`/parlay/${ann.account}/positions?offset=99999`)
  assert.deepEqual([far.status, at(far.body, 'offset')], [200, 10_000])
  const byMarket = await get(`/markets/${markets[1].slug}/packs`)
  assert.deepEqual(
    [at(byMarket.body, 'data', '0', 'id'), at(byMarket.body, 'nextCursor')],
    [id, null],
  )
  const first = await get('/parlay/positions?limit=1')
  assert.equal(at(first.body, 'data', '0', 'id'), id)
  const cursor = at(first.body, 'nextCursor')
  const older = await get(`/parlay/positions?limit=1&cursor=${cursor}`)
  assert.ok(Number(at(older.body, 'data', '0', 'id')) < Number(id))
  await accepted(get(`/parlay/positions/search?query=${markets[0].slug}`))
  const listed = await get('/parlay/markets')
  assert.equal(at(listed.body, 'data', '0', 'marketSlug'), markets[1].slug)
  assert.equal(at(listed.body, 'data', '0', 'outcomes', '0', 'bookPrice'), 0.4)
  assert.equal((await get('/parlay/positions/999999999')).status, 404)
})

test('the feed publishes a pack when it is made and when it ends', async () => {
  await fresh()
  const made = await create(ann, await quoted(ann))
  const id = at(made.body, 'id')
  await resolve(markets[0], [1, 0])
  await resolve(markets[1], [1, 0])
  assert.equal(at(await over(id), 'status'), 'WON')
  const { body } = await live.call(ben, 'GET', '/feed/trading?limit=5')
  const entries = ['0', '1', '2', '3', '4'].map((each) => at(body, 'data', each))
  const ofPack = entries.filter((each) => at(each, 'pack', 'id') === id)
  assert.deepEqual(
    ofPack.map((each) => [at(each, 'type'), at(each, 'market'), at(each, 'user', 'profileId')]),
    [
      ['PARLAY_RESOLVED', null, ann.profileId],
      ['PARLAY_PLACED', null, ann.profileId],
    ],
  )
  const names = ['status', 'stake', 'payout']
  const pack = at(ofPack[0], 'pack')
  assert.deepEqual(
    names.map((name) => at(pack, name)),
    ['WON', STAKE, '45000000'],
  )
  const legsReported = ['0', '1'].map((leg) => [
    at(pack, 'legs', leg, 'marketSlug'),
    at(pack, 'legs', leg, 'result'),
  ])
  assert.deepEqual(
    legsReported,
    markets.map(({ slug }) => [slug, 'WON']),
  )
})

test('an offer sets money aside, is accepted in part, taken back, or ends by itself', async () => {
  await fresh()
  const start = await balance(ben)
  const offering = { legs: legs(), stakeMax: '20000000', payout: '80000000' }
  const offered = await accepted(live.call(ben, 'POST', '/parlay/offers', offering), 201)
  const path = `/parlay/offers/${at(offered.body, 'id')}`
  assert.equal((await balance(ben)).parked - start.parked, 60 * UNIT)
  const open = await get('/parlay/offers')
  assert.equal(at(open.body, 'data', '0', 'id'), at(offered.body, 'id'))
  assert.equal(codeOf(await live.call(ann, 'DELETE', path)), 'OFFER_NOT_FOUND', 'of another maker')
  const accept = (by: Trader, stake: string) =>
    live.patientCall(by, 'POST', `${path}/accept`, { stake })
  assert.equal(codeOf(await accept(ben, '5000000')), 'OWN_OFFER')
  assert.equal(codeOf(await accept(ann, '999999')), 'STAKE_TOO_LOW')
  assert.equal(codeOf(await accept(ann, '20000001')), 'STAKE_TOO_HIGH')
  const staked = await accept(ann, '5000000')
  assert.deepEqual(
    [staked.status, at(staked.body, 'payout'), at(staked.body, 'funding')],
    [201, '20000000', 'maker'],
  )
  const again = await accept(ann, '5000000')
  assert.deepEqual([again.status, at(again.body, 'id')], [201, at(staked.body, 'id')])
  const other = await accept(ann, '6000000')
  assert.equal(codeOf(other), 'OFFER_NOT_FOUND', 'no key was sent, so none is named')
  assert.equal((await balance(ben)).parked - start.parked, 15 * UNIT)
  await resolve(markets[0], [0, 1])
  assert.equal(at(await over(at(staked.body, 'id')), 'status'), 'LOST')
  assert.equal((await balance(ben)).free - start.free, 5 * UNIT)
  await fresh()
  const second = await live.call(ben, 'POST', '/parlay/offers', { ...offering, legs: legs() })
  await accepted(live.call(ben, 'DELETE', `/parlay/offers/${at(second.body, 'id')}`))
  await live.call(ben, 'POST', '/parlay/offers', { ...offering, legs: legs() })
  live.shiftClock(PACK_LIMITS.offerMs / 2)
  await live.call(ben, 'POST', '/parlay/offers', { ...offering, legs: legs() })
  live.shiftClock(PACK_LIMITS.offerMs / 2)
  // Each ends at its own time.
  while ((await balance(ben)).parked > 60 * UNIT) live.shiftClock(PACK_LIMITS.roundEveryMs)
  assert.equal((await balance(ben)).parked, 60 * UNIT)
  live.shiftClock(PACK_LIMITS.offerMs / 2)
  while ((await balance(ben)).parked > 0) live.shiftClock(PACK_LIMITS.roundEveryMs)
  assert.equal((await balance(ben)).free - start.free, 5 * UNIT)
})

test('a maker has forty offers at once and two a second, as all listeners get each', async () => {
  const { live: limited } = await exchange({ limited: true })
  const ann = await limited.trader(UNIT)
  const ben = await limited.trader(UNIT)
  const offering = { legs: [{ marketSlug: 'none', outcomeIndex: 0 }], stakeMax: '1', payout: '2' }
  const request = (who: Trader) => limited.call(who, 'POST', '/parlay/offers', offering)
  // A call that is sent again takes another token.
  limited.isHasty = true
  // Fewer at once than one profile may have in flight, as that limit has its own refusals. Two
  // hundred calls would last eighty seconds at the rate of two a second.
  const replies = []
  for (let sent = 0; sent < 200; sent += 20) {
    replies.push(...(await Promise.all(Array.from({ length: 20 }, () => request(ann)))))
  }
  const refused = replies.filter(({ status }) => status === 429)
  assert.ok(refused.length > 0 && refused.length <= 160, `${refused.length} of 200 have to wait`)
  for (const { headers } of refused) assert.ok(Number(headers.get('retry-after')) >= 1)
  assert.notEqual((await request(ben)).status, 429, 'nobody else waits')
})
