import { availableParallelism } from 'node:os'
import { progress } from './bench.ts'

const cores = availableParallelism()

export function hasCores(needed: number): boolean {
  return needed <= cores
}

/** The counts for which the machine has cores; reports the others. */
export function measurableOf(
  what: string,
  counts: readonly number[],
  coresFor: (count: number) => number,
): number[] {
  const skipped = counts.filter((count) => !hasCores(coresFor(count)))
  if (skipped.length > 0) {
    const needed = skipped.map((count) => `${count} (${coresFor(count)} cores)`)
    progress(`not measured on ${cores} cores: ${what} ${needed.join(', ')}`)
  }
  return counts.filter((count) => !skipped.includes(count))
}
