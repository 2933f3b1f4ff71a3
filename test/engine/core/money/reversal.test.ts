import assert from 'node:assert/strict'
import { test } from 'node:test'
import { capture, restore } from '../../../../engine/core/capture.ts'
import { redeemedOf } from '../../../../engine/core/decide/money/moves.ts'
import { Exchange } from '../../../../engine/core/exchange.ts'
import { type Reversal, reversalOf, reversalParts } from '../../../../engine/core/money/reversal.ts'
import { OrderTable } from '../../../../engine/core/orders/order-table.ts'
import type { Command, ControlCommand } from '../../../../engine/domain/command.ts'
import { FEE_ACCOUNT } from '../../../../engine/domain/ids.ts'
import { OUTCOME, SIDE } from '../../../../engine/domain/order.ts'
import { decodeCommand, encodeControl } from '../../../../engine/wire/codec.ts'
import { ExchangeDriver, type Wanted } from '../../../support/exchange-driver.ts'
import { LateMarkets } from '../../../support/late-markets.ts'
import { packed, unpacked } from '../../../support/packed-state.ts'
import { freshSeed, Random } from '../../../support/random.ts'
import { tradeOf } from '../../../support/settled-trade.ts'

// The worked fills of rules §2.6, reversed; and reversals at any moment of a random life.

const { YES, NO } = OUTCOME
const { BUY, SELL } = SIDE
const UNIT = 1_000_000
type Legs = readonly (readonly [account: string, outcome: number, cash: number, shares: number])[]

function fail(driver: ExchangeDriver, tradeSeq: number, reversal: Reversal): void {
  driver.control({ kind: 'failSettlement', tradeSeq, ...reversal })
}

/** Free and reserved together, of every account in one market; the fee account is first. */
function totals({ clearing: { ledger, accounts } }: ExchangeDriver, marketId: number): number[][] {
  const profiles = Array.from({ length: accounts.count }, (_each, index) => index + 1)
  return [FEE_ACCOUNT, ...profiles].map((account) => {
    const row = ledger.rows.find(account, marketId) * 2
    const shares = row === 0 ? [0, 0] : [row, row + 1].map((index) => sum(index))
    return [ledger.freeRaw(account) + ledger.reservedRaw(account), ...shares]
  })
  function sum(index: number): number {
    return ledger.sharesFreeRaw[index] + ledger.sharesReservedRaw[index]
  }
}

interface Case {
  readonly about: string
  readonly makers: readonly (Omit<Wanted, 'account' | 'marketId' | 'type'> & { who: string })[]
  readonly taker: Omit<Wanted, 'account' | 'marketId'>
  readonly legs: Legs
  readonly conditionRaw: number
}

