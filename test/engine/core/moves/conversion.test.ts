import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decideConvert, redeemedOf } from '../../../../engine/core/decide/money/moves.ts'
import { solvencyOf } from '../../../../engine/core/state/solvency.ts'
import { BURN_ACCOUNT, VAULT_ACCOUNT } from '../../../../engine/domain/ids.ts'
import { OUTCOME } from '../../../../engine/domain/order.ts'
import { Reject } from '../../../../engine/domain/reject-precedence.ts'
import { ExchangeDriver } from '../../../support/exchange-driver.ts'
import { freshSeed, Random } from '../../../support/random.ts'
import { marketSpec } from '../../../support/specs.ts'

// Conversions in a group (rules §6.3).

const UNIT = 1_000_000
const { NO, YES } = OUTCOME

class Group {
  readonly driver = new ExchangeDriver(64)
  readonly ann = this.driver.addAccount(1000 * UNIT)
  readonly groupId = 1
  readonly children: number[]

  constructor(count: number, convertFeeBps = 0) {
    const { driver, groupId } = this
    const none = { yesTokenId: '', noTokenId: '', conditionId: '' }
    const group = { ...marketSpec(groupId), ...none, kind: 'group' as const, convertFeeBps }
    this.children = Array.from({ length: count }, (_none, index) => groupId + 1 + index)
    const children = this.children.map((marketId, orderInGroup) => {
      const book = orderInGroup + 1
      return { marketId, book, market: { ...marketSpec(marketId), groupId, orderInGroup } }
    })
    const markets = [{ marketId: groupId, book: 0, market: group }, ...children]
    driver.control({ kind: 'createGroup', markets })
  }

  market(marketId: number) {
    return this.driver.clearing.catalogue.existing(marketId)
  }

  /** Gives the account pairs of these children. */
  split(account: number, children: readonly number[], amountRaw: number): void {
    for (const index of children) {
      const marketId = this.children[index]
      this.driver.control({ kind: 'splitPosition', profileId: account, marketId, amountRaw })
    }
    this.driver.holds()
  }

  /** The name of the refusal, or null once it is converted. */
  convert(account: number, children: readonly number[], amountRaw: number): string | null {
    const { driver } = this
    const chosen = children.map((index) => this.market(this.children[index]))
    const request = { profileId: account, amountRaw }
    const decided = decideConvert(driver.clearing, this.market(this.groupId), chosen, request)
    if (decided instanceof Reject) return decided.name
    driver.control(decided)
    driver.holds()
    return null
  }

  held(account: number, outcome: number): number[] {
    return this.children.map((marketId) => this.driver.sharesRaw(account, marketId, outcome))
  }

  resolve(winner: number): void {
    const resolutions = this.children.map((marketId, index) => {
      const payoutNumerators = index === winner ? ([1, 0] as const) : ([0, 1] as const)
      return { marketId, payoutNumerators }
    })
    this.driver.control({ kind: 'resolveMarkets', resolutions })
    this.driver.control({ kind: 'postPayouts', marketIds: this.children })
    this.driver.holds()
  }

  /** Redeems every position there is, also those of the system. */
  redeemAll(): void {
    const { clearing } = this.driver
    for (let row = 1; row < clearing.ledger.rows.end; row++) {
      if (!clearing.ledger.rows.isLive(row)) continue
      const market = this.market(clearing.ledger.rows.marketOf(row))
      const position = redeemedOf(clearing, market, row)
      assert(position !== null)
      const { marketId } = market
      this.driver.control({ kind: 'redeemPositions', marketId, positions: [position] })
      this.driver.holds()
    }
  }
}

const TEN = 10_000_000

test('NO of children 0 and 2 of 4 gives YES of the others and one unit each (rules §6.3)', () => {
  const group = new Group(4)
  const { ann } = group
  group.split(ann, [0, 2], TEN)
  const before = group.driver.freeRaw(ann)
  assert.equal(group.convert(ann, [0, 2], TEN), null)
  assert.deepEqual(group.held(ann, YES), [TEN, TEN, TEN, TEN])
  assert.deepEqual(group.held(ann, NO), [0, 0, 0, 0])
  assert.equal(group.driver.freeRaw(ann) - before, TEN)
  // Nothing was paid in for 20 YES and 10 collateral: the group owes it, the burnt NO pays it back.
  assert.equal(group.market(group.groupId).conditionRaw, -3 * TEN)
  assert.deepEqual(group.held(BURN_ACCOUNT, NO), [TEN, TEN, TEN, TEN])
})

test('assets equal obligations while a group waits for what conversions pay back', () => {
  const group = new Group(4)
  group.split(group.ann, [0, 2], TEN)
  group.convert(group.ann, [0, 2], TEN)
  const { assetsRaw, obligations, differenceRaw } = solvencyOf(group.driver.clearing)
  assert.deepEqual([assetsRaw, differenceRaw], [BigInt(1000 * UNIT), 0n])
  // 20 were split and 10 came back; two more pairs were made, so the group stands at −30.
  assert.deepEqual(obligations, {
    freeRaw: 990_000_000n,
    reservedRaw: 0n,
    sharesRaw: 40_000_000n,
    groupsRaw: -30_000_000n,
    systemRaw: 0n,
  })
})

