import assert from 'node:assert/strict'
import { test } from 'node:test'
import { capture, restore } from '../../../../engine/core/capture.ts'
import { mayArchive, mayPayOut } from '../../../../engine/core/decide/endings.ts'
import { decideMarkets } from '../../../../engine/core/decide/markets.ts'
import { Exchange } from '../../../../engine/core/exchange.ts'
import type { Command } from '../../../../engine/domain/command.ts'
import { LIMITS } from '../../../../engine/domain/limits.ts'
import { OUTCOME, SIDE } from '../../../../engine/domain/order.ts'
import { ExchangeDriver } from '../../../support/exchange-driver.ts'
import { rejectName } from '../../../support/reject-name.ts'
import { marketSpec } from '../../../support/specs.ts'

// A market counts for ever, a book is used again, and a market that nothing needs leaves memory.

const UNIT = 1_000_000
const { NO, YES } = OUTCOME

class World {
  readonly driver = new ExchangeDriver(64)
  readonly commands: Command[] = []
  readonly ann: number
  readonly ben: number

  constructor() {
    this.driver.onCommand = (command) => this.commands.push(command)
    this.ann = this.driver.addAccount(1000 * UNIT)
    this.ben = this.driver.addAccount(1000 * UNIT)
  }

  market(marketId: number) {
    return this.driver.clearing.catalogue.existing(marketId)
  }

  mint(marketId: number): void {
    this.driver.mint(marketId, 10 * UNIT, { yes: this.ann, no: this.ben, taker: this.ben })
  }

  /** Both sell all that `mint` gave them: the pairs are unmade. */
  unmake(marketId: number): void {
    const wanted = { marketId, side: SIDE.SELL, priceTicks: 500, sizeRaw: 10 * UNIT }
    this.driver.place({ ...wanted, account: this.ann, outcome: YES, type: 'GTC' })
    this.driver.place({ ...wanted, account: this.ben, outcome: NO, type: 'GTC' })
  }

  resolve(marketId: number): void {
    this.driver.control({
      kind: 'resolveMarkets',
      resolutions: [{ marketId, payoutNumerators: [1, 0] }],
    })
  }

  mine(throughSeq = this.driver.clearing.lastSeq): void {
    const height = this.driver.clearing.blocks.height + 1
    this.driver.control({ kind: 'mineBlock', height, throughSeq, chainId: 1 })
  }

  /** A market that may be paid out is paid out first. */
  mayArchive(marketId: number): boolean {
    if (mayPayOut(this.driver.clearing, this.market(marketId))) {
      this.driver.control({ kind: 'postPayouts', marketIds: [marketId] })
    }
    return mayArchive(this.driver.clearing, this.market(marketId))
  }

  archive(marketId: number): void {
    assert(this.mayArchive(marketId))
    this.driver.control({ kind: 'archiveMarket', marketId })
    this.driver.holds()
  }
}

test('a book is given back with the last order of a resolved market, and an id never is', () => {
  const { driver, ann, market, resolve } = bound(new World())
  assert.deepEqual([driver.addMarket(), driver.addMarket(), driver.addMarket()], [1, 2, 3])
  const wanted = { account: ann, side: SIDE.BUY, outcome: YES, type: 'GTC' as const }
  const order = { ...wanted, marketId: 2, priceTicks: 400, sizeRaw: UNIT }
  const { slot, generation } = driver.place(order)
  assert.deepEqual(
    [1, 2, 3].map((id) => market(id).book),
    [1, 2, 3],
  )
  resolve(2)
  assert.equal(market(2).book, 2, 'an order lives in it')
  driver.cancelMany(2, [{ slot, generation }])
  assert.equal(market(2).book, 0)
  resolve(3)
  assert.equal(market(3).book, 0, 'no order lived in it')
  driver.control({ kind: 'lockMarket', marketId: 1 })
  assert.equal(market(1).book, 1, 'a locked market may trade again')
  assert.equal(driver.addMarket(), 4)
  assert.equal(market(4).book, 2, 'the lowest book is used again')
  driver.place({ ...order, marketId: 4, priceTicks: 300 })
  assert.deepEqual(driver.book(4).bids, [{ ticks: 300, sizeRaw: UNIT }])
  driver.holds()
})

