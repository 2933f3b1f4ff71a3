import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freshSeed } from '../support/random.ts'
import { BrokenWorld, playSeed, replayLine } from './run-seed.ts'

/** Steps of one world; a little less than half of them become commands. */
const STEPS = 20_000
/** Files that play at the same time keep to seeds of their own. */
const SEEDS_PER_FILE = 1_000_000

const TROUBLE = { refusals: 0, overloads: 0, crashes: 0 }

/** Plays worlds until they made so many commands; a broken one prints the line that replays it. */
export function testLongFlow(file: number, commandsMin: number): void {
  test(`every law holds through ${commandsMin} commands and every fault of a machine`, async () => {
    const totals = { commands: 0, fills: 0, releases: 0, reversals: 0, ...TROUBLE }
    let seed = freshSeed() + file * SEEDS_PER_FILE
    for (; totals.commands < commandsMin; seed++) {
      const passed = await playOrExplain(seed)
      totals.commands += passed.commands
      totals.fills += passed.fills
      totals.releases += passed.releases
      totals.reversals += passed.reversals
      totals.refusals += passed.refusals
      totals.overloads += passed.overloads
      totals.crashes += passed.crashes
    }
    assert(totals.fills > commandsMin / 10, 'worlds trade')
    assert(totals.releases > commandsMin / 500, 'worlds hold takers back')
    assert(totals.reversals > commandsMin / 1000, 'trades fail')
    assert(totals.refusals > commandsMin / 20 && totals.overloads > 0, 'worlds turn away')
    assert(totals.crashes > commandsMin / 10_000, 'worlds crash')
  })
}

async function playOrExplain(seed: number) {
  try {
    return (await playSeed(seed, STEPS)).totals
  } catch (broken) {
    if (!(broken instanceof BrokenWorld)) throw broken
    console.log(`make sim SEED=${seed} STEPS=${broken.step + 1}`)
    console.log(await replayLine(seed, broken))
    throw broken
  }
}
