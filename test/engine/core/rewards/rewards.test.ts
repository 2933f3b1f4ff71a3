import assert from 'node:assert/strict'
import { test } from 'node:test'
import { capture, restore } from '../../../../engine/core/capture.ts'
import { mayArchive } from '../../../../engine/core/decide/endings.ts'
import { solvencyOf } from '../../../../engine/core/state/solvency.ts'
import { FEE_ACCOUNT, REWARDS_ACCOUNT } from '../../../../engine/domain/ids.ts'
import { OUTCOME, SIDE } from '../../../../engine/domain/order.ts'
import type { Credit, RewardPayment } from '../../../../engine/domain/rewards/reward-command.ts'
import { ExchangeDriver } from '../../../support/exchange-driver.ts'
import { marketSpec } from '../../../support/specs.ts'

// What is earned, credited once and paid once (rules §11.3). The driver checks the invariants.

const UNIT = 1_000_000
const DAY = 20_000
const MINUTE = DAY * 1440

class World {
  readonly driver = new ExchangeDriver(64)
  readonly ann = this.driver.addAccount(100 * UNIT)
  readonly ben = this.driver.addAccount(100 * UNIT)

  constructor() {
    const market = { ...marketSpec(1), dailyRewardRaw: 1440 * UNIT, rebateBps: 10_000 }
    this.driver.control({ kind: 'createMarket', marketId: 1, book: 1, market })
  }

  get rewards() {
    return this.driver.clearing.rewards
  }

  sample(minute: number): void {
    this.driver.control({ kind: 'rewardMinute', minute })
  }

  credit(minute: number, part: number, rows: readonly Credit[], isLast = true): void {
    this.driver.control({ kind: 'creditRewards', minute, part, isLast, rows })
    this.driver.holds()
  }

  pay(day: number, rows: readonly RewardPayment[], isLast = true): void {
    this.driver.control({ kind: 'payRewards', day, isLast, merges: [], rows })
    this.driver.holds()
  }

  fund(collateralRaw: number): void {
    this.driver.control({ kind: 'fundRewards', collateralRaw })
    this.driver.holds()
  }

  freeRaw(account: number): number {
    return this.driver.clearing.ledger.freeRaw(account)
  }
}

test('each part of a sample is credited once, in its order; a minute is sampled once', () => {
  const world = new World()
  world.sample(MINUTE)
  assert.throws(() => world.sample(MINUTE + 1), /credited before the next/)
  const again = new World()
  again.sample(MINUTE)
  again.credit(MINUTE, 0, [[again.ann, 1, 5, 7]], false)
  assert.throws(() => again.credit(MINUTE, 0, []), /each part is credited once/)
  const late = new World()
  late.sample(MINUTE)
  late.credit(MINUTE, 0, [[late.ann, 1, 5, 7]], false)
  late.credit(MINUTE, 1, [[late.ann, 1, 1, 0]])
  assert.deepEqual(late.rewards.today.of(late.ann), { rewardRaw: 6, rebateRaw: 7 })
  assert.equal(late.rewards.open, null)
  assert.throws(() => late.credit(MINUTE, 2, []), /only a sample is credited/)
})

test('what is paid comes out of the two accounts, and no more than was earned', () => {
  const world = new World()
  world.fund(10 * UNIT)
  world.sample(MINUTE)
  world.credit(MINUTE, 0, [
    [world.ann, 1, 3 * UNIT, 0],
    [world.ben, 1, UNIT, 0],
  ])
  world.pay(DAY, [[world.ann, 3 * UNIT, 0]], false)
  world.pay(DAY, [[world.ben, UNIT / 2, 0]])
  assert.equal(world.freeRaw(world.ann), 103 * UNIT)
  assert.equal(world.freeRaw(REWARDS_ACCOUNT), 6.5 * UNIT)
  assert.deepEqual(world.rewards.due.accounts(), [world.ben])
  assert.equal(world.rewards.hasDue(DAY), false)
  assert.equal(world.rewards.hasDue(DAY + 1), true)
  assert.throws(() => world.pay(DAY, []), /a day is paid once/)
  const greedy = new World()
  greedy.fund(10 * UNIT)
  greedy.sample(MINUTE)
  greedy.credit(MINUTE, 0, [[greedy.ann, 1, UNIT, 0]])
  assert.throws(() => greedy.pay(DAY, [[greedy.ann, UNIT + 1, 0]]), /no more rewards are paid/)
  const empty = new World()
  empty.sample(MINUTE)
  empty.credit(MINUTE, 0, [[empty.ann, 1, 0, UNIT]])
  assert.throws(() => empty.pay(DAY, [[empty.ann, 0, UNIT]]), /pays at most its balance/)
})

