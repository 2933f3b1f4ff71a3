import assert from 'node:assert/strict'
import { test } from 'node:test'
import { capture, restore } from '../../../../engine/core/capture.ts'
import {
  curationIssues,
  decideCuratedRemoval,
  decidePurchase,
  gateCuration,
} from '../../../../engine/core/decide/money/curated-packs.ts'
import { pricePack } from '../../../../engine/core/decide/money/pack-price.ts'
import { stateHash } from '../../../../engine/core/state/state-hash.ts'
import { PACK_LIMITS } from '../../../../engine/domain/packs/pack-limits.ts'
import { REJECT, Reject } from '../../../../engine/domain/reject-precedence.ts'
import { ExchangeDriver } from '../../../support/exchange-driver.ts'
import { countedPacks, restedLeg } from '../../../support/pack-quote.ts'

// The list of packs that operators curate, and purchases from it (rules §8.6). The driver checks
// the invariants after each command.

const UNIT = 1_000_000
const STAKE = 10 * UNIT
const PAYOUT = 45 * UNIT

class World {
  readonly driver = new ExchangeDriver(64)
  readonly ann = this.driver.addAccount(1000 * UNIT)
  readonly a = this.driver.addMarket()
  readonly b = this.driver.addMarket()
  readonly legs = [this.a, this.b].map((marketId) => ({ marketId, outcome: 0 }))
  deadlineMs = this.driver.nowMs + 1000
  payoutMinRaw = PAYOUT
  ticks = [500, 400]

  constructor() {
    this.driver.control({ kind: 'fundHouse', collateralRaw: 10_000 * UNIT })
  }

  get clearing() {
    return this.driver.clearing
  }

  curate(name: string, legs = this.legs): number {
    this.driver.control({ kind: 'curatePack', name, legs })
    this.driver.holds()
    return this.clearing.lastSeq
  }

  decide(curatedId: number) {
    const { driver, clearing, ann, payoutMinRaw, deadlineMs } = this
    const legs = this.legs.map(({ marketId, outcome }, at) =>
      restedLeg(marketId, outcome, [{ ticks: this.ticks[at], sizeRaw: 10 ** 12 }]),
    )
    const by = { offeredRaw: null, ownerId: ann, isPaid: true, closeMs: 0 }
    const priced = pricePack(clearing, { stakeRaw: STAKE, legs, ...by }, driver.nowMs)
    const purchase = { profileId: ann, stakeRaw: STAKE, curatedId, payoutMinRaw, deadlineMs }
    return decidePurchase(clearing, purchase, priced, driver.nowMs)
  }

  buy(curatedId: number): number {
    const decided = this.decide(curatedId)
    assert(!(decided instanceof Reject), String(decided))
    this.driver.control(decided)
    this.driver.holds()
    return this.clearing.lastSeq
  }

  resolve(marketId: number, payoutNumerators: readonly [number, number]): void {
    this.driver.control({ kind: 'resolveMarkets', resolutions: [{ marketId, payoutNumerators }] })
    const counted = countedPacks(this.clearing, marketId)
    if (counted.length > 0) this.driver.control({ kind: 'countPacks', marketId, packs: counted })
    this.driver.holds()
  }

  mine(): void {
    const { height, throughSeq } = this.clearing.blocks
    assert.equal(throughSeq < this.clearing.lastSeq, true)
    const block = { height: height + 1, throughSeq: this.clearing.lastSeq, chainId: 1 }
    this.driver.control({ kind: 'mineBlock', ...block })
  }

  names(): string[] {
    return [...this.clearing.packs.curated.all()].map(({ name }) => name)
  }
}

test('a purchase makes the pack at the prices of its moment, and waits for a block', () => {
  const world = new World()
  const id = world.curate('Rain')
  const packId = world.buy(id)
  const pack = world.clearing.packs.byId(packId)
  assert(pack !== undefined)
  assert.deepEqual(
    [pack.curatedId, pack.stakeRaw, pack.payoutRaw, pack.legs.map((leg) => leg.priceTicks)],
    [id, STAKE, PAYOUT, [500, 400]],
  )
  const { blocks } = world.clearing
  assert.deepEqual([blocks.isWaiting, blocks.movedSeq], [true, packId])
  world.mine()
  assert.equal(blocks.isWaiting, false)
  world.driver.holds()
})

test('the payment of a pack of the list is in a block too; that of other packs is in none', () => {
  const world = new World()
  const id = world.curate('Rain')
  world.buy(id)
  const legs = world.legs.map((leg) => ({ ...leg, priceTicks: 500 }))
  const own = { profileId: world.ann, stakeRaw: STAKE, payoutRaw: 36 * UNIT, legs }
  world.mine()
  world.driver.control({ kind: 'createPack', ...own })
  assert.equal(world.clearing.blocks.isWaiting, false, 'legs of its own have no transaction')
  world.resolve(world.a, [1, 0])
  assert.equal(world.clearing.blocks.isWaiting, false, 'nothing is paid yet')
  world.resolve(world.b, [1, 0])
  assert.equal(world.clearing.blocks.movedSeq, world.clearing.lastSeq)
  assert.equal(world.clearing.packs.count, 0)
  // What was staked came back with the rest of both payouts.
  assert.equal(world.clearing.ledger.freeRaw(world.ann), 1000 * UNIT - 2 * STAKE + 81 * UNIT)
})

