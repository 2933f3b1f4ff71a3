// Explains a run that broke an invariant, and plays many runs from the command line.

import type { Counts, LogRun } from './environment.ts'
import { BrokenLog, playLog } from './log-run.ts'
import type { Planted } from './planted-faults.ts'

const LINES = 60
const STEPS_PER_SEED = 1_000_000

/** The last things that a run does, one per line. */
async function lastLines(run: LogRun): Promise<string[]> {
  const lines: string[] = []
  const onTrace = (line: string) => {
    lines.push(line)
    if (lines.length > LINES) lines.shift()
  }
  await playLog({ ...run, onTrace }).catch(() => {})
  return lines
}

/** Plays a run. Prints what happened last, and how to repeat it, if an invariant does not hold. */
export async function playOrExplain(run: LogRun): Promise<Counts> {
  try {
    return await playLog(run)
  } catch (broken) {
    if (!(broken instanceof BrokenLog)) throw broken
    console.log((await lastLines(run)).join('\n'))
    const [planted] = run.planted ?? []
    const plant = planted === undefined ? '' : ` PLANT='${planted}'`
    console.log(`make sim-log SEED=${run.seed} STEPS=${broken.steps}${plant}: ${broken.message}`)
    throw broken
  }
}

/** Plays one seed, or ever new seeds without `steps`. False if an invariant does not hold. */
export async function simulateLog(
  from: number,
  steps: number | null,
  planted: Planted,
): Promise<boolean> {
  for (let seed = from; ; seed++) {
    const startedMs = performance.now()
    const run = { seed, steps: steps ?? STEPS_PER_SEED, planted }
    try {
      const counts = await playOrExplain(run)
      const perSec = Math.round(run.steps / ((performance.now() - startedMs) / 1000))
      console.log(`seed ${seed}: ${run.steps} steps, ${perSec} a second, every invariant held`)
      console.log([...counts].map(([what, count]) => `  ${count} ${what}`).join('\n'))
    } catch (broken) {
      if (!(broken instanceof BrokenLog)) throw broken
      return false
    }
    if (steps !== null) return true
  }
}
