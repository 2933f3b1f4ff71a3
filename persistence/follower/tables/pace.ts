// A chunk may be long, and orders have priority. So the tables call `look` after each row they
// write.

/** Where work may pause, and how a transaction ends. */
export interface Pace {
  look(): void
  commit(work: () => void): void
}

/** For rebuilds and tests, where no other work waits. */
export const UNPACED: Pace = { look: () => {}, commit: (work) => work() }

export function eachPaced<Row>(rows: Iterable<Row>, pace: Pace, write: (row: Row) => void): void {
  for (const row of rows) {
    write(row)
    pace.look()
  }
}
