// Migrations of read.db. Numbered by position, never edited once released. The file is a copy that
// can be deleted, so a change that needs other data than it holds may drop and rebuild.

const M1 = `
CREATE TABLE applied (
  id       INTEGER PRIMARY KEY CHECK (id = 1),
  seq      INTEGER NOT NULL,
  checksum BLOB NOT NULL
) STRICT;
CREATE TABLE orders (
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
  status          INTEGER NOT NULL,
  price_ticks     INTEGER NOT NULL,
  size_raw        INTEGER NOT NULL,
  spend_raw       INTEGER NOT NULL,
  filled_raw      INTEGER NOT NULL,
  remaining_raw   INTEGER NOT NULL,
  placed_ms       INTEGER NOT NULL,
  ended_ms        INTEGER,
  cancel_reason   INTEGER,
  client_order_id TEXT
) STRICT;
CREATE INDEX orders_by_slot ON orders (slot, generation);
CREATE INDEX orders_by_owner ON orders (owner, market_id, status, placed_seq);
CREATE INDEX orders_by_client_id ON orders (owner, client_order_id)
  WHERE client_order_id IS NOT NULL;
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
  traded_ms        INTEGER NOT NULL
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
`

/** What the rows before did not keep comes from the journal again. */
const M2 = `
DELETE FROM applied;
DELETE FROM maker_fills;
DELETE FROM trades;
DELETE FROM orders;
ALTER TABLE orders ADD COLUMN hash_high INTEGER NOT NULL DEFAULT 0;
ALTER TABLE orders ADD COLUMN hash_low INTEGER NOT NULL DEFAULT 0;
CREATE INDEX orders_by_hash ON orders (hash_high);
`

/** What a reply says of a signed order, and the newest trade it had part in. */
const M3 = `
DELETE FROM applied;
DELETE FROM maker_fills;
DELETE FROM trades;
DELETE FROM orders;
ALTER TABLE orders ADD COLUMN salt BLOB NOT NULL DEFAULT x'';
ALTER TABLE orders ADD COLUMN maker BLOB NOT NULL DEFAULT x'';
ALTER TABLE orders ADD COLUMN signer BLOB;
ALTER TABLE orders ADD COLUMN signature BLOB NOT NULL DEFAULT x'';
ALTER TABLE orders ADD COLUMN signature_type INTEGER NOT NULL DEFAULT 0;
ALTER TABLE orders ADD COLUMN expiration_sec INTEGER NOT NULL DEFAULT 0;
ALTER TABLE orders ADD COLUMN signed_fee_bps INTEGER NOT NULL DEFAULT 0;
ALTER TABLE orders ADD COLUMN fee_bps INTEGER NOT NULL DEFAULT 0;
ALTER TABLE orders ADD COLUMN last_trade_seq INTEGER;
`

/** Who ever traded: a maker with a million quotes is one row to look at. */
const M4 = `
CREATE TABLE traders (owner INTEGER PRIMARY KEY) STRICT;
INSERT INTO traders SELECT DISTINCT owner FROM orders WHERE filled_raw > 0;
`

/** Nothing older was settled: a journal without blocks has no rows for them. */
const M5 = `
CREATE TABLE blocks (
  height      INTEGER PRIMARY KEY,
  chain_id    INTEGER NOT NULL,
  through_seq INTEGER NOT NULL,
  mined_ms    INTEGER NOT NULL
) STRICT;
CREATE INDEX blocks_by_through ON blocks (through_seq, height);
CREATE TABLE settlements (
  trade_seq  INTEGER PRIMARY KEY,
  status     INTEGER NOT NULL,
  height     INTEGER,
  changed_ms INTEGER NOT NULL
) STRICT;
`

/** What tokens cost follows from every trade there was. */
const M6 = `
DELETE FROM applied;
DELETE FROM maker_fills;
DELETE FROM trades;
DELETE FROM orders;
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
`

/** No order was held before. */
const M7 = `
ALTER TABLE orders ADD COLUMN eligible_ms INTEGER;
`

/** Whether self-trade prevention stopped an order, and which makers it took out, was not kept. */
const M8 = `
DELETE FROM applied;
DELETE FROM maker_fills;
DELETE FROM trades;
DELETE FROM orders;
DELETE FROM traders;
DELETE FROM blocks;
DELETE FROM settlements;
DELETE FROM positions;
DELETE FROM sold_costs;
CREATE TABLE own_makers (
  id               INTEGER PRIMARY KEY,
  taker_placed_seq INTEGER NOT NULL,
  maker_placed_seq INTEGER NOT NULL
) STRICT;
CREATE INDEX own_makers_by_taker ON own_makers (taker_placed_seq);
`

/** Orders of which a fill was taken back: what of them, and that those which ended are canceled. */
const M9 = `
ALTER TABLE orders ADD COLUMN undone_raw INTEGER NOT NULL DEFAULT 0;
UPDATE orders SET undone_raw = part.size_raw, status = iif(status = 1, 2, status)
FROM (
  SELECT placed_seq, sum(size_raw) AS size_raw FROM (
    SELECT maker_placed_seq AS placed_seq, size_raw FROM maker_fills
    WHERE trade_seq IN (SELECT trade_seq FROM settlements WHERE status = 3)
    UNION ALL
    SELECT o.placed_seq, t.shares_raw FROM trades t
    JOIN orders o ON o.slot = t.taker_slot AND o.generation = t.taker_generation
    WHERE t.seq IN (SELECT trade_seq FROM settlements WHERE status = 3)
  ) GROUP BY placed_seq
) AS part WHERE orders.placed_seq = part.placed_seq;
`

/** No older command says who caused it. */
const M10 = `
CREATE TABLE audit (
  seq      INTEGER PRIMARY KEY,
  at_ms    INTEGER NOT NULL,
  operator TEXT NOT NULL,
  kind     TEXT NOT NULL,
  about    TEXT NOT NULL
) STRICT;
CREATE INDEX audit_by_operator ON audit (operator, seq);
`

/** What profiles say of themselves stands nowhere else: it comes from the journal. */
const M11 = `
DELETE FROM applied;
DELETE FROM maker_fills;
DELETE FROM trades;
DELETE FROM orders;
DELETE FROM traders;
DELETE FROM blocks;
DELETE FROM settlements;
DELETE FROM positions;
DELETE FROM sold_costs;
DELETE FROM own_makers;
DELETE FROM audit;
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
`

export const READ_MIGRATIONS: readonly string[] = [M1, M2, M3, M4, M5, M6, M7, M8, M9, M10, M11]
