// Read tables with a long history, as if the follower had written it before the first command of a
// journal: trades, their orders and fills, all with seqs below 0. A follower that starts on them
// cannot tell. To decide ten million trades would take an hour; here SQLite makes the rows itself,
// with the indexes dropped, and builds the indexes afterwards.

import { join } from 'node:path'
import { ORDER_STATUSES } from '../../engine/domain/order.ts'
import { type Connection, openWritable } from '../../persistence/database.ts'
import { READ_SCHEMA } from '../../persistence/follower/schema/migrations.ts'
import { NAMES_END } from '../../persistence/follower/tables/accounts/names.ts'
import { EPOCH_BITS } from '../../persistence/follower/tables/epochs.ts'
import {
  endSeqOf,
  layerOf,
  TOP_LEVEL,
} from '../../persistence/follower/tables/orders/order-names.ts'
import { progress } from '../report/progress.ts'

export interface History {
  readonly trades: number
  readonly owners: number
  readonly markets: number
  /** Orders that live at once, so slots that take turns. */
  readonly live: number
  /** The time of the newest trade. */
  readonly endMs: number
}

const COMMIT_EVERY = 500_000
/** A command that places the maker, one that places the taker, one that cancels another order. */
const COMMANDS_PER_TRADE = 3
/** As in the workload: half of the orders trade. */
const ORDERS_PER_TRADE = 2
const MS_PER_COMMAND = 1
const SHARE_RAW = 1_000_000
const MATCHED = ORDER_STATUSES.indexOf('MATCHED')
const CANCELED = ORDER_STATUSES.indexOf('CANCELED')

/** The rows `@first` to `@last` of a trade, counted from 0. */
const NUMBERS = `
WITH RECURSIVE each(n) AS (SELECT @first UNION ALL SELECT n + 1 FROM each WHERE n < @last)`
const SEQ_OF_TRADE = `n * ${COMMANDS_PER_TRADE} - @commands`
/** An even order is the maker of a trade or is canceled, an odd order is a taker. */
const SEQ_OF_ORDER = `(n / 2) * ${COMMANDS_PER_TRADE} - (n % 2 = 0) - @commands`
const ORDERS = `
INSERT INTO order_terms (placed_seq, slot, generation, owner, market_id, side, outcome, order_type,
  market_form, flags, price_ticks, size_raw, spend_raw, placed_ms, client_order_id, hash_high,
  hash_low, salt, maker, signer, signature, signature_type, expiration_sec, signed_fee_bps, fee_bps)
${NUMBERS}
SELECT ${SEQ_OF_ORDER}, 1 + n % @live, n / @live - 1000000000, 1 + abs(random() % @owners),
  1 + abs(random() % @markets), n & 1, (n >> 1) & 1, 0, 0, 0, 500, ${SHARE_RAW}, 0, @startMs + n,
  iif(n & 1, NULL, lower(hex(randomblob(16)))), random() >> 32, random() >> 32, randomblob(8),
  randomblob(20), NULL, randomblob(65), 0, 0, 300, 300 FROM each`
const STATES = `
INSERT INTO order_states (placed_seq, status, filled_raw, remaining_raw, ended_ms, cancel_reason,
  last_trade_seq, collateral_raw, fee_raw)
${NUMBERS}
SELECT ${SEQ_OF_ORDER}, iif(n & 2, ${CANCELED}, ${MATCHED}), ${SHARE_RAW}, 0, @startMs + n + 1,
  iif(n & 2, 0, NULL), ${SEQ_OF_ORDER}, ${SHARE_RAW} / 2, 0 FROM each`
