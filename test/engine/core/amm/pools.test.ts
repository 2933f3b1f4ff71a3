import assert from 'node:assert/strict'
import { test } from 'node:test'
import { capture, restore } from '../../../../engine/core/capture.ts'
import { decideMerge, decideSplit } from '../../../../engine/core/decide/money/moves.ts'
import {
  approvalOf,
  decideApproval,
  decideBuy,
  decideDrain,
  decideFund,
  decideSell,
} from '../../../../engine/core/decide/money/pools.ts'
import { solvencyOf } from '../../../../engine/core/state/solvency.ts'
import { POOL_ACCOUNT } from '../../../../engine/domain/ids.ts'
import type { MoveBody, PoolBody, PoolSide } from '../../../../engine/domain/moves/move-command.ts'
import { OUTCOME } from '../../../../engine/domain/order.ts'
import { Reject } from '../../../../engine/domain/reject-precedence.ts'
import { ExchangeDriver } from '../../../support/exchange-driver.ts'
import { freshSeed, Random } from '../../../support/random.ts'
import { marketSpec } from '../../../support/specs.ts'

// The commands on a pool (rules §7.2 to §7.5). The driver checks the invariants after each.

const UNIT = 1_000_000
const { NO, YES } = OUTCOME

class World {
  readonly driver = new ExchangeDriver(64)
  readonly lea = this.driver.addAccount(2000 * UNIT)
  readonly ann = this.driver.addAccount(1000 * UNIT)
  readonly ben = this.driver.addAccount(1000 * UNIT)
  readonly marketId = 1
  #height = 0

  constructor(poolFeeBps?: number) {
    const { marketId } = this
    const kind = { kind: 'amm' as const, poolAddress: `0x${'a'.repeat(40)}` }
    const fee = poolFeeBps === undefined ? {} : { poolFeeBps }
    const market = { ...marketSpec(marketId), ...kind, ...fee }
    this.driver.control({ kind: 'createMarket', marketId, book: 0, market })
  }

  get market() {
    return this.clearing.catalogue.existing(this.marketId)
  }

  get clearing() {
    return this.driver.clearing
  }

  /** The name of the refusal, or null once the command is applied. */
  try(decided: PoolBody | MoveBody | Reject | null): string | null {
    if (decided instanceof Reject) return decided.name
    if (decided === null) return 'NOTHING'
    this.driver.control(decided)
    this.driver.holds()
    return null
  }

