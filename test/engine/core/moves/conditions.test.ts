import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  decideMerge,
  decideRedeem,
  decideSplit,
  decideWithdraw,
  redeemedOf,
} from '../../../../engine/core/decide/money/moves.ts'
import { reversalOf } from '../../../../engine/core/money/reversal.ts'
import { redemptionRaw } from '../../../../engine/core/moves/conditions.ts'
import { FEE_ACCOUNT } from '../../../../engine/domain/ids.ts'
import type { MoveBody } from '../../../../engine/domain/moves/move-command.ts'
import { OUTCOME, SIDE } from '../../../../engine/domain/order.ts'
import { Reject } from '../../../../engine/domain/reject-precedence.ts'
import { ExchangeDriver, type OrderRef } from '../../../support/exchange-driver.ts'
import { freshSeed, Random } from '../../../support/random.ts'

// Split, merge and redeem (rules §6.2).

const UNIT = 1_000_000
const { NO, YES } = OUTCOME

class World {
  readonly driver = new ExchangeDriver(64)
  readonly ann = this.driver.addAccount(1000 * UNIT)
  readonly ben = this.driver.addAccount(1000 * UNIT)
  readonly marketId = this.driver.addMarket()
  readonly #rested: OrderRef[] = []

  get market() {
    return this.driver.clearing.catalogue.existing(this.marketId)
  }

  /** The name of the refusal, or null once the command is applied. */
  try(decided: MoveBody | Reject): string | null {
    if (decided instanceof Reject) return decided.name
    this.driver.control(decided)
    this.driver.holds()
    return null
  }

  split(profileId: number, amountRaw: number) {
    return this.try(decideSplit(this.driver.clearing, this.market, { profileId, amountRaw }))
  }

  merge(profileId: number, amountRaw: number) {
    return this.try(decideMerge(this.driver.clearing, this.market, { profileId, amountRaw }))
  }

  redeem(profileId: number) {
    return this.try(decideRedeem(this.driver.clearing, this.market, { profileId }))
  }

  sell(account: number, outcome: number, sizeRaw: number): void {
    const { marketId } = this
    const wanted = { marketId, side: SIDE.SELL, priceTicks: 500, sizeRaw }
    this.#rested.push(this.driver.place({ ...wanted, account, outcome, type: 'GTC' }))
  }

