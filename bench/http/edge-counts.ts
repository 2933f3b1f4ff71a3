import { measurableOf } from '../harness/cores.ts'

/** The core thread, the journal, and the clients. */
const OTHER_CORES = 3

/** The numbers of edge threads for which the machine has cores, and 1. */
export function measurable(about: string, wanted: readonly number[]): number[] {
  const coresFor = (threads: number) => (threads === 1 ? 1 : threads + OTHER_CORES)
  return measurableOf(`${about} with edge threads`, wanted, coresFor)
}

export function edgesText(threads: number): string {
  return `${threads} edge thread${threads === 1 ? '' : 's'}`
}