const TRADES = `
INSERT INTO trades (seq, market_id, taker_slot, taker_generation, taker_owner, side, outcome,
  shares_raw, collateral_raw, fee_raw, yes_ticks, traded_ms, taker_placed_seq, fills)
${NUMBERS}
SELECT ${SEQ_OF_TRADE}, 1 + abs(random() % @markets), 1 + (2 * n + 1) % @live,
  (2 * n + 1) / @live - 1000000000, 1 + abs(random() % @owners), n & 1, 0, ${SHARE_RAW},
  ${SHARE_RAW} / 2, 0, 500, @startMs + n * ${COMMANDS_PER_TRADE * MS_PER_COMMAND},
  ${SEQ_OF_TRADE}, '500:${SHARE_RAW}' FROM each`
const FILLS = `
INSERT INTO maker_fills (trade_seq, position, maker_placed_seq, maker_owner, size_raw, yes_ticks)
${NUMBERS}
SELECT ${SEQ_OF_TRADE}, 0, ${SEQ_OF_TRADE} - 1, 1 + abs(random() % @owners), ${SHARE_RAW}, 500
FROM each`
const SOLD = `
INSERT INTO sold_costs (trade_seq, owner, outcome, cost_raw)
${NUMBERS}
SELECT ${SEQ_OF_TRADE}, 1 + abs(random() % @owners), n & 1, ${SHARE_RAW} / 2 FROM each`
/** Three names of each order, spread over all names in rising order. */
const NAMES = `
INSERT INTO order_names (layer, name, placed_seq)
${NUMBERS}
SELECT @layer, n * @gap + abs(random() % @gap), abs(random() % @commands) - @commands FROM each`
const NAMES_PER_ORDER = 3
const LAYER = 'INSERT INTO name_layers (layer, end_seq) VALUES (?, ?)'
const TRADE_EPOCHS = `
INSERT INTO trade_epochs (market_id, first_ms, first_seq)
SELECT market_id, min(traded_ms), min(seq) FROM trades GROUP BY market_id, seq >> ${EPOCH_BITS}`

const INDEXES = `
SELECT name, sql FROM sqlite_schema
WHERE type = 'index' AND tbl_name = 'trades' AND sql IS NOT NULL`

function writeRows(db: Connection, { trades, owners, markets, live, endMs }: History): void {
  const commands = trades * COMMANDS_PER_TRADE
  const startMs = endMs - commands * MS_PER_COMMAND
  const orders = trades * ORDERS_PER_TRADE
  const names = orders * NAMES_PER_ORDER
  const layer = layerOf(-1, TOP_LEVEL)
  const gap = Math.floor(NAMES_END / names)
  const terms = { owners, markets, live, commands, startMs, layer, gap }
  const write = (sql: string, rows: number, first: number) => {
    const last = Math.min(rows, first + COMMIT_EVERY) - 1
    const all: Record<string, number> = { ...terms, first, last }
    const named = Object.entries(all).filter(([name]) => sql.includes(`@${name}`))
    // The driver binds a number as REAL, and a division of it would leave a fraction.
    const whole = named.map(([name, value]) => [name, BigInt(value)])
    db.prepare(sql).run(Object.fromEntries(whole))
  }
  const tables = [
    [TRADES, trades],
    [FILLS, trades],
    [SOLD, trades],
    [ORDERS, orders],
    [STATES, orders],
    [NAMES, names],
  ] as const
  for (const [sql, rows] of tables) {
    for (let first = 0; first < rows; first += COMMIT_EVERY) write(sql, rows, first)
    progress(`follower: ${rows} rows`)
  }
  db.prepare(LAYER).run(layer, endSeqOf(layer))
  db.exec(TRADE_EPOCHS)
}

/** Makes read.db in a folder where the follower has not been yet. */
export function writeHistory(dataDir: string, history: History): void {
  const db = openWritable(join(dataDir, 'read.db'), {
    durability: 'normal',
    ...READ_SCHEMA,
    autocheckpointPages: 65_536,
  })
  const indexes = db.prepare<[], { name: string; sql: string }>(INDEXES).all()
  for (const { name } of indexes) db.exec(`DROP INDEX ${name}`)
  writeRows(db, history)
  for (const { sql, name } of indexes) {
    db.exec(sql)
    progress(`follower: ${name} is there`)
  }
  db.close()
}
