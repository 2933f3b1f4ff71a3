import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import type { Conserves } from './money-watch.ts'
import { BrokenWorld, indicesOf, playScript, rangesOf, replayLine } from './run-seed.ts'
import { scriptOf } from './script.ts'

const SEED = 15
const STEPS = 3000

/** The failure of these steps under a wrong invariant. */
async function failureOf(
  steps: number,
  only: readonly number[] | null,
  conserves: Conserves,
): Promise<BrokenWorld> {
  try {
    await playScript(scriptOf(SEED, steps), only, { conserves })
  } catch (broken) {
    if (broken instanceof BrokenWorld) return broken
    throw broken
  }
  return assert.fail('a wrong invariant fails a world')
}

test('a seed plays out the same every time', async () => {
  const first = await playScript(scriptOf(SEED, STEPS))
  const second = await playScript(scriptOf(SEED, STEPS))
  assert.deepEqual(second, first)
  const longer = scriptOf(SEED, STEPS * 2)
  assert.deepEqual(longer.steps.slice(0, STEPS), scriptOf(SEED, STEPS).steps)
})

test('a broken invariant is found, and shrunk to few steps that break it again', async () => {
  const forgetsWithdrawals: Conserves = ({ heldRaw, depositsRaw }) => heldRaw === depositsRaw
  const broken = await failureOf(STEPS, null, forgetsWithdrawals)
  assert.equal(broken.message, 'collateral is conserved')
  assert(broken.step > 20, 'the invariant breaks well after the start')
  const line = await replayLine(SEED, broken, { conserves: forgetsWithdrawals })
  const emitted = new RegExp(`^make sim SEED=${SEED} STEPS=(\\d+) ONLY=([\\d,-]+)$`).exec(line)
  assert(emitted !== null, `${line} is a complete command`)
  const only = indicesOf(emitted[2])
  assert(only.length <= 3, `${line} is short`)
  const again = await failureOf(Number(emitted[1]), only, forgetsWithdrawals)
  assert.equal(again.message, broken.message)
})

test('steps are written as ranges and read back', () => {
  assert.equal(rangesOf([3, 5, 6, 7, 9]), '3,5-7,9')
  assert.deepEqual(indicesOf('3,5-7,9'), [3, 5, 6, 7, 9])
})

test('`make sim` plays one seed, or some steps of it, and says how it went', () => {
  for (const only of ['', '0-20,40']) {
    const args = ['--import', 'tsx', 'test/sim.ts', '7', '300', only, '']
    const { status, stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' })
    assert.equal(status, 0, stdout)
    assert.match(stdout, /^through seed 7: \d+ commands, \d+ a second, every invariant held\n$/)
  }
})
