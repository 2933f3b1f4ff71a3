import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freshSeed } from '../support/random.ts'
import type { Counts } from './log/environment.ts'
import { playOrExplain } from './log/log-report.ts'
import { BrokenLog, playLog } from './log/log-run.ts'
import { PLANTED_FAULTS, type Planted, TOLERATED_FAULT } from './log/planted-faults.ts'

// The short form of `make sim-log`.

const SEEDS = 5
const STEPS = 40_000
/** A planted fault needs 40,000 steps on average. */
const PLANTED_SEEDS_MAX = 25
const SHORT_STEPS = 5000

/** What a run must have seen to prove something. */
const SEEN = [
  ...(['acknowledged records', 'leaderships', 'replaced leaders', 'stops'] as const),
  ...(['kills', 'pauses', 'partitions', 'broken connections'] as const),
  ...(['lost requests', 'late requests', 'lost replies', 'terminated backends'] as const),
  ...(['interrupted commits', 'restarts of the primary', 'breaks of the replication'] as const),
  ...(['fail-overs', 'rows lost', 'former primaries that answer'] as const),
  ...(['silent ends of a primary', 'times without a synchronous replica'] as const),
  ...(['appends refused by the epoch', 'appends refused at the end of the log'] as const),
  'quiet periods',
]

function addTo(sum: Counts, counts: Counts): void {
  for (const [what, count] of counts) sum.set(what, (sum.get(what) ?? 0) + count)
}

test(`every invariant of the log holds through ${SEEDS * STEPS} steps and all faults`, async () => {
  const first = freshSeed()
  const sum: Counts = new Map()
  for (let seed = first; seed < first + SEEDS; seed++) {
    addTo(sum, await playOrExplain({ seed, steps: STEPS }))
  }
  // What is rare may take some seeds more.
  for (let seed = first + SEEDS; SEEN.some((what) => !sum.has(what)); seed++) {
    assert(seed < first + 4 * SEEDS, `never seen: ${SEEN.filter((what) => !sum.has(what))}`)
    addTo(sum, await playOrExplain({ seed, steps: STEPS }))
  }
})

test('a run is a function of its seed', async () => {
  const lines = async (seed: number) => {
    const all: string[] = []
    await playLog({ seed, steps: SHORT_STEPS, onTrace: (line) => all.push(line) })
    return all.join('\n')
  }
  const one = await lines(1)
  assert(one.length > SHORT_STEPS, 'a run writes lines')
  assert(one === (await lines(1)), 'two runs of one seed do the same')
  assert(one !== (await lines(2)), 'runs of two seeds do not')
})

/** The steps until an invariant does not hold; null if all hold. */
async function stepsUntilFound(planted: Planted): Promise<number | null> {
  for (let seed = 1; seed <= PLANTED_SEEDS_MAX; seed++) {
    try {
      await playLog({ seed, steps: STEPS, planted })
    } catch (broken) {
      if (!(broken instanceof BrokenLog)) throw broken
      return (seed - 1) * STEPS + broken.steps
    }
  }
  return null
}

for (const fault of PLANTED_FAULTS) {
  test(`the invariants notice that ${fault}`, async () => {
    const steps = await stepsUntilFound(new Set([fault]))
    assert(steps !== null, `not noticed in ${PLANTED_SEEDS_MAX} seeds`)
    console.log(`after ${steps} steps`)
  })
}

test('a lost lease costs no acknowledged record: safety rests on the epoch', async () => {
  const planted: Planted = new Set([TOLERATED_FAULT])
  for (let seed = 1; seed <= 2; seed++) await playOrExplain({ seed, steps: STEPS, planted })
})