const CASES: readonly Case[] = [
  {
    about: 'complementary',
    makers: [{ who: 'ann', side: SELL, outcome: YES, priceTicks: 450, sizeRaw: 100 * UNIT }],
    taker: { side: BUY, outcome: YES, priceTicks: 500, sizeRaw: 150 * UNIT, type: 'GTC' },
    legs: [
      ['taker', YES, 45_000_000, -97_000_000],
      ['ann', YES, -45_000_000, 100_000_000],
      ['fees', YES, 0, -3_000_000],
    ],
    conditionRaw: 0,
  },
  {
    about: 'mint',
    makers: [{ who: 'ann', side: BUY, outcome: NO, priceTicks: 400, sizeRaw: 200 * UNIT }],
    taker: { side: BUY, outcome: YES, priceTicks: 650, sizeRaw: 150 * UNIT, type: 'GTC' },
    legs: [
      ['taker', YES, 90_000_000, -147_000_000],
      ['ann', NO, 60_000_000, -150_000_000],
      ['fees', YES, 0, -3_000_000],
    ],
    conditionRaw: -150_000_000,
  },
  {
    about: 'merge',
    makers: [{ who: 'ann', side: SELL, outcome: NO, priceTicks: 350, sizeRaw: 80 * UNIT }],
    taker: { side: SELL, outcome: YES, priceTicks: 600, sizeRaw: 100 * UNIT, type: 'GTC' },
    legs: [
      ['taker', YES, -51_160_000, 80_000_000],
      ['ann', NO, -28_000_000, 80_000_000],
      ['fees', YES, -840_000, 0],
    ],
    conditionRaw: 80_000_000,
  },
  {
    about: 'two levels',
    makers: [
      { who: 'ann', side: SELL, outcome: YES, priceTicks: 520, sizeRaw: 100 * UNIT },
      { who: 'ben', side: BUY, outcome: NO, priceTicks: 450, sizeRaw: 50 * UNIT },
    ],
    taker: { side: BUY, outcome: YES, priceTicks: 550, sizeRaw: 200 * UNIT, type: 'FAK' },
    legs: [
      ['taker', YES, 79_500_000, -146_009_434],
      ['ann', YES, -52_000_000, 100_000_000],
      ['ben', NO, 22_500_000, -50_000_000],
      ['fees', YES, 0, -3_990_566],
    ],
    conditionRaw: -50_000_000,
  },
  {
    about: 'market buy',
    makers: [{ who: 'ann', side: SELL, outcome: YES, priceTicks: 300, sizeRaw: 100 * UNIT }],
    taker: { side: BUY, outcome: YES, spendRaw: UNIT, type: 'FOK' },
    legs: [
      ['taker', YES, 1_000_000, -3_233_334],
      ['ann', YES, -1_000_000, 3_333_333],
      ['fees', YES, 0, -99_999],
    ],
    conditionRaw: 0,
  },
  {
    about: 'market sell',
    makers: [{ who: 'ann', side: BUY, outcome: YES, priceTicks: 370, sizeRaw: 100 * UNIT }],
    taker: { side: SELL, outcome: YES, sizeRaw: 12_345_678, type: 'FOK' },
    legs: [
      ['taker', YES, -4_430_863, 12_345_678],
      ['ann', YES, 4_567_900, -12_345_678],
      ['fees', YES, -137_037, 0],
    ],
    conditionRaw: 0,
  },
]

for (const { about, makers, taker, legs, conditionRaw } of CASES) {
  test(`a ${about} fill is reversed to the raw unit`, () => {
    const driver = new ExchangeDriver()
    const marketId = driver.addMarket({ feeEnabled: true })
    const ids = new Map([['fees', FEE_ACCOUNT]])
    for (const who of ['taker', 'ann', 'ben']) ids.set(who, driver.addAccount(1000 * UNIT))
    const idOf = (who: string) => ids.get(who) ?? 0
    driver.mint(marketId, 200 * UNIT, { yes: idOf('taker'), no: idOf('ann'), taker: idOf('ann') })
    driver.mint(marketId, 200 * UNIT, { yes: idOf('ann'), no: idOf('ben'), taker: idOf('ben') })
    const feesBefore = totals(driver, marketId)[0]
    for (const { who, ...maker } of makers) {
      driver.place({ ...maker, account: idOf(who), marketId, type: 'GTC' })
    }
    const before = totals(driver, marketId)
    const insideRaw = driver.clearing.catalogue.existing(marketId).conditionRaw
    const wanted = { ...taker, account: idOf('taker'), marketId }
    const placed = driver.place(wanted)
    assert.equal(placed.refused, null)
    const tradeSeq = driver.clearing.lastSeq
    const reversal = reversalOf(tradeOf(driver, wanted, placed))
    const expected = legs.map(([who, outcome, collateralRaw, sharesRaw]) => {
      return { accountId: idOf(who), marketId, outcome, collateralRaw, sharesRaw }
    })
    const conditions = conditionRaw === 0 ? [] : [{ marketId, collateralRaw: conditionRaw }]
    assert.deepEqual(reversal, { legs: expected, conditions })
    const open = driver.clearing.orders.live.all
    fail(driver, tradeSeq, reversal)
    assert.deepEqual(totals(driver, marketId), before)
    assert.deepEqual(totals(driver, marketId)[0], feesBefore)
    assert.equal(driver.clearing.catalogue.existing(marketId).conditionRaw, insideRaw)
    assert.equal(driver.clearing.orders.live.all, open, 'no order is opened again')
    driver.holds()
  })
}

