// Leaderboards (boards/board-keeper.ts), the latest hours of markets (tables/market-hours.ts), and
// accuracy counts (boards/result-counts.ts). `pnl_hours` also has an owner's traded volume by the
// end of an hour, as taker or maker.

export const BOARD_TABLES = `
ALTER TABLE pnl_hours ADD COLUMN volume_raw INTEGER NOT NULL DEFAULT 0;
CREATE INDEX pnl_hours_by_hour ON pnl_hours (hour, owner);
CREATE TABLE market_hours (
  market_id  INTEGER NOT NULL,
  hour       INTEGER NOT NULL,
  owner      INTEGER NOT NULL,
  pnl_raw    INTEGER NOT NULL,
  volume_raw INTEGER NOT NULL,
  PRIMARY KEY (market_id, hour, owner)
) STRICT, WITHOUT ROWID;
CREATE INDEX market_hours_by_hour ON market_hours (hour, market_id, owner);
CREATE TABLE boards (
  span_hours INTEGER NOT NULL,
  owner      INTEGER NOT NULL,
  pnl_raw    INTEGER NOT NULL,
  volume_raw INTEGER NOT NULL,
  PRIMARY KEY (span_hours, owner)
) STRICT, WITHOUT ROWID;
CREATE INDEX boards_by_pnl ON boards (span_hours, pnl_raw DESC, volume_raw DESC, owner);
CREATE INDEX boards_by_volume ON boards (span_hours, volume_raw DESC, owner, pnl_raw)
  WHERE volume_raw > 0;
CREATE TABLE board_counts (
  span_hours   INTEGER PRIMARY KEY,
  owner_count  INTEGER NOT NULL,
  trader_count INTEGER NOT NULL
) STRICT;
CREATE TABLE board_passes (
  id        INTEGER PRIMARY KEY CHECK (id = 1),
  hour      INTEGER NOT NULL,
  seen_hour INTEGER NOT NULL
) STRICT;
CREATE INDEX positions_by_market ON positions (market_id, owner, outcome);
CREATE INDEX open_positions ON positions (market_id, owner, outcome) WHERE size_raw > 0;
CREATE TABLE results_due (
  market_id   INTEGER PRIMARY KEY,
  yes_part    INTEGER NOT NULL,
  no_part     INTEGER NOT NULL,
  paid_ms     INTEGER NOT NULL,
  after_owner INTEGER NOT NULL
) STRICT;
CREATE TABLE accuracy (
  owner      INTEGER PRIMARY KEY,
  won_count  INTEGER NOT NULL,
  lost_count INTEGER NOT NULL,
  since_ms   INTEGER NOT NULL
) STRICT;
`

/** What boards count of an owner in a market, and its counterparties (accounts/spreads.ts). */
export const SPREAD_TABLES = `
ALTER TABLE pnl_hours ADD COLUMN counted_pnl_raw INTEGER NOT NULL DEFAULT 0;
ALTER TABLE pnl_hours ADD COLUMN counted_volume_raw INTEGER NOT NULL DEFAULT 0;
CREATE TABLE board_spreads (
  market_id  INTEGER NOT NULL,
  owner      INTEGER NOT NULL,
  shares_raw INTEGER NOT NULL,
  pnl_raw    INTEGER NOT NULL,
  volume_raw INTEGER NOT NULL,
  is_counted INTEGER NOT NULL,
  parties    TEXT NOT NULL,
  PRIMARY KEY (market_id, owner)
) STRICT, WITHOUT ROWID;
`
