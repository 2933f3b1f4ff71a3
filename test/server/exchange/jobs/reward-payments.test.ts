import assert from 'node:assert/strict'
import { test } from 'node:test'
import { REWARDS_ACCOUNT } from '../../../../engine/domain/ids.ts'
import { REWARD_LIMITS } from '../../../../engine/domain/rewards/reward-limits.ts'
import { DAY_MS } from '../../../../engine/domain/units.ts'
import { newFolder } from '../../../support/data-folder.ts'
import { makeMarket, openForTest, tokenOf } from '../../../support/open-pipeline.ts'
import { profileFields } from '../../../support/specs.ts'

// How the rewards of a day are paid, part by part (rules §11.3).

const SHARE = 1_000_000
const MINUTES = 1440
const { creditRowsMax, paymentRowsMax } = REWARD_LIMITS
const ACCOUNTS = paymentRowsMax + 8
const DAY = 20_000

test('payments that are under way as another day ends go on with those of that day', async () => {
  const clock = { nowMs: DAY * DAY_MS }
  const exchange = await openForTest(newFolder(), clock, 0, { blockMs: 0 })
  const { pipeline } = exchange
  const { clearing } = pipeline
  await makeMarket(exchange, 1)
  const profileIds = Array.from({ length: ACCOUNTS }, (_each, index) => index + 1)
  for (const profileId of profileIds) {
    const profile = profileFields(profileId)
    const token = tokenOf(exchange, profileId)
    void pipeline.change(() => ({ kind: 'createProfile', profileId, profile, token }))
  }
  const credit = async (minute: number, owed: readonly number[]): Promise<void> => {
    await pipeline.change(() => ({ kind: 'rewardMinute', minute }))
    for (let part = 0; part * creditRowsMax < owed.length; part++) {
      const rest = owed.slice(part * creditRowsMax)
      const rows = rest.slice(0, creditRowsMax).map((each) => [each, 1, SHARE, 0] as const)
      const isLast = rest.length <= creditRowsMax
      await pipeline.change(() => ({ kind: 'creditRewards', minute, part, isLast, rows }))
    }
  }
  const pass = async (nowMs: number): Promise<void> => {
    clock.nowMs = nowMs
    pipeline.tick()
    await pipeline.whenIdle()
  }
  await pipeline.change(() => ({ kind: 'fundRewards', collateralRaw: (ACCOUNTS + 9) * SHARE }))
  await credit(DAY * MINUTES, profileIds)
  // Nobody was there to pay it, up to two seconds before the end of the next day.
  const midnightMs = (DAY + 2) * DAY_MS
  clock.nowMs = midnightMs - 2000
  await credit((DAY + 2) * MINUTES - 1, profileIds.slice(-8))
  await pass(midnightMs - 1000)
  await pass(midnightMs - 900)
  assert.equal(clearing.ledger.freeRaw(1), SHARE, 'the first part is paid')
  assert.equal(clearing.ledger.freeRaw(ACCOUNTS), 0, 'the second is not')
  clock.nowMs = midnightMs + 1
  await credit((DAY + 2) * MINUTES, [1])
  for (let nowMs = midnightMs + 10; clearing.rewards.paidDay < DAY + 1; nowMs += 10)
    await pass(nowMs)
  assert.equal(clearing.ledger.freeRaw(ACCOUNTS), 2 * SHARE)
  assert.equal(clearing.ledger.freeRaw(1), SHARE, 'what was earned today is not due')
  assert.equal(clearing.ledger.freeRaw(REWARDS_ACCOUNT), SHARE)
})