test('a reversal of spent funds makes a free balance negative, which blocks reserves', () => {
  const driver = new ExchangeDriver()
  const marketId = driver.addMarket()
  const [ann, ben, cat] = [0, 0, 1000].map((units) => driver.addAccount(units * UNIT))
  driver.mint(marketId, 100 * UNIT, { yes: ann, no: cat, taker: cat })
  driver.deposit(ben, 50 * UNIT)
  const yes = { marketId, outcome: YES, priceTicks: 500, sizeRaw: 100 * UNIT }
  driver.place({ ...yes, account: ann, side: SELL, type: 'GTC' })
  const wanted: Wanted = { ...yes, account: ben, side: BUY, type: 'FAK' }
  const bought = driver.place(wanted)
  const tradeSeq = driver.clearing.lastSeq
  const reversal = reversalOf(tradeOf(driver, wanted, bought))
  // Both accounts pass on what the trade gave them.
  driver.control({ kind: 'adjustBalance', profileId: ann, collateralRaw: -50 * UNIT })
  driver.place({ ...yes, account: cat, side: BUY, type: 'GTC' })
  driver.place({ ...yes, account: ben, side: SELL, type: 'FAK' })
  fail(driver, tradeSeq, reversal)
  assert.equal(driver.freeRaw(ann), -50 * UNIT)
  assert.equal(driver.sharesRaw(ben, marketId, YES), -100 * UNIT)
  assert.equal(driver.sharesRaw(ann, marketId, YES), 100 * UNIT)
  assert.equal(driver.freeRaw(ben), 100 * UNIT)
  driver.holds()
  const buys = driver.place({ ...yes, account: ann, side: BUY, type: 'GTC', sizeRaw: 1000 })
  assert.equal(buys.refused, 'INSUFFICIENT_COLLATERAL')
  const sells = driver.place({ ...yes, account: ben, side: SELL, type: 'GTC', sizeRaw: 1000 })
  assert.equal(sells.refused, 'INSUFFICIENT_SHARES')
  driver.deposit(ann, 50 * UNIT)
  assert.equal(driver.freeRaw(ann), 0)
  // A balance one raw unit below the reversed amount is broken, and so is any other negative one.
  driver.clearing.ledger.collateralFreeRaw[ann] = -50 * UNIT - 1
  assert.match(driver.exchange.checkInvariants() ?? '', /negative balance/)
})

test('a trade that main receives after its reversal leaves no row without shares', () => {
  const driver = new ExchangeDriver()
  const commands: Command[] = []
  driver.onCommand = (command) => commands.push(structuredClone(command))
  const marketId = driver.addMarket({ feeEnabled: true })
  const [ann, ben] = [driver.addAccount(100 * UNIT), driver.addAccount(100 * UNIT)]
  const size = { marketId, side: BUY, sizeRaw: 100 * UNIT } as const
  driver.place({ ...size, account: ann, outcome: NO, priceTicks: 400, type: 'GTC' })
  const wanted: Wanted = { ...size, account: ben, outcome: YES, priceTicks: 600, type: 'FAK' }
  const minted = driver.place(wanted)
  assert(minted.feeRaw > 0)
  fail(driver, driver.clearing.lastSeq, reversalOf(tradeOf(driver, wanted, minted)))
  assert.equal(driver.clearing.ledger.rows.count, 0)
  const hash = driver.exchange.stateHash()
  const late = new LateMarkets()
  for (const command of commands) late.apply(command)
  for (let left = late.unreceivedCount; left > 0; left--) late.receive(marketId)
  assert.equal(late.hash(), hash)
  assert.equal(late.clearing.ledger.rows.count, 0)
  const { rowCount } = late.clearing.catalogue.existing(marketId)
  assert.equal(rowCount, 0, 'the market may be archived')
})

