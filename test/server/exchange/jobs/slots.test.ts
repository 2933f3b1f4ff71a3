import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Market } from '../../../../engine/core/markets/catalogue.ts'
import { LIMITS } from '../../../../engine/domain/limits.ts'
import { slotMsOf } from '../../../../engine/domain/markets/series.ts'
import { OUTCOME } from '../../../../engine/domain/order.ts'
import { newFolder } from '../../../support/data-folder.ts'
import { addProfile, buy, fill, openForTest } from '../../../support/open-pipeline.ts'
import { rejectName } from '../../../support/reject-name.ts'
import { seriesSpec } from '../../../support/specs.ts'

// The life of slots by the clock (rules §10.2): created ahead, opened, resolved, failed.

const SHARE = 1_000_000
const SLOT_MS = slotMsOf(seriesSpec())
/** A boundary of slots of five minutes. */
const T0 = 1_800_000_000_000
const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
const PRICE_E8 = 9_500_000_000_000

async function opened(dataDir = newFolder(), nowMs = T0 - 60_000, changes = {}) {
  const clock = { nowMs }
  const options = { blockMs: 0, collateralAddress: USDC, ...changes }
  const exchange = await openForTest(dataDir, clock, 0, options)
  const { pipeline } = exchange
  const { clearing } = pipeline
  /** What was last seen of the market of each slot: one that nobody holds leaves memory soon. */
  const seen = new Map<number, Market>()
  const look = () => {
    for (const { market } of pipeline.published.all()) {
      if (market.slot !== undefined) seen.set(market.slot.startMs, market)
    }
  }
  /** Moves the clock and lets what is due happen; each tick of a new series makes one slot. */
  const passTo = async (atMs: number) => {
    clock.nowMs = atMs
    for (let tick = 0; tick < 8; tick++) {
      pipeline.tick()
      await pipeline.whenIdle()
      look()
    }
  }
  const report = async (atMs: number, priceE8: number) => {
    await pipeline.change(() => ({ kind: 'reportPrice', symbol: 'BTC', atMs, priceE8 }))
    await passTo(clock.nowMs)
  }
  const slot = (startMs: number) => seen.get(startMs)
  const outcomeOf = (startMs: number) => {
    const market = slot(startMs)
    if (market === undefined) return 'none'
    return `${market.status}${market.isPaidOut ? ' paid' : ''}${market.isFailed ? ' failed' : ''}`
  }
  return { exchange, pipeline, clearing, clock, passTo, report, slot, outcomeOf }
}

async function withSeries() {
  const world = await opened()
  await fill(world.exchange, 1000 * SHARE)
  const series = seriesSpec()
  await world.pipeline.change(() => ({ kind: 'createSeries', seriesId: 1, series }))
  await world.passTo(T0 - 50_000)
  return world
}

test('slots are created ahead, and take no book before their start', async () => {
  const { pipeline, slot, clearing } = await withSeries()
  assert.deepEqual(
    [T0, T0 + SLOT_MS, T0 + 2 * SLOT_MS].map((startMs) => slot(startMs)?.slug ?? 'none'),
    [`btc-5m-${T0 / 1000}`, `btc-5m-${T0 / 1000 + 300}`, 'none'],
  )
  assert.deepEqual([slot(T0)?.status, slot(T0)?.book], ['CREATED', 0])
  assert.deepEqual(clearing.catalogue.openBooks(), [1])
  const { nextDueMs = 0 } = pipeline.slots ?? {}
  assert.equal(nextDueMs, T0, 'the next slot is due when the first one starts')
})

test('an edit of a series reaches the slots that come later, also after a restart', async () => {
  const dataDir = newFolder()
  const world = await opened(dataDir)
  const series = seriesSpec({ properties: { length: ['short'] } })
  await world.pipeline.change(() => ({ kind: 'createSeries', seriesId: 1, series }))
  await world.passTo(T0 - 50_000)
  const change = { title: 'Up?', logo: 'https://l', dailyRewardRaw: 7 * SHARE, rebateBps: 50 }
  await world.pipeline.change(() => ({ kind: 'editSeries', seriesId: 1, change }))
  await world.exchange.stop()
  const { passTo, slot } = await opened(dataDir, T0)
  await passTo(T0)
  const before = slot(T0 + SLOT_MS)
  assert.match(before?.title ?? '', /^Bitcoin up or down: /)
  assert.equal(before?.dailyRewardRaw, undefined)
  const after = slot(T0 + 2 * SLOT_MS)
  assert.match(after?.title ?? '', /^Up\?: /)
  assert.deepEqual(after?.properties, { ticker: ['BTC'], length: ['short'] })
  const { logo, dailyRewardRaw, rebateBps } = after ?? {}
  assert.deepEqual({ title: 'Up?', logo, dailyRewardRaw, rebateBps }, change)
})

