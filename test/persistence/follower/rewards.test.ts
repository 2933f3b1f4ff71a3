import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { STATE } from '../../../engine/core/orders/order-table.ts'
import { earnedOf, type MarketSample, poolOfMinute } from '../../../engine/core/rewards/scores.ts'
import { balanceDigest } from '../../../engine/core/state/balance-digest.ts'
import {
  EVENT,
  eventAt,
  eventKind,
  eventSizeRaw,
  eventSlot,
  eventTicks,
} from '../../../engine/domain/event.ts'
import { isBid, ladderTicks, SIDE } from '../../../engine/domain/order.ts'
import { minuteOf } from '../../../engine/domain/rewards/reward-time.ts'
import { Follower } from '../../../persistence/follower/follower.ts'
import { CommandFlow } from '../../support/command-flow.ts'
import { copyFolder, keyed, newFolder } from '../../support/data-folder.ts'
import { fillJournal } from '../../support/journal-fill.ts'
import { freshSeed, Random } from '../../support/random.ts'

// The follower scores a sample: the books as they were at its command, and the trades that blocks
// mined since the sample before (rules §3.2, §11.3). A slow reference model walks orders and fills.

const SEED = freshSeed()
const BATCH = 64
const DAILY_RAW = 1_440_000_000
const RATES = { rebateBps: 2500, referralBps: 1500 }
const SHARE_ROW_RAW_MIN = 1000
/** Who referred the profiles of the flow; the others came by themselves. */
const REFERRERS = new Map([
  [3, 1],
  [4, 1],
  [6, 4],
])
const MINUTE = minuteOf(1_700_000_000_000)

type Rows = Map<string, [reward: number, rebate: number]>

/** One trade of the journal, from the records of its fills. */
interface Trade {
  readonly seq: number
  readonly marketId: number
  readonly takerId: number
  readonly buys: boolean
  readonly outcome: number
  readonly feeBps: number
  sharesRaw: number
  collateralRaw: number
  readonly makers: [account: number, sharesRaw: number][]
}

/** Keeps the trades that come. */
function tradesOf({ exchange }: CommandFlow): Trade[] {
  const trades: Trade[] = []
  const { orders } = exchange.clearing
  exchange.onEvents = (words, f64s, count) => {
    const fills = Array.from({ length: count }, (_each, index) => eventAt(0, index)).filter(
      (event) => eventKind(words, event) === EVENT.FILL,
    )
    for (const event of fills) {
      const taker = words[event + 8]
      const [buys, outcome] = [orders.sideOf(taker) === SIDE.BUY, orders.outcomeOf(taker)]
      const sharesRaw = eventSizeRaw(f64s, event)
      const ticks = BigInt(ladderTicks(outcome, eventTicks(words, event)))
      const product = ticks * BigInt(sharesRaw)
      const seq = exchange.clearing.lastSeq
      const known = trades.find((trade) => trade.seq === seq)
      const trade = known ?? {
        seq,
        marketId: orders.marketOf(taker),
        takerId: orders.accountOf(taker),
        buys,
        outcome,
        feeBps: orders.feeBpsOf(taker),
        sharesRaw: 0,
        collateralRaw: 0,
        makers: [],
      }
      if (known === undefined) trades.push(trade)
      trade.sharesRaw += sharesRaw
      trade.collateralRaw += Number(buys ? (product + 999n) / 1000n : product / 1000n)
      trade.makers.push([orders.accountOf(eventSlot(words, event)), sharesRaw])
    }
  }
  return trades
}

/** The fee of a trade: shares of its outcome when the taker buys, else collateral. */
function slowFee({ buys, feeBps, ...trade }: Trade): bigint {
  const [shares, collateral] = [BigInt(trade.sharesRaw), BigInt(trade.collateralRaw)]
  const least = collateral < shares - collateral ? collateral : shares - collateral
  const bps = BigInt(feeBps)
  return buys ? (bps * least * shares) / (collateral * 10_000n) : (bps * least) / 10_000n
}

