import assert from 'node:assert/strict'
import { test } from 'node:test'
import { capture, restore } from '../../../../engine/core/capture.ts'
import {
  type LegToPrice,
  type PackQuoteRequest,
  pricePack,
} from '../../../../engine/core/decide/money/pack-price.ts'
import { decidePack } from '../../../../engine/core/decide/money/packs.ts'
import { countedResults, paidRawOf } from '../../../../engine/core/packs/packs.ts'
import { assert as invariant } from '../../../../engine/domain/assert.ts'
import { HOUSE_ACCOUNT } from '../../../../engine/domain/ids.ts'
import { PACK_LIMITS } from '../../../../engine/domain/packs/pack-limits.ts'
import { REJECT, Reject } from '../../../../engine/domain/reject-precedence.ts'
import { dayOf } from '../../../../engine/domain/rewards/reward-time.ts'
import { DAY_MS } from '../../../../engine/domain/units.ts'
import { ExchangeDriver } from '../../../support/exchange-driver.ts'
import { quoteOf, restedLeg } from '../../../support/pack-quote.ts'

// A maker shows a cheap ask for a moment, and buys packs from the house at that price. It may win
// no more than the bounds of the house (rules §8.4). The driver checks the invariants.

const UNIT = 1_000_000
const HOUSE = 20_000 * UNIT
const STAKE = 10 * UNIT
const { housePartOfOutcome, housePartOfOwner } = PACK_LIMITS

class Attack {
  readonly driver = new ExchangeDriver(64)

  constructor() {
    this.driver.control({ kind: 'fundHouse', collateralRaw: HOUSE })
  }

  get houseRaw(): number {
    return this.driver.clearing.ledger.freeRaw(HOUSE_ACCOUNT)
  }

  get risk() {
    return this.driver.clearing.packs.houseRisk
  }

  /** Sure outcomes that the books show at 0.22: a pack of two pays 18.5 times. */
  cheap(marketIds: readonly number[]): LegToPrice[] {
    const asks = [{ ticks: 220, sizeRaw: 10 ** 12 }]
    return marketIds.map((marketId) => restedLeg(marketId, 0, asks))
  }

  request(ownerId: number, legs: readonly LegToPrice[]): PackQuoteRequest {
    return { legs, stakeRaw: STAKE, offeredRaw: null, ownerId, isPaid: true, closeMs: 0 }
  }

  /** Makes a pack of the legs, or gives the refusal. */
  buy(profileId: number, legs: readonly LegToPrice[]): Reject | null {
    const { clearing, nowMs } = this.driver
    const priced = pricePack(clearing, this.request(profileId, legs), nowMs)
    const staking = { profileId, stakeRaw: STAKE }
    const decided = decidePack(clearing, staking, priced, quoteOf(priced), nowMs)
    if (decided instanceof Reject) {
      assert.deepEqual(
        priced.issues.map(({ code }) => code),
        ['HOUSE_CAPACITY'],
      )
      return decided
    }
    this.driver.control(decided)
    return null
  }

  /** Buys until the house takes no more; gives how many packs that were. */
  buyAll(profileId: number, legs: readonly LegToPrice[]): number {
    for (let made = 0; ; made++) if (this.buy(profileId, legs) !== null) return made
  }

  resolve(marketId: number, payoutNumerators: readonly [number, number]): void {
    this.driver.control({ kind: 'resolveMarkets', resolutions: [{ marketId, payoutNumerators }] })
    const { packs, catalogue } = this.driver.clearing
    const market = catalogue.existing(marketId)
    const counted = [...packs.ofMarket(marketId)].map((packId) => {
      const pack = packs.byId(packId)
      invariant(pack !== undefined, 'a market names packs that are not over')
      return { packId, paidRaw: paidRawOf(pack, countedResults(pack, market)) }
    })
    if (counted.length > 0) this.driver.control({ kind: 'countPacks', marketId, packs: counted })
    this.driver.holds()
  }
}

test('one outcome costs the house a twentieth at most, however many accounts buy', () => {
  const attack = new Attack()
  const markets = [attack.driver.addMarket(), attack.driver.addMarket()]
  let made = 0
  for (let buyers = 0; buyers < 20; buyers++) {
    made += attack.buyAll(attack.driver.addAccount(10_000 * UNIT), attack.cheap(markets))
  }
  assert.ok(made > 0, 'the attack was played')
  const most = HOUSE / housePartOfOutcome
  const ofPackRaw = attack.risk.totalRaw / made
  for (const marketId of markets) {
    const ofOutcomeRaw = attack.risk.ofOutcomeRaw(marketId, 0)
    assert.ok(ofOutcomeRaw <= most && ofOutcomeRaw + ofPackRaw > most, 'all of the part, no more')
  }
  for (const marketId of markets) attack.resolve(marketId, [1, 0])
  const lostRaw = HOUSE - attack.houseRaw
  assert.ok(lostRaw > 0 && lostRaw <= most, `the house lost ${lostRaw}`)
  assert.equal(attack.risk.totalRaw, 0)
  for (const marketId of markets) assert.equal(attack.risk.ofOutcomeRaw(marketId, 0), 0)
})