test('fees of a reversed trade that were paid on as rebates are owed, and stop no payment', () => {
  const driver = new ExchangeDriver()
  const { clearing } = driver
  const marketId = driver.addMarket({ feeEnabled: true })
  const [ann, ben] = [driver.addAccount(200 * UNIT), driver.addAccount(200 * UNIT)]
  const size = { marketId, side: BUY, sizeRaw: 100 * UNIT } as const
  // Ben pays fees in YES, and then as many in NO.
  driver.place({ ...size, account: ann, outcome: NO, priceTicks: 500, type: 'GTC' })
  const wanted: Wanted = { ...size, account: ben, outcome: YES, priceTicks: 500, type: 'FAK' }
  const minted = driver.place(wanted)
  const tradeSeq = clearing.lastSeq
  const reversal = reversalOf(tradeOf(driver, wanted, minted))
  const { feeRaw } = minted
  driver.place({ ...size, account: ann, outcome: YES, priceTicks: 500, type: 'GTC' })
  driver.place({ ...size, account: ben, outcome: NO, priceTicks: 500, type: 'FAK' })
  const fees = () => totals(driver, marketId)[0]
  assert.deepEqual(fees(), [0, feeRaw, feeRaw])

  const day = 20_000
  const minute = day * 1440
  driver.control({ kind: 'fundRewards', collateralRaw: UNIT })
  driver.control({ kind: 'rewardMinute', minute })
  const credits = [[ann, marketId, 0, feeRaw] as const, [ben, marketId, UNIT, 0] as const]
  driver.control({ kind: 'creditRewards', minute, part: 0, isLast: true, rows: credits })
  const merges = [[marketId, feeRaw] as const]
  driver.control({ kind: 'payRewards', day, isLast: false, merges, rows: [[ann, 0, feeRaw]] })
  assert.deepEqual(fees(), [0, 0, 0])

  fail(driver, tradeSeq, reversal)
  assert.deepEqual(fees(), [0, -feeRaw, 0])
  driver.control({ kind: 'resolveMarkets', resolutions: [{ marketId, payoutNumerators: [1, 0] }] })
  driver.control({ kind: 'mineBlock', height: 1, throughSeq: clearing.lastSeq, chainId: 1 })
  driver.control({ kind: 'postPayouts', marketIds: [marketId] })
  const row = clearing.ledger.rows.find(FEE_ACCOUNT, marketId)
  const owed = redeemedOf(clearing, clearing.catalogue.existing(marketId), row)
  assert(owed !== null)
  assert.equal(owed.paidRaw, -feeRaw)
  driver.control({ kind: 'redeemPositions', marketId, positions: [owed] })
  assert.deepEqual(fees(), [-feeRaw, 0, 0])
  driver.holds()
  driver.control({ kind: 'payRewards', day, isLast: true, merges: [], rows: [[ben, UNIT, 0]] })
  driver.holds()
  assert.deepEqual(clearing.rewards.due.accounts(), [])
})

test('a trade is reversed once, before it is mined, and a reversal must add up', () => {
  const make = () => {
    const driver = new ExchangeDriver()
    const marketId = driver.addMarket()
    const [ann, ben] = [driver.addAccount(0), driver.addAccount(0)]
    driver.mint(marketId, 10 * UNIT, { yes: ann, no: ben, taker: ben })
    const leg = (accountId: number, outcome: number) => {
      return { accountId, marketId, outcome, collateralRaw: 5 * UNIT, sharesRaw: -10 * UNIT }
    }
    const conditions = [{ marketId, collateralRaw: -10 * UNIT }]
    const reversal = { legs: [leg(ben, NO), leg(ann, YES)], conditions }
    return { driver, reversal, tradeSeq: driver.clearing.lastSeq }
  }
  const twice = make()
  fail(twice.driver, twice.tradeSeq, twice.reversal)
  assert.throws(() => fail(twice.driver, twice.tradeSeq, twice.reversal), /reversed once/)
  const mined = make()
  const block = { height: 1, throughSeq: mined.tradeSeq, chainId: 1 }
  mined.driver.control({ kind: 'mineBlock', ...block })
  assert.throws(() => fail(mined.driver, mined.tradeSeq, mined.reversal), /before it is mined/)
  const wrong = make()
  const legs = wrong.reversal.legs.slice(1)
  const half = { ...wrong.reversal, legs }
  assert.throws(() => fail(wrong.driver, wrong.tradeSeq, half), /creates none/)
})

test('the parts of a reversal take back each fill once, and the fee with the first', () => {
  const fills = Array.from({ length: 11 }, (_each, index) => ({
    makerId: 2 + (index % 7),
    makerOutcome: index % 2 === 0 ? YES : NO,
    makerSide: index % 2 === 0 ? SELL : BUY,
    sharesRaw: 1000 * (index + 1),
    yesTicks: 500 + index,
  }))
  const trade = { marketId: 1, takerId: 1, side: BUY, outcome: YES, feeRaw: 77, fills }
  assert.deepEqual(reversalParts(trade, 99, 0), [reversalOf(trade)])
  for (const legsMax of [3, 4, 7]) {
    const parts = reversalParts(trade, legsMax, 0)
    assert(parts.length > 1)
    const sums = new Map<string, number[]>()
    const add = (key: string, ...raws: number[]) =>
      sums.set(
        key,
        raws.map((raw, at) => raw + (sums.get(key)?.[at] ?? 0)),
      )
    for (const { legs, conditions } of parts) {
      assert(legs.length <= legsMax)
      for (const leg of legs)
        add(`${leg.accountId} ${leg.outcome}`, leg.collateralRaw, leg.sharesRaw)
      for (const { collateralRaw } of conditions) add('condition', collateralRaw)
    }
    const whole = reversalOf(trade)
    for (const leg of whole.legs) {
      const sum = sums.get(`${leg.accountId} ${leg.outcome}`)
      assert.deepEqual(sum, [leg.collateralRaw, leg.sharesRaw])
    }
    assert.deepEqual(sums.get('condition'), [whole.conditions[0].collateralRaw])
    assert.equal(sums.size, whole.legs.length + 1)
    // What is left after a crash is what the other commands would have taken back.
    const left = parts[0].fillsLeft ?? 0
    assert.deepEqual(reversalParts(trade, legsMax, fills.length - left), parts.slice(1))
  }
})

