/** Negative if `one` comes before `other`. No two rows are equal. */
export type Order<Row> = (one: Row, other: Row) => number

/** The first `max` of all added rows, in order. */
export class BestRows<Row> {
  readonly #max: number
  readonly #order: Order<Row>
  readonly rows: Row[] = []

  constructor(max: number, order: Order<Row>) {
    this.#max = max
    this.#order = order
  }

  hasPlaceFor(row: Row): boolean {
    const last = this.rows.at(-1)
    return this.rows.length < this.#max || last === undefined || this.#order(row, last) < 0
  }

  /** Returns the row that is not among them now: this one, or the last of the others. */
  add(row: Row): Row | null {
    if (!this.hasPlaceFor(row)) return row
    const out = this.rows.length === this.#max ? this.rows.pop() : undefined
    this.rows.splice(this.#placeOf(row), 0, row)
    return out ?? null
  }

  drop(isGone: (row: Row) => boolean): void {
    const kept = this.rows.filter((row) => !isGone(row))
    this.rows.splice(0, this.rows.length, ...kept)
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
