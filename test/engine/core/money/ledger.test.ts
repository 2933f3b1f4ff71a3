import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { MarketFunds } from '../../../../engine/core/markets/catalogue.ts'
import { Ledger } from '../../../../engine/core/money/ledger.ts'
import { ExchangeDriver } from '../../../support/exchange-driver.ts'

// A change that would break money is a fault, even where a gate already refuses it.

function reserving(reserveRaw: number, outcome = 0) {
  return { accountId: 1, outcome, reserveRaw }
}

function fundsOf(marketId: number): MarketFunds {
  return { marketId, conditionRaw: 0, shortRaw: 0, rowCount: 0 }
}

test('collateral is never reserved, spent or withdrawn beyond the balance', () => {
  const ledger = new Ledger()
  ledger.openAccount(1)
  ledger.deposit(1, 100)
  assert.throws(() => ledger.reserveCollateral(reserving(101)), /covered by free collateral/)
  ledger.reserveCollateral(reserving(60))
  assert.throws(() => ledger.withdraw(1, 41), /only free collateral is withdrawn/)
  assert.throws(() => ledger.spendReserve(1, 61, 0), /a release never exceeds its reserve/)
  assert.throws(() => ledger.spendReserve(1, 50, 51), /never costs more than it reserved/)
  assert.throws(() => ledger.creditCollateral(1, -1), /a credit never lowers a balance/)
  ledger.spendReserve(1, 60, 25)
  ledger.withdraw(1, 75)
  assert.deepEqual([ledger.collateralFreeRaw[1], ledger.collateralReservedRaw[1]], [0, 0])
  assert.equal(ledger.fundedRaw, 25)
  assert.throws(() => ledger.deposit(1, 0), /a deposit is positive/)
  assert.throws(() => ledger.withdraw(1, 0), /a withdrawal is positive/)
})

test('funds stay exact to the last raw unit, and a withdrawal frees what it takes', () => {
  const ledger = new Ledger()
  ledger.deposit(0, Number.MAX_SAFE_INTEGER)
  assert.throws(() => ledger.deposit(0, 1), /funds stay exact/)
  const other = new Ledger()
  for (let round = 0; round < 3; round++) {
    other.deposit(0, Number.MAX_SAFE_INTEGER)
    other.withdraw(0, Number.MAX_SAFE_INTEGER)
  }
  assert.equal(other.fundedRaw, 0)
})

test('shares are never reserved or delivered beyond the balance', () => {
  const ledger = new Ledger()
  const row = ledger.rowFor(1, fundsOf(1))
  ledger.creditShares(row, 1, 10)
  assert.throws(() => ledger.reserveShares(row, reserving(1, 0)), /covered by free shares/)
  assert.throws(() => ledger.reserveShares(row, reserving(11, 1)), /covered by free shares/)
  ledger.reserveShares(row, reserving(6, 1))
  assert.throws(() => ledger.deliverShares(row, 1, 7, 7), /reserved shares cover a delivery/)
  assert.throws(() => ledger.deliverShares(row, 1, 5, 6), /never exceeds its reserve/)
  assert.throws(() => ledger.creditShares(row, 1, -1), /a credit never lowers a balance/)
  ledger.deliverShares(row, 1, 6, 2)
  assert.equal(ledger.freeSharesRaw(1, 1, 1), 8)
})

test('a condition pays what it holds, and no more', () => {
  const ledger = new Ledger()
  const market = fundsOf(3)
  ledger.moveCondition(market, 5)
  ledger.moveCondition(market, -5)
  assert.throws(() => ledger.moveCondition(market, -1), /pays at most its collateral/)
})

test('each account has a position of its own in each market', () => {
  const ledger = new Ledger()
  const rows = new Set<number>()
  const markets = Array.from({ length: 50 }, (_, index) => fundsOf(index + 1))
  for (let account = 0; account < 50; account++) {
    for (const market of markets) rows.add(ledger.rowFor(account, market))
  }
  assert.equal(rows.size, 2500)
  assert.equal(ledger.rows.find(7, 9), ledger.rowFor(7, markets[8]))
  assert.deepEqual(new Set(markets.map(({ rowCount }) => rowCount)), new Set([50]))
  assert.equal(ledger.rows.find(7, 51), 0)
})

test('a command that is missing, early or of later rules is a fault', () => {
  const driver = new ExchangeDriver(16)
  driver.control({ kind: 'rules', version: 1 })
  const { nowMs } = driver
  const touch = { kind: 'setAdminToken' as const, tokenDigest: 'ab' }
  assert.throws(() => driver.apply({ ...touch, seq: 3, nowMs }), /without a gap/)
  assert.throws(() => driver.apply({ ...touch, seq: 1, nowMs }), /without a gap/)
  assert.throws(() => driver.apply({ ...touch, seq: 2, nowMs: nowMs - 1 }), /time never goes back/)
  assert.throws(
    () => driver.control({ kind: 'rules', version: 2 }),
    /rules of this journal are known/,
  )
})

test('a market that is resolved never changes again', () => {
  const driver = new ExchangeDriver(16)
  const marketId = driver.addMarket()
  driver.nowMs += 5
  driver.control({ kind: 'lockMarket', marketId })
  const market = driver.clearing.catalogue.existing(marketId)
  assert.deepEqual([market.status, market.updatedMs], ['LOCKED', driver.nowMs])
  driver.control({ kind: 'resolveMarkets', resolutions: [{ marketId, payoutNumerators: [0, 1] }] })
  assert.throws(() => driver.control({ kind: 'lockMarket', marketId }), /changes status as listed/)
  assert.throws(
    () =>
      driver.control({
        kind: 'resolveMarkets',
        resolutions: [{ marketId, payoutNumerators: [1, 0] }],
      }),
    /changes status as listed/,
  )
})
