// The history of the follower bench: trades, their orders and fills (see read-tables.ts).

import { ORDER_STATUSES } from '../../engine/domain/order.ts'
import type { Connection } from '../../persistence/database.ts'
import { NAMES_END } from '../../persistence/follower/tables/accounts/names.ts'
import {
  endSeqOf,
  layerOf,
  TOP_LEVEL,
} from '../../persistence/follower/tables/orders/order-names.ts'
import { insertRows, NUMBERS, TRADE_EPOCHS, writeTables } from '../exchange/read-tables.ts'

export interface History {
  readonly trades: number
  readonly owners: number
  readonly markets: number
  /** Orders that are open at once, which is the number of slots in use. */
  readonly live: number
  /** The time of the newest trade. */
  readonly endMs: number
}

/** A command that places the maker, one that places the taker, one that cancels another order. */
const COMMANDS_PER_TRADE = 3
/** As in the workload: half of the orders trade. */
const ORDERS_PER_TRADE = 2
const MS_PER_COMMAND = 1
const SHARE_RAW = 1_000_000
const MATCHED = ORDER_STATUSES.indexOf('MATCHED')
const CANCELED = ORDER_STATUSES.indexOf('CANCELED')

const SEQ_OF_TRADE = `n * ${COMMANDS_PER_TRADE} - @commands`
/** An even order is the maker of a trade or is canceled, an odd order is a taker. */
const SEQ_OF_ORDER = `(n / 2) * ${COMMANDS_PER_TRADE} - (n % 2 = 0) - @commands`
const ORDERS = `
INSERT INTO order_terms (placed_seq, slot, generation, owner, market_id, side, outcome, order_type,
  market_form, flags, price_ticks, size_raw, spend_raw, placed_ms, client_order_id, hash_high,
  hash_low, signature_type, expiration_sec, signed_fee_bps, fee_bps)
${NUMBERS}
SELECT ${SEQ_OF_ORDER}, 1 + n % @live, n / @live - 1000000000, 1 + abs(random() % @owners),
  1 + abs(random() % @markets), n & 1, (n >> 1) & 1, 0, 0, 0, 500, ${SHARE_RAW}, 0, @startMs + n,
  iif(n & 1, NULL, lower(hex(randomblob(16)))), random() >> 32, random() >> 32,
  0, 0, 300, 300 FROM each`
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
function writeRows(db: Connection, { trades, owners, markets, live, endMs }: History): void {
  const commands = trades * COMMANDS_PER_TRADE
  const startMs = endMs - commands * MS_PER_COMMAND
  const orders = trades * ORDERS_PER_TRADE
  const names = orders * NAMES_PER_ORDER
  const layer = layerOf(-1, TOP_LEVEL)
  const gap = Math.floor(NAMES_END / names)
  const terms = { owners, markets, live, commands, startMs, layer, gap }
  const tables = [
    [TRADES, trades],
    [FILLS, trades],
    [SOLD, trades],
    [ORDERS, orders],
    [STATES, orders],
    [NAMES, names],
  ] as const
  for (const [sql, rows] of tables) insertRows(db, sql, rows, terms)
  db.prepare(LAYER).run(layer, endSeqOf(layer))
  db.exec(TRADE_EPOCHS)
}

/** Makes read.db in a folder without one. */
export function writeLongTables(dataDir: string, history: History): void {
  writeTables(dataDir, (db) => writeRows(db, history))
}