test('a market leaves memory when nobody holds a share and blocks hold its trades', () => {
  const world = new World()
  const { driver } = world
  const { catalogue, ledger, blocks } = driver.clearing
  const marketId = driver.addMarket()
  world.mint(marketId)
  const mintSeq = driver.clearing.lastSeq
  assert.equal(world.market(marketId).rowCount, 2)
  world.unmake(marketId)
  assert.equal(world.market(marketId).rowCount, 0)
  assert.equal(world.mayArchive(marketId), false, 'it is open')
  world.resolve(marketId)
  assert.equal(world.mayArchive(marketId), false, 'its trades are in no block')
  world.mine(mintSeq)
  assert.equal(world.mayArchive(marketId), false, 'its last trade is in no block')
  const tradeSeq = world.market(marketId).lastTradeSeq
  driver.control({ kind: 'retrySettlement', tradeSeq })
  world.mine()
  assert.equal(world.mayArchive(marketId), false, 'its last trade was set aside')
  driver.control({ kind: 'settleTrade', tradeSeq, height: blocks.height })
  assert.deepEqual([...catalogue.emptied], [world.market(marketId)])
  const { slug, conditionId } = world.market(marketId)
  world.archive(marketId)
  assert.deepEqual([catalogue.count, catalogue.emptied.size, ledger.rows.count], [0, 0, 0])
  assert.equal(catalogue.bySlug(slug), undefined)
  assert.equal(catalogue.byCondition(conditionId), undefined)
  assert.equal(driver.addMarket(), 2, 'its id is not used again')
})

test('a group is resolved by one command that names all its children', () => {
  const { driver, market } = bound(new World())
  const children = [driver.addMarket(), driver.addMarket(), driver.addMarket()]
  const resolutions = children.map((marketId, index) => {
    return { marketId, payoutNumerators: index === 0 ? ([1, 0] as const) : ([0, 1] as const) }
  })
  driver.control({ kind: 'resolveMarkets', resolutions })
  assert.deepEqual(
    children.map((id) => [market(id).status, market(id).payoutNumerators]),
    [
      ['RESOLVED', [1, 0]],
      ['RESOLVED', [0, 1]],
      ['RESOLVED', [0, 1]],
    ],
  )
})

test('a market that somebody holds a share of stays', () => {
  const world = new World()
  const marketId = world.driver.addMarket()
  world.mint(marketId)
  world.resolve(marketId)
  world.mine()
  assert.equal(world.mayArchive(marketId), false)
  assert.equal(world.market(marketId).book, 0, 'its book is free all the same')
})

test('a reversal gives shares back, and what it took is forgotten with the market', () => {
  const world = new World()
  const { driver, ann, ben } = world
  const { reversals } = driver.clearing
  const marketId = driver.addMarket()
  world.mint(marketId)
  const tradeSeq = driver.clearing.lastSeq
  world.resolve(marketId)
  const leg = (accountId: number, outcome: number) => {
    return { accountId, marketId, outcome, collateralRaw: 5 * UNIT, sharesRaw: -10 * UNIT }
  }
  const conditions = [{ marketId, collateralRaw: -10 * UNIT }]
  const legs = [leg(ann, YES), leg(ben, NO)]
  driver.control({ kind: 'failSettlement', tradeSeq, legs, conditions })
  driver.holds()
  assert.equal(reversals.sharesTakenRaw(ann, marketId, YES), 10 * UNIT)
  assert.equal(world.market(marketId).rowCount, 0)
  world.mine()
  world.archive(marketId)
  assert.equal(reversals.sharesTakenRaw(ann, marketId, YES), 0)
  assert.deepEqual(reversals.capture().shares, [])
})

