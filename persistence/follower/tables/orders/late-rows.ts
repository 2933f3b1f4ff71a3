import type { AccountId, MarketId, Seq } from '../../../../engine/domain/ids.ts'
import type { TimeMs } from '../../../../engine/domain/units.ts'

// A row of the backlog is nine numbers. A page has one part of the effects of its rows:
//
//   ORDERS   states and names of orders, by the age of the orders
//   EVENTS   events of orders, fills of trades and own makers, in journal order
//
// Each part touches different tables, in adjacent places only in its own order: a page with
// scattered rows would write one database page per row. The meaning of a number depends on the kind
// of row; ticks are YES ticks:
//
//   kind          owner  placed_seq  number  size         left        place          extra  paid
//   FILLED        of the maker's     of its  filled       0           of the fill    ticks  its leg
//   CANCELED      order              event   0            left        0               0
//   SELF_TRADED                              0            left        of its event    0
//   EVENT                                    event kind   remaining   as in the table its seq

export const LATE = { FILLED: 0, CANCELED: 1, SELF_TRADED: 2, EVENT: 3 } as const

export const PART = { ORDERS: 0, EVENTS: 1 } as const

export const WIDTH = 9
export const ROW_BYTES = WIDTH * Float64Array.BYTES_PER_ELEMENT
export const COLUMN = { OWNER: 1, PLACED: 2, NUMBER: 3 } as const
const { OWNER, PLACED, NUMBER } = COLUMN
const ROWS_PER_PAGE = 1024
/** No command ends more orders than can be open. */
const ROWS_MAX = 2 ** 21
const AGE_MAX = 2 ** 31

/** The command that ended a page's orders. */
export interface LateCommand {
  readonly seq: Seq
  readonly nowMs: TimeMs
  readonly marketId: MarketId
  /** The cancel reason; null for an arrival. */
  readonly reason: number | null
  /** Owner and order of an arrival; null for a cancel. */
  readonly taker: AccountId | null
  readonly takerPlacedSeq: Seq | null
}

/** One row. `seq` is 0 if the row has its page's seq. */
export interface Row {
  readonly kind: number
  readonly owner: AccountId
  readonly placedSeq: Seq
  readonly number: number
  readonly sizeRaw: number
  /** Collateral of a maker's fill; 0 for other kinds. */
  readonly collateralRaw: number
  readonly leftRaw: number
  readonly place: number
  readonly ticks: number
  readonly seq: Seq
}

export function at(rows: Float64Array, start: number): Row {
  const kind = rows[start]
  const extra = rows[start + 7]
  return {
    kind,
    owner: rows[start + OWNER],
    placedSeq: rows[start + PLACED],
    number: rows[start + NUMBER],
    sizeRaw: rows[start + 4],
    leftRaw: rows[start + 5],
    collateralRaw: rows[start + 8],
    place: rows[start + 6],
    ticks: kind === LATE.FILLED ? extra : 0,
    seq: kind === LATE.EVENT ? extra : 0,
  }
}

/** The owners of the page's rows in ascending order, with the taker of its command. */
export function ownersOf(rows: Float64Array, taker: AccountId | null): Int32Array {
  const owners = new Set<AccountId>(taker === null ? [] : [taker])
  for (let row = 0; row < rows.length; row += WIDTH) owners.add(rows[row + OWNER])
  return Int32Array.from(owners).sort()
}

/** Consecutive rows of one command, stored as numbers because there may be millions. */
export class LateRun {
  readonly command: LateCommand
  readonly #pages: Float64Array[] = []
  #count = 0
  #hasFills = false

  constructor(command: LateCommand) {
    this.command = command
  }

  get count(): number {
    return this.#count
  }

  get hasFills(): boolean {
    return this.#hasFills
  }

  add(row: Row): void {
    const { kind, owner, placedSeq, number, sizeRaw, leftRaw, place, ticks, seq } = row
    const { to, start } = this.#next()
    to[start] = kind
    to[start + OWNER] = owner
    to[start + PLACED] = placedSeq
    to[start + NUMBER] = number
    to[start + 4] = sizeRaw
    to[start + 5] = leftRaw
    to[start + 6] = place
    to[start + 7] = kind === LATE.EVENT ? seq : ticks
    to[start + 8] = row.collateralRaw
    if (kind === LATE.FILLED) this.#hasFills = true
  }

  /** The rows by the age of their orders, as pages. */
  pagesByAge(): Float64Array[] {
    const keys = this.#keysByAge()
    if (keys === null) return this.pages()
    const sorted = new LateRun(this.command)
    for (const key of keys.sort()) {
      const row = ((key % ROWS_MAX) + ROWS_MAX) % ROWS_MAX
      sorted.#copy(this.#pageOf(row), (row % ROWS_PER_PAGE) * WIDTH)
    }
    return sorted.pages()
  }

  /**
   * Keys of age and row: sorting numbers is faster than sorting rows by age. Very old orders share
   * one age, because a key must be exact; the row order only saves time. null if the rows are
   * already sorted.
   */
  #keysByAge(): Float64Array | null {
    const { seq } = this.command
    const keys = new Float64Array(this.#count)
    let isSorted = true
    for (let row = 0; row < this.#count; row++) {
      const age = this.#pageOf(row)[(row % ROWS_PER_PAGE) * WIDTH + PLACED] - seq
      keys[row] = Math.max(age, -AGE_MAX) * ROWS_MAX + row
      if (row > 0 && keys[row] < keys[row - 1]) isSorted = false
    }
    return isSorted ? null : keys
  }

  #pageOf(row: number): Float64Array {
    return this.#pages[Math.floor(row / ROWS_PER_PAGE)]
  }

  #copy(page: Float64Array, from: number): void {
    const { to, start } = this.#next()
    for (let column = 0; column < WIDTH; column++) to[start + column] = page[from + column]
  }

  /** The position of the next row. */
  #next(): { to: Float64Array; start: number } {
    const start = (this.#count++ % ROWS_PER_PAGE) * WIDTH
    if (start === 0) this.#pages.push(new Float64Array(ROWS_PER_PAGE * WIDTH))
    return { to: this.#pages[this.#pages.length - 1], start }
  }

  /** Numbers the rows from `first` on. */
  numberFrom(first: number): void {
    for (let row = 0; row < this.#count; row++) {
      this.#pageOf(row)[(row % ROWS_PER_PAGE) * WIDTH + NUMBER] = first + row
    }
  }

  pages(): Float64Array[] {
    return this.#pages.map((page, index) => {
      const rows = Math.min(ROWS_PER_PAGE, this.#count - index * ROWS_PER_PAGE)
      return page.subarray(0, rows * WIDTH)
    })
  }
}
