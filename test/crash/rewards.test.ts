import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { DAY_MS } from '../../engine/domain/units.ts'
import { verifyFolder } from '../../persistence/verify-folder.ts'
import { newFolder } from '../support/data-folder.ts'
import { exchange, startCopy, stopAndVerify } from '../support/exchange.ts'
import type { LiveExchange } from '../support/live-exchange.ts'
import { credited, paid, sampled, step } from '../support/reward-days.ts'

// The power fails around rewards. A copy of the folder is what a dead server leaves. Whatever was
// under way, each sample is credited once, and each payment made once.

const SHARE = 1_000_000
const DAILY_RAW = 1440 * SHARE
const OPTIONS = { stepwise: true, flags: ['--block-ms', '0'] }

const dataDir = newFolder()
const { live } = await exchange({ ...OPTIONS, dataDir })

const clearingOf = ({ exchange }: LiveExchange) => exchange.pipeline.clearing
const todayOf = (of: LiveExchange) => clearingOf(of).rewards.today.capture()

const copyOf = () => startCopy(live, OPTIONS)

const market = await live.openMarket('rain', { dailyRewardRaw: DAILY_RAW })
const traders = [await live.trader(1000 * SHARE), await live.trader(1000 * SHARE)]
for (const [index, trader] of traders.entries()) {
  const sizeRaw = (100 + 200 * index) * SHARE
  await live.place(trader, market, { ticks: 490, sizeRaw })
  await live.place(trader, market, { outcome: 1, ticks: 490, sizeRaw })
}
await live.admin('/admin/rewards', { collateralRaw: 100 * SHARE })
after(async () => {
  verifyFolder(dataDir)
})

test('a sample that was not credited is scored again from the same books', async () => {
  await sampled(live)
  assert.notEqual(clearingOf(live).rewards.open, null)
  const died = await copyOf()
  await credited(died)
  await credited(live)
  const expected = [
    [traders[0].profileId, 250_000, 0],
    [traders[1].profileId, 750_000, 0],
  ]
  assert.deepEqual(todayOf(died), expected)
  assert.deepEqual(todayOf(live), expected)
  await stopAndVerify(died)
})

test('a part that was credited is not credited again', async () => {
  const before = todayOf(live)
  const rows = [
    [traders[0].profileId, 1, 250_000, 0],
    [traders[1].profileId, 1, 750_000, 0],
  ] as const
  // The first part is there before the follower has answered; nothing is left for another.
  await sampled(live, rows)
  const died = await copyOf()
  await credited(died)
  await credited(live)
  const sums = before.map(([id, raw], index) => [id, raw + rows[index][2], 0])
  assert.deepEqual(todayOf(died), sums)
  assert.deepEqual(todayOf(live), sums)
  await stopAndVerify(died)
})

test('a snapshot waits until the sample before it is credited', async () => {
  await sampled(live)
  const { minute } = clearingOf(live).rewards
  assert.equal(await live.exchange.snapshots.take(), 'saved')
  assert.equal(clearingOf(live).rewards.open, null)
  const { seq } = live.exchange.snapshots.last
  const died = await copyOf()
  assert.equal(died.exchange.recovered.snapshotSeq, seq)
  assert.equal(clearingOf(died).rewards.minute, minute)
  assert.equal(clearingOf(died).rewards.open, null)
  assert.deepEqual(todayOf(died), todayOf(live))
  await stopAndVerify(died)
})

test('a sample that is credited is not sampled again after a start', async () => {
  const expected = todayOf(live)
  const died = await copyOf()
  const { minute } = clearingOf(died).rewards
  died.exchange.pipeline.tick()
  assert.equal(clearingOf(died).rewards.minute, minute)
  assert.deepEqual(todayOf(died), expected)
  await stopAndVerify(died)
})

test('a payment that was cut off is made once', async () => {
  live.shiftClock(DAY_MS - (live.nowMs() % DAY_MS))
  // The first command of a payment ends the day.
  while (clearingOf(live).rewards.due.size === 0) step(live, 10)
  await live.exchange.pipeline.durable()
  assert.ok(clearingOf(live).rewards.due.size > 0)
  const died = await copyOf()
  const freeOf = (of: LiveExchange) => traders.map((trader) => of.balances(trader).freeRaw)
  const before = freeOf(died)
  await paid(died)
  const paidRaw = freeOf(died).map((raw, index) => raw - before[index])
  assert.deepEqual(paidRaw, [750_000, 2_250_000])
  await paid(live)
  assert.deepEqual(freeOf(live), freeOf(died))
  const again = await copyOf()
  step(again, 1000)
  assert.deepEqual(freeOf(again), freeOf(live))
  await stopAndVerify(again)
  await stopAndVerify(died)
})
