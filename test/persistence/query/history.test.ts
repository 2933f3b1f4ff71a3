import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Exchange } from '../../../engine/core/exchange.ts'
import { reversalOf } from '../../../engine/core/money/reversal.ts'
import type { CommandOf } from '../../../engine/domain/command-kinds.ts'
import { dayBucketOf, oldestBucketOf } from '../../../engine/domain/markets/day-window.ts'
import { totalOf } from '../../../engine/domain/units.ts'
import { blankPlace } from '../../../engine/wire/place-codec.ts'
import { type Connection, openInMemory } from '../../../persistence/database.ts'
import { READ_SCHEMA } from '../../../persistence/follower/schema/migrations.ts'
import { PositionCosts } from '../../../persistence/follower/tables/accounts/average-cost.ts'
import { CandlesTable } from '../../../persistence/follower/tables/candles.ts'
import { MinedTradesTable } from '../../../persistence/follower/tables/mined-trades.ts'
import { OrderNames } from '../../../persistence/follower/tables/orders/order-names.ts'
import { UNPACED } from '../../../persistence/follower/tables/pace.ts'
import { SettlementsTable } from '../../../persistence/follower/tables/settlements.ts'
import { TradesTable } from '../../../persistence/follower/tables/trades.ts'
import { candlesAfter } from '../../../persistence/query/read/history/candles.ts'
import type { TradeRow } from '../../../persistence/query/read/history/market-trades.ts'
import { minedTrades } from '../../../persistence/query/read/history/mined-trades.ts'
import { prices } from '../../../persistence/query/read/history/prices.ts'
import { tape } from '../../../persistence/query/read/history/tape.ts'
import { settledTrade, tradesAfter } from '../../../persistence/query/read/settlements.ts'
import { CommandFlow } from '../../support/command-flow.ts'
import { openTablesOf } from '../../support/followed-tables.ts'
import { freshSeed, Random } from '../../support/random.ts'

// The reads of a market's history against a plain list of its trades.

const CHAIN = 8453
const GROUP = 9
const CHILDREN: readonly number[] = [1, 2, 4]
const seed = freshSeed()
const random = new Random(seed)

interface Trade extends TradeRow {
  readonly marketId: number
}

const ALL = `SELECT seq, market_id AS marketId, side, outcome, shares_raw AS sharesRaw,
  collateral_raw AS collateralRaw, yes_ticks AS yesTicks, traded_ms AS tradedMs,
  is_busted AS isBusted, fills FROM trades ORDER BY seq`

/** Trades are mined, set aside and taken back at random; gives the seqs in the order of mining. */
function settle(flow: CommandFlow, reading: <T>(work: (db: Connection) => T) => T) {
  const seqs = reading((db) => tradesAfter.open(db)({ seq: 0, limit: 100_000 })).reverse()
  const mined: number[] = []
  const busted: number[] = []
  let aside: number[] = []
  let height = 0
  for (let from = 0; from < seqs.length - 20; ) {
    const upTo = from + 1 + random.below(40)
    const block: number[] = []
    for (const tradeSeq of seqs.slice(from, upTo)) {
      const dice = random.next()
      if (dice < 0.1) {
        const trade = reading((db) => settledTrade.open(db)({ tradeSeq }))
        assert(trade !== null)
        flow.control({ kind: 'failSettlement', tradeSeq, ...reversalOf(trade) })
        busted.push(tradeSeq)
      } else if (dice < 0.2) {
        flow.control({ kind: 'retrySettlement', tradeSeq })
        aside.push(tradeSeq)
      } else block.push(tradeSeq)
    }
    const throughSeq = seqs[Math.min(upTo, seqs.length) - 1]
    flow.control({ kind: 'mineBlock', height: ++height, throughSeq, chainId: CHAIN })
    mined.push(...block)
    const ready = aside.filter(() => random.next() < 0.3)
    for (const tradeSeq of ready) flow.control({ kind: 'settleTrade', tradeSeq, height })
    mined.push(...ready)
    aside = aside.filter((seq) => !ready.includes(seq))
    from = upTo
  }
  return { mined, busted }
}

interface World {
  readonly db: Connection
  readonly trades: readonly Trade[]
  /** Seqs in the order of mining. */
  readonly mined: readonly number[]
  readonly busted: readonly number[]
}

/** What the follower made of a journal of decided commands. */
function followed(): World {
  const flow = new CommandFlow(seed)
  flow.run(4000)
  const before = openTablesOf(flow)
  const settled = settle(flow, (work) => work(before))
  before.close()
  const db = openTablesOf(flow)
  return { db, trades: db.prepare<[], Trade>(ALL).all(), ...settled }
}

/** The tables of the follower, which forget what they kept when it starts again. */
function openTables(db: Connection) {
  const { orders } = new Exchange().clearing
  const listeners = {
    positions: new PositionCosts(db),
    candles: new CandlesTable(db),
    standings: { traded: () => {} },
    links: { partyOf: (_owner: number, other: number) => other },
  }
  const trades = new TradesTable(db, orders, listeners)
  const settlements = new SettlementsTable(db, new OrderNames(db))
  const mined = new MinedTradesTable(db)
  const flush = () => {
    for (const table of [trades, listeners.candles, settlements, mined]) table.flush(UNPACED)
  }
  const settle = (command: CommandOf<'settlement'>) => {
    settlements.applied(command)
    mined.applied(command)
  }
  return { trades, settle, flush }
}

