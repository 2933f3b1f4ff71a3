import type { Workload } from '../workload.ts'

/** Something that can carry out a workload, again and again from the start. */
export interface Contender {
  /** Carries out the rows from `from` up to, not including, `to`. */
  run(from: number, to: number): void
  /** What another thread does meanwhile. */
  aside?(): void
  /** Takes back what is left of the pass, so that the next begins with empty books. */
  empty(): void
  /** Fills since the last time it was asked: who trades otherwise does other work. */
  takeFills(): { readonly fills: number; readonly filledRaw: number }
}

export type MakeContender = (work: Workload) => Contender
