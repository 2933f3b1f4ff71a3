import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FEE_ACCOUNT, REWARDS_ACCOUNT } from '../../../../engine/domain/ids.ts'
import { LIMITS } from '../../../../engine/domain/limits.ts'
import { dayOf } from '../../../../engine/domain/rewards/reward-time.ts'
import { DAY_MS } from '../../../../engine/domain/units.ts'
import { exchange } from '../../../support/exchange.ts'
import { at } from '../../../support/json-path.ts'
import type { Trader } from '../../../support/live-exchange.ts'
import { accepted } from '../../../support/replies.ts'
import { nextDay, nextSample } from '../../../support/reward-days.ts'

// Rewards of resting orders and rebates of fees, from the sample to the payment (rules §3.2 and
// §11.3).

const SHARE = 1_000_000
const FUNDS_RAW = 10_000 * SHARE
/** A unit a minute. */
const DAILY_RAW = 1440 * SHARE
const { live } = await exchange({ stepwise: true, flags: ['--block-ms', '0'] })

const rewards = { dailyRewardRaw: DAILY_RAW, rebateBps: 5000, minSizeRaw: 50 * SHARE }
const rain = await live.openMarket('rain', { fee: true, ...rewards })
const alice = await live.trader(FUNDS_RAW)
const bob = await live.trader(FUNDS_RAW)
const carol = await live.trader(FUNDS_RAW)

const clearing = () => live.exchange.pipeline.clearing
const positions = async (trader: Trader) =>
  (await live.call(trader, 'GET', '/portfolio/positions')).body
const rewardsOf = async (trader: Trader) => at(await positions(trader), 'rewards')
const isEarning = async (trader: Trader) =>
  at(await positions(trader), 'clob', 0, 'rewards', 'isEarning')

test('orders near the middle share the reward of the minute, and show that they earn', async () => {
  for (const [trader, sizeRaw] of [
    [alice, 300 * SHARE],
    [bob, 100 * SHARE],
  ] as const) {
    await live.place(trader, rain, { ticks: 490, sizeRaw })
    await live.place(trader, rain, { outcome: 1, ticks: 490, sizeRaw })
  }
  await live.place(carol, rain, { ticks: 465, sizeRaw: 1000 * SHARE })
  assert.deepEqual(await Promise.all([alice, bob, carol].map(isEarning)), [true, true, false])
  await nextSample(live)
  const [ofAlice, ofBob, ofCarol] = await Promise.all([alice, bob, carol].map(rewardsOf))
  assert.equal(at(ofAlice, 'todaysRewards'), '750000')
  assert.equal(at(ofAlice, 'totalUnpaidRewards'), '750000')
  assert.equal(at(ofBob, 'todaysRewards'), '250000')
  assert.equal(at(ofCarol, 'todaysRewards'), '0')
  const day = dayOf(live.nowMs())
  const epoch = {
    epochId: day,
    timestamp: day * DAY_MS,
    totalRewards: '1000000',
    userRewards: '750000',
    earnedPercent: 0.75,
  }
  assert.deepEqual(at(ofAlice, 'rewardsByEpoch'), [epoch])
  assert.deepEqual(at(await positions(alice), 'clob', 0, 'rewards', 'epochs'), [epoch])
})

test('an order that is too small, or canceled before the sample, earns nothing', async () => {
  await live.call(bob, 'DELETE', '/orders/all/rain')
  await live.place(bob, rain, { ticks: 495, sizeRaw: 49 * SHARE })
  assert.equal(await isEarning(bob), false)
  await nextSample(live)
  assert.equal(at(await rewardsOf(bob), 'todaysRewards'), '250000')
  assert.equal(at(await rewardsOf(alice), 'todaysRewards'), '1750000')
})