/** What the makers of a trade get, by their accounts. */
function slowRebates(trade: Trade, { rebateBps }: typeof RATES): Map<number, number> {
  const { makers } = trade
  const fee = slowFee(trade)
  const shares = BigInt(trade.sharesRaw)
  const byMaker = new Map<number, bigint>()
  for (const [account, raw] of makers) {
    byMaker.set(account, (byMaker.get(account) ?? 0n) + BigInt(raw))
  }
  return new Map(
    [...byMaker].map(([account, raw]) => {
      return [account, Number((fee * BigInt(rebateBps) * raw) / (10_000n * shares))]
    }),
  )
}

/** Who referred the taker, and what that gave, by the taker. */
function slowReferrals(
  trades: readonly Trade[],
  { referralBps }: typeof RATES,
): Story['referrals'] {
  const referrals = new Map<number, readonly [number, number]>()
  for (const trade of trades) {
    const referrer = REFERRERS.get(trade.takerId)
    const part = Number((slowFee(trade) * BigInt(referralBps)) / 10_000n)
    if (referrer === undefined || part === 0 || trade.buys) continue
    referrals.set(trade.takerId, [referrer, (referrals.get(trade.takerId)?.[1] ?? 0) + part])
  }
  return referrals
}

/** Parts in shares: account, market, outcome, shares and referred of each row, in their order. */
function slowShares(trades: readonly Trade[], rates: typeof RATES): number[][] {
  const sums = new Map<string, number>()
  const add = (key: readonly number[], raw: number) => {
    sums.set(key.join(' '), (sums.get(key.join(' ')) ?? 0) + raw)
  }
  for (const trade of trades.filter(({ buys }) => buys)) {
    const { marketId, outcome, takerId } = trade
    for (const [account, raw] of slowRebates(trade, rates))
      add([marketId, account, outcome, 0], raw)
    const referrer = REFERRERS.get(takerId)
    const part = Number((slowFee(trade) * BigInt(rates.referralBps)) / 10_000n)
    if (referrer !== undefined && part > 0) add([marketId, referrer, outcome, takerId], part)
  }
  const rows = [...sums].map(([key, raw]) => [...key.split(' ').map(Number), raw])
  const sorted = rows.sort((a, b) => a[0] - b[0] || a[1] - b[1] || a[2] - b[2] || a[3] - b[3])
  return sorted
    .filter(([, , , , raw]) => raw >= SHARE_ROW_RAW_MIN)
    .map(([market, account, outcome, referred, raw]) => [account, market, outcome, raw, referred])
}

/** The open orders of a market, out of the table of all orders. */
function slowSample({ exchange }: CommandFlow, marketId: number): MarketSample {
  const { orders, catalogue } = exchange.clearing
  const { minSizeRaw, maxSpread } = catalogue.existing(marketId)
  const found: { owner: number; signed: number; left: number }[] = []
  for (let slot = 1; slot <= orders.highSlot; slot++) {
    if (orders.stateOf(slot) !== STATE.OPEN || orders.marketOf(slot) !== marketId) continue
    const outcome = orders.outcomeOf(slot)
    const ticks = ladderTicks(outcome, orders.priceTicksOf(slot))
    const signed = isBid(orders.sideOf(slot), outcome) ? ticks : -ticks
    found.push({ owner: orders.accountOf(slot), signed, left: orders.leftRawOf(slot) })
  }
  const large = found.filter(({ left }) => left >= minSizeRaw)
  const best = (of: typeof found) => {
    const bids = of.filter(({ signed }) => signed > 0).map(({ signed }) => signed)
    const asks = of.filter(({ signed }) => signed < 0).map(({ signed }) => -signed)
    return { bid: Math.max(0, ...bids), ask: Math.min(1000, ...asks) }
  }
  const [ofLarge, ofAll] = [best(large), best(found)]
  const ask = ofLarge.ask === 1000 ? ofAll.ask : ofLarge.ask
  return {
    marketId,
    poolRaw: poolOfMinute(DAILY_RAW, MINUTE + 1),
    spreadHalfTicks: Math.round(maxSpread * 2000),
    midHalfTicks: (ofLarge.bid || ofAll.bid) + ask,
    signedTicks: Int32Array.from(large, ({ signed }) => signed),
    owners: Int32Array.from(large, ({ owner }) => owner),
    leftsRaw: Float64Array.from(large, ({ left }) => left),
  }
}

function earned(sample: MarketSample): ReadonlyMap<number, number> {
  const work = earnedOf(sample)
  for (;;) {
    const step = work.next()
    if (step.done === true) return step.value
  }
}

