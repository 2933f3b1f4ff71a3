import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { redemptionRaw } from '../../../engine/core/moves/conditions.ts'
import { STATE } from '../../../engine/core/orders/order-table.ts'
import { MARK_SOURCES, type Mark } from '../../../engine/domain/markets/mark.ts'
import { mulDivFloor } from '../../../engine/domain/units.ts'
import { openReadOnly } from '../../../persistence/database.ts'
import {
  BIGGEST_ROW,
  type ProjectionParams,
} from '../../../persistence/follower/boards/projection.ts'
import { Follower } from '../../../persistence/follower/follower.ts'
import { readPath } from '../../../persistence/follower/read-database.ts'
import { accuracy } from '../../../persistence/query/read/boards/owner-sums.ts'
import { copyFolder, keyed, newFolder } from '../../support/data-folder.ts'
import { encodeCommand } from '../../support/encode-command.ts'
import { type BookLevel, ExchangeDriver, type Placed } from '../../support/exchange-driver.ts'
import { fillJournal } from '../../support/journal-fill.ts'
import { freshSeed, Random } from '../../support/random.ts'

// What the follower works out beside the journal: results of markets (rules §9.4), the biggest
// positions (rules §9.5), and boards that follow from the journal alone.

const SEED = freshSeed()
const BATCH = 32
const HOUR_MS = 3_600_000
const ACCOUNTS = [1, 2, 3, 4, 5, 6]
/** They trade once in each market, for a half: with equal payouts they get what they paid. */
const EVEN = [7, 8] as const
const EVERYONE = [...ACCOUNTS, ...EVEN]
const DEPOSIT_RAW = 10 ** 12
const PAYOUTS = [
  [1, 0],
  [0, 1],
  [1, 1],
  [1, 3],
] as const
const OPEN_MARKETS = [5, 6, 7]
const TEN_SHARES_RAW = 10_000_000

type Counts = Map<number, { won: number; lost: number }>

/** A position by what it is worth, by the ledger and the books. */
interface Big {
  readonly marketId: number
  readonly owner: number
  readonly outcome: number
  readonly sizeRaw: number
  readonly valueRaw: number
  readonly source: Mark['source']
}

interface Story {
  /** A folder with a journal and nothing else. */
  readonly dataDir: string
  readonly seq: number
  readonly nowMs: number
  readonly counts: Counts
  /** The first market was paid out then. */
  readonly paidMs: readonly number[]
  readonly big: readonly Big[]
}

class Reporter {
  readonly driver = new ExchangeDriver(1 << 12)
  readonly records: Uint8Array[] = []
  /** YES price of the last fill of ten shares or more, by market. */
  readonly markTicks = new Map<number, number>()
  readonly #random = new Random(SEED)

  constructor() {
    this.driver.onCommand = (command) => this.records.push(encodeCommand(command))
    this.driver.control({ kind: 'rules', version: 1 })
    for (const _account of EVERYONE) {
      this.driver.addAccount(DEPOSIT_RAW, { isMachine: true })
    }
  }

  trade(marketId: number, count: number): void {
    const { driver } = this
    const random = this.#random
    for (let at = 0; at < count; at++) {
      driver.nowMs += random.below(HOUR_MS / 8)
      const account = random.pick(ACCOUNTS)
      const outcome = random.below(2)
      const heldRaw = driver.sharesRaw(account, marketId, outcome)
      const side = heldRaw >= 1000 && random.chance(0.5) ? 1 : 0
      const mostRaw = side === 1 ? heldRaw : 50_000_000
      const sizeRaw = Math.max(1, Math.floor(random.between(1, mostRaw) / 1000)) * 1000
      const type = random.pick(['GTC', 'FAK'] as const)
      const priceTicks = random.between(400, 600)
      const terms = { account, marketId, outcome, side, type, priceTicks, sizeRaw }
      this.#noteFills(marketId, driver.place(terms))
    }
  }

  #noteFills(marketId: number, { makers }: Placed): void {
    for (const { sizeRaw, ticks } of makers) {
      if (sizeRaw >= TEN_SHARES_RAW) this.markTicks.set(marketId, ticks)
    }
  }

  tradeForHalf(marketId: number): void {
    const wanted = { marketId, side: 0, priceTicks: 500, sizeRaw: 10_000_000 }
    this.driver.place({ ...wanted, account: EVEN[0], outcome: 0, type: 'GTC' })
    const taken = this.driver.place({ ...wanted, account: EVEN[1], outcome: 1, type: 'FAK' })
    assert.equal(taken.result, 'FILLED')
  }

  cancelAll(marketId: number): void {
    const { orders } = this.driver.clearing
    for (let slot = 1; slot <= orders.highSlot; slot++) {
      if (orders.stateOf(slot) !== STATE.OPEN || orders.marketOf(slot) !== marketId) continue
      this.driver.cancelMany(marketId, [{ slot, generation: orders.generationOf(slot) }])
    }
  }

  sharesRaw(account: number, marketId: number, outcome: number): number {
    const { driver } = this
    const reservedRaw = driver.sharesReservedRaw(account, marketId, outcome)
    return driver.sharesRaw(account, marketId, outcome) + reservedRaw
  }

  collateralRaw(account: number): number {
    return this.driver.freeRaw(account) + this.driver.reservedRaw(account)
  }
}

