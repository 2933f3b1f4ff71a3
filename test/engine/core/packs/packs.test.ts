import assert from 'node:assert/strict'
import { test } from 'node:test'
import { capture, restore } from '../../../../engine/core/capture.ts'
import { mayArchive } from '../../../../engine/core/decide/endings.ts'
import {
  type PackQuoteRequest,
  pricePack,
} from '../../../../engine/core/decide/money/pack-price.ts'
import {
  decideAccept,
  decideEndOffer,
  decideOffer,
  decidePack,
} from '../../../../engine/core/decide/money/packs.ts'
import { decideFunding } from '../../../../engine/core/decide/money/rewards.ts'
import { stateHash } from '../../../../engine/core/state/state-hash.ts'
import { HOUSE_ACCOUNT, PACK_ACCOUNT } from '../../../../engine/domain/ids.ts'
import { LIMITS } from '../../../../engine/domain/limits.ts'
import { PACK_LIMITS } from '../../../../engine/domain/packs/pack-limits.ts'
import { REJECT, Reject } from '../../../../engine/domain/reject-precedence.ts'
import { ExchangeDriver } from '../../../support/exchange-driver.ts'
import { countedPacks, quoteOf, restedLeg } from '../../../support/pack-quote.ts'
import { marketSpec, seriesSpec } from '../../../support/specs.ts'

// The life of packs and offers (rules §8.4, §8.5). The driver checks the invariants.

const UNIT = 1_000_000
const STAKE = 10 * UNIT
const PAYOUT = 45 * UNIT

class World {
  readonly driver = new ExchangeDriver(64)
  readonly ann = this.driver.addAccount(100 * UNIT)
  readonly ben = this.driver.addAccount(100 * UNIT)
  readonly a = this.driver.addMarket()
  readonly b = this.driver.addMarket()

  constructor(houseRaw = 1000 * UNIT) {
    if (houseRaw > 0) this.driver.control({ kind: 'fundHouse', collateralRaw: houseRaw })
  }

  get clearing() {
    return this.driver.clearing
  }

  /** A pack of YES at 0.5 and YES at 0.4, with deep books. */
  request(changes: Partial<PackQuoteRequest> = {}): PackQuoteRequest {
    const leg = (marketId: number, ticks: number) => {
      return restedLeg(marketId, 0, [{ ticks, sizeRaw: 1000 * UNIT }])
    }
    const legs = [leg(this.a, 500), leg(this.b, 400)]
    const by = { offeredRaw: null, ownerId: this.ann, isPaid: true, closeMs: 0 }
    return { stakeRaw: STAKE, legs, ...by, ...changes }
  }

  times() {
    return { nowMs: this.driver.nowMs, closeMs: 0 }
  }

  codes(changes: Partial<PackQuoteRequest> = {}): string[] {
    const { issues } = pricePack(this.clearing, this.request(changes), this.driver.nowMs)
    return issues.map(({ code, legIndex }) =>
      legIndex === undefined ? code : `${code} ${legIndex}`,
    )
  }

  make(payoutRaw = PAYOUT): number | Reject {
    const { nowMs } = this.driver
    const priced = pricePack(this.clearing, this.request(), nowMs)
    const staking = { profileId: this.ann, stakeRaw: STAKE }
    const decided = decidePack(
      this.clearing,
      staking,
      priced,
      quoteOf(priced, { payoutRaw }),
      nowMs,
    )
    if (decided instanceof Reject) return decided
    this.driver.control(decided)
    this.driver.holds()
    return this.clearing.lastSeq
  }

  offer(stakeMaxRaw = 20 * UNIT, paysRaw = 80 * UNIT): number {
    const requested = {
      stakeRaw: stakeMaxRaw,
      offeredRaw: paysRaw,
      ownerId: this.ben,
      isPaid: false,
    }
    const priced = pricePack(this.clearing, this.request(requested), this.driver.nowMs)
    const offering = { profileId: this.ben, stakeMaxRaw, payoutRaw: paysRaw }
    const decided = decideOffer(this.clearing, offering, priced, this.driver.nowMs)
    assert(!(decided instanceof Reject), String(decided))
    this.driver.control(decided)
    this.driver.holds()
    return this.clearing.lastSeq
  }