  mine(): null {
    const throughSeq = this.clearing.lastSeq
    this.driver.control({ kind: 'mineBlock', height: ++this.#height, throughSeq, chainId: 1 })
    return null
  }

  fund(profileId: number, collateralRaw: number, hints: readonly [number, number] = [1, 1]) {
    return this.try(decideFund(this.clearing, this.market, { profileId, collateralRaw, hints }))
  }

  drain(profileId: number, raw?: number) {
    return this.try(decideDrain(this.clearing, this.market, profileId, raw))
  }

  approve(profileId: number, side: PoolSide) {
    const request = { profileId, side }
    return this.try(decideApproval(this.clearing, this.market, request, this.driver.nowMs))
  }

  #request(profileId: number, outcome: number, collateralRaw: number, slippageBps: number) {
    return { profileId, outcome, collateralRaw, slippageBps }
  }

  buy(profileId: number, outcome: number, raw: number, slippageBps = 100) {
    const request = this.#request(profileId, outcome, raw, slippageBps)
    return this.try(decideBuy(this.clearing, this.market, request, this.driver.nowMs))
  }

  sell(profileId: number, outcome: number, raw: number, slippageBps = 100) {
    const request = this.#request(profileId, outcome, raw, slippageBps)
    return this.try(decideSell(this.clearing, this.market, request, this.driver.nowMs))
  }

  /** Approves both sides, and a block holds that. */
  admit(...profileIds: readonly number[]): void {
    for (const profileId of profileIds) {
      assert.equal(this.approve(profileId, 'BUY'), null)
      assert.equal(this.approve(profileId, 'SELL'), null)
    }
    this.mine()
  }

  held(account: number): [number, number] {
    const of = (outcome: number) => this.driver.sharesRaw(account, this.marketId, outcome)
    return [of(YES), of(NO)]
  }

  resolve(payoutNumerators: readonly [number, number]): void {
    this.mine()
    const { marketId } = this
    this.driver.control({ kind: 'resolveMarkets', resolutions: [{ marketId, payoutNumerators }] })
    this.driver.control({ kind: 'postPayouts', marketIds: [marketId] })
    this.driver.holds()
  }
}

function funded(): World {
  const world = new World()
  assert.equal(world.fund(world.lea, 1000 * UNIT), null)
  world.admit(world.ann, world.ben)
  return world
}

test('a pool of 1,000 sells 19.821776 YES for 10, and buys 9.966220 for 5 (rules §7.3)', () => {
  const world = funded()
  const { ann, driver } = world
  assert.equal(world.buy(ann, YES, 10 * UNIT), null)
  assert.deepEqual(world.held(ann), [19_821_776, 0])
  assert.deepEqual(world.held(POOL_ACCOUNT), [990_138_224, 1_009_960_000])
  assert.equal(driver.freeRaw(ann), 990 * UNIT)
  assert.equal(driver.freeRaw(POOL_ACCOUNT), 40_000)
  world.mine()
  assert.equal(world.sell(ann, YES, 5 * UNIT), null)
  assert.deepEqual(world.held(ann), [19_821_776 - 9_966_220, 0])
  assert.deepEqual(world.held(POOL_ACCOUNT), [995_084_364, 1_004_939_920])
  assert.equal(driver.freeRaw(ann), 995 * UNIT)
  assert.equal(driver.freeRaw(POOL_ACCOUNT), 60_080)
  const { differenceRaw } = solvencyOf(world.clearing)
  assert.equal(differenceRaw, 0n)
})

test('1 of collateral comes back as 0.992015 (rules §7.3)', () => {
  const world = funded()
  const { ann, driver } = world
  assert.equal(world.buy(ann, YES, UNIT), null)
  assert.deepEqual(world.held(ann), [1_991_008, 0])
  world.mine()
  assert.equal(world.sell(ann, YES, 992_016), 'POOL_FUNDS_SHORT')
  assert.equal(world.sell(ann, YES, 992_015), null)
  assert.equal(driver.freeRaw(ann), 1000 * UNIT - UNIT + 992_015)
})

test('the first provider gets what its hint leaves, and opens the market (rules §7.4)', () => {
  const world = new World()
  assert.equal(world.market.status, 'DRAFT')
  assert.equal(world.fund(world.lea, 1000 * UNIT, [300, 700]), null)
  assert.equal(world.market.status, 'FUNDED')
  assert.deepEqual(world.held(POOL_ACCOUNT), [428_571_428, 1_000_000_000])
  assert.deepEqual(world.held(world.lea), [571_428_572, 0])
  // A later provider keeps the price, and gets its part by the larger reserve.
  assert.equal(world.fund(world.ben, 500 * UNIT), null)
  assert.deepEqual(world.held(POOL_ACCOUNT), [642_857_142, 1_500_000_000])
  assert.deepEqual(world.held(world.ben), [500 * UNIT - 214_285_714, 0])
  const pool = world.clearing.pools.existing(world.marketId)
  assert.equal(pool.providers.get(world.ben)?.liquidityRaw, 500 * UNIT)
})

test('providers share fees by what they held when these came, and take all of them', () => {
  const world = funded()
  const { ann, lea, ben, driver } = world
  assert.equal(world.buy(ann, YES, 100 * UNIT), null)
  assert.equal(world.fund(ben, 500 * UNIT), null)
  world.mine()
  assert.equal(world.buy(ann, NO, 100 * UNIT), null)
  const pool = world.clearing.pools.existing(world.marketId)
  const [first, second] = [400_000, 400_000]
  const share = pool.providers.get(ben)?.liquidityRaw ?? 0
  const due = Math.floor((second * share) / pool.liquidityRaw)
  assert.equal(world.clearing.pools.feesOf(pool, ben), due)
  const before = driver.freeRaw(ben)
  assert.equal(world.drain(ben), null)
  assert.equal(driver.freeRaw(ben) - before, due)
  const own = driver.freeRaw(lea)
  assert.equal(world.drain(lea, 1), null)
  assert.equal(driver.freeRaw(lea) - own, first + second - due)
  assert.equal(world.drain(lea), null)
  assert.deepEqual(world.held(POOL_ACCOUNT), [0, 0])
  assert.equal(driver.freeRaw(POOL_ACCOUNT), 0)
  assert.equal(world.drain(lea), 'LIQUIDITY_SHORT')
})

test('a trade needs its own approval, and that a block holds it (rules §7.5)', () => {
  const world = new World()
  const { ann, clearing } = world
  assert.equal(world.fund(world.lea, 1000 * UNIT), null)
  assert.equal(world.buy(ann, YES, UNIT), 'APPROVAL_MISSING')
  assert.equal(approvalOf(clearing, world.market, ann, 'BUY').status, 'missing')
  assert.equal(world.approve(ann, 'BUY'), null)
  assert.equal(approvalOf(clearing, world.market, ann, 'BUY').status, 'submitted')
  assert.equal(world.buy(ann, YES, UNIT), 'APPROVAL_MISSING')
  assert.equal(world.approve(ann, 'BUY'), 'NOTHING')
  world.mine()
  assert.equal(approvalOf(clearing, world.market, ann, 'BUY').status, 'confirmed')
  assert.equal(world.buy(ann, YES, UNIT), null)
  world.mine()
  assert.equal(world.sell(ann, YES, 1000), 'APPROVAL_MISSING')
})

test('an account has one trade with a pool until a block holds it (rules §7.5)', () => {
  const world = funded()
  const { ann, ben } = world
  assert.equal(world.buy(ann, YES, UNIT), null)
  assert.equal(world.buy(ann, NO, UNIT), 'POOL_TRADE_RUNNING')
  assert.equal(world.buy(ben, NO, UNIT), null)
  world.mine()
  assert.equal(world.buy(ann, NO, UNIT), null)
})

test('what a pool cannot give is refused, and so is what buys nothing (rules §7.5)', () => {
  const world = funded()
  const { ann } = world
  assert.equal(world.buy(ann, YES, 1000 * UNIT + 1), 'POOL_FUNDS_SHORT')
  assert.equal(world.sell(ann, YES, 1), 'POOL_FUNDS_SHORT')
  assert.equal(world.sell(ann, YES, 1000 * UNIT), 'POOL_QUOTE_INVALID')
  assert.equal(world.sell(ann, YES, Number.MAX_SAFE_INTEGER), 'POOL_QUOTE_INVALID')
  // One raw unit buys one share, less the slippage of 1%.
  assert.equal(world.buy(ann, YES, 1), 'POOL_AMOUNT_TOO_SMALL')
  assert.equal(world.fund(world.lea, 1), null)
  assert.equal(world.fund(world.lea, 2000 * UNIT), 'INSUFFICIENT_COLLATERAL')
  const { clearing } = world
  const request = { profileId: ann, outcome: YES, collateralRaw: UNIT, slippageBps: 100 }
  world.driver.control({ kind: 'freezeProfile', profileId: ann, reason: 'test' })
  assert.equal(world.buy(ann, YES, UNIT), 'PROFILE_FROZEN')
  world.driver.control({ kind: 'unfreezeProfile', profileId: ann, reason: 'test' })
  world.driver.control({ kind: 'lockMarket', marketId: world.marketId })
  const restricted = decideBuy(clearing, world.market, request, world.driver.nowMs)
  assert(restricted instanceof Reject)
  assert.equal(restricted.name, 'POOL_CLOSED')
})

test('a market with a book has no pool', () => {
  const driver = new ExchangeDriver(64)
  const profileId = driver.addAccount(UNIT)
  const market = driver.clearing.catalogue.existing(driver.addMarket())
  const fund = decideFund(driver.clearing, market, { profileId, collateralRaw: 1, hints: [1, 1] })
  const approval = decideApproval(driver.clearing, market, { profileId, side: 'BUY' }, driver.nowMs)
  for (const refused of [fund, approval]) {
    assert(refused instanceof Reject)
    assert.equal(refused.name, 'MARKET_NOT_POOL')
  }
})

test('a provider of a resolved market gets its shares and redeems them', () => {
  const world = funded()
  const { ann, lea, driver } = world
  assert.equal(world.buy(ann, YES, 10 * UNIT), null)
  world.resolve([1, 0])
  assert.equal(world.drain(lea), null)
  assert.deepEqual(world.held(lea), [990_138_224, 1_009_960_000])
  assert.equal(driver.freeRaw(lea), 1000 * UNIT + 40_000)
  assert.deepEqual(world.held(POOL_ACCOUNT), [0, 0])
})

test('a random flow on a pool keeps every invariant, and a snapshot of it is the state', () => {
  const random = new Random(freshSeed())
  const world = new World(random.pick([0, 40, 1000]))
  const { lea, ann, ben, driver } = world
  assert.equal(world.fund(lea, 1 + random.below(1000 * UNIT), [1 + random.below(9), 5]), null)
  world.admit(lea, ann, ben)
  const done = new Map<string, number>()
  for (let step = 0; step < 3000; step++) {
    const who = random.pick([lea, ann, ben])
    const raw = 1 + random.spread(300 * UNIT)
    const outcome = random.below(2)
    const { clearing, market } = world
    const [act, refused] = random.pick([
      () => ['buy', world.buy(who, outcome, raw, 1000)],
      () => ['sell', world.sell(who, outcome, raw, 1000)],
      () => ['fund', world.fund(who, raw, [1, 1 + random.below(3)])],
      () => ['drain', world.drain(who, random.chance(0.2) ? undefined : raw)],
      () => ['split', world.try(decideSplit(clearing, market, { profileId: who, amountRaw: raw }))],
      () => ['merge', world.try(decideMerge(clearing, market, { profileId: who, amountRaw: raw }))],
      () => ['mine', world.mine()],
    ] as const)()
    if (refused === null) done.set(String(act), (done.get(String(act)) ?? 0) + 1)
    assert.equal(solvencyOf(clearing).differenceRaw, 0n)
  }
  for (const act of ['buy', 'sell', 'fund', 'drain', 'split', 'merge']) {
    assert((done.get(act) ?? 0) > 20, `${act} was done ${done.get(act)} times`)
  }
  const { exchange } = driver
  assert.equal(restore(capture(exchange)).stateHash(), exchange.stateHash())
  world.resolve(random.pick([[1, 0] as const, [0, 1] as const, [1, 3] as const]))
  for (const who of [lea, ann, ben]) world.drain(who)
  assert.deepEqual(world.held(POOL_ACCOUNT), [0, 0])
  assert.equal(driver.freeRaw(POOL_ACCOUNT), 0)
})