  resolve(payoutNumerators: readonly [number, number]): void {
    const { driver, marketId } = this
    driver.control({ kind: 'resolveMarkets', resolutions: [{ marketId, payoutNumerators }] })
    driver.cancelMany(marketId, this.#rested)
  }

  pay(): void {
    const { driver, marketId } = this
    const height = driver.clearing.blocks.height + 1
    const throughSeq = driver.clearing.lastSeq
    driver.control({ kind: 'mineBlock', height, throughSeq, chainId: 1 })
    driver.control({ kind: 'postPayouts', marketIds: [marketId] })
  }

  held(account: number) {
    const { driver, marketId } = this
    return {
      free: driver.freeRaw(account),
      yes: driver.sharesRaw(account, marketId, YES),
      no: driver.sharesRaw(account, marketId, NO),
    }
  }
}

test('a split makes as many YES as NO of collateral, and a merge unmakes them', () => {
  const world = new World()
  const { ann } = world
  assert.equal(world.split(ann, 10 * UNIT), null)
  assert.deepEqual(world.held(ann), { free: 990 * UNIT, yes: 10 * UNIT, no: 10 * UNIT })
  assert.equal(world.market.conditionRaw, 10 * UNIT)
  assert.equal(world.merge(ann, 4 * UNIT), null)
  assert.deepEqual(world.held(ann), { free: 994 * UNIT, yes: 6 * UNIT, no: 6 * UNIT })
  assert.equal(world.merge(ann, 6 * UNIT), null)
  assert.deepEqual(world.held(ann), { free: 1000 * UNIT, yes: 0, no: 0 })
  assert.equal(world.market.rowCount, 0, 'an empty position is no row')
})

test('a split takes only free collateral, and a merge only free shares', () => {
  const world = new World()
  const { ann, ben } = world
  assert.equal(world.split(ann, 1000 * UNIT + 1), 'INSUFFICIENT_COLLATERAL')
  assert.equal(world.merge(ann, 1), 'INSUFFICIENT_SHARES')
  world.split(ann, 10 * UNIT)
  world.sell(ann, YES, 3 * UNIT)
  assert.equal(world.merge(ann, 7 * UNIT + 1), 'INSUFFICIENT_SHARES')
  assert.equal(world.merge(ann, 7 * UNIT), null)
  assert.equal(world.merge(ben, 1), 'INSUFFICIENT_SHARES')
})

test('a redemption waits for the payout, and takes both sides of a position', () => {
  const world = new World()
  const { ann, ben } = world
  world.split(ann, 10 * UNIT)
  assert.equal(world.redeem(ann), 'MARKET_NOT_RESOLVED')
  world.resolve([1, 0])
  assert.equal(world.redeem(ann), 'PAYOUT_NOT_POSTED')
  assert.equal(world.split(ann, 1), 'MARKET_RESOLVED')
  assert.equal(world.merge(ann, 1), 'MARKET_RESOLVED')
  world.pay()
  assert.equal(world.redeem(ben), 'NOTHING_TO_REDEEM')
  assert.equal(world.redeem(ann), null)
  assert.deepEqual(world.held(ann), { free: 1000 * UNIT, yes: 0, no: 0 })
  assert.equal(world.redeem(ann), 'NOTHING_TO_REDEEM')
})

const WORKED = [
  { payout: [1, 0], yes: 10_000_000, no: 0, pays: 10_000_000 },
  { payout: [1, 1], yes: 7_000_001, no: 3_000_000, pays: 5_000_000 },
  { payout: [3, 1], yes: 10_000_001, no: 2, pays: 7_500_000 },
] as const

for (const { payout, yes, no, pays } of WORKED) {
  test(`payout ${payout} pays ${pays} for ${yes} YES and ${no} NO (rules §6.2)`, () => {
    assert.equal(redemptionRaw(payout, yes, no), pays)
  })
}

function floorDiv(a: bigint, b: bigint): bigint {
  const whole = a / b
  return a % b !== 0n && a < 0n ? whole - 1n : whole
}

test('a redemption pays what bigint says, also at the extremes and below zero', () => {
  const seed = freshSeed()
  const random = new Random(seed)
  const parts = () => random.spread(2 ** 40)
  for (let round = 0; round < 20_000; round++) {
    const payout = [parts(), 1 + parts()] as const
    const [yesPart, noPart] = payout
    const whole = BigInt(yesPart + noPart)
    const held = random.spread(Number.MAX_SAFE_INTEGER) * (random.chance(0.5) ? 1 : -1)
    const due = (part: number) => floorDiv(BigInt(held) * BigInt(part), whole)
    const reported = `SEED=${seed}: ${held} at ${payout}`
    assert.equal(BigInt(redemptionRaw(payout, held, 0)), due(yesPart), reported)
    assert.equal(BigInt(redemptionRaw(payout, 0, held)), due(noPart), reported)
  }
})

test('what roundings leave behind goes to the fee account with the last redemption', () => {
  const world = new World()
  const { driver, ann, ben } = world
  world.split(ann, 1_000_001)
  world.sell(ann, NO, 3000)
  driver.place({
    account: ben,
    marketId: world.marketId,
    side: SIDE.BUY,
    outcome: NO,
    type: 'FAK',
    priceTicks: 500,
    sizeRaw: 3000,
  })
  world.resolve([1, 2])
  world.pay()
  // Of 1,000,001 pairs: ⌊1000001/3⌋ + ⌊2·997001/3⌋ to ann and ⌊2·3000/3⌋ to ben leave 1.
  assert.equal(world.redeem(ann), null)
  assert.equal(driver.freeRaw(FEE_ACCOUNT), 0)
  assert.equal(world.redeem(ben), null)
  assert.equal(driver.freeRaw(FEE_ACCOUNT), 1)
  assert.equal(world.market.conditionRaw, 0)
})

test('shares below zero are owed, and redeemed out of the collateral of their account', () => {
  const world = new World()
  const { driver, ann, ben, marketId } = world
  // Ben buys 10 YES from ann and sells them on to cid. Then his purchase is taken back.
  const cid = driver.addAccount(1000 * UNIT)
  world.split(ann, 10 * UNIT)
  world.sell(ann, YES, 10 * UNIT)
  const wanted = { marketId, side: SIDE.BUY, outcome: YES, priceTicks: 500, sizeRaw: 10 * UNIT }
  const bought = driver.place({ ...wanted, account: ben, type: 'FAK' })
  const tradeSeq = driver.clearing.lastSeq
  world.sell(ben, YES, 10 * UNIT)
  driver.place({ ...wanted, account: cid, type: 'FAK' })
  const fill = { makerId: ann, makerOutcome: YES, makerSide: SIDE.SELL, sharesRaw: 10 * UNIT }
  const reversal = reversalOf({
    marketId,
    takerId: ben,
    side: SIDE.BUY,
    outcome: YES,
    feeRaw: bought.feeRaw,
    fills: [{ ...fill, yesTicks: 500 }],
  })
  driver.control({ kind: 'failSettlement', tradeSeq, ...reversal })
  driver.holds()
  assert.equal(world.held(ben).yes, -10 * UNIT)
  world.resolve([1, 0])
  world.pay()
  const before = world.held(ben).free
  assert.equal(world.redeem(ben), null)
  assert.deepEqual(world.held(ben), { free: before - 10 * UNIT, yes: 0, no: 0 })
  assert.equal(world.redeem(cid), null)
  assert.equal(world.redeem(ann), null)
  assert.equal(world.market.conditionRaw, 0)
})

test('a debt for shares may leave an account below zero, and blocks what it wants to take', () => {
  const world = new World()
  const { driver, marketId } = world
  const dan = driver.addAccount(5 * UNIT)
  const wanted = { marketId, outcome: YES, priceTicks: 500, sizeRaw: 10 * UNIT }
  world.split(world.ann, 10 * UNIT)
  world.sell(world.ann, YES, 10 * UNIT)
  const bought = driver.place({ ...wanted, side: SIDE.BUY, account: dan, type: 'FAK' })
  const tradeSeq = driver.clearing.lastSeq
  driver.place({ ...wanted, side: SIDE.SELL, account: dan, type: 'GTC' })
  driver.place({ ...wanted, side: SIDE.BUY, account: world.ben, type: 'FAK' })
  const { clearing } = driver
  const withdrawn = { profileId: dan, destination: '0x', collateralRaw: world.held(dan).free }
  assert.equal(world.try(decideWithdraw(clearing, withdrawn)), 'NOT_MINED_YET')
  // What may not leave may trade on: he makes pairs of another market.
  const other = clearing.catalogue.existing(driver.addMarket())
  const amountRaw = world.held(dan).free
  assert.equal(world.try(decideSplit(clearing, other, { profileId: dan, amountRaw })), null)
  const fill = { makerId: world.ann, makerOutcome: YES, makerSide: SIDE.SELL, yesTicks: 500 }
  const taken = { marketId, takerId: dan, side: SIDE.BUY, outcome: YES, feeRaw: bought.feeRaw }
  const fills = [{ ...fill, sharesRaw: 10 * UNIT }]
  driver.control({ kind: 'failSettlement', tradeSeq, ...reversalOf({ ...taken, fills }) })
  world.resolve([1, 0])
  world.pay()
  assert.equal(world.redeem(dan), null)
  assert.equal(world.held(dan).free, -5 * UNIT)
  const again = { profileId: dan, destination: '0x', collateralRaw: 1 }
  assert.equal(world.try(decideWithdraw(clearing, again)), 'INSUFFICIENT_COLLATERAL')
})

test('a position of a market that is not paid out has nothing to redeem', () => {
  const world = new World()
  world.split(world.ann, UNIT)
  const { clearing } = world.driver
  const row = clearing.ledger.rows.find(world.ann, world.marketId)
  assert.equal(redeemedOf(clearing, world.market, row), null)
})