  resolve(marketId: number, payoutNumerators: readonly [number, number]): void {
    this.driver.control({ kind: 'resolveMarkets', resolutions: [{ marketId, payoutNumerators }] })
    this.count(marketId)
  }

  /** The resolved market counts for its packs. */
  count(marketId: number): void {
    const counted = countedPacks(this.clearing, marketId)
    if (counted.length > 0) this.driver.control({ kind: 'countPacks', marketId, packs: counted })
    this.driver.holds()
  }

  freeRaw(account: number): number {
    return this.clearing.ledger.freeRaw(account)
  }

  money(): number[] {
    return [this.ann, this.ben, HOUSE_ACCOUNT, PACK_ACCOUNT].map(
      (each) => this.freeRaw(each) / UNIT,
    )
  }
}

const YES = [1, 0] as const
const NO = [0, 1] as const
const SPLIT = [1, 1] as const

test('a pack that wins pays its owner, and one that loses pays the house, once', () => {
  const won = new World()
  assert.equal(typeof won.make(), 'number')
  assert.deepEqual(won.money(), [90, 100, 965, 45])
  won.resolve(won.a, YES)
  assert.deepEqual(won.money(), [90, 100, 965, 45], 'one leg decides nothing')
  won.resolve(won.b, YES)
  assert.deepEqual(won.money(), [135, 100, 965, 0])
  assert.equal(won.clearing.packs.count + won.clearing.packs.due.size, 0)
  const lost = new World()
  lost.make()
  lost.resolve(lost.b, NO)
  assert.deepEqual(lost.money(), [90, 100, 1010, 0], 'the first losing leg ends the pack')
  assert.equal(
    lost.clearing.packs.hasLegOf(lost.a),
    false,
    'no market waits for a pack that is over',
  )
  lost.resolve(lost.a, YES)
})

test('a void leg leaves the product; with all legs void the stake comes back', () => {
  const one = new World()
  one.make()
  one.resolve(one.a, SPLIT)
  one.resolve(one.b, YES)
  // 10 · 0.9 / 0.4
  assert.deepEqual(one.money(), [112.5, 100, 987.5, 0])
  const all = new World()
  all.make()
  all.resolve(all.b, SPLIT)
  all.resolve(all.a, [2, 5])
  assert.deepEqual(all.money(), [100, 100, 1000, 0])
})

test('a pack is rebuilt from the books, and pays what was quoted or is refused', () => {
  const world = new World()
  assert.equal(world.make(PAYOUT + 1), REJECT.QUOTE_CHANGED)
  world.make(PAYOUT - 1)
  assert.equal(world.freeRaw(PACK_ACCOUNT), PAYOUT - 1)
})

test('a pack whose price moved in favour of its owner pays what was quoted', () => {
  // A house that may lose 95 on one outcome.
  const world = new World(1900 * UNIT)
  const [first, second] = [500, 180]
  const legs = [first, second].map((ticks, at) =>
    restedLeg([world.a, world.b][at], 0, [{ ticks, sizeRaw: 1000 * UNIT }]),
  )
  // 0.9 / (0.5 · 0.18) = 10, and with a first leg at 0.2 it would be 25: more than the ceiling.
  const quoted = pricePack(world.clearing, world.request({ legs }), world.driver.nowMs)
  assert.deepEqual([quoted.payoutRaw, quoted.issues], [100 * UNIT, []])
  const cheaper = [restedLeg(world.a, 0, [{ ticks: 200, sizeRaw: 1000 * UNIT }]), legs[1]]
  const now = pricePack(world.clearing, world.request({ legs: cheaper }), world.driver.nowMs)
  assert.deepEqual(
    now.issues.map(({ code }) => code),
    ['MULTIPLIER_TOO_HIGH', 'HOUSE_CAPACITY'],
  )
  const staking = { profileId: world.ann, stakeRaw: STAKE }
  const { nowMs } = world.driver
  const decide = (payoutRaw: number) =>
    decidePack(world.clearing, staking, now, { ...quoteOf(quoted), payoutRaw }, nowMs)
  const decided = decide(quoted.payoutRaw)
  assert.ok(!(decided instanceof Reject) && decided.kind === 'createPack')
  assert.equal(decided.payoutRaw, 100 * UNIT)
  const made = decided.legs.map(({ priceTicks }) => priceTicks)
  assert.deepEqual(made, [first, second], 'the prices are those that the payout was made of')
  assert.equal(decide(196 * UNIT), REJECT.PACK_NOT_ELIGIBLE, 'the house cannot cover that')
  assert.equal(decide(now.payoutRaw + 1), REJECT.PACK_NOT_ELIGIBLE)
})