test('a slot opens with a value, trades, and is paid out by the value at its end', async () => {
  const { exchange, pipeline, passTo, report, slot, outcomeOf } = await withSeries()
  const early = buy(exchange, 1, { marketId: 2, book: 0, priceTicks: 500, sizeRaw: SHARE })
  assert.equal(rejectName(early), 'MARKET_NOT_TRADABLE')
  await passTo(T0)
  assert.equal(outcomeOf(T0), 'CREATED', 'its start has no value yet')
  await report(T0, PRICE_E8)
  assert.equal(outcomeOf(T0), 'FUNDED')
  const book = slot(T0)?.book ?? 0
  const order = { marketId: 2, book, priceTicks: 500, sizeRaw: SHARE }
  assert.equal(rejectName(buy(exchange, 2, order)), 'NONE')
  await passTo(T0 + SLOT_MS)
  assert.equal(outcomeOf(T0), 'LOCKED')
  assert.equal(pipeline.clearing.orders.live.all, 0, 'its orders are canceled')
  await report(T0 + SLOT_MS, PRICE_E8)
  await passTo(T0 + SLOT_MS + LIMITS.payoutEveryMs)
  assert.equal(outcomeOf(T0), 'RESOLVED paid')
  assert.deepEqual(slot(T0)?.payoutNumerators, [1, 0], 'YES wins when the price did not fall')
  assert.deepEqual([slot(T0)?.strikeE8, slot(T0)?.closeE8], [PRICE_E8, PRICE_E8])
  assert.equal(outcomeOf(T0 + SLOT_MS), 'FUNDED', 'the next slot begins where it ended')
  await report(T0 + 2 * SLOT_MS - 50, PRICE_E8 - 1)
  await passTo(T0 + 2 * SLOT_MS)
  await report(T0 + 2 * SLOT_MS, PRICE_E8 - 1)
  assert.deepEqual(slot(T0 + SLOT_MS)?.payoutNumerators, [0, 1])
  assert.equal(pipeline.published.bySlug(slot(T0)?.slug ?? ''), undefined, 'it left memory')
})

test('the value of a boundary is found as rules §10.2 says', async () => {
  // Each row: reports (ms behind the boundary, when they come), the time at which the slot opens or
  // fails, and its strike.
  const rows: readonly (readonly [
    reports: readonly (readonly [stampMs: number, comesMs: number, priceE8: number])[],
    decidedMs: number,
    strikeE8: number,
  ])[] = [
    [[[0, 10, 5]], 10, 5],
    [[[4000, 4000, 6]], 5000, 6],
    [
      [
        [4000, 4000, 6],
        [2000, 4500, 7],
      ],
      5000,
      7,
    ],
    [
      [
        [1000, 1000, 6],
        [0, 3000, 8],
      ],
      3000,
      8,
    ],
    [[[3000, 20_000, 9]], 20_000, 9],
    [[[5001, 5001, 9]], 60_000, 0],
  ]
  for (const [reports, decidedMs, strikeE8] of rows) {
    const { exchange, passTo, report, slot, outcomeOf } = await withSeries()
    for (const [stampMs, comesMs, priceE8] of reports) {
      await passTo(T0 + comesMs)
      await report(T0 + stampMs, priceE8)
    }
    await passTo(T0 + decidedMs - 1)
    const isAtOnce = reports.some(([, comesMs]) => comesMs === decidedMs)
    if (!isAtOnce) assert.equal(outcomeOf(T0), 'CREATED', JSON.stringify(reports))
    await passTo(T0 + decidedMs)
    const outcome = strikeE8 === 0 ? 'CREATED failed' : 'FUNDED'
    assert.deepEqual([outcomeOf(T0), slot(T0)?.strikeE8], [outcome, strikeE8])
    await exchange.stop()
  }
})

