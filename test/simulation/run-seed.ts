// Plays one seed. When it fails, finds few of its steps that still fail.

import { keccakReady } from '../../server/crypto/keccak.ts'
import { MANY, type Many, type Script, scriptOf } from './script.ts'
import type { Totals } from './totals.ts'
import { World, type WorldOptions } from './world.ts'

export interface Passed {
  readonly totals: Totals
  readonly stateHash: string
}

/** A world that broke a check, and the step at which it did. */
export class BrokenWorld extends Error {
  readonly step: number

  constructor(step: number, why: unknown) {
    super(why instanceof Error ? why.message : String(why), { cause: why })
    this.step = step
  }
}

/** Plays the steps of a script, or only the steps in `only`. */
export async function playScript(
  script: Script,
  only: readonly number[] | null = null,
  options: WorldOptions = {},
): Promise<Passed> {
  const indices = only ?? script.steps.keys()
  await keccakReady
  let at = 0
  let world: World | null = null
  try {
    world = new World(script, options)
    for (const index of indices) {
      at = index
      await world.play(script.steps[index], index)
    }
    const stateHash = await world.end()
    return { totals: world.totals, stateHash }
  } catch (why) {
    // A check may have failed in a promise before, and have made this failure.
    await new Promise(setImmediate)
    throw new BrokenWorld(at, world?.failure ?? why)
  }
}

async function isBroken(
  script: Script,
  only: readonly number[],
  options: WorldOptions,
): Promise<boolean> {
  try {
    await playScript(script, only, options)
    return false
  } catch {
    return true
  }
}

/** The most steps that a shrink plays in all: some twenty seconds. */
const SHRINK_STEPS_MAX = 400_000
/** The cost of a world before its first step, in steps. */
const WORLD_STEPS = 100

/** Leaves out ever smaller chunks of `failing` while the rest still fails (delta debugging). */
export async function shrunk(
  script: Script,
  failing: readonly number[],
  options: WorldOptions = {},
): Promise<readonly number[]> {
  let kept = failing
  let leftSteps = SHRINK_STEPS_MAX
  for (let size = Math.ceil(kept.length / 2); size >= 1; size = size > 1 ? size >> 1 : 0) {
    for (let from = 0; from < kept.length && leftSteps > 0; ) {
      const fewer = [...kept.slice(0, from), ...kept.slice(from + size)]
      leftSteps -= fewer.length + WORLD_STEPS
      if (await isBroken(script, fewer, options)) kept = fewer
      else from += size
    }
  }
  return kept
}

/** '3,5-9' for 3, 5, 6, 7, 8, 9. */
export function rangesOf(indices: readonly number[]): string {
  const ranges: [number, number][] = []
  for (const index of indices) {
    const last = ranges.at(-1)
    if (last !== undefined && last[1] === index - 1) last[1] = index
    else ranges.push([index, index])
  }
  return ranges.map(([low, high]) => (low === high ? `${low}` : `${low}-${high}`)).join(',')
}

export function indicesOf(ranges: string): number[] {
  return ranges.split(',').flatMap((range) => {
    const [low, high = low] = range.split('-').map(Number)
    return Array.from({ length: high - low + 1 }, (_each, index) => low + index)
  })
}

/** The line that repeats a failure, in the fewest steps that were found. */
export async function replayLine(
  seed: number,
  broken: BrokenWorld,
  options: WorldOptions = {},
  many?: Many,
): Promise<string> {
  const length = broken.step + 1
  const script = scriptOf(seed, length, many && MANY[many])
  const only = await shrunk(script, [...script.steps.keys()], options)
  const ofMany = many === undefined ? '' : ` MANY=${many}`
  return `make sim SEED=${seed} STEPS=${length} ONLY=${rangesOf(only)}${ofMany}`
}