/** Trades in a market, pays it out, and counts who has more than before. */
function resolved(reporter: Reporter, payout: readonly [number, number], counts: Counts): void {
  const { driver } = reporter
  const had = EVERYONE.map((account) => reporter.collateralRaw(account))
  const marketId = driver.addMarket({ minSizeRaw: 0, feeEnabled: payout[0] !== payout[1] })
  reporter.tradeForHalf(marketId)
  reporter.trade(marketId, 60)
  reporter.cancelAll(marketId)
  driver.control({ kind: 'resolveMarkets', resolutions: [{ marketId, payoutNumerators: payout }] })
  driver.nowMs += 1
  driver.control({ kind: 'postPayouts', marketIds: [marketId] })
  for (const [index, account] of EVERYONE.entries()) {
    const [yesRaw, noRaw] = [0, 1].map((outcome) => reporter.sharesRaw(account, marketId, outcome))
    const worthRaw = redemptionRaw(payout, yesRaw, noRaw)
    const earnedRaw = reporter.collateralRaw(account) + worthRaw - had[index]
    const known = counts.get(account) ?? { won: 0, lost: 0 }
    counts.set(account, known)
    if (earnedRaw > 0) known.won++
    if (earnedRaw < 0) known.lost++
  }
}

/** Where the levels of a side, the best first, have ten shares together. */
function tenSharesAt(levels: readonly BookLevel[]): number | undefined {
  let sumRaw = 0
  for (const { ticks, sizeRaw } of levels) {
    sumRaw += sizeRaw
    if (sumRaw >= TEN_SHARES_RAW) return ticks
  }
  return undefined
}

function bigOf(reporter: Reporter): Big[] {
  return OPEN_MARKETS.flatMap((marketId) => {
    const { bids, asks } = reporter.driver.book(marketId)
    const [bidTicks, askTicks] = [bids, asks].map(tenSharesAt)
    const isTwoSided = bidTicks !== undefined && askTicks !== undefined
    const lastTicks = reporter.markTicks.get(marketId) ?? assert.fail('a large fill marks')
    const yesE6 = isTwoSided ? (bidTicks + askTicks) * 500 : lastTicks * 1000
    return ACCOUNTS.flatMap((owner) =>
      [0, 1].flatMap((outcome) => {
        const sizeRaw = reporter.sharesRaw(owner, marketId, outcome)
        const valueRaw = mulDivFloor(sizeRaw, outcome === 0 ? yesE6 : 1_000_000 - yesE6, 1_000_000)
        const source = isTwoSided ? 'midpoint' : 'lastTrade'
        return sizeRaw === 0 ? [] : [{ marketId, owner, outcome, sizeRaw, valueRaw, source }]
      }),
    )
  })
}

function reported(): Story {
  const reporter = new Reporter()
  const { driver } = reporter
  const counts: Counts = new Map()
  const paidMs: number[] = []
  for (const payout of PAYOUTS) {
    resolved(reporter, payout, counts)
    paidMs.push(driver.nowMs)
  }
  for (const marketId of OPEN_MARKETS) {
    assert.equal(driver.addMarket({ minSizeRaw: 0 }), marketId)
    reporter.trade(marketId, 60)
  }
  // Both sides of one of them are deep, whatever happened there.
  for (const outcome of [0, 1]) {
    const deep = {
      account: ACCOUNTS[0],
      marketId: OPEN_MARKETS[0],
      side: 0,
      outcome,
      priceTicks: 1,
    }
    driver.place({ ...deep, sizeRaw: TEN_SHARES_RAW, type: 'GTC' })
  }
  // Another one has no order any more, so its last trade is the mark.
  reporter.cancelAll(6)
  while (driver.clearing.lastSeq % BATCH !== 0) driver.deposit(1, 1)
  const big = bigOf(reporter)
  const dataDir = newFolder()
  keyed(dataDir)
  fillJournal(dataDir, reporter.records, BATCH)
  const { nowMs } = driver
  return { dataDir, seq: driver.clearing.lastSeq, nowMs, counts, paidMs, big }
}

let story: Story
before(() => {
  story = reported()
})

/** Opens a folder and follows its journal to the end. */
function follow(dataDir: string): Follower {
  const follower = new Follower(keyed(dataDir))
  while (follower.step(story.seq));
  return follower
}

/** Works in slices of some steps until all is answered, or until so many slices are over. */
function answers(
  { projector }: Follower,
  requests: readonly ProjectionParams[],
  roundsMax = Number.POSITIVE_INFINITY,
): Float64Array[] {
  const found: Float64Array[] = []
  for (const [id, request] of requests.entries()) projector.request(id, request)
  for (let slice = 0; projector.isDue && slice < roundsMax; slice++) {
    let steps = 0
    const projected = projector.work(() => steps++ === 3)
    if (projected === null) continue
    assert.equal(projected.id, found.length, 'answers come in the order of the questions')
    found.push(projected.rows)
  }
  return found
}