test('a slot whose end has no value has failed, until an operator resolves it', async () => {
  const { exchange, pipeline, passTo, report, slot, outcomeOf } = await withSeries()
  await addProfile(exchange, 2, 10 * SHARE)
  await passTo(T0)
  await report(T0, PRICE_E8)
  const order = { marketId: 2, book: slot(T0)?.book ?? 0, priceTicks: 500, sizeRaw: SHARE }
  assert.equal(buy(exchange, 1, { ...order, accountId: 1, outcome: OUTCOME.YES }), null)
  assert.equal(buy(exchange, 2, { ...order, accountId: 2, outcome: OUTCOME.NO }), null)
  await passTo(T0 + SLOT_MS)
  await passTo(T0 + SLOT_MS + 60_000)
  assert.equal(outcomeOf(T0), 'LOCKED failed')
  assert.equal(outcomeOf(T0 + SLOT_MS), 'CREATED failed', 'the next slot has no start')
  const resolutions = [{ marketId: 2, payoutNumerators: [1, 1] as const }]
  await pipeline.change(() => ({ kind: 'resolveMarkets', resolutions }))
  await passTo(T0 + SLOT_MS + 60_000 + LIMITS.payoutEveryMs)
  assert.equal(outcomeOf(T0), 'RESOLVED paid failed')
})

test('slots of many series that meet at one instant open and end in time slices', async () => {
  let looks = 0
  const { pipeline, clearing, clock } = await opened(newFolder(), T0 - 60_000, {
    // Each look at the time ends a slice.
    monotonicMs: () => {
      looks += LIMITS.mainSliceMs
      return looks
    },
  })
  const minutes = [1, 5, 10, 15, 20] as const
  const series = minutes.length
  for (const [index, each] of minutes.entries()) {
    const names = { slugPrefix: `btc-${each}m`, stableSlug: `btc-${each}min-price` }
    const spec = seriesSpec({ ...names, subFrequency: `minutes_${each}` })
    const seriesId = index + 1
    await pipeline.change(() => ({ kind: 'createSeries', seriesId, series: spec }))
  }
  const open = () => clearing.catalogue.all().filter(({ status }) => status === 'FUNDED').length
  for (let tick = 0; tick < 8 * series; tick++) {
    pipeline.tick()
    await pipeline.whenIdle()
  }
  clock.nowMs = T0
  await pipeline.change(() => ({ kind: 'reportPrice', symbol: 'BTC', atMs: T0, priceE8: PRICE_E8 }))
  const opens: number[] = []
  for (let tick = 0; tick < 3 * series; tick++) {
    const before = open()
    pipeline.tick()
    opens.push(open() - before)
  }
  assert.equal(Math.max(...opens), 1, 'one slice opens one slot')
  assert.equal(open(), series)
  await pipeline.whenIdle()
})

test('slots go on over a restart across their boundary', async () => {
  const dataDir = newFolder()
  const first = await opened(dataDir)
  const series = seriesSpec()
  await first.pipeline.change(() => ({ kind: 'createSeries', seriesId: 1, series }))
  await first.passTo(T0)
  await first.report(T0, PRICE_E8)
  await first.exchange.stop()
  const second = await opened(dataDir, T0 + SLOT_MS + 30_000)
  await second.passTo(T0 + SLOT_MS + 30_000)
  assert.equal(second.outcomeOf(T0), 'LOCKED')
  await second.report(T0 + SLOT_MS + 4000, PRICE_E8 + 1)
  assert.equal(second.outcomeOf(T0 + SLOT_MS), 'FUNDED')
  await second.passTo(second.clock.nowMs + LIMITS.payoutEveryMs)
  assert.equal(second.outcomeOf(T0), 'RESOLVED paid')
  await second.exchange.stop()
  // A day later its slots are over, and no slot begins in the past.
  const dayMs = 86_400_000
  const third = await opened(dataDir, T0 + dayMs + 1000)
  await third.passTo(T0 + dayMs + 1000)
  assert.equal(third.outcomeOf(T0 + SLOT_MS), 'LOCKED failed')
  assert.equal(third.outcomeOf(T0 + dayMs), 'none')
  assert.equal(third.outcomeOf(T0 + dayMs + SLOT_MS), 'CREATED')
})
