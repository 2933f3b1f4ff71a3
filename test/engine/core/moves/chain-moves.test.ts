import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  decideFollow,
  type SeenMove,
  whyHeldByWallets,
} from '../../../../engine/core/decide/money/chain-moves.ts'
import { LIMITS } from '../../../../engine/domain/limits.ts'
import type { ChainAllowance, ChainMove } from '../../../../engine/domain/moves/move-command.ts'
import { OUTCOME, SIDE } from '../../../../engine/domain/order.ts'
import { ExchangeDriver } from '../../../support/exchange-driver.ts'

// What owners do with their wallets on a chain, in the ledger (design §12).

const UNIT = 1_000_000
const ANN = 1
const BEN = 2
const ALL = Number.MAX_SAFE_INTEGER
const HASH = `0x${'ab'.repeat(32)}`
const { YES, NO } = OUTCOME

class Desk {
  readonly driver = new ExchangeDriver(64)
  readonly market: number
  #block = 0

  constructor() {
    for (const _ of [ANN, BEN]) this.driver.addAccount(0)
    this.market = this.driver.addMarket()
    const allowances = [ANN, BEN].map((profileId) => {
      return { profileId, collateralRaw: ALL, ofShares: true }
    })
    this.follow([], allowances)
  }

  follow(moves: readonly SeenMove[], allowances: readonly ChainAllowance[] = []) {
    const place = { block: ++this.#block, hash: HASH, taken: 0 }
    const { command, left } = decideFollow(this.driver.clearing, { place, moves, allowances })
    this.driver.control(command)
    this.driver.holds()
    const { moves: made = [], short = [] } = command
    return { made, short, left }
  }

  /** One transaction of an owner. */
  seen(owner: number, collateral: number, yes = 0, no = 0): SeenMove {
    const { market: marketId } = this
    const shares = yes === 0 && no === 0 ? [] : [{ marketId, yesRaw: yes, noRaw: no }]
    return { owner, txHash: HASH, collateralRaw: collateral, shares }
  }

  moved(...terms: Parameters<Desk['seen']>): (readonly [string, number, number, number])[] {
    return this.follow([this.seen(...terms)]).made.map(partsOf)
  }

  held(owner: number): number[] {
    const shares = [YES, NO].map((outcome) => this.driver.sharesRaw(owner, this.market, outcome))
    return [this.driver.freeRaw(owner), ...shares]
  }

  get conditionRaw(): number {
    return this.driver.clearing.catalogue.existing(this.market).conditionRaw
  }
}

function partsOf({ kind, collateralRaw, yesRaw, noRaw }: ChainMove) {
  return [kind, collateralRaw, yesRaw, noRaw] as const
}

test('collateral and pairs are named after what their transaction did', () => {
  const desk = new Desk()
  assert.deepEqual(desk.moved(ANN, 100), [['DEPOSIT', 100, 0, 0]])
  assert.deepEqual(desk.moved(ANN, -30), [['WITHDRAW', -30, 0, 0]])
  assert.deepEqual(desk.moved(ANN, -20, 20, 20), [['SPLIT', -20, 20, 20]])
  assert.deepEqual(desk.held(ANN), [50, 20, 20])
  assert.equal(desk.conditionRaw, 20)
  assert.deepEqual(desk.moved(ANN, 5, -5, -5), [['MERGE', 5, -5, -5]])
  assert.deepEqual(desk.moved(ANN, -12, 10, 10), [
    ['SPLIT', -10, 10, 10],
    ['WITHDRAW', -2, 0, 0],
  ])
  assert.deepEqual(desk.moved(ANN, 0, -25, 0), [['TRANSFER', 0, -25, 0]])
  assert.deepEqual(desk.held(ANN), [43, 0, 25])
})

test('shares from outside are backed, and pairs outside are collateral again', () => {
  const desk = new Desk()
  desk.moved(ANN, 0, 40, 0)
  assert.equal(desk.conditionRaw, 40, 'the NO of these pairs are outside')
  desk.moved(BEN, 0, 0, 30)
  assert.equal(desk.conditionRaw, 40, 'they were outside before')
  desk.moved(BEN, 0, 0, 30)
  assert.equal(desk.conditionRaw, 60)
  desk.moved(ANN, 0, -40, 0)
  desk.moved(BEN, 0, 0, -60)
  assert.equal(desk.conditionRaw, 0)
  const market = desk.driver.clearing.catalogue.existing(desk.market)
  assert.equal(market.rowCount, 0, 'nobody outside needs a row either')
})

test('what leaves beyond the free balance is owed, and its orders are short', () => {
  const desk = new Desk()
  desk.moved(ANN, 100 * UNIT)
  const wanted = { account: ANN, marketId: desk.market, outcome: YES, side: SIDE.BUY }
  const terms = { priceTicks: 500, sizeRaw: 120 * UNIT, type: 'GTC' } as const
  assert.equal(desk.driver.place({ ...wanted, ...terms }).result, 'RESTED')
  const { short } = desk.follow([desk.seen(ANN, -70 * UNIT)])
  assert.deepEqual(short, [ANN])
  assert.equal(desk.driver.freeRaw(ANN), -30 * UNIT)
  assert.deepEqual(desk.driver.clearing.chainFunds.short(), [[ANN, desk.driver.clearing.lastSeq]])
  assert.deepEqual(desk.follow([desk.seen(ANN, 80 * UNIT)]).short, [])
  assert.equal(desk.driver.freeRaw(ANN), 50 * UNIT)
})

test('orders need what the contract may move', () => {
  const desk = new Desk()
  desk.moved(ANN, -10 * UNIT, 10 * UNIT, 10 * UNIT)
  desk.moved(ANN, 100 * UNIT)
  const terms = { account: ANN, marketId: desk.market, outcome: YES, type: 'GTC' } as const
  const buy = { ...terms, side: SIDE.BUY, priceTicks: 400, sizeRaw: 20 * UNIT }
  const sell = { ...terms, side: SIDE.SELL, priceTicks: 600, sizeRaw: 5 * UNIT }
  desk.follow([], [{ profileId: ANN, collateralRaw: 8 * UNIT, ofShares: false }])
  assert.equal(desk.driver.place(sell).refused, 'SHARES_NOT_APPROVED')
  assert.equal(desk.driver.place(buy).result, 'RESTED')
  assert.equal(desk.driver.place(buy).refused, 'ALLOWANCE_TOO_SMALL')
  const less = { profileId: ANN, collateralRaw: 8 * UNIT - 1, ofShares: false }
  assert.deepEqual(desk.follow([], [less]).short, [ANN])
  const enough = { profileId: ANN, collateralRaw: ALL, ofShares: true }
  assert.deepEqual(desk.follow([], [enough]).short, [])
  assert.equal(desk.driver.place(sell).result, 'RESTED')
  assert.deepEqual(desk.follow([], [{ ...enough, ofShares: false }]).short, [ANN])
})

test('after the payout shares only leave, and take their payout along', () => {
  const desk = new Desk()
  desk.moved(ANN, 0, 30, 30)
  desk.moved(BEN, 0, 12, 0)
  const { driver, market: marketId } = desk
  driver.control({ kind: 'resolveMarkets', resolutions: [{ marketId, payoutNumerators: [2, 1] }] })
  driver.control({ kind: 'postPayouts', marketIds: [marketId] })
  assert.deepEqual(desk.moved(ANN, 30, -30, -30), [['REDEEM', 30, -30, -30]])
  assert.deepEqual(desk.moved(BEN, 0, 9, 0), [], 'nothing comes any more')
  assert.deepEqual(desk.moved(BEN, 0, -50, 0), [['TRANSFER', 0, -12, 0]])
  assert.deepEqual(desk.held(BEN), [0, 0, 0])
  assert.deepEqual(desk.held(ANN), [30, 0, 0])
})

test('nobody gets what roundings left of a market, and it may be archived', () => {
  const desk = new Desk()
  desk.moved(ANN, 0, 1, 0)
  desk.moved(BEN, 0, 0, 1)
  const { driver, market: marketId } = desk
  driver.control({ kind: 'resolveMarkets', resolutions: [{ marketId, payoutNumerators: [1, 1] }] })
  driver.control({ kind: 'postPayouts', marketIds: [marketId] })
  assert.deepEqual(desk.moved(ANN, 0, -1, 0), [['REDEEM', 0, -1, 0]])
  assert.equal(desk.conditionRaw, 1)
  assert.deepEqual(desk.moved(BEN, 0, 0, -1), [['REDEEM', 0, 0, -1]])
  assert.equal(desk.conditionRaw, 0)
  assert.equal(driver.clearing.ledger.fundedRaw, 0)
  driver.control({ kind: 'archiveMarket', marketId })
  driver.holds()
})

test('what the exchange cannot hold is not counted, and is the first to leave', () => {
  const desk = new Desk()
  const { chainFunds } = desk.driver.clearing
  const { left, made } = desk.follow([desk.seen(ANN, LIMITS.fundedRawMax + 1)])
  assert.equal(left.length, 1)
  assert.deepEqual(made, [])
  assert.equal(chainFunds.uncountedRaw(`${ANN}`), LIMITS.fundedRawMax + 1)
  desk.moved(ANN, 100)
  assert.deepEqual(desk.moved(ANN, -LIMITS.fundedRawMax), [])
  assert.deepEqual(desk.moved(ANN, -3), [['WITHDRAW', -2, 0, 0]])
  assert.equal(chainFunds.uncountedCount, 0)
  assert.deepEqual(desk.held(ANN), [98, 0, 0])
})

test('what a wallet had before it was counted leaves uncounted', () => {
  const desk = new Desk()
  assert.deepEqual(desk.moved(ANN, 0, -40, 0), [])
  assert.deepEqual(desk.moved(ANN, 0, 40, 0), [['TRANSFER', 0, 40, 0]])
  assert.deepEqual(desk.moved(ANN, -15, -50, 0), [['TRANSFER', 0, -40, 0]])
  assert.deepEqual(desk.held(ANN), [0, 0, 0])
})

test('money does not move in the ledger alone, and a wallet with funds stays', () => {
  const desk = new Desk()
  const { clearing } = desk.driver
  const edit = { kind: 'editProfile', profileId: ANN, profile: { smartWallet: '0x01' } } as const
  assert.equal(whyHeldByWallets(clearing, edit), null)
  desk.moved(ANN, 1)
  assert.equal(whyHeldByWallets(clearing, edit)?.name, 'WALLET_IN_USE')
  for (const kind of ['adjustBalance', 'withdraw', 'redeemPositions', 'createPack'] as const) {
    const refused = whyHeldByWallets(clearing, { kind, profileId: ANN })
    assert.equal(refused?.name, 'HELD_BY_WALLETS', kind)
  }
  assert.equal(whyHeldByWallets(clearing, { kind: 'redeemPositions' }), null)
})
