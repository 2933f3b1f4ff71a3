import { Counts } from '../../../../engine/domain/counts.ts'
import type { AccountId, Seq } from '../../../../engine/domain/ids.ts'
import type { Connection, Statement } from '../../../database.ts'
import { type Pace, UNPACED } from '../pace.ts'
import {
  at,
  COLUMN,
  type LateCommand,
  LateRun,
  ownersOf,
  PART,
  type Row,
  WIDTH,
} from './late-rows.ts'

// One command can end very many orders, and each needs rows in several tables. Rows beyond the
// limit of a chunk go to `backlog` in the same transaction, as pages of numbers, which costs a
// hundredth of the rows. Between later chunks the follower writes one page after another to the
// tables. So no command delays others, however many orders it ends.
//
// Invariants: tables and backlog together show the state at the applied seq, also after a crash,
// because a row enters the tables in the transaction that removes it from the backlog. Rows of one
// owner leave in journal order. An order with a row here has ended, so only the reversal of a trade
// changes its rows, and it first empties the backlog. Readers query the owners of a page in their
// own transaction (query/late-rows.ts).

const { OWNER, NUMBER } = COLUMN

const INSERT = `
INSERT INTO backlog (part, seq, now_ms, market_id, reason, trade_seq, taker, taker_placed_seq,
  first_owner, last_owner, owners, rows) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
const COLUMNS = `
SELECT id, part, seq, now_ms AS nowMs, market_id AS marketId, reason, trade_seq AS tradeSeq, taker,
  taker_placed_seq AS takerPlacedSeq, rows FROM backlog`
const NEXT = `${COLUMNS} WHERE id > ? ORDER BY id LIMIT 1`
const OF_OWNER = `
${COLUMNS} WHERE first_owner <= ? AND last_owner >= ? AND id > ? ORDER BY id LIMIT 1`
const SHRINK = `
UPDATE backlog SET first_owner = ?, last_owner = ?, owners = ?, rows = ? WHERE id = ?`
const DELETE = 'DELETE FROM backlog WHERE id = ?'

interface StoredPage extends LatePage {
  readonly id: number
  readonly tradeSeq: Seq | null
  readonly rows: Uint8Array
}

type Ranged = readonly [first: number, last: number, owners: Uint8Array, rows: Uint8Array]

/** Common fields of a page's rows. */
export interface LatePage extends LateCommand {
  /** A value of PART. */
  readonly part: number
}

/** Writes one row to the tables of its part. */
export type WriteLate = (row: Row, page: LatePage) => void

/** What a read needs complete: the rows of an owner, or all makers of some trades. */
export interface Rests {
  readonly owner?: AccountId | undefined
  readonly tradeSeqs?: readonly Seq[]
}

export class Backlog {
  readonly #insert: Statement<unknown[]>
  readonly #next: Statement<[id: number], StoredPage>
  readonly #ofOwner: Statement<[number, number, number], StoredPage>
  readonly #shrink: Statement<[...Ranged, id: number]>
  readonly #delete: Statement<[id: number]>
  readonly #directMax: number
  /** Orders that this chunk has ended so far. */
  #ended = 0
  /** Rows of each owner. */
  readonly #rows = new Counts<AccountId>()
  /** Pages of each taker, and of each trade. */
  readonly #takers = new Counts<AccountId>()
  readonly #trades = new Counts<Seq>()
  /** The command of the oldest page; null without pages. */
  #oldestSeq: Seq | null = null
  #rowCount = 0
  #numberMax = 0
  /** Single events of owners with rows here, in order after those rows. */
  #events: LateRun | null = null

  /** A chunk writes the rows of `directMax` order ends directly. Further rows are late. */
  constructor(connection: Connection, directMax: number) {
    this.#directMax = directMax
    this.#insert = connection.prepare(INSERT)
    this.#next = connection.prepare(NEXT)
    this.#ofOwner = connection.prepare(OF_OWNER)
    this.#shrink = connection.prepare(SHRINK)
    this.#delete = connection.prepare(DELETE)
    this.#countAll()
  }

  get isEmpty(): boolean {
    return this.#rowCount === 0
  }

  get rowCount(): number {
    return this.#rowCount
  }

  /** The highest event number; 0 if none. */
  get numberMax(): number {
    return this.#numberMax
  }

  /** No row here belongs to a command before this seq. */
  get oldestSeq(): Seq {
    return this.#oldestSeq ?? Number.POSITIVE_INFINITY
  }

  /** Orders ended by the current chunk. */
  get endedCount(): number {
    return this.#ended
  }

  /** Whether rows of this owner are waiting here. */
  has(owner: AccountId): boolean {
    return this.#rows.has(owner)
  }

  isWhole({ owner, tradeSeqs = [] }: Rests): boolean {
    if (owner !== undefined && (this.#rows.has(owner) || this.#takers.has(owner))) return false
    return tradeSeqs.every((seq) => !this.#trades.has(seq))
  }

  /** Counts one more order end; true if its rows are late. */
  isLate(): boolean {
    return ++this.#ended > this.#directMax
  }

  /** Adds the rows of one command. Runs inside the chunk's transaction, like an event's `put`. */
  put(run: LateRun, pace: Pace): void {
    this.#closeEvents()
    this.#insertPages(run, PART.ORDERS, run.pagesByAge(), pace)
    this.#insertPages(run, PART.EVENTS, run.pages(), pace)
  }

  putEvent(row: Row): void {
    this.#events ??= new LateRun(eventsFrom(row.seq))
    this.#events.add(row)
  }

  /** Everything added in this chunk is in the table. */
  endChunk(): void {
    this.#closeEvents()
    this.#ended = 0
  }

  /**
   * Writes the rows of one page: first of an owner with requested rows, otherwise the oldest. Runs
   * inside a transaction.
   */
  writePage(wanted: readonly AccountId[], pace: Pace, write: WriteLate): void {
    const owner = wanted.find((each) => this.#rows.has(each))
    if (owner !== undefined) this.#writeOf(owner, pace, write)
    else {
      const page = this.#next.get(0)
      if (page !== undefined) this.#writeAll(page, pace, write)
    }
  }

  /** Writes everything. Runs inside a transaction. */
  drain(pace: Pace, write: WriteLate): void {
    this.#closeEvents()
    while (!this.isEmpty) this.writePage([], pace, write)
  }

  #closeEvents(): void {
    const events = this.#events
    this.#events = null
    if (events !== null) this.#insertPages(events, PART.EVENTS, events.pages(), UNPACED)
  }

  #insertPages(run: LateRun, part: number, pages: readonly Float64Array[], pace: Pace): void {
    const { seq, nowMs, marketId, reason, taker, takerPlacedSeq } = run.command
    const tradeSeq = run.hasFills ? seq : null
    for (const rows of pages) {
      const about = [part, seq, nowMs, marketId, reason, tradeSeq, taker, takerPlacedSeq]
      this.#insert.run(...about, ...rangedOf(rows, taker))
      this.#count({ seq, tradeSeq, taker, rows: bytesOf(rows) }, 1)
      pace.look()
    }
  }

  #writeAll(page: StoredPage, pace: Pace, write: WriteLate): void {
    const rows = numbersOf(page.rows)
    for (let row = 0; row < rows.length; row += WIDTH) {
      write(at(rows, row), page)
      pace.look()
    }
    this.#remove(page)
  }

  /** Searches pages until one has rows of the owner, who may be only a taker in some. */
  #writeOf(owner: AccountId, pace: Pace, write: WriteLate): void {
    let id = 0
    for (;;) {
      const page = this.#ofOwner.get(owner, owner, id)
      if (page === undefined) return
      id = page.id
      const rows = numbersOf(page.rows)
      const isOwn = (row: number) => rows[row + OWNER] === owner
      const kept: number[] = []
      let isFound = false
      for (let row = 0; row < rows.length; row += WIDTH) {
        if (isOwn(row)) {
          isFound = true
          write(at(rows, row), page)
          pace.look()
        } else kept.push(...rows.subarray(row, row + WIDTH))
      }
      if (!isFound) continue
      if (kept.length === 0) this.#remove(page)
      else this.#keep(page, Float64Array.from(kept))
      return
    }
  }

  #remove(page: StoredPage): void {
    this.#delete.run(page.id)
    this.#count(page, -1)
    this.#seeOldest(page)
  }

  #keep(page: StoredPage, rows: Float64Array): void {
    this.#shrink.run(...rangedOf(rows, page.taker), page.id)
    this.#count(page, -1)
    this.#count({ ...page, rows: bytesOf(rows) }, 1)
  }

  /** Pages are in command order. */
  #seeOldest({ seq }: StoredPage): void {
    if (seq === this.#oldestSeq) this.#oldestSeq = this.#next.get(0)?.seq ?? null
  }

  /** Counts what an earlier process left. */
  #countAll(): void {
    let page = this.#next.get(0)
    while (page !== undefined) {
      this.#count(page, 1)
      page = this.#next.get(page.id)
    }
  }

  /** A page is added, or removed if `sign` is -1. */
  #count(page: Pick<StoredPage, 'seq' | 'tradeSeq' | 'taker' | 'rows'>, sign: 1 | -1): void {
    const rows = numbersOf(page.rows)
    let count = 0
    for (let row = 0; row < rows.length; row += WIDTH) {
      count++
      if (rows[row + NUMBER] > this.#numberMax) this.#numberMax = rows[row + NUMBER]
      const owner = rows[row + OWNER]
      // Adjacent rows often have the same owner.
      if (rows[row + WIDTH + OWNER] === owner) continue
      this.#rows.add(owner, sign * count)
      count = 0
    }
    this.#rowCount += sign * (rows.length / WIDTH)
    if (page.taker !== null) this.#takers.add(page.taker, sign)
    if (page.tradeSeq !== null) this.#trades.add(page.tradeSeq, sign)
    this.#oldestSeq ??= page.seq
  }
}

function rangedOf(rows: Float64Array, taker: AccountId | null): Ranged {
  const owners = ownersOf(rows, taker)
  const bytes = new Uint8Array(owners.buffer, owners.byteOffset, owners.byteLength)
  return [owners[0], owners[owners.length - 1], bytes, bytesOf(rows)]
}

/** Events carry the seq of their command. */
function eventsFrom(seq: Seq): LateCommand {
  const none = { reason: null, taker: null, takerPlacedSeq: null }
  return { seq, nowMs: 0, marketId: 0, ...none }
}

function bytesOf(rows: Float64Array): Uint8Array {
  return new Uint8Array(rows.buffer, rows.byteOffset, rows.byteLength)
}

/** The database may return unaligned bytes. */
function numbersOf({ buffer, byteOffset, byteLength }: Uint8Array): Float64Array {
  return new Float64Array(buffer.slice(byteOffset, byteOffset + byteLength))
}
