// A folder with a long history for `make bench-reads`. Profiles, markets, resolutions and resting
// orders are commands that the core applied, in a journal. Trades are not: ten million of them
// would take hours to decide. Their rows are written into read.db with the indexes dropped, as the
// follower would have written them: older than every command, by turns in all active markets, over
// the last thirty days, all mined in one block. A server that starts on the folder cannot tell.

import { join } from 'node:path'
import { Exchange } from '../engine/core/exchange.ts'
import type { Command, PlaceOrder, RareCommand } from '../engine/domain/command.ts'
import {
  DAY_BUCKET_MS,
  DAY_BUCKETS,
  dayBucketOf,
  oldestBucketOf,
} from '../engine/domain/day-window.ts'
import { OUTCOME, SIDE } from '../engine/domain/order.ts'
import { blankPlace } from '../engine/wire/place-codec.ts'
import { type Connection, openWritable } from '../persistence/database.ts'
import { openSeal } from '../persistence/folder-key.ts'
import { Follower } from '../persistence/follower/follower.ts'
import { READ_SCHEMA } from '../persistence/follower/migrations.ts'
import { EPOCH_BITS } from '../persistence/follower/tables/epochs.ts'
import { encodeCommand } from '../test/support/encode-command.ts'
import { fillJournal } from '../test/support/journal-fill.ts'
import { Random } from '../test/support/random.ts'
import { marketSpec, profileFields } from '../test/support/specs.ts'
import { progress } from './progress.ts'

export interface ReadsSize {
  readonly active: number
  readonly resolved: number
  readonly trades: number
}

const TRADERS = 64
const DEPOSIT_RAW = 100_000_000_000_000
const DAY_MS = DAY_BUCKET_MS * DAY_BUCKETS
const HISTORY_MS = 30 * DAY_MS
const SHARE_RAW = 1_000_000
/** Steps of 2 ticks on each side of the middle. */
const LEVELS = 10
const SHOWN_EVERY = 1_000_000
const COMMIT_EVERY = 100_000

type Body<T> = T extends RareCommand ? Omit<T, 'seq' | 'nowMs'> : never

/** Slugs: `market-1` to `market-{resolved}` are resolved, the next `active` are open. */
export function slugOf(marketId: number): string {
  return marketSpec(marketId).slug
}

class Story {
  readonly exchange = new Exchange()
  readonly records: Uint8Array[] = []
  readonly #nowMs: number

  constructor(nowMs: number) {
    this.#nowMs = nowMs
  }

  take(command: Command): void {
    this.exchange.apply(command)
    this.records.push(encodeCommand(command))
  }

