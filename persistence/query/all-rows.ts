import { existsSync } from 'node:fs'
import type { Seq } from '../../engine/domain/ids.ts'
import { type Connection, knownVersion, openReadOnly, schemaVersion } from '../database.ts'
import { speaking, UnreadFolder } from '../folder-error.ts'
import { openFloor } from '../follower/pruning/history-floor.ts'
import { appliedOf, NEWEST_VERSION, readPath } from '../follower/read-database.ts'
import { READ_SCHEMA } from '../follower/schema/migrations.ts'
import { ROW_BYTES } from '../follower/tables/orders/late-rows.ts'

// All trades and orders of a folder, for exports. Each page is a separate short read, so that no
// reader blocks the WAL of a running exchange.

const ROWS_PER_PAGE = 2000

export interface TradeRow {
  readonly seq: Seq
  readonly tradedMs: number
  readonly slug: string
  readonly takerId: number
  readonly side: number
  readonly outcome: number
  readonly sharesRaw: number
  readonly collateralRaw: number
  readonly feeRaw: number
  /** Index into SETTLEMENT_STATUSES; null for a trade that its block did not skip. */
  readonly setback: number | null
  /** For the taker's order. */
  readonly orderSeq: Seq
  /** The makers in the order of their fills, and the seqs of their orders. */
  readonly makerIds: readonly number[]
  readonly makerSeqs: readonly Seq[]
}

export interface OrderRow {
  readonly seq: Seq
  readonly placedMs: number
  readonly slug: string
  readonly ownerId: number
  readonly side: number
  readonly outcome: number
  readonly orderType: number
  readonly priceTicks: number
  readonly sizeRaw: number
  readonly spendRaw: number
  readonly filledRaw: number
  readonly remainingRaw: number
  readonly status: number
  readonly endedMs: number | null
}

const TRADES = `
SELECT t.seq, traded_ms AS tradedMs, slug, taker_owner AS takerId, side, outcome,
  shares_raw AS sharesRaw, collateral_raw AS collateralRaw, fee_raw AS feeRaw, s.status AS setback,
  taker_placed_seq AS orderSeq
FROM trades t JOIN markets m USING (market_id) LEFT JOIN settlements s ON s.trade_seq = t.seq
WHERE t.seq > ? AND t.seq <= ? ORDER BY t.seq LIMIT ${ROWS_PER_PAGE}`
const MAKERS = `
SELECT maker_owner AS makerId, maker_placed_seq AS seq FROM maker_fills
WHERE trade_seq = ? ORDER BY position`
const ORDERS = `
SELECT placed_seq AS seq, placed_ms AS placedMs, slug, owner AS ownerId, side, outcome,
  order_type AS orderType, price_ticks AS priceTicks, size_raw AS sizeRaw, spend_raw AS spendRaw,
  filled_raw AS filledRaw, remaining_raw AS remainingRaw, status, ended_ms AS endedMs
FROM orders o JOIN markets m USING (market_id)
WHERE placed_seq > ? AND placed_seq <= ? ORDER BY placed_seq LIMIT ${ROWS_PER_PAGE}`
const LATE_BYTES = 'SELECT coalesce(sum(length(rows)), 0) AS bytes FROM backlog'
const THROUGH = 'SELECT max(through_seq) AS seq FROM blocks'

export class AllRows {
  readonly #path: string
  readonly #connection: Connection
  /** The last command in the tables. */
  readonly seq: Seq

  /** Throws for a folder without read tables, and for tables of another version. */
  constructor(dataDir: string) {
    this.#path = readPath(dataDir)
    if (!existsSync(this.#path)) {
      throw new UnreadFolder(
        `${this.#path}: there are no read tables; outcomex rebuild creates them from the journal.`,
      )
    }
    this.#connection = openReadOnly(this.#path)
    this.seq = speaking(this.#path, () => {
      knownVersion(this.#connection, this.#path, READ_SCHEMA)
      return appliedOf(this.#connection)?.seq ?? 0
    })
  }

  /** Rows of orders and fills that are not in the tables yet. */
  get lateCount(): number {
    const row = this.#connection.prepare<[], { bytes: number }>(LATE_BYTES).get()
    return (row?.bytes ?? 0) / ROW_BYTES
  }

  /** Rows of commands up to this seq may be gone. */
  get prunedSeq(): Seq {
    // A file that no server of this version has opened has no table of it.
    const isNewest = schemaVersion(this.#connection) === NEWEST_VERSION
    return isNewest ? openFloor(this.#connection)().seq : 0
  }

  /** Blocks cover the trades up to this seq. */
  get minedSeq(): Seq {
    const row = this.#connection.prepare<[], { seq: Seq | null }>(THROUGH).get()
    return row?.seq ?? 0
  }

  *trades(): Generator<TradeRow, void> {
    type Stored = Omit<TradeRow, 'makerIds' | 'makerSeqs'>
    const makers = this.#connection.prepare<[Seq], { makerId: number; seq: Seq }>(MAKERS)
    for (const row of this.#rows<Stored>(TRADES)) {
      const met = speaking(this.#path, () => makers.all(row.seq))
      const makerIds = met.map(({ makerId }) => makerId)
      yield { ...row, makerIds, makerSeqs: met.map(({ seq }) => seq) }
    }
  }

  orders(): Generator<OrderRow, void> {
    return this.#rows<OrderRow>(ORDERS)
  }

  *#rows<Row extends { readonly seq: Seq }>(sql: string): Generator<Row, void> {
    const page = this.#connection.prepare<[after: Seq, through: Seq], Row>(sql)
    let after: Seq = 0
    for (;;) {
      const rows = speaking(this.#path, () => page.all(after, this.seq))
      yield* rows
      if (rows.length < ROWS_PER_PAGE) return
      after = rows[rows.length - 1].seq
    }
  }

  close(): void {
    this.#connection.close()
  }
}
