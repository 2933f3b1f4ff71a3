// A chunk may be long, and orders come first. So the tables look up after each row that they write.

/** Where work may pause, and how a transaction ends. */
export interface Pace {
  look(): void
  commit(work: () => void): void
}

/** For a rebuild and for tests: nobody else waits. */
export const UNPACED: Pace = { look: () => {}, commit: (work) => work() }

export function eachPaced<Row>(rows: Iterable<Row>, pace: Pace, write: (row: Row) => void): void {
  for (const row of rows) {
    write(row)
    pace.look()
  }
}
