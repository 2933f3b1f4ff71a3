import { ORDER_STATUSES, SIDE } from '../../../engine/domain/order.ts'
import { IS_POOL_TRADE } from '../tables/featured.ts'
import { BACKLOG_TABLES } from './backlog-schema.ts'
import { BOARD_TABLES, SPREAD_TABLES } from './board-schema.ts'
import { FEE_SHARES, FEED_TABLES } from './feed-schema.ts'
import { CURATED_TABLES, PACK_TABLES } from './pack-schema.ts'
import { SEARCH_TABLES } from './search-schema.ts'
import { SOCIAL_TABLES } from './social-schema.ts'

// Migrations of read.db, numbered by position. A released migration is never edited. The file is a
// copy that can be deleted, so a change that needs missing data may drop the tables and rebuild
// them.
//
// `trades_by_market` finds a market's trades by time, apart from reversed ones. `mined_trades`
// numbers a market's mined trades, so that a distant page is found by number. Both begin with an
// epoch (tables/epochs.ts). `candles` has only the last day, and the rows of one bucket are
// adjacent, so a chunk of the follower changes few of its pages.
//
// `order_names` finds orders (tables/order-names.ts), and `live_orders` lists the live ones. The
// view `orders` joins the two parts of an order (tables/orders.ts). `traders` has one row per
// owner, even for a maker with a million quotes. `own_makers` lists orders canceled by self-trade
// prevention. The texts of profiles are in no other table. `order_events` is a chain for each owner
// (tables/order-events.ts), and `newest_events` has the end of each chain.

const LIVE = ORDER_STATUSES.indexOf('LIVE')