test('a dip at creation alone raises nothing that a void leg leaves', () => {
  const world = new World()
  const quoted = quoteOf(pricePack(world.clearing, world.request(), world.driver.nowMs))
  const legs = world.request().legs.map((leg, at) => {
    return at === 0 ? restedLeg(world.a, 0, [{ ticks: 100, sizeRaw: 10_000 * UNIT }]) : leg
  })
  const { nowMs } = world.driver
  const dipped = pricePack(world.clearing, world.request({ legs }), nowMs)
  const staking = { profileId: world.ann, stakeRaw: STAKE }
  const decided = decidePack(world.clearing, staking, dipped, quoted, nowMs)
  assert(!(decided instanceof Reject), String(decided))
  world.driver.control(decided)
  world.resolve(world.b, SPLIT)
  world.resolve(world.a, YES)
  // 10 · 0.9 / 0.5, and not the 45 of a first leg at 0.1.
  assert.deepEqual(world.money(), [108, 100, 992, 0])
})

test('nobody accepts an offer of a frozen profile', () => {
  const world = new World()
  const offerId = world.offer()
  world.driver.control({ kind: 'freezeProfile', profileId: world.ben, reason: 'test' })
  const staking = { profileId: world.ann, stakeRaw: STAKE }
  const accept = () => decideAccept(world.clearing, offerId, staking, world.times())
  assert.equal(accept(), REJECT.OFFER_NOT_FOUND)
  world.driver.control({ kind: 'unfreezeProfile', profileId: world.ben, reason: 'test' })
  assert.ok(!(accept() instanceof Reject))
})

test('a quote names all that is wrong at once', () => {
  const world = new World(0)
  assert.deepEqual(world.codes(), ['HOUSE_CAPACITY'])
  const [leg] = world.request().legs
  const shallow = restedLeg(world.a, 0, [{ ticks: 500, sizeRaw: UNIT }])
  const nothing = restedLeg(undefined, 0, [])
  assert.deepEqual(world.codes({ legs: [shallow, shallow, nothing], stakeRaw: 200 * UNIT }), [
    'STAKE_TOO_HIGH',
    'DUPLICATE_MARKET 1',
    'MARKET_NOT_FOUND 2',
    'INSUFFICIENT_BALANCE',
  ])
  assert.deepEqual(world.codes({ legs: [leg], stakeRaw: UNIT - 1 }), [
    'TOO_FEW_LEGS',
    'STAKE_TOO_LOW',
    'HOUSE_CAPACITY',
  ])
  const at = (marketId: number, ticks: number) => {
    return restedLeg(marketId, 0, [{ ticks, sizeRaw: 10_000 * UNIT }])
  }
  assert.deepEqual(world.codes({ legs: [at(world.a, 99), at(world.b, 901)] }), [
    'NO_LIQUIDITY 0',
    'NO_LIQUIDITY 1',
    'LEG_PRICE_TOO_LOW 0',
    'LEG_PRICE_TOO_HIGH 1',
  ])
  const rich = new World(10_000 * UNIT)
  assert.deepEqual(rich.codes({ legs: [at(rich.a, 200), at(rich.b, 200)] }), [
    'MULTIPLIER_TOO_HIGH',
  ])
  rich.resolve(rich.b, YES)
  assert.deepEqual(rich.codes(), ['MARKET_NOT_ACTIVE 1'])
})

test('legs of one group are correlated, and a pool is no leg', () => {
  const world = new World(10_000 * UNIT)
  const none = { yesTokenId: '', noTokenId: '', conditionId: '', kind: 'group' as const }
  const groupId = world.driver.addMarket(none)
  const c = world.driver.addMarket({ groupId, orderInGroup: 0 })
  const d = world.driver.addMarket({ groupId, orderInGroup: 1 })
  const pool = world.driver.addMarket({ kind: 'amm', poolAddress: `0x${'a'.repeat(40)}` })
  const asks = [{ ticks: 500, sizeRaw: 1000 * UNIT }]
  const legs = [c, d, pool].map((marketId) => restedLeg(marketId, 0, asks))
  assert.deepEqual(world.codes({ legs }), [
    'CORRELATED_LEGS 1',
    'MARKET_NOT_ACTIVE 2',
    'MARKET_NOT_ELIGIBLE 2',
  ])
})

