import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Credit } from '../../engine/domain/rewards/reward-command.ts'
import { dayOf, MINUTE_MS, minuteOf } from '../../engine/domain/rewards/reward-time.ts'
import { DAY_MS } from '../../engine/domain/units.ts'
import { verifyFolder } from '../../persistence/verify-folder.ts'
import { copyFolder, newFolder } from '../support/data-folder.ts'
import { exchange } from '../support/exchange.ts'
import type { LiveExchange } from '../support/live-exchange.ts'

// The power fails around rewards. A copy of the folder is what a dead server leaves. Whatever was
// under way, each sample is credited once, and each payment made once.

const SHARE = 1_000_000
const DAILY_RAW = 1440 * SHARE
const OPTIONS = { stepwise: true, flags: ['--block-ms', '0'] }

const dataDir = newFolder()
const { live } = await exchange({ ...OPTIONS, dataDir })

const clearingOf = ({ exchange }: LiveExchange) => exchange.pipeline.clearing
const todayOf = (of: LiveExchange) => clearingOf(of).rewards.today.capture()

function step(of: LiveExchange, byMs: number): void {
  of.shiftClock(byMs)
  of.exchange.pipeline.tick()
}

/** Goes on until the books are sampled; nothing is credited yet but these rows. */
async function sample(of: LiveExchange, rows?: readonly Credit[]): Promise<void> {
  const { minute } = clearingOf(of).rewards
  if (minuteOf(of.nowMs()) === minute) of.shiftClock(MINUTE_MS - (of.nowMs() % MINUTE_MS))
  while (clearingOf(of).rewards.minute === minute) step(of, 500)
  const { minute: sampled } = clearingOf(of).rewards
  const part = { kind: 'creditRewards', minute: sampled, part: 0, isLast: false } as const
  if (rows !== undefined) void of.exchange.pipeline.change(() => ({ ...part, rows }))
  await of.exchange.pipeline.durable()
  assert.notEqual(clearingOf(of).rewards.open, null)
}

async function credit(of: LiveExchange): Promise<void> {
  while (clearingOf(of).rewards.open !== null) {
    step(of, 10)
    await new Promise(setImmediate)
  }
  await of.exchange.pipeline.durable()
}

async function pay(of: LiveExchange): Promise<void> {
  const yesterday = dayOf(of.nowMs()) - 1
  while (clearingOf(of).rewards.paidDay < yesterday) {
    step(of, 10)
    await new Promise(setImmediate)
  }
  await of.exchange.pipeline.durable()
}

/** Starts a copy of the folder as it lies there now, at the time of the server that it was. */
async function startCopy(): Promise<{ copy: LiveExchange; copyDir: string }> {
  const copyDir = copyFolder(dataDir)
  const { live: copy } = await exchange({ ...OPTIONS, dataDir: copyDir })
  copy.shiftClock(live.nowMs() - copy.nowMs())
  return { copy, copyDir }
}

async function stopCopy({ copy, copyDir }: Awaited<ReturnType<typeof startCopy>>): Promise<void> {
  assert.deepEqual(copy.faults, [])
  await copy.stop()
  verifyFolder(copyDir)
}

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
  await sample(live)
  const died = await startCopy()
  await credit(died.copy)
  await credit(live)
  const expected = [
    [traders[0].profileId, 250_000, 0],
    [traders[1].profileId, 750_000, 0],
  ]
  assert.deepEqual(todayOf(died.copy), expected)
  assert.deepEqual(todayOf(live), expected)
  await stopCopy(died)
})

test('a part that was credited is not credited again', async () => {
  const before = todayOf(live)
  const rows = [
    [traders[0].profileId, 1, 250_000, 0],
    [traders[1].profileId, 1, 750_000, 0],
  ] as const
  // The first part is there before the follower has answered; nothing is left for another.
  await sample(live, rows)
  const died = await startCopy()
  await credit(died.copy)
  await credit(live)
  const sums = before.map(([id, raw], index) => [id, raw + rows[index][2], 0])
  assert.deepEqual(todayOf(died.copy), sums)
  assert.deepEqual(todayOf(live), sums)
  await stopCopy(died)
})

test('a snapshot waits until the sample before it is credited', async () => {
  await sample(live)
  const { minute } = clearingOf(live).rewards
  assert.equal(await live.exchange.snapshots.take(), 'saved')
  assert.equal(clearingOf(live).rewards.open, null)
  const { seq } = live.exchange.snapshots.last
  const died = await startCopy()
  assert.equal(died.copy.exchange.recovered.snapshotSeq, seq)
  assert.equal(clearingOf(died.copy).rewards.minute, minute)
  assert.equal(clearingOf(died.copy).rewards.open, null)
  assert.deepEqual(todayOf(died.copy), todayOf(live))
  await stopCopy(died)
})

test('a sample that is credited is not sampled again after a start', async () => {
  const expected = todayOf(live)
  const died = await startCopy()
  const { minute } = clearingOf(died.copy).rewards
  died.copy.exchange.pipeline.tick()
  assert.equal(clearingOf(died.copy).rewards.minute, minute)
  assert.deepEqual(todayOf(died.copy), expected)
  await stopCopy(died)
})

test('a payment that was cut off is made once', async () => {
  live.shiftClock(DAY_MS - (live.nowMs() % DAY_MS))
  // The first command of a payment ends the day.
  while (clearingOf(live).rewards.due.size === 0) step(live, 10)
  await live.exchange.pipeline.durable()
  assert.ok(clearingOf(live).rewards.due.size > 0)
  const died = await startCopy()
  const freeOf = (of: LiveExchange) => traders.map((trader) => of.balances(trader).freeRaw)
  const before = freeOf(died.copy)
  await pay(died.copy)
  const paid = freeOf(died.copy).map((raw, index) => raw - before[index])
  assert.deepEqual(paid, [750_000, 2_250_000])
  await pay(live)
  assert.deepEqual(freeOf(live), freeOf(died.copy))
  const again = await startCopy()
  step(again.copy, 1000)
  assert.deepEqual(freeOf(again.copy), freeOf(live))
  await stopCopy(again)
  await stopCopy(died)
})