  rare(body: Body<RareCommand>): void {
    this.take({ ...body, seq: this.exchange.clearing.lastSeq + 1, nowMs: this.#nowMs })
  }

  /** A bid for the outcome: of NO it stands as an ask of the YES book. */
  bid(terms: Pick<PlaceOrder, 'accountId' | 'marketId' | 'outcome' | 'priceTicks'>): void {
    const { orders, catalogue, lastSeq } = this.exchange.clearing
    const { book } = catalogue.existing(terms.marketId)
    const slot = orders.freeSlot(book)
    this.take({
      ...blankPlace(),
      ...terms,
      ...{ book, slot, seq: lastSeq + 1, nowMs: this.#nowMs, side: SIDE.BUY },
      generation: orders.generationOf(slot) + 1,
      sizeRaw: SHARE_RAW,
      reserveRaw: (terms.priceTicks * SHARE_RAW) / 1000,
      hashHigh: lastSeq,
      hashLow: lastSeq,
    })
  }
}

function tellStory({ active, resolved }: ReadsSize, nowMs: number): Story {
  const story = new Story(nowMs)
  story.rare({ kind: 'rules', version: 1 })
  for (let profileId = 1; profileId <= TRADERS; profileId++) {
    const profile = profileFields(profileId)
    story.rare({ kind: 'createProfile', profileId, profile, token: null })
    story.rare({ kind: 'adjustBalance', profileId, collateralRaw: DEPOSIT_RAW })
  }
  for (let marketId = 1; marketId <= resolved; marketId++) {
    story.rare({ kind: 'createMarket', marketId, book: 1, market: marketSpec(marketId) })
    const resolutions = [{ marketId, payoutNumerators: [1, 0] as const }]
    story.rare({ kind: 'resolveMarkets', resolutions })
    story.rare({ kind: 'archiveMarket', marketId })
  }
  for (let book = 1; book <= active; book++) {
    const marketId = resolved + book
    story.rare({ kind: 'createMarket', marketId, book, market: marketSpec(marketId) })
    for (let level = 1; level <= LEVELS; level++) {
      const priceTicks = 500 - 2 * level
      const accountId = 1 + ((book + level) % TRADERS)
      story.bid({ accountId, marketId, outcome: OUTCOME.YES, priceTicks })
      story.bid({ accountId, marketId, outcome: OUTCOME.NO, priceTicks })
    }
  }
  return story
}

const INDEXES = `SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'trades'`
const INSERT_TRADE = `
INSERT INTO trades (seq, market_id, taker_slot, taker_generation, taker_owner, side, outcome,
  shares_raw, collateral_raw, fee_raw, yes_ticks, traded_ms, taker_placed_seq)
VALUES (?, ?, 1, 1, ?, ?, 0, ?, ?, 0, ?, ?, 0)`
const BLOCK = 'INSERT INTO blocks (height, chain_id, through_seq, mined_ms) VALUES (0, 8453, 0, ?)'
/** The follower's tables of epochs, and the numbers of mined trades. */
const NUMBERS = [
  `INSERT INTO mined_trades (epoch, market_id, number, trade_seq)
   SELECT seq >> ${EPOCH_BITS} AS epoch, market_id,
     row_number() OVER (PARTITION BY market_id ORDER BY seq) AS number, seq
   FROM trades ORDER BY epoch, market_id, number`,
  `INSERT INTO mined_epochs (market_id, first_number, epoch)
   SELECT market_id, min(number), epoch FROM mined_trades GROUP BY market_id, epoch`,
  `INSERT INTO trade_epochs (market_id, first_ms, first_seq)
   SELECT market_id, min(traded_ms), min(seq) FROM trades
   GROUP BY market_id, seq >> ${EPOCH_BITS}`,
]
const CANDLES = `
INSERT INTO candles (bucket, market_id, first_ticks, high_ticks, low_ticks, last_ticks, volume_raw)
SELECT traded_ms / ${DAY_BUCKET_MS} AS bucket, market_id, min(yes_ticks), max(yes_ticks),
  min(yes_ticks), max(yes_ticks), sum(collateral_raw)
FROM trades WHERE traded_ms >= ? GROUP BY bucket, market_id`

/** Trades of before the first command: their seqs are below 0. */
function writeTrades(db: Connection, { active, resolved, trades }: ReadsSize, nowMs: number): void {
  const random = new Random(1)
  const ticks = new Int16Array(active).fill(500)
  const insert = db.prepare(INSERT_TRADE)
  db.exec('BEGIN')
  db.prepare(BLOCK).run(nowMs)
  for (let index = 0; index < trades; index++) {
    const market = index % active
    ticks[market] = Math.max(300, Math.min(700, ticks[market] + random.between(-5, 5)))
    const sharesRaw = random.between(1, 100) * SHARE_RAW
    const collateralRaw = (ticks[market] * sharesRaw) / 1000
    const tradedMs = nowMs - HISTORY_MS + Math.floor((index / trades) * HISTORY_MS)
    const what = [random.between(1, TRADERS), index % 2, sharesRaw, collateralRaw]
    insert.run(index - trades, resolved + 1 + market, ...what, ticks[market], tradedMs)
    if (index % COMMIT_EVERY === COMMIT_EVERY - 1) db.exec('COMMIT; BEGIN')
    if (index % SHOWN_EVERY === SHOWN_EVERY - 1) progress(`reads: ${index + 1} trades`)
  }
  db.exec('COMMIT')
}

/** Writes a folder of this size, up to now. */
export function writeReadsFolder(dataDir: string, size: ReadsSize): void {
  const nowMs = Date.now()
  openSeal(dataDir)
  const { records } = tellStory(size, nowMs - HISTORY_MS - DAY_MS)
  fillJournal(dataDir, records)
  progress(`reads: ${records.length} commands are in the journal`)
  const follower = new Follower(openSeal(dataDir).keyed(dataDir))
  while (follower.step(records.length));
  follower.close()
  progress('reads: the follower has written their rows')
  const path = join(dataDir, 'read.db')
  const db = openWritable(path, {
    durability: 'normal',
    ...READ_SCHEMA,
    autocheckpointPages: 1024,
  })
  const indexes = db.prepare<[], { name: string; sql: string }>(INDEXES).all()
  for (const { name } of indexes) db.exec(`DROP INDEX ${name}`)
  writeTrades(db, size, nowMs)
  for (const { sql } of indexes) db.exec(sql)
  progress('reads: trades are indexed')
  for (const sql of NUMBERS) db.exec(sql)
  db.prepare(CANDLES).run(oldestBucketOf(dayBucketOf(nowMs)) * DAY_BUCKET_MS)
  db.close()
  progress('reads: the folder is made')
}
