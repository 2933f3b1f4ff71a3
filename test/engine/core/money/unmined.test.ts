import assert from 'node:assert/strict'
import { test } from 'node:test'
import { capture, restore } from '../../../../engine/core/capture.ts'
import { decideAdjust } from '../../../../engine/core/decide/accounts.ts'
import { withdrawableRaw } from '../../../../engine/core/decide/funds.ts'
import {
  decideMerge,
  decideSplit,
  decideWithdraw,
} from '../../../../engine/core/decide/money/moves.ts'
import { type Reversal, reversalOf } from '../../../../engine/core/money/reversal.ts'
import { OUTCOME, SIDE } from '../../../../engine/domain/order.ts'
import { Reject } from '../../../../engine/domain/reject-precedence.ts'
import { ExchangeDriver, type Wanted } from '../../../support/exchange-driver.ts'
import { packed, unpacked } from '../../../support/packed-state.ts'
import { freshSeed, Random } from '../../../support/random.ts'
import { tradeOf } from '../../../support/settled-trade.ts'

// What trades that are not mined brought trades on, and leaves only when it is mined (rules §6.5).

const { YES, NO } = OUTCOME
const { BUY, SELL } = SIDE
const UNIT = 1_000_000
const DESTINATION = '0x00000000000000000000000000000000000000AA'

class World {
  readonly driver = new ExchangeDriver(512)
  readonly marketId: number
  /** The trades that no block holds and nobody reversed, as their reversals. */
  readonly open = new Map<number, Reversal>()

  constructor(feeEnabled = false) {
    this.marketId = this.driver.addMarket({ feeEnabled })
  }

  place(wanted: Omit<Wanted, 'marketId'>): number {
    const order = { ...wanted, marketId: this.marketId }
    const placed = this.driver.place(order)
    const seq = this.driver.clearing.lastSeq
    if (placed.makers.length === 0) return 0
    this.open.set(seq, reversalOf(tradeOf(this.driver, order, placed)))
    return seq
  }

  /** One account sells shares to another at half a unit each; gives the trade. */
  sell(seller: number, buyer: number, sizeRaw: number, outcome: number = YES): number {
    const terms = { outcome, priceTicks: 500, sizeRaw }
    this.place({ ...terms, account: seller, side: SELL, type: 'GTC' })
    return this.place({ ...terms, account: buyer, side: BUY, type: 'FAK' })
  }

  pairs(profileId: number, amountRaw: number, decide: typeof decideSplit): void {
    const { clearing } = this.driver
    const market = clearing.catalogue.existing(this.marketId)
    const decided = decide(clearing, market, { profileId, amountRaw })
    assert(!(decided instanceof Reject))
    this.driver.control(decided)
  }

  /** What a gate says of a withdrawal: null when it was made. */
  withdraw(profileId: number, collateralRaw: number): string | null {
    const { clearing } = this.driver
    const request = { profileId, collateralRaw, destination: DESTINATION }
    const decided = decideWithdraw(clearing, request)
    if (decided instanceof Reject) return decided.name
    this.driver.control(decided)
    return null
  }

  mine(throughSeq = this.driver.clearing.lastSeq): void {
    const { blocks } = this.driver.clearing
    const height = blocks.height + 1
    this.driver.control({ kind: 'mineBlock', height, throughSeq, chainId: 1 })
    this.forgetClosed()
  }

  forgetClosed(): void {
    const { blocks } = this.driver.clearing
    for (const seq of this.open.keys()) if (!blocks.isOpen(seq)) this.open.delete(seq)
  }

  fail(tradeSeq: number): void {
    const reversal = this.open.get(tradeSeq)
    assert(reversal !== undefined)
    this.driver.control({ kind: 'failSettlement', tradeSeq, ...reversal })
    this.open.delete(tradeSeq)
  }
}

test('proceeds of a sale leave when a block holds it, and what was there before at once', () => {
  const world = new World()
  const [ann, ben] = [world.driver.addAccount(100 * UNIT), world.driver.addAccount(100 * UNIT)]
  world.pairs(ann, 60 * UNIT, decideSplit)
  world.sell(ann, ben, 60 * UNIT)
  assert.equal(world.driver.freeRaw(ann), 70 * UNIT)
  assert.equal(world.withdraw(ann, 40 * UNIT + 1), 'NOT_MINED_YET')
  assert.equal(decideAdjust(world.driver.clearing, ann, -40 * UNIT - 1)?.name, 'NOT_MINED_YET')
  assert.equal(decideAdjust(world.driver.clearing, ann, -40 * UNIT), null)
  assert.equal(world.withdraw(ann, 40 * UNIT), null)
  assert.equal(world.withdraw(ann, 70 * UNIT), 'INSUFFICIENT_COLLATERAL')
  world.mine()
  assert.equal(world.withdraw(ann, 30 * UNIT), null)
  assert.equal(world.driver.freeRaw(ann), 0)
})

