import assert from 'node:assert/strict'
import { test } from 'node:test'
import { capture, restore } from '../../../../engine/core/capture.ts'
import { rewardPayments } from '../../../../engine/core/decide/money/rewards.ts'
import { feeRatesOf, referralRaw } from '../../../../engine/core/rewards/rebates.ts'
import { Rewards } from '../../../../engine/core/rewards/rewards.ts'
import { ExchangeDriver } from '../../../support/exchange-driver.ts'

// The part of mined fees for those who referred the takers.

const UNIT = 1_000_000
const DAY = 20_000
const MINUTE = DAY * 1440
const BPS = 2000

function worldAfter(minutes: readonly (number | undefined)[]) {
  const driver = new ExchangeDriver(64)
  const ann = driver.addAccount(100 * UNIT)
  const ben = driver.addAccount(100 * UNIT)
  const rates: number[] = []
  for (const [index, referralBps] of minutes.entries()) {
    const minute = MINUTE + index
    const rate = referralBps === undefined ? {} : { referralBps }
    driver.control({ kind: 'rewardMinute', minute, ...rate })
    rates.push(driver.clearing.rewards.open?.referralBps ?? -1)
    driver.control({ kind: 'creditRewards', minute, part: 0, isLast: true, rows: [] })
  }
  return { driver, ann, ben, rates, rewards: driver.clearing.rewards }
}

test('the rate of a sample counts for the blocks after it', () => {
  const { rates, rewards } = worldAfter([BPS, 500, undefined, undefined])
  assert.deepEqual(rates, [0, BPS, 500, 0])
  assert.equal(rewards.referralBps, 0)
})

test('the rates are part of the state, which has none while nothing is shared', () => {
  const hashedFieldsOf = (minutes: readonly (number | undefined)[]) => {
    const hashedFields = [...worldAfter(minutes).rewards.hashedFields()].map((each) =>
      JSON.stringify(each),
    )
    return hashedFields.filter((each) => each.startsWith('["referrals"'))
  }
  assert.deepEqual(hashedFieldsOf([undefined, BPS]), [`["referrals",${BPS},0]`])
  assert.deepEqual(hashedFieldsOf([BPS, undefined]), [])
})

test('a part of a fee is rounded down, and never more than the fee', () => {
  const fee = { sharesRaw: 10, feeRaw: 3 }
  const part = (of: typeof fee, bps: number) => referralRaw(of, feeRatesOf(0, bps))
  assert.equal(part(fee, 3333), 0)
  assert.equal(part(fee, 3334), 1)
  assert.equal(part(fee, 10_000), 3)
  const largest = Number.MAX_SAFE_INTEGER
  assert.equal(part({ sharesRaw: largest, feeRaw: largest }, 10_000), largest)
})

test('what fees do not cover waits, and is owed to the one who referred', () => {
  const { driver, ann, ben, rewards } = worldAfter([BPS])
  const minute = MINUTE + 1
  driver.control({ kind: 'rewardMinute', minute })
  const referrals = [[ann, ben, 7]] as const
  const part = { kind: 'creditRewards', minute, part: 0, isLast: true, rows: [] } as const
  driver.control({ ...part, referrals })
  driver.holds()
  assert.deepEqual(rewards.today.of(ann), { rewardRaw: 0, rebateRaw: 7 })
  assert.equal(rewards.today.of(ben), undefined)
  driver.control({ kind: 'payRewards', day: DAY, isLast: true, merges: [], rows: [] })
  driver.holds()
  assert.deepEqual(rewardPayments(driver.clearing, { ...rewards.due.totals }, [ann]), [])
  assert.deepEqual(rewards.due.of(ann), { rewardRaw: 0, rebateRaw: 7 })
})

test('a picture keeps the rates, and one without them has none', () => {
  const { driver } = worldAfter([BPS])
  driver.control({ kind: 'rewardMinute', minute: MINUTE + 1, referralBps: 700 })
  const hash = driver.exchange.stateHash()
  const restored = restore(capture(driver.exchange))
  const { rewards } = restored.clearing
  assert.deepEqual([rewards.referralBps, rewards.open?.referralBps], [700, BPS])
  assert.equal(restored.stateHash(), hash)
  const { referralBps: _rate, open, ...others } = driver.clearing.rewards.capture()
  const { referralBps: _ofOpen, ...sample } = open ?? assert.fail('a sample is open')
  const old = new Rewards()
  old.restore({ ...others, open: sample })
  assert.deepEqual([old.referralBps, old.open?.referralBps], [0, 0])
  const hashedFields = [...old.hashedFields()]
  assert.ok(hashedFields.every((event) => !JSON.stringify(event).includes('referrals')))
})
