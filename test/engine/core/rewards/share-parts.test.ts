import assert from 'node:assert/strict'
import { test } from 'node:test'
import { capture, restore } from '../../../../engine/core/capture.ts'
import { mayArchive } from '../../../../engine/core/decide/endings.ts'
import { creditedShares } from '../../../../engine/core/decide/money/rewards.ts'
import { OUTCOME } from '../../../../engine/domain/order.ts'
import type { ShareCredit } from '../../../../engine/domain/rewards/reward-command.ts'
import { SHARE_PART_ROWS } from '../../../../engine/domain/rewards/reward-limits.ts'
import { DAY_MS } from '../../../../engine/domain/units.ts'
import { ExchangeDriver } from '../../../support/exchange-driver.ts'

// Parts of fees in shares wait for the payout of their market (rules §3.2).

const { YES, NO } = OUTCOME
const UNIT = 1_000_000
const DAY = 20_000
const MINUTE = DAY * 1440

class World {
  readonly driver = new ExchangeDriver(64)
  readonly ann = this.driver.addAccount(100 * UNIT)
  readonly ben = this.driver.addAccount(100 * UNIT)
  readonly marketId = this.driver.addMarket({ rebateBps: 2500 })
  #minute = MINUTE

  constructor() {
    this.driver.nowMs = DAY * DAY_MS
  }

  get rewards() {
    return this.driver.clearing.rewards
  }

  get market() {
    return this.driver.clearing.catalogue.existing(this.marketId)
  }