const all = (what: ProjectionParams['what']): ProjectionParams => {
  return { what, nowMs: story.nowMs, marketIds: null }
}

const TABLES = ['boards', 'board_counts', 'board_passes', 'accuracy', 'results_due', 'pnl_hours']

function rowsOf(dataDir: string): Record<string, unknown[]> {
  const connection = openReadOnly(readPath(dataDir))
  const rows = TABLES.map((name) => {
    return [name, connection.prepare(`SELECT * FROM ${name} ORDER BY 1, 2`).all()] as const
  })
  connection.close()
  return Object.fromEntries(rows)
}

test('a market counts once it is paid out, for whoever got more or less than it paid', () => {
  const dataDir = copyFolder(story.dataDir)
  const follower = follow(dataDir)
  answers(follower, [])
  follower.close()
  const connection = openReadOnly(readPath(dataDir))
  const request = accuracy.open(connection)
  for (const [account, { won, lost }] of story.counts) {
    const found = request(account)
    assert.deepEqual([found?.wonCount ?? 0, found?.lostCount ?? 0], [won, lost], `${account}`)
    if (found !== null) assert.ok(story.paidMs.includes(found.sinceMs))
  }
  assert.ok([...story.counts.values()].some(({ won }) => won > 0))
  assert.ok([...story.counts.values()].some(({ lost }) => lost > 0))
  assert.equal(request(99), null)
  connection.close()
})

test('the biggest positions are those of a whole sort, of all markets or of some', () => {
  const follower = follow(copyFolder(story.dataDir))
  const some = { ...all('biggest'), marketIds: [6, 99, 1] }
  const [everywhere, ofSome] = answers(follower, [all('biggest'), some])
  follower.close()
  const { width, order, marketId, owner, outcome, sizeRaw, worthRaw, source } = BIGGEST_ROW
  const read = (rows: Float64Array, wanted: number) =>
    Array.from({ length: rows.length / width }, (_, at) => rows.subarray(at * width))
      .filter((row) => row[order] === wanted)
      .map((row) => ({
        marketId: row[marketId],
        owner: row[owner],
        outcome: row[outcome],
        sizeRaw: row[sizeRaw],
        valueRaw: row[worthRaw],
        source: MARK_SOURCES[row[source]],
      }))
  const slow = (marketIds: readonly number[]) =>
    story.big
      .filter((each) => marketIds.includes(each.marketId))
      .sort(
        (a, b) =>
          b.valueRaw - a.valueRaw ||
          a.marketId - b.marketId ||
          a.owner - b.owner ||
          a.outcome - b.outcome,
      )
  assert.ok(story.big.length > 0)
  assert.deepEqual(read(everywhere, 0), slow(OPEN_MARKETS))
  assert.deepEqual(read(ofSome, 0), slow([6]))
  assert.equal(read(everywhere, 1).length, story.big.length)
  const sources = new Set(story.big.map((each) => each.source))
  assert.ok(sources.has('midpoint'), `SEED=${SEED}`)
  assert.ok(slow([6]).every((each) => each.source === 'lastTrade'))
})

test('a pass receives shares that came since the one before, at the same price', () => {
  const reporter = new Reporter()
  const { driver } = reporter
  const marketId = driver.addMarket({ minSizeRaw: 0 })
  reporter.tradeForHalf(marketId)
  const padded = () => {
    while (driver.clearing.lastSeq % BATCH !== 0) driver.deposit(1, 1)
    return driver.clearing.lastSeq
  }
  const firstSeq = padded()
  driver.control({ kind: 'splitPosition', profileId: ACCOUNTS[0], marketId, amountRaw: 1_000_000 })
  const lastSeq = padded()
  const dataDir = newFolder()
  keyed(dataDir)
  fillJournal(dataDir, reporter.records, BATCH)
  const follower = new Follower(keyed(dataDir))
  const [before, after] = [firstSeq, lastSeq].map((seq) => {
    while (follower.step(seq));
    return answers(follower, [all('biggest')])[0].length / BIGGEST_ROW.width
  })
  follower.close()
  // Both owners of a pair, in both orders; then one more owner of both outcomes.
  assert.deepEqual([before, after], [4, 8])
})

test('the boards follow from the journal, wherever a process ended', () => {
  const whole = copyFolder(story.dataDir)
  const first = follow(whole)
  answers(first, [all('boards')])
  first.close()
  const rows = rowsOf(whole)
  assert.ok(rows.boards.length > 0)
  assert.deepEqual(rows.results_due, [])
  const random = new Random(SEED)
  const cut = copyFolder(story.dataDir)
  for (let round = 0; round < 4; round++) {
    const follower = new Follower(keyed(cut))
    const stopSeq = BATCH * random.below(story.seq / BATCH)
    while (follower.step(Math.max(stopSeq, follower.stateSeq)));
    answers(follower, [all('boards')], random.below(200))
    follower.close()
  }
  const last = follow(cut)
  answers(last, [all('boards')])
  last.close()
  assert.deepEqual(rowsOf(cut), rows)
})