/** A journal with two samples, and what the second of them gives. */
interface Story {
  readonly dataDir: string
  readonly sampleSeq: number
  readonly endSeq: number
  readonly rows: Rows
  readonly rebates: Rows
  /** Referrer and amount, by the profile that was referred. */
  readonly referrals: ReadonlyMap<number, readonly [number, number]>
  readonly shares: readonly number[][]
  /** The same journal, in which the last sample is credited. */
  readonly credited: string
  readonly creditedSeq: number
}

let story: Story

function add(rows: Rows, marketId: number, account: number, at: 0 | 1, raw: number): void {
  if (raw === 0) return
  const row = rows.get(`${marketId} ${account}`) ?? [0, 0]
  row[at] += raw
  rows.set(`${marketId} ${account}`, row)
}

/** What the makers of sales get, in collateral. */
function slowRows(trades: readonly Trade[], rates: typeof RATES): Rows {
  const rows: Rows = new Map()
  for (const trade of trades.filter(({ buys }) => !buys)) {
    for (const [account, raw] of slowRebates(trade, rates)) {
      add(rows, trade.marketId, account, 1, raw)
    }
  }
  return rows
}

/** `given` are the parts that the rates give. */
function reported(rates: typeof RATES, given: typeof RATES = rates): Story {
  const flow = new CommandFlow(SEED, REFERRERS)
  const random = new Random(SEED)
  const trades = tradesOf(flow)
  for (const marketId of [1, 2, 3]) {
    const change = { dailyRewardRaw: DAILY_RAW, rebateBps: rates.rebateBps }
    flow.control({ kind: 'editMarket', marketId, change })
  }
  const mine = (height: number) => {
    flow.control({ kind: 'mineBlock', height, throughSeq: flow.seq, chainId: 1 })
  }
  flow.run(600)
  mine(1)
  flow.control({ kind: 'rewardMinute', minute: MINUTE, referralBps: rates.referralBps })
  flow.control({ kind: 'creditRewards', minute: MINUTE, part: 0, isLast: true, rows: [] })
  const counted = flow.seq
  flow.run(900)
  // Some trades are set aside. One block later half of those are mined; the rest stays aside.
  const aside = trades.filter(({ seq }) => seq > counted && random.chance(0.2))
  for (const { seq: tradeSeq } of aside) flow.control({ kind: 'retrySettlement', tradeSeq })
  const late = aside.filter(() => random.chance(0.5))
  mine(2)
  flow.run(300)
  mine(3)
  const minedThrough = flow.seq - 1
  for (const { seq: tradeSeq } of late) flow.control({ kind: 'settleTrade', tradeSeq, height: 3 })
  // Not in a block yet: they count with the next sample.
  flow.run(200)
  flow.control({ kind: 'rewardMinute', minute: MINUTE + 1 })
  const sampleSeq = flow.seq
  const ofSample = trades.filter((trade) => {
    const isMined = trade.seq > counted && trade.seq <= minedThrough
    return isMined && (!aside.includes(trade) || late.includes(trade))
  })
  const [rows, rebates] = [slowRows(ofSample, given), slowRows(ofSample, given)]
  for (const marketId of [1, 2, 3]) {
    for (const [account, raw] of earned(slowSample(flow, marketId))) {
      add(rows, marketId, account, 0, raw)
    }
  }
  // What comes later changes nothing: trades, cancels, blocks.
  flow.run(300)
  mine(4)
  while ((flow.seq - sampleSeq) % BATCH !== 0) flow.run(1)
  const dataDir = newFolder()
  keyed(dataDir)
  const credited = copyFolder(dataDir)
  fillJournal(dataDir, flow.records, BATCH)
  const endSeq = flow.seq
  flow.control({ kind: 'creditRewards', minute: MINUTE + 1, part: 0, isLast: true, rows: [] })
  fillJournal(credited, flow.records, BATCH)
  const referrals = slowReferrals(ofSample, given)
  const sums = { rows, rebates, referrals, shares: slowShares(ofSample, given) }
  return { dataDir, sampleSeq, endSeq, ...sums, credited, creditedSeq: flow.seq }
}

function follow(dataDir: string, seq: number): Follower {
  const follower = new Follower(keyed(dataDir))
  while (follower.step(seq));
  return follower
}

