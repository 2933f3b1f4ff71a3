// Columns that grow with what they count.

/** The same column, at least twice as long, with a cell for `index`. */
export function wideEnough(column: Int32Array, index: number): Int32Array<ArrayBuffer> {
  const wider = new Int32Array(Math.max(index + 1, column.length * 2))
  wider.set(column)
  return wider
}

/** The same by an eighth: of a column by account most cells are of accounts that are idle. */
export function wideByAccount(column: Int32Array, account: number): Int32Array<ArrayBuffer> {
  const wider = new Int32Array(account + 1 + (account >> 3))
  wider.set(column)
  return wider
}