/** Few trades over many commands: each market has rows in several epochs. */
function overEpochs(): World {
  const db = openInMemory(READ_SCHEMA.migrations)
  const put = db.prepare('INSERT INTO markets VALUES (?, ?, 0, ?, ?)')
  put.run(GROUP, 'group', '{}', null)
  for (const child of CHILDREN) put.run(child, `child-${child}`, '{}', GROUP)
  let tables = openTables(db)
  let seq = 1
  let nowMs = 1_700_000_000_000
  let height = 0
  const stamp = () => {
    seq += random.between(1, 600)
    nowMs += random.chance(0.4) ? 0 : random.below(3000)
    return { seq, nowMs }
  }
  const mined: number[] = []
  const busted: number[] = []
  let waiting: number[] = []
  for (let step = 0; step < 3000; step++) {
    const [marketId, side, outcome] = [random.between(1, 4), random.below(2), random.below(2)]
    const order = { ...blankPlace(), marketId, side, outcome, accountId: 1, ...stamp() }
    const sizeRaw = 1000 * random.between(1, 100)
    const fill = { maker: 0, sizeRaw, yesTicks: random.between(1, 999), isLate: false }
    tables.trades.filled(order, fill)
    tables.trades.done(order)
    waiting.push(order.seq)
    if (random.chance(0.02)) {
      const [tradeSeq] = waiting.splice(random.below(waiting.length), 1)
      const reversal = { legs: [], conditions: [] }
      tables.settle({ kind: 'failSettlement', tradeSeq, ...reversal, ...stamp() })
      busted.push(tradeSeq)
    }
    if (random.chance(0.05)) {
      tables.settle({
        kind: 'mineBlock',
        height: ++height,
        throughSeq: seq,
        chainId: CHAIN,
        ...stamp(),
      })
      mined.push(...waiting)
      waiting = []
    }
    if (random.chance(0.1)) tables.flush()
    if (!random.chance(0.01)) continue
    tables.flush()
    tables = openTables(db)
  }
  tables.flush()
  busted.sort((a, b) => a - b)
  return { db, trades: db.prepare<[], Trade>(ALL).all(), mined, busted }
}

const worlds = [followed(), overEpochs()]
after(() => {
  for (const { db } of worlds) db.close()
})

function eachWorld(
  title: string,
  check: (world: World & { markets: readonly number[]; lastSeq: number }) => void,
): void {
  test(`${title} (SEED=${seed})`, () => {
    for (const world of worlds) {
      const markets = [...new Set(world.trades.map(({ marketId }) => marketId))]
      check({ ...world, markets, lastSeq: world.trades.at(-1)?.seq ?? 0 })
    }
  })
}

/** The members of each market, and of the group where the world has one. */
function membersOf(db: Connection, markets: readonly number[]): Map<number, readonly number[]> {
  const sets = new Map<number, readonly number[]>()
  for (const marketId of markets) sets.set(marketId, [marketId])
  const hasGroup = db.prepare('SELECT 1 FROM markets WHERE group_id = ?').get(GROUP) !== undefined
  return hasGroup ? sets.set(GROUP, CHILDREN) : sets
}

eachWorld('both worlds mine, and take trades back', ({ markets, mined, busted, trades }) => {
  assert.ok(markets.length > 1 && mined.length > 100 && busted.length > 10)
  const marked = trades.filter(({ isBusted }) => isBusted === 1).map(({ seq }) => seq)
  assert.deepEqual(marked, busted)
})

eachWorld(
  'mined trades come in the order in which they were mined, on every page',
  ({ db, trades, markets, mined }) => {
    const request = minedTrades.open(db)
    for (const [marketId, members] of membersOf(db, markets)) {
      const own = trades.filter((each) => members.includes(each.marketId))
      const seqsOf = new Set(own.map(({ seq }) => seq))
      const wanted = mined.filter((seq) => seqsOf.has(seq)).reverse()
      for (const limit of [1, 7, 100]) {
        for (let skip = 0; skip < wanted.length + limit; skip += limit) {
          const { count, trades: page } = request({ marketId, skip, limit })
          assert.equal(count, wanted.length)
          const seqs = page.map(({ seq }) => seq)
          assert.deepEqual(seqs, wanted.slice(skip, skip + limit))
          assert.ok(page.every((trade) => members.includes(trade.marketId)))
          assert.ok(page.every(({ settlement }) => settlement.status === 'MINED'))
        }
      }
    }
  },
)