test('legs that share a key are correlated: their own, that of a group, or a symbol', () => {
  const world = new World(10_000 * UNIT)
  const { driver } = world
  const none = { yesTokenId: '', noTokenId: '', conditionId: '', kind: 'group' as const }
  const groupId = driver.addMarket({ ...none, correlationKey: 'rates' })
  const child = driver.addMarket({ groupId, orderInGroup: 0 })
  const rates = driver.addMarket({ correlationKey: 'rates' })
  const btc = driver.addMarket({ correlationKey: 'BTC' })
  const open = driver.addMarket({ correlationKey: '' })
  const [five, hour] = [slotOf(world, 'BTC', 1), slotOf(world, 'ETH', 2)]
  const codes = (...ids: number[]) => {
    const legs = ids.map((id) => restedLeg(id, 0, [{ ticks: 500, sizeRaw: 1000 * UNIT }]))
    return world.codes({ legs })
  }
  const tied = ['CORRELATED_LEGS 1']
  assert.deepEqual(codes(child, rates), tied, 'the key of a group')
  assert.deepEqual(codes(btc, five), tied, 'the symbol of a series')
  assert.deepEqual(codes(five, hour), tied, 'windows that overlap')
  for (const pair of [
    [btc, rates],
    [btc, hour],
    [child, five],
    [open, world.a],
  ]) {
    assert.deepEqual(codes(...pair), [])
  }
  driver.control({ kind: 'editSeries', seriesId: 2, change: { correlationKey: 'BTC' } })
  assert.deepEqual(codes(btc, hour), tied, 'the key of a series, also for slots that exist')
})

/** A slot that begins now, of a new series. */
function slotOf({ driver }: World, symbol: string, seriesId: number): number {
  const slug = symbol.toLowerCase()
  const names = { symbol, stableSlug: `${slug}-now`, slugPrefix: slug }
  driver.control({ kind: 'createSeries', seriesId, series: seriesSpec(names) })
  const { catalogue } = driver.clearing
  const marketId = catalogue.lastId + 1
  const startMs = driver.nowMs - (driver.nowMs % 300_000)
  const market = marketSpec(marketId, { slot: { seriesId, startMs } })
  driver.control({ kind: 'createMarket', marketId, book: 0, market })
  const book = catalogue.freeBook(LIMITS.booksMax)
  driver.control({ kind: 'openSlot', marketId, book, strikeE8: 1 })
  return marketId
}

test('a leg needs a book of two sides, without a taker delay', () => {
  const world = new World(10_000 * UNIT)
  const [leg, other] = world.request().legs
  const { asks } = leg
  const withBids = (...bids: { ticks: number; sizeRaw: number }[]) => {
    return world.codes({ legs: [{ ...leg, rested: { asks, bids } }, other] })
  }
  assert.deepEqual(withBids(), ['NO_LIQUIDITY 0'])
  const far = { ticks: 399, sizeRaw: 1000 * UNIT }
  assert.deepEqual(withBids({ ticks: 499, sizeRaw: PAYOUT - 1 }, far), ['INSUFFICIENT_DEPTH 0'])
  assert.deepEqual(withBids({ ticks: 400, sizeRaw: PAYOUT }), [])
  const delayed = restedLeg(world.driver.addMarket({ takerDelayMs: 1 }), 0, asks)
  assert.deepEqual(world.codes({ legs: [delayed, other] }), ['MARKET_NOT_ELIGIBLE 0'])
})

