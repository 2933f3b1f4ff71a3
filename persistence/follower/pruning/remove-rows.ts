/** Rows of a step. */
export const ROWS = 256

/** Calls `remove` for what `read` finds, at most `ROWS` at a time, until it finds nothing more. */
export function* removeRows<Row>(
  read: () => readonly Row[],
  remove: (row: Row) => void,
): Generator<undefined, void> {
  for (;;) {
    const rows = read()
    for (const row of rows) remove(row)
    if (rows.length < ROWS) return
    yield
  }
}
