// Columns that grow as their index grows.

/** A copy of the column, at least twice as long, with a cell for `index`. */
export function wideEnough(column: Int32Array, index: number): Int32Array<ArrayBuffer> {
  const wider = new Int32Array(Math.max(index + 1, column.length * 2))
  wider.set(column)
  return wider
}

/** Like `wideEnough`, but longer by an eighth: most accounts are idle, so doubling wastes room. */
export function wideByAccount(column: Int32Array, account: number): Int32Array<ArrayBuffer> {
  const wider = new Int32Array(account + 1 + (account >> 3))
  wider.set(column)
  return wider
}