test('a leg closes before its market, for the house, for makers and for takers of offers', () => {
  const world = new World(10_000 * UNIT)
  const { driver } = world
  const deadlineMs = driver.nowMs + 1000
  const ends = driver.addMarket({ deadlineMs })
  const legs = [restedLeg(ends, 0, world.request().legs[0].asks), world.request().legs[1]]
  assert.deepEqual(world.codes({ legs, closeMs: 999 }), [])
  assert.deepEqual(world.codes({ legs, closeMs: 1000 }), ['MARKET_NOT_ACTIVE 0'])
  const offered = { offeredRaw: 2 * STAKE, ownerId: world.ben, isPaid: false }
  assert.deepEqual(world.codes({ legs, closeMs: 1000, ...offered }), ['MARKET_NOT_ACTIVE 0'])
  const prices = legs.map(({ marketId = 0, outcome }) => ({ marketId, outcome, priceTicks: 500 }))
  const terms = { profileId: world.ben, stakeMaxRaw: STAKE, payoutRaw: 2 * STAKE }
  const expiresMs = driver.nowMs + PACK_LIMITS.offerMs
  driver.control({ kind: 'offerPack', ...terms, expiresMs, legs: prices })
  const offerId = world.clearing.lastSeq
  const staking = { profileId: world.ann, stakeRaw: STAKE }
  const accept = (closeMs: number) =>
    decideAccept(world.clearing, offerId, staking, { nowMs: driver.nowMs, closeMs })
  assert.equal(accept(1000), REJECT.OFFER_NOT_FOUND)
  assert.ok(!(accept(999) instanceof Reject))
})

test('a part of an offer wins something, or is refused', () => {
  const world = new World(0)
  const offerId = world.offer(99_999_999, 100 * UNIT)
  const accept = (stakeRaw: number) =>
    decideAccept(world.clearing, offerId, { profileId: world.ann, stakeRaw }, world.times())
  assert.equal(accept(UNIT), REJECT.STAKE_TOO_LOW, 'it would pay 1.000000')
  assert.equal(accept(99_999_998), REJECT.STAKE_TOO_LOW, 'it would pay 99.999998')
  const whole = accept(99_999_999)
  assert.ok(!(whole instanceof Reject) && whole.kind === 'acceptPackOffer')
  assert.equal(whole.payoutRaw, 100 * UNIT)
})

test('legs of one match are correlated', () => {
  const world = new World()
  const market = (marketId: number) => ({ marketId, slug: `m-${marketId}`, propType: null })
  const sides = { home: { name: 'Reds', logo: null }, away: { name: 'Blues', logo: null } }
  const match = {
    slug: 'reds-blues',
    title: 'Reds against Blues',
    sportType: 'football' as const,
    esportType: null,
    fixtureId: 7,
    startsMs: world.driver.nowMs,
    ...sides,
    markets: [market(world.a), market(world.b)],
  }
  world.driver.control({ kind: 'putMatch', match })
  assert.deepEqual(world.codes(), ['CORRELATED_LEGS 1'])
})

test('the house covers every pack, whatever wins', () => {
  const world = new World(700 * UNIT)
  assert.equal(typeof world.make(), 'number')
  assert.equal(
    decideFunding(world.clearing, HOUSE_ACCOUNT, -660 * UNIT),
    null,
    'what the pack can win stays with it',
  )
  world.driver.control({ kind: 'fundHouse', collateralRaw: -660 * UNIT })
  assert.equal(world.make(), REJECT.PACK_NOT_ELIGIBLE, 'five units are left for a risk of 35')
  assert.deepEqual(
    decideFunding(world.clearing, HOUSE_ACCOUNT, -6 * UNIT),
    REJECT.INSUFFICIENT_COLLATERAL.short(5 * UNIT, 6 * UNIT),
  )
  assert.equal(decideFunding(world.clearing, HOUSE_ACCOUNT, -5 * UNIT), null)
  assert.equal(
    decideFunding(world.clearing, HOUSE_ACCOUNT, LIMITS.fundedRawMax),
    REJECT.BALANCE_LIMIT,
  )
  const capacityRaw = LIMITS.fundedRawMax - world.clearing.ledger.fundedRaw
  assert.equal(decideFunding(world.clearing, HOUSE_ACCOUNT, capacityRaw), null)
  assert.equal(
    decideFunding(world.clearing, HOUSE_ACCOUNT, capacityRaw + 1),
    REJECT.BALANCE_LIMIT,
    'a quarter of what counts exactly is left to advances and debts',
  )
})