const M1 = `
CREATE TABLE applied (
  id       INTEGER PRIMARY KEY CHECK (id = 1),
  seq      INTEGER NOT NULL,
  checksum BLOB NOT NULL
) STRICT;
CREATE TABLE order_terms (
  placed_seq      INTEGER PRIMARY KEY,
  slot            INTEGER NOT NULL,
  generation      INTEGER NOT NULL,
  owner           INTEGER NOT NULL,
  market_id       INTEGER NOT NULL,
  side            INTEGER NOT NULL,
  outcome         INTEGER NOT NULL,
  order_type      INTEGER NOT NULL,
  market_form     INTEGER NOT NULL,
  post_only       INTEGER NOT NULL,
  price_ticks     INTEGER NOT NULL,
  size_raw        INTEGER NOT NULL,
  spend_raw       INTEGER NOT NULL,
  placed_ms       INTEGER NOT NULL,
  client_order_id TEXT,
  hash_high       INTEGER NOT NULL,
  hash_low        INTEGER NOT NULL,
  salt            BLOB NOT NULL,
  maker           BLOB NOT NULL,
  signer          BLOB,
  signature       BLOB NOT NULL,
  signature_type  INTEGER NOT NULL,
  expiration_sec  INTEGER NOT NULL,
  signed_fee_bps  INTEGER NOT NULL,
  fee_bps         INTEGER NOT NULL,
  held_until_ms   INTEGER
) STRICT;
CREATE TABLE order_states (
  placed_seq     INTEGER PRIMARY KEY,
  status         INTEGER NOT NULL,
  filled_raw     INTEGER NOT NULL,
  remaining_raw  INTEGER NOT NULL,
  ended_ms       INTEGER,
  cancel_reason  INTEGER,
  last_trade_seq INTEGER,
  undone_raw     INTEGER NOT NULL DEFAULT 0,
  collateral_raw INTEGER NOT NULL,
  fee_raw        INTEGER NOT NULL
) STRICT;
CREATE VIEW orders AS
SELECT t.*, coalesce(s.status, ${LIVE}) AS status, coalesce(s.filled_raw, 0) AS filled_raw,
  coalesce(s.remaining_raw, iif(market_form = 1 AND side = ${SIDE.BUY}, 0, size_raw))
    AS remaining_raw,
  s.ended_ms, s.cancel_reason, s.last_trade_seq, coalesce(s.undone_raw, 0) AS undone_raw,
  coalesce(s.collateral_raw, 0) AS collateral_raw, coalesce(s.fee_raw, 0) AS fee_raw,
  iif(s.placed_seq IS NULL, held_until_ms, NULL) AS eligible_ms
FROM order_terms t LEFT JOIN order_states s ON s.placed_seq = t.placed_seq;
CREATE TABLE live_orders (
  owner      INTEGER NOT NULL,
  market_id  INTEGER NOT NULL,
  placed_seq INTEGER NOT NULL,
  PRIMARY KEY (owner, market_id, placed_seq)
) STRICT, WITHOUT ROWID;
CREATE TABLE order_names (
  layer      INTEGER NOT NULL,
  name       INTEGER NOT NULL,
  placed_seq INTEGER NOT NULL,
  PRIMARY KEY (layer, name, placed_seq)
) STRICT, WITHOUT ROWID;
CREATE TABLE name_layers (layer INTEGER PRIMARY KEY, end_seq INTEGER NOT NULL) STRICT;
CREATE INDEX name_layers_by_end ON name_layers (end_seq);
CREATE TABLE markets (
  market_id   INTEGER PRIMARY KEY,
  slug        TEXT NOT NULL UNIQUE,
  is_archived INTEGER NOT NULL,
  facts       TEXT NOT NULL,
  group_id    INTEGER
) STRICT;
CREATE INDEX markets_by_group ON markets (group_id, market_id) WHERE group_id IS NOT NULL;
CREATE TABLE trades (
  seq              INTEGER PRIMARY KEY,
  market_id        INTEGER NOT NULL,
  taker_slot       INTEGER NOT NULL,
  taker_generation INTEGER NOT NULL,
  taker_owner      INTEGER NOT NULL,
  side             INTEGER NOT NULL,
  outcome          INTEGER NOT NULL,
  shares_raw       INTEGER NOT NULL,
  collateral_raw   INTEGER NOT NULL,
  fee_raw          INTEGER NOT NULL,
  yes_ticks        INTEGER NOT NULL,
  traded_ms        INTEGER NOT NULL,
  taker_placed_seq INTEGER NOT NULL,
  fills            TEXT NOT NULL
) STRICT;
CREATE TABLE maker_fills (
  trade_seq        INTEGER NOT NULL,
  position         INTEGER NOT NULL,
  maker_placed_seq INTEGER NOT NULL,
  maker_owner      INTEGER NOT NULL,
  size_raw         INTEGER NOT NULL,
  yes_ticks        INTEGER NOT NULL,
  PRIMARY KEY (trade_seq, position)
) STRICT, WITHOUT ROWID;
CREATE TABLE traders (owner INTEGER PRIMARY KEY) STRICT;
CREATE TABLE blocks (
  height      INTEGER PRIMARY KEY,
  chain_id    INTEGER NOT NULL,
  through_seq INTEGER NOT NULL,
  mined_ms    INTEGER NOT NULL,
  mined_seq   INTEGER NOT NULL
) STRICT;
CREATE INDEX blocks_by_through ON blocks (through_seq, height);
CREATE TABLE settlements (
  trade_seq   INTEGER PRIMARY KEY,
  status      INTEGER NOT NULL,
  height      INTEGER,
  changed_ms  INTEGER NOT NULL,
  changed_seq INTEGER NOT NULL
) STRICT;
CREATE TABLE order_events (
  number        INTEGER PRIMARY KEY,
  back          INTEGER NOT NULL,
  seq           INTEGER NOT NULL,
  age           INTEGER NOT NULL,
  kind          INTEGER NOT NULL,
  remaining_raw INTEGER NOT NULL,
  place         INTEGER NOT NULL
) STRICT;
CREATE TABLE newest_events (owner INTEGER PRIMARY KEY, number INTEGER NOT NULL) STRICT;
CREATE TABLE positions (
  owner        INTEGER NOT NULL,
  market_id    INTEGER NOT NULL,
  outcome      INTEGER NOT NULL,
  size_raw     INTEGER NOT NULL,
  cost_raw     INTEGER NOT NULL,
  realised_raw INTEGER NOT NULL,
  PRIMARY KEY (owner, market_id, outcome)
) STRICT, WITHOUT ROWID;
CREATE TABLE sold_costs (
  trade_seq INTEGER NOT NULL,
  owner     INTEGER NOT NULL,
  outcome   INTEGER NOT NULL,
  cost_raw  INTEGER NOT NULL,
  PRIMARY KEY (trade_seq, owner, outcome)
) STRICT, WITHOUT ROWID;
CREATE TABLE own_makers (
  taker_placed_seq INTEGER NOT NULL,
  position         INTEGER NOT NULL,
  maker_placed_seq INTEGER NOT NULL,
  PRIMARY KEY (taker_placed_seq, position)
) STRICT, WITHOUT ROWID;
CREATE TABLE audit (
  seq      INTEGER PRIMARY KEY,
  at_ms    INTEGER NOT NULL,
  operator TEXT NOT NULL,
  kind     TEXT NOT NULL,
  about    TEXT NOT NULL
) STRICT;
CREATE INDEX audit_by_operator ON audit (operator, seq);
CREATE TABLE profiles (
  profile_id          INTEGER PRIMARY KEY,
  account             TEXT NOT NULL,
  username            TEXT,
  display_name        TEXT,
  client              TEXT NOT NULL,
  smart_wallet        TEXT,
  rank_id             INTEGER,
  rank_name           TEXT,
  rank_fee_bps        INTEGER,
  fee_cap_bps         INTEGER,
  scopes              TEXT NOT NULL,
  bio                 TEXT,
  pfp_url             TEXT,
  social_url          TEXT,
  mode                TEXT,
  trade_wallet_option TEXT,
  created_ms          INTEGER NOT NULL
) STRICT;
CREATE TABLE series (
  series_id     INTEGER PRIMARY KEY,
  symbol        TEXT NOT NULL,
  frequency     TEXT NOT NULL,
  sub_frequency TEXT NOT NULL,
  stable_slug   TEXT NOT NULL
) STRICT;
CREATE INDEX series_by_key ON series (symbol, frequency, sub_frequency, series_id);
CREATE INDEX series_by_stable_slug ON series (stable_slug, series_id);
CREATE TABLE slots (
  series_id INTEGER NOT NULL,
  start_ms  INTEGER NOT NULL,
  end_ms    INTEGER NOT NULL,
  market_id INTEGER NOT NULL,
  slug      TEXT NOT NULL,
  state     INTEGER NOT NULL,
  PRIMARY KEY (series_id, start_ms)
) STRICT, WITHOUT ROWID;
CREATE INDEX slots_by_slug ON slots (slug);
CREATE TABLE oracle_candles (
  symbol      TEXT NOT NULL,
  interval_ms INTEGER NOT NULL,
  start_ms    INTEGER NOT NULL,
  open_e8     INTEGER NOT NULL,
  high_e8     INTEGER NOT NULL,
  low_e8      INTEGER NOT NULL,
  close_e8    INTEGER NOT NULL,
  first_ms    INTEGER NOT NULL,
  last_ms     INTEGER NOT NULL,
  PRIMARY KEY (symbol, interval_ms, start_ms)
) STRICT, WITHOUT ROWID;
`

