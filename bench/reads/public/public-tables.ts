// The folder of the public reads. Profiles, markets, resolutions and resting orders are commands
// that the core applied, in a journal. Trades are rows of the read tables alone: evenly over all
// markets that have a book and over the last thirty days, all mined in one block.

import {
  DAY_BUCKET_MS,
  DAY_BUCKETS,
  dayBucketOf,
  oldestBucketOf,
} from '../../../engine/domain/markets/day-window.ts'
import type { Connection } from '../../../persistence/database.ts'
import { EPOCH_BITS } from '../../../persistence/follower/tables/epochs.ts'
import { writeHistory } from '../../exchange/exchange-folder.ts'
import { insertRows, NUMBERS, TRADE_EPOCHS, writeTables } from '../../exchange/read-tables.ts'
import { SHARE } from '../history.ts'
import { BLOCK, booksOf, historyOf, type PublicSize, TRADERS } from './public-history.ts'

const DAY_MS = DAY_BUCKET_MS * DAY_BUCKETS
const HISTORY_MS = 30 * DAY_MS

/** The market of trade `n`: trades alternate over all books (see `marketOfBook`). */
const AT = `n % @books % ${BLOCK.books}`
const MARKET = `(@resolved + 1 + n % @books / ${BLOCK.books} * ${BLOCK.markets}
  + ${AT} + (${AT} >= ${BLOCK.groupAt}))`
/** The price walks up and down between 300 and 700. */
const TICKS = '(300 + abs((n / @books * 3 + n % @books * 13) % 801 - 400))'
const SHARES_RAW = `((1 + n * 37 % 100) * ${SHARE})`
const TRADES = `
INSERT INTO trades (seq, market_id, taker_slot, taker_generation, taker_owner, side, outcome,
  shares_raw, collateral_raw, fee_raw, yes_ticks, traded_ms, taker_placed_seq, fills)
${NUMBERS}
SELECT n - @trades, ${MARKET}, 1, 1, 1 + n * 31 % ${TRADERS}, n & 1, 0, ${SHARES_RAW},
  ${TICKS} * ${SHARES_RAW} / 1000, 0, ${TICKS}, @startMs + n * ${HISTORY_MS} / @trades, 0,
  ${TICKS} || ':' || ${SHARES_RAW} FROM each`
const MINED = `
INSERT INTO mined_trades (epoch, market_id, number, trade_seq)
${NUMBERS}
SELECT (n - @trades) >> ${EPOCH_BITS}, ${MARKET}, n / @books + 1, n - @trades FROM each`
const MINED_EPOCHS = `
INSERT INTO mined_epochs (market_id, first_number, epoch)
SELECT market_id, min(number), epoch FROM mined_trades GROUP BY epoch, market_id`
const BLOCKS = `
INSERT INTO blocks (height, chain_id, through_seq, mined_ms, mined_seq) VALUES (0, 8453, 0, ?, 0)`
const CANDLES = `
INSERT INTO candles (bucket, market_id, first_ticks, high_ticks, low_ticks, last_ticks, volume_raw)
SELECT traded_ms / ${DAY_BUCKET_MS} AS bucket, market_id, min(yes_ticks), max(yes_ticks),
  min(yes_ticks), max(yes_ticks), sum(collateral_raw)
FROM trades WHERE traded_ms >= ? GROUP BY bucket, market_id`

function writeTrades(db: Connection, size: PublicSize, nowMs: number): void {
  const { trades, resolved } = size
  const terms = { trades, resolved, books: booksOf(size), startMs: nowMs - HISTORY_MS }
  db.prepare<[number]>(BLOCKS).run(nowMs)
  insertRows(db, TRADES, trades, terms)
  insertRows(db, MINED, trades, terms)
  db.exec(MINED_EPOCHS)
  db.exec(TRADE_EPOCHS)
}

/** Writes a folder of this size, up to now. */
export function writePublicFolder(dataDir: string, size: PublicSize): void {
  const nowMs = Date.now()
  writeHistory(dataDir, (seal) => historyOf(size, seal, nowMs - HISTORY_MS - DAY_MS))
  const firstMs = oldestBucketOf(dayBucketOf(nowMs)) * DAY_BUCKET_MS
  writeTables(
    dataDir,
    (db) => writeTrades(db, size, nowMs),
    (db) => void db.prepare(CANDLES).run(firstMs),
  )
}
