// A folder with a long history for `make bench-reads`. Profiles, markets, resolutions and resting
// orders are commands that the core applied, in a journal. Trades are not: ten million of them
// would take hours to decide. Their rows are written into read.db with the indexes dropped, as the
// follower would have written them: older than every command, by turns in all markets that have a
// book, over the last thirty days, all mined in one block. A server that starts on the folder
// cannot tell.

import { join } from 'node:path'
import {
  DAY_BUCKET_MS,
  DAY_BUCKETS,
  dayBucketOf,
  oldestBucketOf,
} from '../../engine/domain/markets/day-window.ts'
import { type Connection, openWritable } from '../../persistence/database.ts'
import { openSeal } from '../../persistence/folder-key.ts'
import { Follower } from '../../persistence/follower/follower.ts'
import { READ_SCHEMA } from '../../persistence/follower/schema/migrations.ts'
import { EPOCH_BITS, epochOf } from '../../persistence/follower/tables/epochs.ts'
import { fillJournal } from '../../test/support/journal-fill.ts'
import { Random } from '../../test/support/random.ts'
import { progress } from '../report/progress.ts'
import { withKeptFolder } from './kept-folder.ts'
import { booksOf, marketOfBook, type ReadsSize } from './reads-size.ts'
import { runStory, TRADERS } from './reads-story.ts'

const DAY_MS = DAY_BUCKET_MS * DAY_BUCKETS
const HISTORY_MS = 30 * DAY_MS
const SHARE_RAW = 1_000_000
const EPOCH_TRADES = 2 ** EPOCH_BITS

const INDEXES = `SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'trades'`
const INSERT_TRADE = `
INSERT INTO trades (seq, market_id, taker_slot, taker_generation, taker_owner, side, outcome,
  shares_raw, collateral_raw, fee_raw, yes_ticks, traded_ms, taker_placed_seq, fills)
VALUES (?, ?, 1, 1, ?, ?, 0, ?, ?, 0, ?, ?, 0, ?)`
const INSERT_MINED =
  'INSERT INTO mined_trades (epoch, market_id, number, trade_seq) VALUES (?, ?, ?, ?)'
const INSERT_MINED_EPOCH =
  'INSERT INTO mined_epochs (market_id, first_number, epoch) VALUES (?, ?, ?)'
const INSERT_TRADE_EPOCH =
  'INSERT INTO trade_epochs (market_id, first_ms, first_seq) VALUES (?, ?, ?)'
const BLOCK = `
INSERT INTO blocks (height, chain_id, through_seq, mined_ms, mined_seq) VALUES (0, 8453, 0, ?, 0)`
const CANDLES = `
INSERT INTO candles (bucket, market_id, first_ticks, high_ticks, low_ticks, last_ticks, volume_raw)
SELECT traded_ms / ${DAY_BUCKET_MS} AS bucket, market_id, min(yes_ticks), max(yes_ticks),
  min(yes_ticks), max(yes_ticks), sum(collateral_raw)
FROM trades WHERE traded_ms >= ? GROUP BY bucket, market_id`

/** Trades of before the first command: their seqs are below 0. */
class TradeWriter {
  readonly #size: ReadsSize
  readonly #books: number
  readonly #nowMs: number
  readonly #random = new Random(1)
  readonly #ticks: Int16Array
  readonly #db: Connection

  constructor(db: Connection, size: ReadsSize, nowMs: number) {
    this.#db = db
    this.#size = size
    this.#nowMs = nowMs
    this.#books = booksOf(size)
    this.#ticks = new Int16Array(this.#books).fill(500)
  }

  /** An epoch at a time: what belongs to it lies together. */
  write(): void {
    const { trades } = this.#size
    this.#db.prepare<[number]>(BLOCK).run(this.#nowMs)
    for (let from = 0; from < trades; ) {
      const epoch = epochOf(from - trades)
      const end = Math.min(trades, (epoch + 1) * EPOCH_TRADES + trades)
      this.#db.exec('BEGIN')
      this.#trades(from, end)
      this.#numbers(epoch, from, end)
      this.#db.exec('COMMIT')
      from = end
      progress(`reads: ${from} of ${trades} trades`)
    }
  }

  #msOf(index: number): number {
    return this.#nowMs - HISTORY_MS + Math.floor((index / this.#size.trades) * HISTORY_MS)
  }

  #trades(from: number, end: number): void {
    const insert = this.#db.prepare(INSERT_TRADE)
    const random = this.#random
    const ticks = this.#ticks
    for (let index = from; index < end; index++) {
      const at = index % this.#books
      ticks[at] = Math.max(300, Math.min(700, ticks[at] + random.between(-5, 5)))
      const sharesRaw = random.between(1, 100) * SHARE_RAW
      const collateralRaw = (ticks[at] * sharesRaw) / 1000
      const seq = index - this.#size.trades
      const marketId = marketOfBook(this.#size, at + 1)
      const what = [random.between(1, TRADERS), index % 2, sharesRaw, collateralRaw]
      const fills = `${ticks[at]}:${sharesRaw}`
      insert.run(seq, marketId, ...what, ticks[at], this.#msOf(index), fills)
    }
  }

  /** By market, as the key of the table is. */
  #numbers(epoch: number, from: number, end: number): void {
    const insert = this.#db.prepare(INSERT_MINED)
    const insertMined = this.#db.prepare(INSERT_MINED_EPOCH)
    const insertTrades = this.#db.prepare(INSERT_TRADE_EPOCH)
    for (let at = 0; at < this.#books; at++) {
      const marketId = marketOfBook(this.#size, at + 1)
      const round = Math.ceil((from - at) / this.#books)
      const first = round * this.#books + at
      if (first >= end) continue
      insertMined.run(marketId, round + 1, epoch)
      insertTrades.run(marketId, this.#msOf(first), first - this.#size.trades)
      for (let index = first; index < end; index += this.#books) {
        const number = Math.floor(index / this.#books) + 1
        insert.run(epoch, marketId, number, index - this.#size.trades)
      }
    }
  }
}

/** Writes a folder of this size, up to now. */
export function writeReadsFolder(dataDir: string, size: ReadsSize): void {
  const nowMs = Date.now()
  openSeal(dataDir)
  const tail = fillJournal(dataDir, runStory(size, nowMs - HISTORY_MS - DAY_MS))
  progress(`reads: ${tail.seq} commands are in the journal`)
  const follower = new Follower(openSeal(dataDir).keyed(dataDir))
  while (follower.step(tail.seq)) progress(`reads: ${follower.readSeq} are in the tables`)
  follower.close()
  const path = join(dataDir, 'read.db')
  const db = openWritable(path, {
    durability: 'normal',
    ...READ_SCHEMA,
    autocheckpointPages: 1024,
  })
  const indexes = db.prepare<[], { name: string; sql: string }>(INDEXES).all()
  for (const { name } of indexes) db.exec(`DROP INDEX ${name}`)
  new TradeWriter(db, size, nowMs).write()
  for (const { sql } of indexes) db.exec(sql)
  progress('reads: trades are indexed')
  db.prepare(CANDLES).run(oldestBucketOf(dayBucketOf(nowMs)) * DAY_BUCKET_MS)
  db.close()
  progress('reads: the folder is made')
}

/** Gives `work` a folder of this size. */
export function withReadsFolder<T>(
  size: ReadsSize,
  work: (dataDir: string) => Promise<T>,
): Promise<T> {
  const name = `reads-${size.active}-${size.resolved}-${size.trades}`
  return withKeptFolder({ name, make: (dataDir) => writeReadsFolder(dataDir, size) }, work)
}
