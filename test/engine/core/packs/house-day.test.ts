import assert from 'node:assert/strict'
import { test } from 'node:test'
import { capture, restore } from '../../../../engine/core/capture.ts'
import { HouseDay } from '../../../../engine/core/packs/house-day.ts'
import { stateHash } from '../../../../engine/core/state/state-hash.ts'
import { dayOf } from '../../../../engine/domain/rewards/reward-time.ts'
import { DAY_MS } from '../../../../engine/domain/units.ts'
import { ExchangeDriver } from '../../../support/exchange-driver.ts'

// What the packs of one UTC day cost the house, with the numbers of the rules (rules §8.4).

const UNIT = 1_000_000
const HAS = 100_000

/** A pack that may win so much, for a stake of 1,000. */
const pack = (winRaw: number, day?: number) => {
  const terms = { stakeRaw: 1000, payoutRaw: 1000 + winRaw }
  return day === undefined ? terms : { ...terms, day }
}

test('the cost of a day is what won, less what lost, plus what may still win', () => {
  const day = new HouseDay()
  assert.deepEqual([day.lossRaw(7), day.boundRaw(7, HAS)], [0, 10_000])
  const [won, lost, open] = [pack(3000, 7), pack(1000, 7), pack(2000, 7)]
  for (const each of [won, lost, open]) day.made(each)
  assert.equal(day.lossRaw(7), 6000)
  assert.equal(day.boundRaw(7, HAS), 10_000, 'what is set aside is still of the house')
  day.ended(won, won.payoutRaw)
  day.ended(lost, 0)
  assert.equal(day.lossRaw(7), 3000 - 1000 + 2000)
  assert.equal(day.boundRaw(7, HAS - 3000 + 1000), 10_000, 'it does not move with the day')
  day.ended(open, open.stakeRaw)
  assert.equal(day.lossRaw(7), 2000, 'a pack that gives the stake back costs nothing')
})

test('a pack counts for the day on which it was made, and for no other', () => {
  const day = new HouseDay()
  const old = pack(3000, 7)
  day.made(old)
  day.made(pack(500, 8))
  assert.deepEqual([day.lossRaw(7), day.lossRaw(8), day.lossRaw(9)], [0, 500, 0])
  day.ended(old, old.payoutRaw)
  assert.equal(day.lossRaw(8), 500)
  day.made(pack(900))
  assert.equal(day.lossRaw(8), 500, 'a pack of an older journal counts for none')
  assert.equal(dayOf(8 * DAY_MS - 1), 7)
  assert.equal(dayOf(8 * DAY_MS), 8)
})

test('the figure of operators replaces the tenth, until it is taken back', () => {
  const day = new HouseDay()
  day.setMax(5)
  assert.equal(day.boundRaw(7, HAS), 5)
  day.setMax(null)
  assert.equal(day.boundRaw(7, HAS), 10_000)
})

test('the day is part of the state and its hash, and old commands add no state', () => {
  const driver = new ExchangeDriver(64)
  driver.control({ kind: 'fundHouse', collateralRaw: 1000 * UNIT })
  const profileId = driver.addAccount(100 * UNIT)
  const legs = [driver.addMarket(), driver.addMarket()].map((marketId) => {
    return { marketId, outcome: 0, priceTicks: 500 }
  })
  const terms = { profileId, stakeRaw: UNIT, payoutRaw: 3 * UNIT, legs }
  driver.control({ kind: 'createPack', ...terms })
  const { packs } = driver.clearing
  assert.deepEqual([...packs.houseDay.hashedFields()], [])
  const day = dayOf(driver.nowMs)
  driver.control({ kind: 'createPack', ...terms, day })
  driver.control({ kind: 'fundHouse', collateralRaw: 0, dayLossMaxRaw: 9 * UNIT })
  assert.equal(packs.houseDay.lossRaw(day), 2 * UNIT)
  const again = restore(structuredClone(capture(driver.exchange))).clearing
  assert.equal(again.packs.houseDay.lossRaw(day), 2 * UNIT)
  assert.equal(again.packs.houseDay.boundRaw(day, 0), 9 * UNIT)
  assert.equal(stateHash(again, []), stateHash(driver.clearing, []))
})