eachWorld('the tape has every trade once, from any seq on', ({ db, trades, markets, lastSeq }) => {
  const request = tape.open(db)
  for (const marketIds of membersOf(db, markets).values()) {
    const own = trades.filter((each) => marketIds.includes(each.marketId))
    for (let round = 0; round < 200; round++) {
      const afterSeq = random.chance(0.5) ? random.pick(own).seq : random.below(lastSeq + 10)
      const limit = 1 + random.below(20)
      const wanted = own.filter(({ seq }) => seq > afterSeq).slice(0, limit)
      const first = own.findIndex(({ seq }) => seq > afterSeq)
      const prevSeq = first > 0 ? own[first - 1].seq : 0
      assert.deepEqual(request({ marketIds, afterSeq, limit }), { prevSeq, trades: wanted })
    }
    const newest = request({ marketIds, afterSeq: null, limit: 30 })
    assert.deepEqual(newest.trades, own.slice(-30))
    assert.equal(newest.prevSeq, own.at(-31)?.seq ?? 0)
    const whole = request({ marketIds, afterSeq: null, limit: own.length + 1 })
    assert.deepEqual(whole, { prevSeq: 0, trades: own })
  }
  assert.deepEqual(request({ marketIds: [10_000], afterSeq: 0, limit: 5 }), {
    prevSeq: 0,
    trades: [],
  })
})

eachWorld(
  'each step of a price series has the last price up to its end',
  ({ db, trades, markets }) => {
    const request = prices.open(db)
    for (const marketId of markets) {
      const own = trades.filter((each) => each.marketId === marketId && each.isBusted === 0)
      const [first] = own
      const lastMs = own.at(-1)?.tradedMs ?? 0
      for (let round = 0; round < 100; round++) {
        const stepMs = 1 + random.below(round < 50 ? 50 : 5000)
        const pointsMax = 1 + random.below(60)
        const untilMs = first.tradedMs - 100 + random.below(lastMs - first.tradedMs + 5000)
        const shown = request({ marketId, isPool: false, untilMs, fromMs: null, stepMs, pointsMax })
        const wanted: number[] = []
        for (let atMs = Math.floor(untilMs / stepMs) * stepMs; wanted.length < pointsMax; ) {
          const close = own.filter(({ tradedMs }) => tradedMs < atMs + stepMs).at(-1)
          if (close === undefined || first.tradedMs > untilMs) break
          wanted.push(close.yesTicks * 1000)
          atMs -= stepMs
        }
        assert.deepEqual(shown.yesE6, wanted)
        if (wanted.length > 0) assert.equal(shown.newestMs, untilMs - (untilMs % stepMs))
      }
      for (let round = 0; round < 50; round++) {
        const fromMs = first.tradedMs - 2000 + random.below(lastMs - first.tradedMs + 2000)
        const untilMs = fromMs + random.below(lastMs - fromMs + 2000)
        const part = { marketId, isPool: false, untilMs, fromMs, pointsMax: 500 }
        const { newestMs, stepMs, yesE6 } = request({ ...part, stepMs: round % 2 ? null : 5000 })
        if (first.tradedMs > untilMs) assert.deepEqual(yesE6, [])
        else {
          const oldestMs = newestMs - (yesE6.length - 1) * stepMs
          const startMs = Math.max(fromMs, first.tradedMs)
          assert.ok(yesE6.length <= 500 && newestMs <= untilMs && untilMs < newestMs + stepMs)
          if (yesE6.length < 500) assert.ok(oldestMs <= startMs && startMs < oldestMs + stepMs)
        }
      }
      const untilMs = lastMs + random.below(10 ** random.below(12))
      const whole = request({
        marketId,
        isPool: false,
        untilMs,
        fromMs: null,
        stepMs: null,
        pointsMax: 500,
      })
      assert.ok(whole.yesE6.length > 0 && whole.yesE6.length <= 500)
      assert.equal(whole.yesE6[0], (own.at(-1)?.yesTicks ?? 0) * 1000)
      const oldestMs = whole.newestMs - (whole.yesE6.length - 1) * whole.stepMs
      assert.ok(oldestMs <= first.tradedMs && first.tradedMs < oldestMs + whole.stepMs)
    }
  },
)

eachWorld('the candles of the last day add up to its trades', ({ db, trades, markets }) => {
  const request = candlesAfter.open(db)
  const now = dayBucketOf(trades.at(-1)?.tradedMs ?? 0)
  const sums = new Map<number, bigint>()
  const all = request({ bucket: 0, marketId: 0, limit: 1_000_000 })
  const inPages: typeof all = []
  for (let isMore = true; isMore; ) {
    const found = request({ ...(inPages.at(-1) ?? { bucket: 0, marketId: 0 }), limit: 7 })
    inPages.push(...found)
    isMore = found.length === 7
  }
  assert.deepEqual(inPages, all)
  for (const { bucket, marketId, raw, carries } of all) {
    assert.ok(bucket >= oldestBucketOf(now) && bucket <= now)
    sums.set(marketId, (sums.get(marketId) ?? 0n) + totalOf({ raw, carries }))
  }
  for (const marketId of markets) {
    const own = trades.filter((each) => each.marketId === marketId)
    const day = own.filter(({ tradedMs }) => dayBucketOf(tradedMs) >= oldestBucketOf(now))
    const volume = day.reduce((sum, { collateralRaw }) => sum + BigInt(collateralRaw), 0n)
    assert.equal(sums.get(marketId) ?? 0n, volume)
  }
})
