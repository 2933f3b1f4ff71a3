import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openReadOnly } from '../../../persistence/database.ts'
import {
  BIGGEST_ROW,
  type ProjectionRows,
} from '../../../persistence/follower/boards/projection.ts'
import { Follower } from '../../../persistence/follower/follower.ts'
import { readPath } from '../../../persistence/follower/read-database.ts'
import { leaderboard } from '../../../persistence/query/read/boards/leaderboard.ts'
import { accuracy } from '../../../persistence/query/read/boards/owner-sums.ts'
import { copyFolder, keyed, newFolder } from '../../support/data-folder.ts'
import { encodeCommand } from '../../support/encode-command.ts'
import { ExchangeDriver } from '../../support/exchange-driver.ts'
import { fillJournal } from '../../support/journal-fill.ts'
import { freshSeed, Random } from '../../support/random.ts'

// What boards count (rules §9.5): two accounts of one owner put themselves on no board by trading
// with each other, and what others realised against several counterparties counts.

const SHARE = 1_000_000
const BATCH = 8
const DEPOSIT_RAW = 100_000 * SHARE
const RANK = { id: 1, name: 'Bronze', feeRateBps: 300 }

interface Boards {
  readonly pnl: Record<number, number>
  readonly volume: Record<number, number>
  readonly won: (owner: number) => number
  /** Owners among the biggest positions, by what they gained. */
  readonly gained: readonly number[]
}

/** A story of commands, and the boards that the follower makes of it. */
class Story {
  readonly driver = new ExchangeDriver(1 << 12)
  readonly #records: Uint8Array[] = []

  constructor() {
    this.driver.onCommand = (command) => this.#records.push(encodeCommand(command))
    this.driver.control({ kind: 'rules', version: 1 })
  }

  account(changes: Parameters<ExchangeDriver['addAccount']>[1] = {}, referredBy?: number): number {
    return this.driver.addAccount(DEPOSIT_RAW, { rank: RANK, ...changes }, referredBy)
  }

  /** With a server wallet, which makes it the profile of a program. */
  child(partnerId: number): number {
    const { driver } = this
    const profileId = driver.clearing.accounts.count + 1
    const account = `0x${profileId.toString(16).padStart(40, '0')}`
    const fields = { account, username: null, displayName: '', client: 'eoa' as const }
    const profile = { ...fields, smartWallet: null, rank: RANK, feeCapBps: null, scopes: [] }
    const wallet = { sealedKey: new Uint8Array(4), approved: [], proof: null }
    driver.control({ kind: 'createSubAccount', profileId, partnerId, profile, ...wallet })
    const secret = { sealedSecret: new Uint8Array(4), label: null, scopes: ['trading' as const] }
    const token = { tokenId: `token-${profileId}`, ...secret }
    driver.control({ kind: 'createToken', profileId, token })
    driver.deposit(profileId, DEPOSIT_RAW)
    return profileId
  }

  /** The buyer gets YES of the seller, who buys NO when it has none. */
  trade(
    marketId: number,
    parties: { buyer: number; seller: number },
    ticks: number,
    shares = 1000,
  ) {
    const { driver } = this
    const { buyer, seller } = parties
    const sizeRaw = shares * SHARE
    const isSale = driver.sharesRaw(seller, marketId, 0) >= sizeRaw
    const request = isSale
      ? { side: 1, outcome: 0, priceTicks: ticks }
      : { side: 0, outcome: 1, priceTicks: 1000 - ticks }
    const terms = { marketId, sizeRaw }
    const rested = driver.place({ ...terms, ...request, account: seller, type: 'GTC' })
    assert.equal(rested.result, 'RESTED')
    const bid = { ...terms, side: 0, outcome: 0, priceTicks: ticks, account: buyer }
    assert.equal(driver.place({ ...bid, type: 'FAK' }).result, 'FILLED')
  }

  resolve(marketId: number): void {
    const resolution = { marketId, payoutNumerators: [1, 0] as const, groupSettled: false }
    this.driver.control({ kind: 'resolveMarkets', resolutions: [resolution] })
    this.driver.control({ kind: 'postPayouts', marketIds: [marketId] })
  }