/** Money that moved outside order-book trading, and pool prices (tables/moves.ts). */
const MOVES = `
CREATE TABLE moves (
  seq            INTEGER NOT NULL,
  leg            INTEGER NOT NULL,
  owner          INTEGER NOT NULL,
  kind           INTEGER NOT NULL,
  market_id      INTEGER NOT NULL,
  yes_raw        INTEGER NOT NULL,
  no_raw         INTEGER NOT NULL,
  collateral_raw INTEGER NOT NULL,
  moved_ms       INTEGER NOT NULL,
  detail         TEXT,
  PRIMARY KEY (seq, leg)
) STRICT, WITHOUT ROWID;
CREATE INDEX moves_by_owner ON moves (owner, seq, leg);
CREATE INDEX pool_trades_by_owner ON moves (owner, seq) WHERE ${IS_POOL_TRADE};
CREATE TABLE pool_totals (
  owner      INTEGER NOT NULL,
  market_id  INTEGER NOT NULL,
  outcome    INTEGER NOT NULL,
  bought_raw INTEGER NOT NULL,
  sold_raw   INTEGER NOT NULL,
  PRIMARY KEY (owner, market_id, outcome)
) STRICT, WITHOUT ROWID;
CREATE TABLE pool_prices (
  market_id INTEGER NOT NULL,
  traded_ms INTEGER NOT NULL,
  seq       INTEGER NOT NULL,
  yes_e6    INTEGER NOT NULL,
  PRIMARY KEY (market_id, traded_ms, seq)
) STRICT, WITHOUT ROWID;
`