interface Scored {
  readonly minute: number
  readonly rows: Rows
  readonly referrals: Story['referrals']
  readonly shares: readonly number[][]
}

/** Scores in slices of one step each. */
function scored(follower: Follower): Scored | null {
  while (follower.isScoring) {
    let steps = 0
    const found = follower.score(() => steps++ === 1)
    if (found === null) continue
    const rows: Rows = new Map()
    for (let at = 0; at < found.rows.length; at += 4) {
      const [account, marketId, reward, rebate] = found.rows.subarray(at, at + 4)
      rows.set(`${marketId} ${account}`, [reward, rebate])
    }
    assert.equal(found.rows.length, rows.size * 4, 'an account has one row in a market')
    const referrals = new Map<number, readonly [number, number]>()
    for (let at = 0; at < found.referrals.length; at += 3) {
      const [referrer, referred, raw] = found.referrals.subarray(at, at + 3)
      referrals.set(referred, [referrer, raw])
    }
    const shares: number[][] = []
    for (let at = 0; at < found.shares.length; at += 5) {
      shares.push([...found.shares.subarray(at, at + 5)])
    }
    return { minute: found.minute, rows, referrals, shares }
  }
  return null
}

const sorted = (rows: Rows) => [...rows].sort(([a], [b]) => (a < b ? -1 : 1))

before(() => {
  story = reported(RATES)
})

test('the scores are those of the books at the sample, and of the mined trades before it', () => {
  assert.ok(story.rebates.size > 0 && story.rows.size > story.rebates.size / 2)
  const follower = follow(story.dataDir, story.endSeq)
  const found = scored(follower)
  follower.close()
  assert.equal(found?.minute, MINUTE + 1)
  assert.deepEqual(sorted(found?.rows ?? new Map()), sorted(story.rows))
  assert.ok(story.referrals.size > 0)
  const byReferred = [...story.referrals].sort(([a], [b]) => a - b)
  assert.deepEqual([...(found?.referrals ?? [])], byReferred)
  assert.ok(story.shares.some(([, , , , referred]) => referred > 0))
  assert.ok(story.shares.some(([, , , , referred]) => referred === 0))
  assert.deepEqual(found?.shares, story.shares)
})

test('a start scores an open sample again, with tables ahead or without them', () => {
  for (const stopSeq of [0, story.endSeq]) {
    const dataDir = copyFolder(story.dataDir)
    if (stopSeq > 0) follow(dataDir, stopSeq).close()
    const follower = follow(dataDir, story.endSeq)
    const found = scored(follower)
    assert.deepEqual(sorted(found?.rows ?? new Map()), sorted(story.rows))
    assert.deepEqual(new Map(found?.referrals), story.referrals)
    assert.deepEqual(found?.shares, story.shares)
    follower.close()
  }
})

test('a sample that is credited is not scored, nor scored again by a later start', () => {
  for (const endSeq of [story.creditedSeq, story.endSeq]) {
    const follower = follow(story.credited, endSeq)
    assert.equal(follower.isScoring, false)
    assert.equal(scored(follower), null)
    follower.close()
  }
})

test('a snapshot behind an open sample costs its rewards, and not its rebates', async () => {
  const dataDir = copyFolder(story.dataDir)
  const first = new Follower(keyed(dataDir))
  const balances = () => balanceDigest(first.exchange.clearing)
  while (first.step(story.endSeq));
  first.order({ seq: story.endSeq, balances: balances() })
  assert.equal((await first.takeDue())?.failure, null)
  first.close()
  const follower = follow(dataDir, story.endSeq)
  const found = scored(follower)
  follower.close()
  assert.equal(found?.minute, MINUTE + 1)
  assert.deepEqual(sorted(found?.rows ?? new Map()), sorted(story.rebates))
  assert.deepEqual(new Map(found?.referrals), story.referrals)
})

test('rates of the whole fee twice give it once, to the makers', () => {
  const rates = { rebateBps: 10_000, referralBps: 10_000 }
  const { dataDir, endSeq, rows, shares } = reported(rates, { ...rates, referralBps: 0 })
  const follower = follow(dataDir, endSeq)
  const found = scored(follower)
  follower.close()
  assert.deepEqual(sorted(found?.rows ?? new Map()), sorted(rows))
  assert.deepEqual([found?.referrals.size, found?.shares], [0, shares])
})
