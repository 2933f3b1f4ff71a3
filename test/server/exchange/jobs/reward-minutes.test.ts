import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MINUTE_MS, minuteOf } from '../../../../engine/domain/rewards/reward-time.ts'
import { DAY_MS } from '../../../../engine/domain/units.ts'
import { exchange } from '../../../support/exchange.ts'
import type { LiveMarket } from '../../../support/live-orders.ts'
import { credited } from '../../../support/reward-days.ts'

// When the books are sampled (rules §11.3): once a minute while a market gives something, at a
// moment that is drawn again for each minute.

const SHARE = 1_000_000
const REBATE = { rebateBps: 1000, fee: true }
const DRAWS = 20
const { live } = await exchange({ stepwise: true, flags: ['--block-ms', '0'] })
let rebated: LiveMarket

// Noon: payments at the end of the day would be due amid the samples.
live.shiftClock(1.5 * DAY_MS - (live.nowMs() % DAY_MS))
const traders = [await live.trader(1000 * SHARE), await live.trader(1000 * SHARE)]

const clearing = () => live.exchange.pipeline.clearing
const dueMs = () => live.exchange.pipeline.mining?.rewards.nextDueMs

function pass(byMs: number): void {
  live.shiftClock(byMs)
  live.exchange.pipeline.tick()
}

test('nothing is sampled while no market gives anything', async () => {
  await live.openMarket('plain')
  assert.equal(dueMs(), Number.POSITIVE_INFINITY)
})

test('a market with rebates alone is sampled only behind its trades', async () => {
  rebated = await live.openMarket('rebated', REBATE)
  for (let each = 0; each < 3; each++) pass(MINUTE_MS)
  assert.equal(clearing().rewards.minute, 0)
  const [maker, taker] = traders
  await live.place(maker, rebated, { ticks: 500, sizeRaw: 10 * SHARE })
  await live.place(taker, rebated, { outcome: 1, ticks: 500, sizeRaw: 10 * SHARE })
  await live.exchange.pipeline.whenIdle()
  for (let each = 0; each < 300 && clearing().rewards.minute === 0; each++) pass(500)
  const { minute } = clearing().rewards
  assert.notEqual(minute, 0)
  await credited(live)
  assert.equal(clearing().rewards.shareParts.size, 1, 'the fee of a buyer is shares')
  for (let each = 0; each < 300; each++) pass(500)
  assert.equal(clearing().rewards.minute, minute)
})

test('each minute has one sample, somewhere in it', async () => {
  await live.openMarket('rain', { dailyRewardRaw: 1440 * SHARE })
  const offsets: number[] = []
  for (let draw = 0; draw < DRAWS; draw++) {
    const { minute } = clearing().rewards
    pass(Math.max(0, (minuteOf(live.nowMs()) + 1) * MINUTE_MS - live.nowMs()))
    const sampledMs = dueMs()
    assert(sampledMs !== undefined)
    assert.equal(minuteOf(sampledMs), minuteOf(live.nowMs()), 'the moment lies in this minute')
    // The real clock goes on too, and could pass the end of the minute.
    if (sampledMs % MINUTE_MS > MINUTE_MS - 1000) {
      pass(MINUTE_MS)
      continue
    }
    pass(Math.max(0, sampledMs - live.nowMs()))
    // The machine stood still meanwhile, and the minute is over.
    if (minuteOf(live.nowMs()) > minuteOf(sampledMs)) continue
    assert.ok(clearing().rewards.minute > minute)
    offsets.push(sampledMs % MINUTE_MS)
    await credited(live)
    const next = dueMs()
    assert(next !== undefined)
    assert.ok(minuteOf(next) > clearing().rewards.minute, 'a minute is sampled once')
  }
  assert.ok(new Set(offsets).size > DRAWS / 2, 'the moments differ')
})

test('minutes that pass unseen are not made up for', async () => {
  const seq = clearing().lastSeq
  pass(100 * MINUTE_MS)
  assert.ok(clearing().lastSeq - seq <= 1, 'at most one sample')
  await credited(live)
})