test('a fee of 100 bps leaves 9.9 of each, and 0.1 of each in the vault (rules §6.3)', () => {
  const group = new Group(4, 100)
  const { ann, driver } = group
  group.split(ann, [0, 2], TEN)
  const before = driver.freeRaw(ann)
  group.convert(ann, [0, 2], TEN)
  assert.deepEqual(group.held(ann, YES), [TEN, 9_900_000, TEN, 9_900_000])
  assert.deepEqual(group.held(VAULT_ACCOUNT, YES), [0, 100_000, 0, 100_000])
  assert.equal(driver.freeRaw(ann) - before, 9_900_000)
  assert.equal(driver.freeRaw(VAULT_ACCOUNT), 100_000)
})

test('one NO gives YES of all others, and all NO give collateral and no YES (rules §6.3)', () => {
  const one = new Group(3)
  one.split(one.ann, [1], TEN)
  const before = one.driver.freeRaw(one.ann)
  one.convert(one.ann, [1], TEN)
  assert.deepEqual(one.held(one.ann, YES), [TEN, TEN, TEN])
  assert.equal(one.driver.freeRaw(one.ann), before)
  const all = new Group(3)
  all.split(all.ann, [0, 1, 2], TEN)
  all.convert(all.ann, [0, 1, 2], TEN)
  assert.deepEqual(all.held(all.ann, YES), [TEN, TEN, TEN])
  // Three splits cost 30, and the conversion gives 20 of it back.
  assert.equal(all.driver.freeRaw(all.ann), 1000 * UNIT - TEN)
})

test('a conversion is worth the same whichever child wins, and the group ends at zero', () => {
  for (let winner = 0; winner < 4; winner++) {
    const group = new Group(4, 37)
    const { ann, driver } = group
    group.split(ann, [0, 2], 10_000_001)
    group.convert(ann, [0, 2], 9_999_999)
    group.resolve(winner)
    group.redeemAll()
    // The splits gave one YES each; the fee is 3.7 per thousand, rounded down, of what was given.
    const feeRaw = Math.floor((9_999_999 * 37) / 10_000)
    const wonByOther = winner === 1 || winner === 3
    const worthRaw = (wonByOther ? 2 : 1) * (9_999_999 - feeRaw)
    const keptRaw = 2 * 10_000_001 - 9_999_999 * (wonByOther ? 2 : 1)
    assert.equal(driver.freeRaw(ann), 1000 * UNIT - 2 * 10_000_001 + keptRaw + worthRaw)
    assert.equal(group.market(group.groupId).conditionRaw, 0)
    assert.equal(group.driver.freeRaw(BURN_ACCOUNT), 0)
    for (const marketId of group.children) assert.equal(group.market(marketId).conditionRaw, 0)
  }
})

test('a conversion needs free NO shares of each chosen child of one group', () => {
  const group = new Group(3)
  const { ann, driver } = group
  group.split(ann, [0, 1], TEN)
  assert.equal(group.convert(ann, [0, 2], 1), 'INSUFFICIENT_SHARES')
  assert.equal(group.convert(ann, [0, 1], TEN + 1), 'INSUFFICIENT_SHARES')
  assert.equal(group.convert(ann, [], 1), 'CONVERSION_INVALID')
  assert.equal(group.convert(ann, [0, 0], 1), 'CONVERSION_INVALID')
  const other = driver.clearing.catalogue.existing(driver.addMarket())
  const request = { profileId: ann, amountRaw: 1 }
  const outside = decideConvert(driver.clearing, group.market(1), [other], request)
  assert(outside instanceof Reject && outside.name === 'CONVERSION_INVALID')
  const single = decideConvert(driver.clearing, other, [other], request)
  assert(single instanceof Reject && single.name === 'MARKET_NOT_GROUP')
  group.resolve(0)
  assert.equal(group.convert(ann, [0], 1), 'MARKET_RESOLVED')
})

test('a group whose balance could not be counted exactly converts no more', () => {
  const group = new Group(3)
  const { ann, driver } = group
  driver.deposit(ann, 2 ** 52)
  group.split(ann, [0], 2 ** 52)
  assert.equal(group.convert(ann, [0], 2 ** 52), 'CONVERSION_LIMIT')
  assert.equal(group.convert(ann, [0], 2 ** 52 - 1), null)
  assert.equal(group.market(1).conditionRaw, -2 * (2 ** 52 - 1))
})

test('any conversions and redemptions conserve collateral and end every group at zero', () => {
  const seed = freshSeed()
  const random = new Random(seed)
  for (let round = 0; round < 60; round++) {
    const count = random.between(2, 7)
    const group = new Group(count, random.below(10_001))
    const accounts = [group.ann, group.driver.addAccount(10 ** 9), group.driver.addAccount(10 ** 9)]
    const all = group.children.map((_id, index) => index)
    for (let step = 0; step < 20; step++) {
      const account = random.pick(accounts)
      const chosen = all.filter(() => random.chance(0.5))
      const amountRaw = 1 + random.below(50 * UNIT)
      const isCovered = group.driver.freeRaw(account) >= amountRaw * chosen.length
      if (random.chance(0.5) && isCovered) group.split(account, chosen, amountRaw)
      else group.convert(account, chosen, amountRaw)
    }
    group.resolve(random.below(count))
    group.redeemAll()
    assert.equal(group.market(group.groupId).conditionRaw, 0, `SEED=${seed}`)
  }
})
