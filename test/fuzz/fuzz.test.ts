import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newFolder } from '../support/data-folder.ts'
import { freshSeed } from '../support/random.ts'
import { compileProgram } from '../support/server-process.ts'
import type { Plan } from './plan.ts'
import { plansOf, play } from './play.ts'
import { shrunk } from './shrink.ts'

// A short `make fuzz`, and what makes its findings worth having.

const REQUESTS = 200

test('no request to any route breaks, leaks or leaves anything behind', async () => {
  const seed = freshSeed()
  await compileProgram()
  const { failure, tally } = await play(newFolder(), plansOf(seed, REQUESTS))
  if (failure !== null) assert.fail(`make fuzz SEED=${seed}: ${failure.what}\n${failure.curl}`)
  for (const status of [101, 200, 201, 400, 401, 404]) {
    assert.ok(tally.count(status) > 0, `${status} is among the replies: ${tally.line}`)
  }
})

test('a seed gives the same requests each time, however many are requested', () => {
  const plans = plansOf(7, 200)
  assert.deepEqual(plansOf(7, 200), plans)
  assert.deepEqual(plansOf(7, 90), plans.slice(0, 90))
  assert.notDeepEqual(plansOf(8, 200), plans)
})

test('a failure shrinks to the requests and the parts that cause it', async () => {
  const plans = plansOf(7, 60)
  const culprit = { at: 'query', pair: 'page=bad' } as const
  const last: Plan = { ...plans[59], query: { limit: 1, page: 2 }, edits: [culprit] }
  const helper = plans[20]
  const breaks = async (candidate: readonly Plan[]) =>
    candidate.includes(helper) &&
    (candidate.at(-1)?.edits.some((edit) => edit.at === 'query' && edit.pair.includes('ba')) ??
      false)
  const least = await shrunk([...plans.slice(0, 59), last], breaks, 400)
  assert.equal(least.length, 2)
  assert.equal(least[0], helper)
  const { edits, query, speaker } = least[1]
  assert.deepEqual([edits, query, speaker.proof], [[{ at: 'query', pair: 'ba' }], {}, 'none'])
})
