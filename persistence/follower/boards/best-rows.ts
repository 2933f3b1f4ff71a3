/** Gives a negative number when `one` stands before `other`; two rows never stand together. */
export type Order<Row> = (one: Row, other: Row) => number

/** The first rows of all that came, in their order: it never holds more than `max`. */
export class BestRows<Row> {
  readonly #max: number
  readonly #order: Order<Row>
  readonly rows: Row[] = []

  constructor(max: number, order: Order<Row>) {
    this.#max = max
    this.#order = order
  }

  add(row: Row): void {
    const { rows } = this
    const last = rows.at(-1)
    const isFull = rows.length === this.#max
    if (isFull && last !== undefined && this.#order(last, row) < 0) return
    if (isFull) rows.pop()
    rows.splice(this.#placeOf(row), 0, row)
  }

  #placeOf(row: Row): number {
    let [low, high] = [0, this.rows.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#order(this.rows[middle], row) < 0) low = middle + 1
      else high = middle
    }
    return low
  }
}