/** The history of markets. */
const HISTORY = `
ALTER TABLE trades ADD COLUMN is_busted INTEGER NOT NULL DEFAULT 0;
CREATE INDEX trades_by_market ON trades (seq >> 17, market_id, is_busted, traded_ms);
CREATE TABLE trade_epochs (
  market_id INTEGER NOT NULL,
  first_ms  INTEGER NOT NULL,
  first_seq INTEGER NOT NULL,
  PRIMARY KEY (market_id, first_ms, first_seq)
) STRICT, WITHOUT ROWID;
CREATE TABLE mined_trades (
  epoch     INTEGER NOT NULL,
  market_id INTEGER NOT NULL,
  number    INTEGER NOT NULL,
  trade_seq INTEGER NOT NULL,
  PRIMARY KEY (epoch, market_id, number)
) STRICT, WITHOUT ROWID;
CREATE TABLE mined_epochs (
  market_id    INTEGER NOT NULL,
  first_number INTEGER NOT NULL,
  epoch        INTEGER NOT NULL,
  PRIMARY KEY (market_id, first_number)
) STRICT, WITHOUT ROWID;
CREATE TABLE candles (
  bucket      INTEGER NOT NULL,
  market_id   INTEGER NOT NULL,
  first_ticks INTEGER NOT NULL,
  high_ticks  INTEGER NOT NULL,
  low_ticks   INTEGER NOT NULL,
  last_ticks  INTEGER NOT NULL,
  volume_raw  INTEGER NOT NULL,
  PRIMARY KEY (bucket, market_id)
) STRICT, WITHOUT ROWID;
`

/** An account's trades by age: in each index the row key follows the owner. */
const BY_OWNER = `
CREATE INDEX trades_by_taker ON trades (taker_owner);
CREATE INDEX maker_fills_by_maker ON maker_fills (maker_owner);
`

/** Positions that are not zero. */
const HELD = 'CREATE INDEX positions_held ON positions (owner, market_id) WHERE size_raw <> 0;'

/** Realised gains of profiles over time (tables/pnl.ts). */
const PNL = `
CREATE TABLE pnl_hours (
  owner     INTEGER NOT NULL,
  hour      INTEGER NOT NULL,
  total_raw INTEGER NOT NULL,
  PRIMARY KEY (owner, hour)
) STRICT, WITHOUT ROWID;
CREATE TABLE pnl_markets (
  owner     INTEGER NOT NULL,
  market_id INTEGER NOT NULL,
  hour      INTEGER NOT NULL,
  PRIMARY KEY (owner, market_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX pnl_markets_by_hour ON pnl_markets (owner, hour);
`

/** Live orders of an owner in all markets, by age. */
const LIVE_BY_AGE = 'CREATE INDEX live_orders_by_age ON live_orders (owner, placed_seq);'

/** Rewards and rebates (tables/rewards.ts), and an index for late trades. */
const REWARDS = `
CREATE TABLE reward_days (
  owner      INTEGER NOT NULL,
  market_id  INTEGER NOT NULL,
  day        INTEGER NOT NULL,
  earned_raw INTEGER NOT NULL,
  PRIMARY KEY (owner, market_id, day)
) STRICT, WITHOUT ROWID;
CREATE TABLE reward_totals (
  owner      INTEGER PRIMARY KEY,
  earned_raw INTEGER NOT NULL,
  paid_raw   INTEGER NOT NULL
) STRICT;
CREATE TABLE reward_minutes (
  id     INTEGER PRIMARY KEY CHECK (id = 1),
  minute INTEGER NOT NULL
) STRICT;
CREATE INDEX settlements_by_height ON settlements (height) WHERE height IS NOT NULL;
`

/** Matches by phase, type and start (tables/markets/matches.ts), and the match of each market. */
const MATCHES = `
CREATE TABLE matches (
  slug        TEXT PRIMARY KEY,
  sport       INTEGER NOT NULL,
  esport_type TEXT NOT NULL,
  phase       INTEGER NOT NULL,
  starts_ms   INTEGER NOT NULL,
  about       TEXT NOT NULL,
  score       TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX matches_by_sport ON matches (phase, sport, starts_ms, slug);
CREATE INDEX matches_by_esport ON matches (phase, esport_type, starts_ms, slug);
CREATE TABLE match_markets (
  market_slug TEXT PRIMARY KEY,
  slug        TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX match_markets_by_match ON match_markets (slug);
`

/** Prices are read from the index alone, because each trade's row is in a separate page. */
const PRICES_IN_INDEX = `
DROP INDEX trades_by_market;
CREATE INDEX trades_by_market
ON trades (seq >> 17, market_id, is_busted, traded_ms, seq, yes_ticks);
`

