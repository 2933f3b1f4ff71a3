import { test } from 'node:test'
import { freshSeed } from '../support/random.ts'
import { playOrExplain } from './long-flow.ts'

const STEPS = 1200
const WORLDS = 8

for (const many of ['groups', 'amends'] as const) {
  test(`every invariant holds in ${WORLDS} worlds with many ${many}`, async () => {
    const first = freshSeed()
    for (let seed = first; seed < first + WORLDS; seed++) await playOrExplain(seed, many, STEPS)
  })
}