test('a maker names a payout of 20 times the stake at most, whatever the books say', () => {
  const world = new World(0)
  const { ben: ownerId } = world
  const thin = world
    .request()
    .legs.map((leg) => ({ ...leg, asks: [{ ticks: 890, sizeRaw: 1000 }] }))
  const codes = (offeredRaw: number) =>
    world.codes({ legs: thin, offeredRaw, ownerId, isPaid: false, stakeRaw: 4 * UNIT })
  assert.deepEqual(codes(80 * UNIT), [])
  assert.deepEqual(codes(80 * UNIT + 1), ['MULTIPLIER_TOO_HIGH'])
})

test('a maker funds a pack: what it sets aside is paid, comes back, or goes with the offer', () => {
  const world = new World(0)
  const offerId = world.offer()
  assert.deepEqual(world.money(), [100, 40, 0, 60])
  assert.equal(world.clearing.packs.parkedRaw(world.ben), 60 * UNIT)
  const staking = { profileId: world.ann, stakeRaw: 5 * UNIT }
  const accept = (by: Partial<typeof staking>, nowMs = world.driver.nowMs) =>
    decideAccept(world.clearing, offerId, { ...staking, ...by }, { nowMs, closeMs: 0 })
  assert.equal(accept({ profileId: world.ben }), REJECT.OWN_OFFER)
  assert.equal(accept({ stakeRaw: 20 * UNIT + 1 }), REJECT.STAKE_TOO_HIGH)
  assert.equal(accept({}, world.driver.nowMs + PACK_LIMITS.offerMs), REJECT.OFFER_NOT_FOUND)
  const accepted = accept({})
  assert(!(accepted instanceof Reject))
  world.driver.control(accepted)
  world.driver.holds()
  // A quarter of the stake wins a quarter: 20, of which ben funds 15.
  assert.deepEqual(world.money(), [95, 85, 0, 20])
  assert.equal(accept({}), REJECT.OFFER_NOT_FOUND, 'an offer is accepted once')
  world.resolve(world.a, YES)
  world.resolve(world.b, YES)
  assert.deepEqual(world.money(), [115, 85, 0, 0])
})

test('a pack that loses goes to the maker that funded it', () => {
  const world = new World(0)
  const offerId = world.offer()
  const staking = { profileId: world.ann, stakeRaw: 20 * UNIT }
  const accepted = decideAccept(world.clearing, offerId, staking, world.times())
  assert(!(accepted instanceof Reject))
  world.driver.control(accepted)
  assert.deepEqual(world.money(), [80, 40, 0, 80])
  world.resolve(world.b, NO)
  assert.deepEqual(world.money(), [80, 120, 0, 0])
})

test('an offer that is taken back frees what it set aside, for its maker alone', () => {
  const world = new World(0)
  const back = world.offer()
  assert.equal(decideEndOffer(world.clearing, back, world.ann), REJECT.OFFER_NOT_FOUND)
  const ended = decideEndOffer(world.clearing, back, world.ben)
  assert(!(ended instanceof Reject))
  world.driver.control(ended)
  world.driver.holds()
  assert.deepEqual(world.money(), [100, 100, 0, 0])
  assert.equal(world.clearing.packs.parkedRaw(world.ben), 0)
})

test('a market stays in memory while a pack waits for it, and a restart knows what is due', () => {
  const world = new World()
  world.make()
  world.offer()
  world.driver.control({
    kind: 'resolveMarkets',
    resolutions: [{ marketId: world.a, payoutNumerators: YES }],
  })
  const before = world.clearing
  assert.deepEqual([...before.packs.due], [world.a])
  world.driver.control({ kind: 'postPayouts', marketIds: [world.a] })
  assert.equal(mayArchive(before, before.catalogue.existing(world.a)), false)
  const again = restore(structuredClone(capture(world.driver.exchange))).clearing
  assert.deepEqual([...again.packs.due], [world.a])
  assert.equal(stateHash(again, []), stateHash(before, []))
  assert.equal(again.packs.parkedRaw(world.ann), STAKE)
  world.count(world.a)
  assert.equal(mayArchive(before, before.catalogue.existing(world.a)), true)
})

test('a profile has a bound on its packs', () => {
  const world = new World(10 ** 12)
  world.driver.deposit(world.ann, 10 ** 12)
  for (let made = 0; made < PACK_LIMITS.packsOfProfileMax; made++) {
    assert.equal(typeof world.make(), 'number')
  }
  assert.equal(world.make(), REJECT.PACK_LIMIT)
})
