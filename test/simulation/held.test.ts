import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keccakReady } from '../../server/crypto/keccak.ts'
import { freshSeed, Random } from '../support/random.ts'
import { type Odds, type Script, type Step, scriptOf } from './script.ts'
import type { Totals } from './totals.ts'
import { World } from './world.ts'

const STEPS = 600
/** How many crashes to play, each in a world of its own. */
const CRASHES = 20
/** How many times as many are played until some world replaced an order. */
const MORE_CRASHES = 4
/** The acts that keep accounts busy, and the acts that these need. */
const ODDS: Odds = {
  replace: 40,
  replaces: 12,
  batch: 6,
  delegated: 40,
  crowd: 0.3,
  cancelNamed: 6,
  sponsor: 8,
  approve: 4,
  deposit: 12,
  crash: 0,
  death: 0,
  resolve: 0,
  rest: 0,
}

/** The steps that leave an account busy. */
async function heldAfter(script: Script): Promise<number[]> {
  const world = new World(script)
  const held: number[] = []
  for (const [index, step] of script.steps.entries()) {
    await world.play(step, index)
    if (world.heldCount > 0) held.push(index)
  }
  await world.end()
  return held
}

test('a crash amid replacements loses nothing published, and no account stays busy', async () => {
  await keccakReady
  const random = new Random(freshSeed())
  const totals: Totals[] = []
  const replaced = () => totals.reduce((sum, each) => sum + each.replaced, 0)
  const wanted = () => (replaced() > 0 ? CRASHES : CRASHES * MORE_CRASHES)
  while (totals.length < wanted()) {
    const script = scriptOf(random.below(2 ** 31), STEPS, ODDS)
    const held = await heldAfter(script)
    for (let left = Math.min(8, held.length); left > 0; left--) {
      const index = random.pick(held)
      const world = new World(script)
      // Not in an awaited function: the replacement may end in the tick that the wait would take.
      for (let at = 0; at <= index; at++) await world.play(script.steps[at], at)
      assert(world.heldCount > 0, 'a script plays out the same')
      const crash: Step = { act: 'crash', row: 0, dice: [random.next(), random.next()] }
      await world.play(crash, index)
      assert.equal(world.heldCount, 0, 'no account is busy after a restart')
      // The clients go on, and what they send meets the recovered state.
      for (let at = index + 1; at < Math.min(STEPS, index + 40); at++) {
        await world.play(script.steps[at], at)
      }
      await world.end()
      totals.push(world.totals)
    }
  }
  assert(replaced() > 0, 'worlds replace orders')
})
