import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ModelFlow } from '../../support/model-flow.ts'
import { freshSeed, fromEnv } from '../../support/random.ts'

// Runs the engine against the slow exchange, command by command. SEED and STEPS replay one flow;
// SEEDS=... plays more of them.

const SEEDS = process.env.SEED === undefined ? fromEnv('SEEDS', 20) : 1
const STEPS = fromEnv('STEPS', 20_000)

test(`the engine and the slow exchange agree on ${SEEDS * STEPS} commands`, () => {
  const first = freshSeed()
  for (let seed = first; seed < first + SEEDS; seed++) {
    const flow = new ModelFlow(seed)
    try {
      for (let step = 1; step <= STEPS; step++) {
        flow.step()
        if (step % 100 === 0) flow.compareEverything()
      }
    } catch (error) {
      console.log(`SEED=${seed} STEPS=${flow.steps}: ${flow.lastAct}`)
      throw error
    }
    assert(flow.fills > STEPS / 20, 'a flow trades')
    assert(flow.releases > STEPS / 1000, 'a flow holds and releases')
    assert(flow.amends > STEPS / 200, 'a flow amends')
  }
})

test('every invariant holds after every command', () => {
  const first = freshSeed()
  for (let seed = first; seed < first + 5; seed++) {
    const flow = new ModelFlow(seed)
    try {
      for (let step = 1; step <= 2000; step++) {
        flow.step()
        flow.compareEverything()
      }
    } catch (error) {
      console.log(`SEED=${seed} STEPS=${flow.steps}: ${flow.lastAct}`)
      throw error
    }
  }
})