test('one profile wins a tenth at most, over however many markets', () => {
  const attack = new Attack()
  // The bound of the day is as low by default; it has a test of its own.
  attack.driver.control({ kind: 'fundHouse', collateralRaw: 0, dayLossMaxRaw: HOUSE })
  const profileId = attack.driver.addAccount(10_000 * UNIT)
  for (let pairs = 0; pairs < 6; pairs++) {
    const markets = [attack.driver.addMarket(), attack.driver.addMarket()]
    attack.buyAll(profileId, attack.cheap(markets))
  }
  const ofOwnerRaw = attack.risk.ofOwnerRaw(profileId)
  assert.ok(ofOwnerRaw > HOUSE / housePartOfOutcome, 'more than one outcome was bought')
  assert.ok(ofOwnerRaw <= HOUSE / housePartOfOwner)
  const fresh = [attack.driver.addMarket(), attack.driver.addMarket()]
  assert.equal(attack.buy(profileId, attack.cheap(fresh)), REJECT.PACK_NOT_ELIGIBLE)
  const other = attack.driver.addAccount(10_000 * UNIT)
  assert.equal(attack.buy(other, attack.cheap(fresh)), null, 'other profiles go on')
})

test('the packs of one day cost a tenth at most, over all profiles and markets', () => {
  const attack = new Attack()
  const pairs: number[][] = []
  for (let bought = 1; bought > 0; ) {
    const markets = [attack.driver.addMarket(), attack.driver.addMarket()]
    pairs.push(markets)
    bought = attack.buyAll(attack.driver.addAccount(10_000 * UNIT), attack.cheap(markets))
  }
  const { houseDay, houseRisk } = attack.driver.clearing.packs
  const day = dayOf(attack.driver.nowMs)
  assert.equal(houseDay.lossRaw(day), houseRisk.totalRaw)
  for (const markets of pairs) for (const each of markets) attack.resolve(each, [1, 0])
  const lostRaw = HOUSE - attack.houseRaw
  assert.ok(lostRaw > 0 && lostRaw <= HOUSE / PACK_LIMITS.housePartOfDay, `lost ${lostRaw}`)
  const fresh = [attack.driver.addMarket(), attack.driver.addMarket()]
  const buyer = attack.driver.addAccount(10_000 * UNIT)
  assert.equal(attack.buy(buyer, attack.cheap(fresh)), REJECT.PACK_NOT_ELIGIBLE)
  attack.driver.nowMs += DAY_MS
  assert.equal(attack.buy(buyer, attack.cheap(fresh)), null, 'the next day has its own bound')
})

test('what is set aside is of the house, and pays for no other pack', () => {
  const attack = new Attack()
  const { driver } = attack
  driver.control({ kind: 'fundHouse', collateralRaw: 0, dayLossMaxRaw: HOUSE })
  const markets = [driver.addMarket(), driver.addMarket()]
  attack.buyAll(driver.addAccount(10_000 * UNIT), attack.cheap(markets))
  const keep = (freeRaw: number) => {
    driver.control({ kind: 'fundHouse', collateralRaw: freeRaw - attack.houseRaw })
  }
  // A pack of 10 that pays 45 costs 35 at most, and a twentieth of what the house has is more.
  const legs = [500, 400].map((ticks) => {
    return restedLeg(driver.addMarket(), 0, [{ ticks, sizeRaw: 10 ** 12 }])
  })
  const buyer = driver.addAccount(10_000 * UNIT)
  assert.ok(attack.risk.totalRaw > 35 * UNIT * housePartOfOutcome)
  keep(35 * UNIT - 1)
  assert.equal(attack.buy(buyer, legs), REJECT.PACK_NOT_ELIGIBLE)
  keep(35 * UNIT)
  assert.equal(attack.buy(buyer, legs), null)
})

test('the other outcome of a market has its own bound, and a quote applies the bound too', () => {
  const attack = new Attack()
  const markets = [attack.driver.addMarket(), attack.driver.addMarket()]
  const profileId = attack.driver.addAccount(10_000 * UNIT)
  const legs = attack.cheap(markets)
  attack.buyAll(profileId, legs)
  const { clearing, nowMs } = attack.driver
  const codes = (request: PackQuoteRequest) =>
    pricePack(clearing, request, nowMs).issues.map(({ code }) => code)
  assert.deepEqual(codes({ ...attack.request(profileId, legs), ownerId: null, isPaid: false }), [
    'HOUSE_CAPACITY',
  ])
  const others = legs.map((leg) => ({ ...leg, outcome: 1 }))
  assert.deepEqual(codes(attack.request(profileId, others)), [])
})

test('after a restart the house may lose as much as before', () => {
  const attack = new Attack()
  const markets = [attack.driver.addMarket(), attack.driver.addMarket()]
  const profileId = attack.driver.addAccount(10_000 * UNIT)
  const made = attack.buyAll(profileId, attack.cheap(markets))
  const again = restore(structuredClone(capture(attack.driver.exchange))).clearing.packs.houseRisk
  const { risk } = attack
  assert.ok(made > 0 && risk.totalRaw > 0)
  assert.equal(again.totalRaw, risk.totalRaw)
  assert.equal(again.ofOwnerRaw(profileId), risk.ofOwnerRaw(profileId))
  for (const id of markets) assert.equal(again.ofOutcomeRaw(id, 0), risk.ofOutcomeRaw(id, 0))
})
