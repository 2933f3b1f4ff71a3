import { availableParallelism } from 'node:os'
import { progress } from '../harness/bench.ts'

/** The core thread, the journal, and the clients. */
const OTHER_CORES = 3

/** The numbers of edge threads for which the machine has cores, and 1. */
export function measurable(about: string, wanted: readonly number[]): number[] {
  const cores = availableParallelism()
  const skipped = wanted.filter((threads) => threads > 1 && threads + OTHER_CORES > cores)
  if (skipped.length > 0) {
    const needed = skipped.map((threads) => `${threads} (${threads + OTHER_CORES} cores)`)
    progress(`${about}: not measured on ${cores} cores: edge threads ${needed.join(', ')}`)
  }
  return wanted.filter((threads) => !skipped.includes(threads))
}

export function edgesText(threads: number): string {
  return `${threads} edge thread${threads === 1 ? '' : 's'}`
}
