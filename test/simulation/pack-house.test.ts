import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freshSeed, fromEnv, Random } from '../support/random.ts'
import { type HouseResult, PackHouse } from './pack-house.ts'

// A house of packs against buyers who search for profit (rules §8.4). SEED=7 DAYS=365 plays a year.

const UNIT = 1_000_000
const HOUSE = 100_000 * UNIT
const DAY_MS = 86_400_000
/** So many days are played on one exchange; the next begins with what the house has then. */
const DAYS_AT_ONCE = 30
const seed = fromEnv('SEED', freshSeed())
const DAYS = fromEnv('DAYS', 2)
/** Of 1,000 quotes that the chance has passed, so many stay until the buyers saw them. */
const STALENESS = fromEnv('STALE', 0) / 1000

interface Played extends Omit<HouseResult, 'refused'> {
  readonly refused: ReadonlyMap<string, number>
}

function play(days: number, terms: { restMs: number; closeMs: number }): Played {
  const random = new Random(seed)
  const sums = {
    gainRaw: 0,
    expectedRaw: 0,
    stakedRaw: 0,
    packs: 0,
    colludersGainRaw: 0,
    colludersExpectedRaw: 0,
    colludersPacks: 0,
  }
  const refused = new Map<string, number>()
  let worstDayRaw = 0
  for (let day = 0; day < days; ) {
    const houseRaw = HOUSE + sums.gainRaw
    const startMs = 1_700_006_400_000 + day * DAY_MS
    const house = new PackHouse({ random, terms, houseRaw, staleness: STALENESS, startMs })
    for (const last = Math.min(days, day + DAYS_AT_ONCE); day < last; day++) house.day()
    const { result } = house
    sums.gainRaw += result.gainRaw
    sums.expectedRaw += result.expectedRaw
    sums.colludersExpectedRaw += result.colludersExpectedRaw
    sums.stakedRaw += result.stakedRaw
    sums.packs += result.packs
    sums.colludersGainRaw += result.colludersGainRaw
    sums.colludersPacks += result.colludersPacks
    worstDayRaw = Math.min(worstDayRaw, result.worstDayRaw)
    for (const [code, count] of result.refused) refused.set(code, (refused.get(code) ?? 0) + count)
  }
  return { ...sums, worstDayRaw, refused }
}

const units = (raw: number) => Math.round(raw / UNIT)

function reported({ refused, ...sums }: Played): string {
  const { gainRaw, stakedRaw, packs, colludersGainRaw, colludersPacks, worstDayRaw } = sums
  const [house, colluders] = [sums.expectedRaw, sums.colludersExpectedRaw].map(units)
  const sold = `${units(stakedRaw)} in ${packs} packs`
  const ofHouse = `house ${units(gainRaw)} (expected ${house}) on ${sold}`
  const gained = `${units(colludersGainRaw)} (expected ${colluders})`
  const ofColluders = `colluders ${gained} in ${colludersPacks} packs`
  const reasons = [...refused].map(([code, count]) => `${code} ${count}`).join(', ')
  return `SEED=${seed}: ${ofHouse}; ${ofColluders}; worst day ${units(worstDayRaw)}; ${reasons}`
}

test('buyers who search for profit win nothing from the house', (t) => {
  const played = play(DAYS, { restMs: 30_000, closeMs: 60_000 })
  t.diagnostic(reported(played))
  assert.ok(played.packs > 0, 'packs are sold')
  assert.ok((played.refused.get('CORRELATED_LEGS') ?? 0) > 0, 'coins of one window were tried')
  assert.ok((played.refused.get('NO_LIQUIDITY') ?? 0) > 0, 'shown prices were tried')
  assert.ok(played.worstDayRaw >= -HOUSE / 10, reported(played))
  assert.ok(played.expectedRaw >= 0, reported(played))
})

test('without a rest and a margin the same buyers win', (t) => {
  const played = play(1, { restMs: 0, closeMs: 0 })
  t.diagnostic(reported(played))
  assert.ok(played.colludersExpectedRaw > 1000 * UNIT, reported(played))
  assert.ok(played.expectedRaw < 0, reported(played))
})