test('what is earned in a day is not due before its end', () => {
  const world = new World()
  world.fund(10 * UNIT)
  world.sample(MINUTE + 1439)
  world.credit(MINUTE + 1439, 0, [[world.ann, 1, UNIT, 0]])
  assert.equal(world.rewards.hasDue(DAY - 1), false)
  world.sample(MINUTE + 1440)
  world.credit(MINUTE + 1440, 0, [[world.ann, 1, 2 * UNIT, 0]])
  assert.deepEqual(world.rewards.due.of(world.ann), { rewardRaw: UNIT, rebateRaw: 0 })
  world.pay(DAY, [[world.ann, UNIT, 0]])
  assert.deepEqual(world.rewards.today.of(world.ann), { rewardRaw: 2 * UNIT, rebateRaw: 0 })
})

test('a market owes parts of its fees until a sample counted its newest trade in a block', () => {
  const world = new World()
  const { driver } = world
  const { clearing } = driver
  const owes = () => clearing.rewards.owesParts(clearing.catalogue.existing(1))
  const common = { marketId: 1, priceTicks: 500, sizeRaw: UNIT, type: 'GTC' as const }
  const trade = () => {
    driver.place({ ...common, account: world.ann, side: SIDE.BUY, outcome: OUTCOME.YES })
    driver.place({ ...common, account: world.ben, side: SIDE.BUY, outcome: OUTCOME.NO })
    return clearing.lastSeq
  }
  let height = 0
  const mine = () => {
    const throughSeq = clearing.lastSeq
    driver.control({ kind: 'mineBlock', height: ++height, throughSeq, chainId: 1 })
  }
  let minute = MINUTE
  const count = () => {
    world.sample(minute)
    world.credit(minute++, 0, [])
  }
  assert.equal(owes(), false)
  const aside = trade()
  assert.equal(owes(), true)
  count()
  assert.equal(owes(), true, 'the trade is in no block')
  driver.control({ kind: 'retrySettlement', tradeSeq: aside })
  mine()
  count()
  assert.equal(owes(), true, 'the trade was set aside')
  driver.control({ kind: 'settleTrade', tradeSeq: aside, height })
  assert.equal(mayArchive(clearing, clearing.catalogue.existing(1)), false)
  count()
  assert.equal(owes(), false)
  trade()
  mine()
  assert.equal(owes(), true)
  count()
  assert.equal(owes(), false)
})

test('funds come and go; they are owed to nobody until they are paid', () => {
  const world = new World()
  world.fund(5 * UNIT)
  world.fund(-5 * UNIT)
  assert.throws(() => world.fund(-1), /a withdrawal is covered by the balance/)
  const full = new World()
  full.fund(5 * UNIT)
  const { differenceRaw, obligations } = solvencyOf(full.driver.clearing)
  assert.equal(differenceRaw, 0n)
  assert.equal(obligations.systemRaw, 5_000_000n)
  assert.equal(full.freeRaw(FEE_ACCOUNT), 0)
})

test('sums stop at the largest exact number', () => {
  const world = new World()
  world.sample(MINUTE)
  const most = Number.MAX_SAFE_INTEGER
  world.credit(MINUTE, 0, [
    [world.ann, 1, most, most],
    [world.ann, 2, most, 1],
  ])
  assert.deepEqual(world.rewards.today.of(world.ann), { rewardRaw: most, rebateRaw: most })
  assert.equal(world.rewards.today.totals.rewardsRaw, BigInt(most))
})

test('a captured state goes on in the middle of a sample and of a payment', () => {
  const world = new World()
  world.fund(10 * UNIT)
  world.sample(MINUTE)
  world.credit(MINUTE, 0, [[world.ann, 1, UNIT, 0]])
  world.sample(MINUTE + 1440)
  world.credit(MINUTE + 1440, 0, [[world.ben, 1, UNIT, 0]], false)
  world.pay(DAY, [], false)
  const hash = world.driver.exchange.stateHash()
  const restored = restore(capture(world.driver.exchange))
  assert.equal(restored.stateHash(), hash)
  assert.deepEqual(restored.clearing.rewards.capture(), world.rewards.capture())
  assert.equal(restored.checkInvariants(), null)
})