test('a reversal may lie in several markets, and must add up in each', () => {
  const world = new World()
  const { driver, ann, ben } = world
  const [one, other] = [driver.addMarket(), driver.addMarket()]
  world.mint(one)
  world.mint(other)
  const tradeSeq = driver.clearing.lastSeq
  const leg = (accountId: number, marketId: number, outcome: number) => {
    return { accountId, marketId, outcome, collateralRaw: 5 * UNIT, sharesRaw: -10 * UNIT }
  }
  const ofBoth = [one, other].flatMap((id) => [leg(ann, id, YES), leg(ben, id, NO)])
  const condition = (marketId: number, units: number) => ({ marketId, collateralRaw: units * UNIT })
  const fail = (conditions: ReturnType<typeof condition>[]) =>
    driver.control({ kind: 'failSettlement', tradeSeq, legs: ofBoth, conditions })
  assert.throws(() => fail([condition(one, -20)]), /with the collateral of their pairs/)
  const again = new World()
  const markets = [again.driver.addMarket(), again.driver.addMarket()]
  for (const each of markets) again.mint(each)
  const conditions = markets.map((each) => condition(each, -10))
  again.driver.control({ kind: 'failSettlement', tradeSeq, legs: ofBoth, conditions })
  again.driver.holds()
  assert.deepEqual(
    [again.driver.freeRaw(again.ann), again.driver.clearing.ledger.rows.count],
    [1010 * UNIT, 0],
  )
})

test('venues are counted by the markets that name them', () => {
  const { driver, resolve, archive } = bound(new World())
  const exchangeAddress = `0x${'7'.repeat(40)}`
  const [one, other] = [
    driver.addMarket({ exchangeAddress }),
    driver.addMarket({ exchangeAddress }),
  ]
  for (const marketId of [one, other]) {
    assert.equal(driver.clearing.catalogue.venues.has(exchangeAddress), true)
    resolve(marketId)
    archive(marketId)
  }
  assert.equal(driver.clearing.catalogue.venues.size, 0)
})

test('markets that were are no bound, and books that are held are one', () => {
  const { driver, resolve, archive } = bound(new World())
  const decide = (booksMax: number) => {
    return rejectName(decideMarkets(driver.clearing, [marketSpec(99)], booksMax))
  }
  for (let each = 0; each < 3; each++) {
    resolve(driver.addMarket())
    archive(driver.clearing.catalogue.lastId)
  }
  driver.addMarket()
  assert.equal(decide(1), 'MARKET_LIMIT')
  assert.equal(decide(2), 'NONE')
  driver.clearing.catalogue.lastId = LIMITS.marketsEverMax
  assert.equal(decide(2), 'MARKET_LIMIT', 'the id must fit its records')
})

test('a replay and a snapshot keep books, ids and what waits to leave', () => {
  const world = new World()
  const { driver } = world
  const [gone, over, open] = [driver.addMarket(), driver.addMarket(), driver.addMarket()]
  world.mint(over)
  world.unmake(over)
  for (const marketId of [gone, over]) world.resolve(marketId)
  world.archive(gone)
  const reused = driver.addMarket()
  world.mint(reused)
  driver.place({
    account: world.ann,
    marketId: open,
    side: SIDE.BUY,
    outcome: YES,
    type: 'GTC',
    priceTicks: 100,
    sizeRaw: UNIT,
  })
  const hash = driver.exchange.stateHash()
  const captured = capture(driver.exchange)
  const replayed = new Exchange()
  for (const command of world.commands) replayed.apply(command)
  assert.equal(replayed.stateHash(), hash)
  const restored = restore(captured)
  const { clearing } = restored
  assert.equal(restored.stateHash(), hash)
  assert.equal(clearing.catalogue.existing(reused).book, 1)
  assert.deepEqual(
    [...clearing.catalogue.emptied].map(({ marketId }) => marketId),
    [over],
  )
  assert.deepEqual([clearing.catalogue.lastId, clearing.catalogue.freeBook(9)], [4, 2])
})

/** Its methods without `this`, for short tests. */
function bound(world: World) {
  return {
    driver: world.driver,
    ann: world.ann,
    market: world.market.bind(world),
    resolve: world.resolve.bind(world),
    archive: world.archive.bind(world),
  }
}
