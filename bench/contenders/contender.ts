import type { Workload } from '../workload/workload.ts'

/** A book or an exchange that can carry out a workload again and again from the start. */
export interface Contender {
  /** Carries out the rows from `from` (included) to `to` (excluded). */
  run(from: number, to: number): void
  /** Work that another thread would do meanwhile. It is not timed. */
  aside?(): void
  /** Removes the orders that are left, so that the next pass begins with empty books. */
  empty(): void
  /** Fills since the last call. A contender with other fills does other work. */
  takeFills(): { readonly fills: number; readonly filledRaw: number }
}

export type MakeContender = (work: Workload) => Contender