test('the maker gets back a part of the fee of a mined trade, in shares', async () => {
  // 100 NO @ 0.51 cost a fee of 2.882352 NO; half of it goes back, once it is worth something.
  await live.call(bob, 'DELETE', '/orders/all/rain')
  await live.place(carol, rain, { outcome: 1, ticks: 510, sizeRaw: 100 * SHARE })
  await live.exchange.pipeline.whenIdle()
  await nextSample(live)
  const { today, shareParts } = clearing().rewards
  assert.deepEqual(
    shareParts.capture().map(([, ...row]) => row),
    [[alice.profileId, 0, 1_441_176]],
  )
  assert.equal(today.of(alice.profileId)?.rebateRaw, 0)
  assert.equal(at(await rewardsOf(alice), 'todaysRewards'), '2750000')
})

test('a day is paid after its end; what there is no collateral for waits a day', async () => {
  const { body } = await live.operator('GET', '/admin/rewards')
  assert.deepEqual(body, { balanceRaw: 0, owedRewardsRaw: '3000000', owedRebatesRaw: '0' })
  const funded = await accepted(live.admin('/admin/rewards', { collateralRaw: 2_800_000 }))
  assert.equal(at(funded.body, 'balanceRaw'), 2_800_000)
  await live.call(alice, 'DELETE', '/orders/all/rain')
  await live.call(bob, 'DELETE', '/orders/all/rain')
  const before = [alice, bob].map((trader) => live.balances(trader).freeRaw)
  const gained = () =>
    [alice, bob].map((trader, index) => live.balances(trader).freeRaw - before[index])
  // 2.8 of 3 units of rewards are there.
  await nextDay(live)
  assert.deepEqual(gained(), [2_566_666, 233_334])
  assert.equal(at(await rewardsOf(alice), 'totalUnpaidRewards'), String(2_750_000 - 2_566_666))
  assert.equal(at(await rewardsOf(alice), 'totalUserRewardsLastEpoch'), '2750000')
  // A taker that sells pays its fee in collateral: 0.3, of which bob gets a half.
  await live.place(bob, rain, { outcome: 1, ticks: 500, sizeRaw: 20 * SHARE })
  await live.place(carol, rain, { outcome: 1, side: 'sell', ticks: 500, sizeRaw: 20 * SHARE })
  await live.exchange.pipeline.whenIdle()
  await nextSample(live)
  assert.equal(at(await rewardsOf(bob), 'todaysRewards'), '150000')
  const paidByBob = before[1] + 233_334 - live.balances(bob).freeRaw
  // The payout says what the shares of alice's part are worth.
  await accepted(live.admin('/admin/markets/rain/resolve', { winningOutcomeIndex: 1 }))
  const { today } = clearing().rewards
  while (today.of(alice.profileId)?.rebateRaw !== 1_441_176) {
    live.shiftClock(100)
    live.exchange.pipeline.tick()
    await new Promise(setImmediate)
  }
  await live.admin('/admin/rewards', { collateralRaw: 10 * SHARE })
  await nextDay(live)
  assert.deepEqual(gained(), [2_750_000 + 1_441_176, 250_000 + 150_000 - paidByBob])
  const ofAlice = await rewardsOf(alice)
  assert.equal(at(ofAlice, 'totalUnpaidRewards'), '0')
  assert.equal(clearing().rewards.due.of(alice.profileId), undefined)
  // Half of each fee stays: 1.441176 NO and 0.15.
  assert.equal(clearing().ledger.freeRaw(FEE_ACCOUNT), 1_441_176 + 150_000)
})

test('the fund refuses nothing, more than it holds, and more than can be counted', async () => {
  const holds = clearing().ledger.freeRaw(REWARDS_ACCOUNT)
  const fund = async (collateralRaw: number) => {
    const { status, body } = await live.admin('/admin/rewards', { collateralRaw })
    return status === 200 ? 200 : at(body, 'code')
  }
  assert.equal(await fund(0), 'VALIDATION')
  assert.equal(await fund(-holds - 1), 'INSUFFICIENT_COLLATERAL')
  assert.equal(await fund(LIMITS.fundedRawMax), 'BALANCE_LIMIT')
  assert.equal(await fund(-holds), 200)
  assert.equal(clearing().ledger.freeRaw(REWARDS_ACCOUNT), 0)
})
