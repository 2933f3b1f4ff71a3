import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forkPublished } from '../../bench/published/passes.ts'
import '../../bench/published/wide-arena.ts'

// The published benchmark of matching engines: its five hashes are the test of our book and of the
// generator. One scenario of full length is run here; `make bench-book` runs all.

// The book copies the shape of its arena when it loads.
const { PUBLISHED, reportHash } = await import('../../bench/published/report.ts')

test('the report of a scenario has the published hash', () => {
  assert.equal(reportHash('flash-crash'), PUBLISHED['flash-crash'])
})

test('each book makes the same trades of a scenario', async () => {
  const plan = { scenario: 'normal', orders: 2000, warmPasses: 1, passes: 1 } as const
  const runners = ['ours', 'ours, handed off', 'objects and Maps'] as const
  const results = []
  for (const runner of runners) results.push(await forkPublished({ ...plan, runner }))
  const [{ trades }] = results
  assert.ok(trades > 0)
  assert.deepEqual(
    results.map((each) => each.trades),
    runners.map(() => trades),
  )
})