  /** The folder of the journal, and its last seq. */
  reported(): { readonly dataDir: string; readonly seq: number } {
    const { driver } = this
    while (driver.clearing.lastSeq % BATCH !== 0) driver.deposit(1, 1)
    const dataDir = newFolder()
    keyed(dataDir)
    fillJournal(dataDir, this.#records, BATCH)
    return { dataDir, seq: driver.clearing.lastSeq }
  }

  boards(): Boards {
    const { dataDir, seq } = this.reported()
    const follower = new Follower(keyed(dataDir))
    while (follower.step(seq));
    const request = { nowMs: this.driver.nowMs, marketIds: null }
    follower.projector.request(0, { what: 'boards', ...request })
    follower.projector.request(1, { what: 'biggest', ...request })
    let biggest: ProjectionRows = new Float64Array(0)
    while (follower.projector.isDue) {
      const made = follower.projector.work(() => false)
      if (made?.id === 1) biggest = made.rows
    }
    follower.close()
    const connection = openReadOnly(readPath(dataDir))
    const board = leaderboard.open(connection)
    const of = (name: 'pnl' | 'volume') => {
      return board({ board: name, spanHours: 0, offset: 0, limit: 100 }).rows
    }
    const pnl = Object.fromEntries(of('pnl').map(({ owner, pnlRaw }) => [owner, pnlRaw / SHARE]))
    const volume = Object.fromEntries(
      of('volume').map(({ owner, volumeRaw }) => [owner, volumeRaw / SHARE]),
    )
    const right = accuracy.open(connection)
    const counts = new Map<number, number>()
    for (let id = 1; id <= this.driver.clearing.accounts.count; id++) {
      counts.set(id, right(id)?.wonCount ?? 0)
    }
    connection.close()
    const gained = Array.from({ length: biggest.length / BIGGEST_ROW.width }, (_, index) =>
      biggest.subarray(index * BIGGEST_ROW.width),
    )
      .filter((row) => row[BIGGEST_ROW.order] === 1)
      .map((row) => row[BIGGEST_ROW.owner])
    return { pnl, volume, won: (owner) => counts.get(owner) ?? 0, gained }
  }
}

test('buying at 0.001 from a second account and selling back at 0.999 is on no board', () => {
  const story = new Story()
  const [first, second] = [story.account(), story.account()]
  const marketId = story.driver.addMarket()
  story.trade(marketId, { buyer: first, seller: second }, 1)
  story.trade(marketId, { buyer: second, seller: first }, 999)
  story.trade(marketId, { buyer: first, seller: second }, 500)
  story.resolve(marketId)
  const { pnl, volume, won } = story.boards()
  assert.deepEqual([pnl, volume], [{}, {}])
  assert.deepEqual([won(first), won(second)], [0, 0])
})

test('dust from a third profile does not make it count', () => {
  const story = new Story()
  const [first, second, third] = [story.account(), story.account(), story.account()]
  const marketId = story.driver.addMarket()
  story.trade(marketId, { buyer: first, seller: second }, 1)
  story.trade(marketId, { buyer: second, seller: first }, 999)
  for (let time = 0; time < 20; time++) {
    story.trade(marketId, { buyer: first, seller: third }, 500, 1)
  }
  const { pnl, volume, gained } = story.boards()
  assert.deepEqual([pnl[first], volume[first]], [undefined, undefined])
  assert.ok(!gained.includes(first))
})

test('what is bought cheap from one counterparty and sold to another does not count', () => {
  const story = new Story()
  const [first, second, third] = [story.account(), story.account(), story.account()]
  const marketId = story.driver.addMarket()
  story.trade(marketId, { buyer: first, seller: second }, 1)
  story.trade(marketId, { buyer: third, seller: first }, 500)
  assert.equal(story.boards().pnl[first], undefined)
})

test('profit against three counterparties counts, and before the third nothing of it', () => {
  for (const isWhole of [false, true]) {
    const story = new Story()
    const trader = story.account()
    const [one, two, three] = [story.account(), story.account(), story.account()]
    const marketId = story.driver.addMarket()
    story.trade(marketId, { buyer: trader, seller: one }, 400, 100)
    story.trade(marketId, { buyer: trader, seller: two }, 400, 100)
    if (isWhole) story.trade(marketId, { buyer: three, seller: trader }, 600, 100)
    const { pnl, volume } = story.boards()
    // 100 @ 0.40 twice, and 100 @ 0.60: the smaller side of each trade paid 40.
    assert.deepEqual([pnl[trader], volume[trader]], isWhole ? [20, 120] : [undefined, undefined])
  }
})

test('a program of the operator counts as many counterparties, a sub-account never does', () => {
  const story = new Story()
  const [trader, maker] = [story.account(), story.account({ isMachine: true })]
  const partner = story.account()
  const child = story.child(partner)
  const [quoted, arranged] = [story.driver.addMarket(), story.driver.addMarket()]
  for (const [marketId, other] of [
    [quoted, maker],
    [arranged, child],
  ] as const) {
    story.trade(marketId, { buyer: trader, seller: other }, 400, 100)
    story.trade(marketId, { buyer: other, seller: trader }, 600, 100)
  }
  const { pnl, volume } = story.boards()
  assert.deepEqual([pnl[trader], volume[trader]], [20, 80])
})

test('a volume counts what fees are taken of, not the collateral that moved', () => {
  const story = new Story()
  const [first, second] = [story.account(), story.account()]
  const marketId = story.driver.addMarket({ feeEnabled: true })
  // 999 of collateral move, and the fee is 3% of 1.
  story.trade(marketId, { buyer: first, seller: second }, 999)
  const { volume } = story.boards()
  assert.deepEqual([volume[first], volume[second]], [1, 1])
})

test('trades of a partner with its children, and of referrer and referred, are no volume', () => {
  for (const isOpen of [false, true]) {
    const story = new Story()
    const partner = story.account()
    const children = [story.child(partner), story.child(partner)]
    const referrer = story.account()
    const referred = story.account({}, referrer)
    const marketId = story.driver.addMarket({ feeEnabled: true })
    for (const [buyer, seller] of [
      [partner, children[0]],
      [children[0], children[1]],
      [referrer, referred],
      [referred, referrer],
    ]) {
      story.trade(marketId, { buyer, seller }, 500, 10)
    }
    if (isOpen) story.trade(marketId, { buyer: partner, seller: referrer }, 500, 10)
    assert.deepEqual(story.boards().volume, isOpen ? { [partner]: 5, [referrer]: 5 } : {})
  }
})

test('a rebuild of the tables gives the same hours, whatever its chunks were', () => {
  const seed = freshSeed()
  const random = new Random(seed)
  const story = new Story()
  const accounts = [story.account(), story.account({ isMachine: true }), story.account()]
  accounts.push(story.child(accounts[0]), story.account({}, accounts[2]))
  for (let more = 0; more < 12; more++) accounts.push(story.account())
  const markets = [true, false].map((feeEnabled) => story.driver.addMarket({ feeEnabled }))
  for (let time = 0; time < 200; time++) {
    story.driver.nowMs += random.below(1_000_000)
    const buyer = random.pick(accounts)
    const seller = random.pick(accounts.filter((each) => each !== buyer))
    const [ticks, shares] = [random.between(1, 999), random.between(1, 50)]
    story.trade(random.pick(markets), { buyer, seller }, ticks, shares)
  }
  const { dataDir, seq } = story.reported()
  const tablesOf = (stops: readonly number[]) => {
    const folder = copyFolder(dataDir)
    for (const stop of [...stops, seq]) {
      const follower = new Follower(keyed(folder))
      while (follower.step(stop));
      follower.close()
    }
    const connection = openReadOnly(readPath(folder))
    const rows = ['pnl_hours', 'board_spreads'].map((name) =>
      connection.prepare(`SELECT * FROM ${name} ORDER BY 1, 2`).all(),
    )
    connection.close()
    return rows
  }
  const stops = Array.from({ length: 5 }, () => random.below(seq / BATCH) * BATCH)
  const whole = tablesOf([])
  assert.deepEqual(tablesOf(stops.sort((a, b) => a - b)), whole, `SEED=${seed}`)
  assert.ok(whole[0].length > 20 && whole[1].length > 20)
})

test('a sweep of many orders counts like as many trades', () => {
  const seed = freshSeed()
  const boardsOf = (isSwept: boolean) => {
    const random = new Random(seed)
    const story = new Story()
    const { driver } = story
    const accounts = Array.from({ length: 7 }, () => story.account())
    const marketId = driver.addMarket()
    for (let sweep = 0; sweep < 40; sweep++) {
      const taker = random.pick(accounts)
      const makers = accounts.filter((each) => each !== taker)
      const rested = Array.from({ length: random.between(2, 6) }, () => {
        const order = { ticks: random.between(400, 600), shares: random.between(1, 50) }
        const maker = random.chance(0.2) ? makers[0] : random.pick(makers)
        const terms = { marketId, side: 0, outcome: 1, priceTicks: 1000 - order.ticks } as const
        driver.place({ ...terms, account: maker, sizeRaw: order.shares * SHARE, type: 'GTC' })
        return order
      })
      rested.sort((a, b) => a.ticks - b.ticks)
      const all = rested.reduce((sum, { shares }) => sum + shares, 0)
      for (const shares of isSwept ? [all] : rested.map((order) => order.shares)) {
        const terms = { marketId, side: 0, outcome: 0, priceTicks: 600 } as const
        const wanted = { ...terms, account: taker, sizeRaw: shares * SHARE, type: 'FAK' } as const
        assert.equal(driver.place(wanted).result, 'FILLED')
      }
    }
    story.resolve(marketId)
    const { pnl, volume } = story.boards()
    return { pnl, volume }
  }
  const swept = boardsOf(true)
  assert.ok(Object.keys(swept.volume).length > 1, `SEED=${seed}: somebody is counted`)
  assert.deepEqual(swept, boardsOf(false), `SEED=${seed}`)
})