test('a failed sale leaves no debt behind a withdrawal', () => {
  const world = new World()
  const [ann, ben] = [world.driver.addAccount(10 * UNIT), world.driver.addAccount(100 * UNIT)]
  world.pairs(ann, 10 * UNIT, decideSplit)
  const sold = world.sell(ann, ben, 10 * UNIT)
  assert.equal(world.withdraw(ann, 5 * UNIT), 'NOT_MINED_YET')
  world.fail(sold)
  world.mine()
  assert.equal(world.driver.freeRaw(ann), 0)
})

test('a merge makes no clean money of shares that are not mined', () => {
  const world = new World()
  const [ann, ben] = [world.driver.addAccount(100 * UNIT), world.driver.addAccount(100 * UNIT)]
  for (const account of [ann, ben]) world.pairs(account, 50 * UNIT, decideSplit)
  world.sell(ann, ben, 50 * UNIT)
  world.mine()
  // Ann holds 50 NO. She buys 20 YES for 10 and merges them.
  const bought = world.sell(ben, ann, 20 * UNIT)
  world.pairs(ann, 20 * UNIT, decideMerge)
  assert.equal(world.driver.freeRaw(ann), 85 * UNIT)
  assert.equal(world.withdraw(ann, 75 * UNIT + 1), 'NOT_MINED_YET')
  assert.equal(world.withdraw(ann, 75 * UNIT), null)
  world.fail(bought)
  // The cost came back: it pays for the shares below zero, whatever they are worth.
  assert.equal(world.driver.freeRaw(ann), 20 * UNIT)
  assert.equal(world.driver.sharesRaw(ann, world.marketId, YES), -20 * UNIT)
  assert.equal(world.withdraw(ann, 1), 'SHARES_OWED')
})

test('a trade that is set aside holds its own proceeds back until it is mined or reversed', () => {
  const world = new World()
  const [ann, ben] = [world.driver.addAccount(100 * UNIT), world.driver.addAccount(100 * UNIT)]
  world.pairs(ann, 100 * UNIT, decideSplit)
  const first = world.sell(ann, ben, 10 * UNIT)
  const second = world.sell(ann, ben, 20 * UNIT)
  world.sell(ann, ben, 40 * UNIT)
  for (const tradeSeq of [first, second])
    world.driver.control({ kind: 'retrySettlement', tradeSeq })
  world.mine()
  assert.equal(world.withdraw(ann, 20 * UNIT + 1), 'NOT_MINED_YET')
  assert.equal(world.withdraw(ann, 20 * UNIT), null)
  const { height } = world.driver.clearing.blocks
  world.driver.control({ kind: 'settleTrade', tradeSeq: first, height })
  assert.equal(world.withdraw(ann, 5 * UNIT + 1), 'NOT_MINED_YET')
  assert.equal(world.withdraw(ann, 5 * UNIT), null)
  world.fail(second)
  assert.equal(world.driver.freeRaw(ann), 0)
  world.driver.deposit(ann, UNIT)
  assert.equal(world.withdraw(ann, UNIT), null)
})

test('shares below zero hold back what they may have to pay', () => {
  const world = new World()
  const [ann, ben] = [world.driver.addAccount(100 * UNIT), world.driver.addAccount(100 * UNIT)]
  world.pairs(ben, 50 * UNIT, decideSplit)
  const bought = world.sell(ben, ann, 20 * UNIT)
  // Ann passes the shares on to Ben, and that is mined; what she bought fails.
  world.driver.control({ kind: 'retrySettlement', tradeSeq: bought })
  world.sell(ann, ben, 19 * UNIT)
  world.mine()
  world.fail(bought)
  world.mine()
  const owedRaw = -world.driver.sharesRaw(ann, world.marketId, YES)
  assert(owedRaw > 18 * UNIT)
  const freeRaw = world.driver.freeRaw(ann)
  assert.equal(world.withdraw(ann, freeRaw - owedRaw + 1), 'SHARES_OWED')
  assert.equal(world.withdraw(ann, freeRaw - owedRaw), null)
})