  sample(): void {
    this.driver.control({ kind: 'rewardMinute', minute: ++this.#minute })
  }

  /** What main does with parts in shares. */
  credit(parts: readonly ShareCredit[]): void {
    const found = creditedShares(this.driver.clearing, parts)
    const credit = { kind: 'creditRewards', minute: this.#minute, part: 0, isLast: true } as const
    this.driver.control({ ...credit, ...found })
    this.driver.holds()
  }

  payOut(payoutNumerators: readonly [number, number]): void {
    const { driver, marketId } = this
    driver.control({ kind: 'resolveMarkets', resolutions: [{ marketId, payoutNumerators }] })
    driver.control({ kind: 'postPayouts', marketIds: [marketId] })
    driver.holds()
  }

  earned(account: number): number {
    return this.rewards.today.of(account)?.rebateRaw ?? 0
  }
}

test('a payout converts the shares of each outcome to collateral, rounded down', () => {
  const rows: [payout: [number, number], ofAnn: number, ofBen: number][] = [
    [[1, 0], 1001, 0],
    [[0, 1], 2000, 5000],
    [[1, 2], 333 + 1333, 3333],
  ]
  for (const [payout, ofAnn, ofBen] of rows) {
    const world = new World()
    const { ann, ben, marketId } = world
    world.sample()
    world.credit([
      [ann, marketId, YES, 1001, 0],
      [ann, marketId, NO, 2000, ben],
      [ben, marketId, NO, 5000, 0],
    ])
    assert.equal(world.rewards.today.size, 0, 'nothing is worth anything before the payout')
    world.payOut(payout)
    assert.deepEqual([world.earned(ann), world.earned(ben)], [ofAnn, ofBen], String(payout))
    assert.equal(world.rewards.shareParts.size, 0)
  }
})

test('the payout counts for its own day, and what was earned before is due', () => {
  const world = new World()
  const { ann, marketId } = world
  world.sample()
  world.credit([[ann, marketId, YES, 1000, 0]])
  world.driver.control({ kind: 'fundRewards', collateralRaw: UNIT })
  world.driver.nowMs += DAY_MS
  world.payOut([1, 0])
  assert.equal(world.rewards.day, DAY + 1)
  assert.equal(world.rewards.hasDue(DAY), false)
  assert.equal(world.rewards.hasDue(DAY + 1), true)
})

test('a part that comes behind the payout is credited in collateral', () => {
  const world = new World()
  const { ann, ben, marketId } = world
  world.sample()
  world.payOut([1, 3])
  const found = creditedShares(world.driver.clearing, [
    [ann, marketId, YES, 1001, 0],
    [ann, marketId, NO, 1001, ben],
    [ben, marketId, YES, 3, 0],
    [ben, marketId + 1, YES, 1000, 0],
  ])
  assert.deepEqual(found, {
    rows: [[ann, marketId, 0, 250]],
    referrals: [[ann, ben, 750]],
    shares: [],
  })
  const late = new World()
  late.sample()
  late.payOut([1, 0])
  const credit = { kind: 'creditRewards', part: 0, isLast: true, rows: [] } as const
  const shares = [[late.ann, late.marketId, YES, 1000, 0]] as const
  assert.throws(
    () => late.driver.control({ ...credit, minute: MINUTE + 1, shares }),
    /is paid out pays/,
  )
})

test('a market stays in memory while a sample is open, or a part waits for its payout', () => {
  const world = new World()
  const { driver, ann, ben, marketId } = world
  const wanted = { marketId, priceTicks: 500, sizeRaw: UNIT, type: 'GTC' as const, side: 0 }
  driver.place({ ...wanted, account: ann, outcome: YES })
  driver.place({ ...wanted, account: ben, outcome: NO })
  driver.control({ kind: 'mineBlock', height: 1, throughSeq: driver.clearing.lastSeq, chainId: 1 })
  assert.equal(world.rewards.needs(world.market), true, 'no sample counted the trade')
  world.sample()
  assert.equal(world.rewards.owesParts(world.market), false)
  assert.equal(world.rewards.needs(world.market), true, 'the sample is not credited')
  world.credit([[ann, marketId, YES, 1000, 0]])
  assert.equal(world.rewards.needs(world.market), true, 'a part waits')
  assert.equal(mayArchive(driver.clearing, world.market), false)
  world.payOut([1, 0])
  assert.equal(world.rewards.needs(world.market), false)
})

test('a rate of referrals keeps a market too, and trades that were taken back do not', () => {
  const world = new World()
  const { driver, ann, ben } = world
  const marketId = driver.addMarket()
  const market = driver.clearing.catalogue.existing(marketId)
  const { blocks, rewards } = driver.clearing
  driver.control({ kind: 'rewardMinute', minute: MINUTE + 1, referralBps: 2000 })
  const credit = { kind: 'creditRewards', part: 0, isLast: true, rows: [] } as const
  driver.control({ ...credit, minute: MINUTE + 1 })
  const wanted = { marketId, priceTicks: 500, sizeRaw: UNIT, type: 'GTC' as const, side: 0 }
  driver.place({ ...wanted, account: ann, outcome: YES })
  driver.place({ ...wanted, account: ben, outcome: NO })
  assert.equal(rewards.needs(market), true)
  const tradeSeq = driver.clearing.lastSeq
  driver.control({ kind: 'retrySettlement', tradeSeq })
  driver.control({ kind: 'mineBlock', height: 1, throughSeq: driver.clearing.lastSeq, chainId: 1 })
  driver.control({ kind: 'rewardMinute', minute: MINUTE + 2, referralBps: 2000 })
  driver.control({ ...credit, minute: MINUTE + 2 })
  assert.equal(rewards.isBehind(blocks), false, 'the trade is set aside')
  const legs = [
    [ann, YES, UNIT / 2],
    [ben, NO, UNIT / 2],
  ].map(([accountId, outcome, collateralRaw]) => {
    return { accountId, marketId, outcome, collateralRaw, sharesRaw: -UNIT }
  })
  const conditions = [{ marketId, collateralRaw: -UNIT }]
  driver.control({ kind: 'failSettlement', tradeSeq, legs, conditions })
  assert.equal(rewards.isBehind(blocks), true, 'a sample counts that it is gone')
  driver.control({ kind: 'rewardMinute', minute: MINUTE + 3, referralBps: 2000 })
  driver.control({ ...credit, minute: MINUTE + 3 })
  assert.equal(rewards.needs(market), false)
})

test('a captured state keeps the parts, and adds no field when there are none', () => {
  const world = new World()
  const { ann, ben, marketId } = world
  world.sample()
  world.credit([])
  const hashedFields = () => [...world.rewards.hashedFields()].map((event) => JSON.stringify(event))
  assert.ok(hashedFields().every((event) => !event.includes('sharePart')))
  world.sample()
  world.credit([
    [ben, marketId, NO, 4000, 0],
    [ann, marketId, YES, 1000, 0],
    [ann, marketId, YES, 2000, ben],
  ])
  assert.deepEqual(hashedFields().slice(-2), [
    `["sharePart",${marketId},${ann},3000,0]`,
    `["sharePart",${marketId},${ben},0,4000]`,
  ])
  const hash = world.driver.exchange.stateHash()
  const restored = restore(capture(world.driver.exchange))
  assert.equal(restored.stateHash(), hash)
  assert.equal(restored.clearing.rewards.shareParts.size, 2)
  assert.equal(restored.checkInvariants(), null)
})

test('at the bound a new row stays with the exchange, and a row that is there grows', () => {
  const { most } = SHARE_PART_ROWS.owner
  const world = new World()
  const { ann, ben, driver } = world
  const { shareParts } = world.rewards
  for (let market = 10; market < 10 + most; market++) shareParts.add(market, ann, YES, 1000)
  shareParts.add(world.marketId, ben, YES, 1000)
  const kept = (account: number) =>
    creditedShares(driver.clearing, [[account, world.marketId, NO, 1000, 0]]).shares.length
  assert.equal(kept(ann), 0, 'ann has as many as one may have')
  assert.equal(kept(ben), 1)
})
