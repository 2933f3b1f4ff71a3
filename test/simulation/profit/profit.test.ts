import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { LiveExchange } from '../../support/live-exchange.ts'
import { freshSeed, fromEnv, Random } from '../../support/random.ts'
import { KNOWN_PLANS } from './known-plans.ts'
import { playRound } from './round.ts'
import { openForProfit, reportOf, Search, TOLERANCE_RAW } from './search.ts'

// Colluding accounts gain nothing by what they do among themselves. `make sim PROFIT=1` searches
// for longer.

const ROUNDS = fromEnv('PROFIT_ROUNDS', 2)
const PLANS = 6
let live: LiveExchange

before(async () => {
  live = await openForProfit()
})
after(() => live.stop())

test('no plan that gained once gains today', async () => {
  const gained: string[] = []
  for (const [name, plan] of KNOWN_PLANS) {
    const [{ meanRaw }] = await playRound(live, [plan])
    if (meanRaw > TOLERANCE_RAW) gained.push(name)
  }
  assert.deepEqual(gained, [])
  assert.deepEqual(live.faults, [])
})

test('no random plan of colluding accounts gains', async () => {
  const search = new Search(live, new Random(freshSeed()))
  for (let round = 0; round < ROUNDS; round++) {
    const found = await search.round(PLANS)
    assert.ok(found === null, found === null ? '' : reportOf(found))
  }
  assert.deepEqual(live.faults, [])
})