test('a lost pack of the list has no transaction of a claim', () => {
  const world = new World()
  world.buy(world.curate('Rain'))
  world.mine()
  world.resolve(world.a, [0, 1])
  assert.equal(world.clearing.packs.count, 0)
  assert.equal(world.clearing.blocks.isWaiting, false)
})

test('a purchase is refused after its deadline, below its least payout, and off the list', () => {
  const world = new World()
  const id = world.curate('Rain')
  world.payoutMinRaw = PAYOUT + 1
  assert.equal(world.decide(id), REJECT.PRICE_DRIFTED)
  world.ticks = [500, 50]
  assert.equal(world.decide(id), REJECT.PACK_NOT_ELIGIBLE)
  assert.equal(world.decide(id + 1), REJECT.PACK_NOT_FOUND)
  world.deadlineMs = world.driver.nowMs
  assert.equal(world.decide(id), REJECT.INTENT_EXPIRED)
  world.deadlineMs++
  world.ticks = [500, 400]
  world.payoutMinRaw = PAYOUT
  assert.ok(!(world.decide(id) instanceof Reject))
})

test('more than twenty times the stake is refused, though no quote promised it', () => {
  const world = new World()
  const id = world.curate('Rain')
  world.ticks = [200, 200]
  world.payoutMinRaw = 1
  assert.equal(world.decide(id), REJECT.PACK_NOT_ELIGIBLE)
})

test('a pack leaves the list with the first of its markets that is resolved', () => {
  const world = new World()
  const c = world.driver.addMarket()
  world.curate('both')
  const other = world.curate('other', [world.legs[1], { marketId: c, outcome: 1 }])
  assert.deepEqual(world.names(), ['both', 'other'])
  world.resolve(world.a, [1, 0])
  assert.deepEqual(world.names(), ['other'])
  assert.equal(world.decide(other - 1), REJECT.PACK_NOT_FOUND)
  const removal = decideCuratedRemoval(world.clearing, other)
  assert(!(removal instanceof Reject))
  world.driver.control(removal)
  assert.deepEqual(world.names(), [])
  assert.equal(decideCuratedRemoval(world.clearing, other), REJECT.PACK_NOT_FOUND)
})

test('the gates of the list: markets, names and places', () => {
  const world = new World()
  const { clearing, driver } = world
  const issues = (legs: readonly { marketId: number | undefined }[]) =>
    curationIssues(clearing, legs, driver.nowMs).map(({ code }) => code)
  assert.deepEqual(issues(world.legs), [])
  assert.deepEqual(issues([...world.legs, { marketId: undefined }]), ['MARKET_NOT_FOUND'])
  assert.deepEqual(issues([world.legs[0], world.legs[0]]), ['DUPLICATE_MARKET'])
  assert.equal(
    gateCuration(clearing, 'Rain', [{ code: 'DUPLICATE_MARKET' }]),
    REJECT.PACK_NOT_ELIGIBLE,
  )
  world.curate('Rain')
  assert.equal(gateCuration(clearing, 'RAIN', []), REJECT.CURATED_NAME_TAKEN)
  for (let at = 1; at < PACK_LIMITS.curatedMax; at++) {
    assert.equal(gateCuration(clearing, `Rain ${at}`, []), null)
    world.curate(`Rain ${at}`)
  }
  assert.equal(gateCuration(clearing, 'Snow', []), REJECT.CURATED_LIMIT)
  assert.equal(gateCuration(clearing, 'rain', []), REJECT.CURATED_NAME_TAKEN)
  world.resolve(world.a, [1, 0])
  assert.equal(gateCuration(clearing, 'Rain', []), null, 'ended packs give back their places')
})

test('the list and its purchases survive a snapshot, and an empty list adds no state', () => {
  const world = new World()
  const { clearing, driver } = world
  const kinds = () =>
    [...clearing.packs.hashedFields()].map((event) => Array.isArray(event) && event[0])
  const id = world.curate('Rain')
  world.buy(id)
  assert.deepEqual(kinds(), ['pack', 'packDay', 'packOfList', 'houseDay', 'curated'])
  const { clearing: again } = restore(structuredClone(capture(driver.exchange)))
  assert.equal(stateHash(again, []), stateHash(clearing, []))
  assert.deepEqual(again.packs.curated.byId(id), clearing.packs.curated.byId(id))
  driver.control({ kind: 'removeCuratedPack', packId: id })
  assert.deepEqual(kinds(), ['pack', 'packDay', 'packOfList', 'houseDay'])
})