/** A life with trades, blocks, retries and failures; every command is checked. */
function randomLife(seed: number, commands: Command[]): ExchangeDriver {
  const random = new Random(seed)
  const driver = new ExchangeDriver(512)
  driver.onCommand = (command) => commands.push(structuredClone(command))
  const markets = [driver.addMarket({ feeEnabled: true }), driver.addMarket()]
  const accounts = [1, 2, 3, 4].map(() => driver.addAccount(500 * UNIT))
  const open = new Map<number, Reversal>()
  const { blocks } = driver.clearing
  for (let step = 0; step < 1500; step++) {
    const dice = random.below(20)
    const seqs = [...open.keys()]
    const seq = seqs[random.below(Math.max(1, seqs.length))]
    const reversal = open.get(seq)
    if (dice === 0 && reversal !== undefined) {
      fail(driver, seq, reversal)
      open.delete(seq)
    } else if (dice === 1 && reversal !== undefined && !blocks.isAside(seq)) {
      driver.control({ kind: 'retrySettlement', tradeSeq: seq })
    } else if (dice === 2) {
      const throughSeq = Math.max(blocks.throughSeq, driver.clearing.lastSeq - random.below(10))
      const height = blocks.height + 1
      driver.control({ kind: 'mineBlock', height, throughSeq, chainId: 8453 })
      for (const tradeSeq of blocks.aside()) {
        if (tradeSeq > throughSeq || random.chance(0.5)) continue
        driver.control({ kind: 'settleTrade', tradeSeq, height })
      }
      for (const each of seqs) if (!blocks.isOpen(each)) open.delete(each)
    } else {
      const wanted: Wanted = {
        account: random.pick(accounts),
        marketId: random.pick(markets),
        side: random.chance(0.6) ? BUY : SELL,
        outcome: random.below(2),
        type: random.pick(['GTC', 'GTC', 'FAK']),
        priceTicks: random.between(450, 550),
        sizeRaw: random.between(1, 20_000) * 1000,
      }
      const placed = driver.place(wanted)
      if (placed.makers.length > 0) {
        open.set(driver.clearing.lastSeq, reversalOf(tradeOf(driver, wanted, placed)))
      }
    }
    driver.holds()
  }
  return driver
}

test('money is conserved through reversals at any moment, and a replay gives the same hash', () => {
  const first = freshSeed()
  for (let seed = first; seed < first + 5; seed++) {
    const commands: Command[] = []
    const driver = randomLife(seed, commands)
    const failures = commands.filter(({ kind }) => kind === 'failSettlement').length
    assert(failures > 10, `${failures} failures with SEED=${seed}`)
    const hash = driver.exchange.stateHash()
    const replayed = new Exchange(new OrderTable(512))
    const isControl = (command: Command): command is ControlCommand => {
      return command.kind !== 'placeOrder' && command.kind !== 'cancelOrders'
    }
    for (const [index, command] of commands.entries()) {
      replayed.apply(isControl(command) ? decodeCommand(encodeControl(command)) : command)
      if (index === commands.length >> 1) assert.equal(replayed.checkInvariants(), null)
    }
    assert.equal(replayed.stateHash(), hash, `SEED=${seed}`)
    const state = packed(replayed)
    const restored = restore(unpacked(state))
    assert.equal(restored.stateHash(), hash, `SEED=${seed}`)
    assert.equal(restored.checkInvariants(), null)
    assert.deepEqual(capture(restored), unpacked(state), 'a copy is captured alike')
  }
})