/** A redemption refers to its market by the condition, even if the market is archived. */
const BY_CONDITION = `
CREATE INDEX markets_by_condition
ON markets (json_extract(facts, '$.conditionId')) WHERE is_archived = 1;
`

/** The bit of post-only is 1, so old rows are right. A further flag needs no column. */
const FLAGS = 'ALTER TABLE order_terms RENAME COLUMN post_only TO flags;'

/**
 * The oldest history (pruning/pruner.ts): rows of commands up to `seq` may be gone, and so may
 * those that an event up to `events_seq` needs.
 */
const PRUNED = `
CREATE TABLE pruned (
  id         INTEGER PRIMARY KEY CHECK (id = 1),
  seq        INTEGER NOT NULL,
  events_seq INTEGER NOT NULL
) STRICT;
`

/** What only the client could make of an order is read from its record in the journal. */
const SIGNED_TERMS = ['salt', 'maker', 'signer', 'signature']
  .map((column) => `ALTER TABLE order_terms DROP COLUMN ${column};`)
  .join('')

/** Old days are deleted (pruning/old-points.ts). */
const REWARDS_BY_DAY = 'CREATE INDEX reward_days_by_day ON reward_days (day);'

/** The transaction of an EVM chain in which the trades of a block are. */
const TX_HASH = 'ALTER TABLE blocks ADD COLUMN tx_hash TEXT;'

/** Transactions of an EVM chain that make moves of server wallets (tables/accounts/moves.ts). */
const MOVE_TRANSACTIONS = `
CREATE TABLE move_transactions (
  seq     INTEGER PRIMARY KEY,
  account TEXT NOT NULL,
  nonce   INTEGER NOT NULL,
  tx_hash TEXT NOT NULL
) STRICT;
CREATE INDEX move_transactions_by_nonce ON move_transactions (account, nonce);
`

const ORDERS_VIEW = `
CREATE VIEW orders AS
SELECT t.*, coalesce(s.status, ${LIVE}) AS status, coalesce(s.filled_raw, 0) AS filled_raw,
  coalesce(s.remaining_raw, iif(market_form = 1 AND side = ${SIDE.BUY}, 0, size_raw))
    AS remaining_raw,
  s.ended_ms, s.cancel_reason, s.last_trade_seq, coalesce(s.undone_raw, 0) AS undone_raw,
  coalesce(s.collateral_raw, 0) AS collateral_raw, coalesce(s.fee_raw, 0) AS fee_raw,
  iif(coalesce(s.is_held, 1), held_until_ms, NULL) AS eligible_ms
FROM order_terms t LEFT JOIN order_states s ON s.placed_seq = t.placed_seq;
`

/**
 * A held order that was decreased has a state too, and a replacement may be placed with fewer
 * shares than it was signed for.
 */
const AMENDS = `
ALTER TABLE order_states ADD COLUMN is_held INTEGER NOT NULL DEFAULT 0;
ALTER TABLE order_terms ADD COLUMN placed_raw INTEGER;
DROP VIEW orders;
${ORDERS_VIEW}
`

/** The view has all columns of the table it was created for, so it is created again. */
const ORDER_GROUPS = `
ALTER TABLE order_terms ADD COLUMN order_group INTEGER;
DROP VIEW orders;
${ORDERS_VIEW}
`

/**
 * Files of versions up to 22 are rebuilt: they lack the totals of an order's trades, and the prices
 * of a trade's fills.
 */
export const READ_SCHEMA = {
  migrations: [
    [
      M1,
      BY_OWNER,
      HELD,
      LIVE_BY_AGE,
      HISTORY,
      MOVES,
      PNL,
      REWARDS,
      PACK_TABLES,
      MATCHES,
      FEED_TABLES,
      BOARD_TABLES,
      SEARCH_TABLES,
      SOCIAL_TABLES,
      PRICES_IN_INDEX,
      BACKLOG_TABLES,
      SPREAD_TABLES,
      FEE_SHARES,
    ].join(''),
    CURATED_TABLES,
    BY_CONDITION,
    FLAGS,
    PRUNED,
    SIGNED_TERMS,
    REWARDS_BY_DAY,
    TX_HASH,
    MOVE_TRANSACTIONS,
    AMENDS,
    ORDER_GROUPS,
  ],
  baseVersion: 22,
}