/** Whichever of the open trades fail now, the account can pay for its debts in full. */
function paysAfterAnyFailure(world: World, accountId: number, random: Random): void {
  const { driver, marketId } = world
  const reversals = [...world.open.values()]
  const rounds = reversals.length <= 8 ? 2 ** reversals.length : 256
  for (let round = 0; round < rounds; round++) {
    let cashRaw = driver.freeRaw(accountId)
    const sharesRaw = [YES, NO].map((outcome) => driver.sharesRaw(accountId, marketId, outcome))
    for (const [index, { legs }] of reversals.entries()) {
      const fails = reversals.length <= 8 ? (round >> index) % 2 === 1 : random.chance(0.5)
      if (!fails) continue
      for (const leg of legs) {
        if (leg.accountId !== accountId) continue
        cashRaw += leg.collateralRaw
        sharesRaw[leg.outcome] += leg.sharesRaw
      }
    }
    for (const raw of sharesRaw) cashRaw += Math.min(0, raw)
    assert(cashRaw >= 0, `account ${accountId} would owe ${-cashRaw}`)
  }
}

/** Settles part of what a block passed over, after a block that may leave the newest trades out. */
function mineSome(world: World, random: Random): void {
  const { driver } = world
  const { blocks } = driver.clearing
  world.mine(Math.max(blocks.throughSeq, driver.clearing.lastSeq - random.below(10)))
  const { height, throughSeq } = blocks
  for (const tradeSeq of blocks.aside()) {
    if (tradeSeq > throughSeq || random.chance(0.5)) continue
    driver.control({ kind: 'settleTrade', tradeSeq, height })
  }
  world.forgetClosed()
}

/** Fails a trade or sets it aside. */
function setBack(world: World, random: Random): void {
  const seqs = [...world.open.keys()]
  if (seqs.length === 0) return
  const tradeSeq = random.pick(seqs)
  if (random.chance(0.5)) world.fail(tradeSeq)
  else if (!world.driver.clearing.blocks.isAside(tradeSeq)) {
    world.driver.control({ kind: 'retrySettlement', tradeSeq })
  }
}

function pairSome(world: World, profileId: number, random: Random): void {
  const { clearing } = world.driver
  const amountRaw = random.between(1, 50) * UNIT
  const market = clearing.catalogue.existing(world.marketId)
  const decide = random.chance(0.5) ? decideSplit : decideMerge
  const decided = decide(clearing, market, { profileId, amountRaw })
  if (!(decided instanceof Reject)) world.driver.control(decided)
}

function orderOf(account: number, random: Random): Omit<Wanted, 'marketId'> {
  return {
    account,
    side: random.chance(0.5) ? BUY : SELL,
    outcome: random.below(2),
    type: random.pick(['GTC', 'GTC', 'FAK']),
    priceTicks: random.between(450, 550),
    sizeRaw: random.between(1, 20_000) * 1000,
  }
}

/** Withdraws all that may leave, and gives it back; true when there was something. */
function withdrawAll(world: World, account: number, random: Random): boolean {
  const allRaw = withdrawableRaw(world.driver.clearing, account)
  if (allRaw === 0) return false
  assert.notEqual(world.withdraw(account, allRaw + 1), null)
  assert.equal(world.withdraw(account, allRaw), null)
  paysAfterAnyFailure(world, account, random)
  world.driver.deposit(account, allRaw)
  return true
}

function isRestoredAlike(
  { exchange, clearing }: ExchangeDriver,
  accounts: readonly number[],
): void {
  const hash = exchange.stateHash()
  const mayLeave = accounts.map((account) => withdrawableRaw(clearing, account))
  const state = packed(exchange)
  const restored = restore(unpacked(state))
  assert.equal(restored.stateHash(), hash)
  const again = accounts.map((account) => withdrawableRaw(restored.clearing, account))
  assert.deepEqual(again, mayLeave, 'a restored state lets as much leave')
  assert.deepEqual(capture(restored), unpacked(state), 'a copy is captured alike')
}

test('no choice of failures after a withdrawal leaves a debt that the account cannot pay', () => {
  const first = freshSeed()
  let withdrawals = 0
  for (let seed = first; seed < first + 8; seed++) {
    const random = new Random(seed)
    const world = new World(true)
    const accounts = [1, 2, 3, 4].map(() => world.driver.addAccount(500 * UNIT))
    for (let step = 0; step < 600; step++) {
      const account = random.pick(accounts)
      const dice = random.below(24)
      if (dice < 2) setBack(world, random)
      else if (dice === 2) mineSome(world, random)
      else if (dice < 6) pairSome(world, account, random)
      else if (dice >= 9) world.place(orderOf(account, random))
      else if (withdrawAll(world, account, random)) withdrawals++
      world.driver.holds()
    }
    isRestoredAlike(world.driver, accounts)
  }
  assert(withdrawals > 100, `${withdrawals} withdrawals with SEED=${first}`)
})
