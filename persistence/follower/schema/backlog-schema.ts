// Rows of large commands that are not in the tables yet (tables/orders/backlog.ts): pages of
// numbers, by their owners. The pages are the last column, so that a search does not read them.

export const BACKLOG_TABLES = `
CREATE TABLE backlog (
  id               INTEGER PRIMARY KEY,
  part             INTEGER NOT NULL,
  seq              INTEGER NOT NULL,
  now_ms           INTEGER NOT NULL,
  market_id        INTEGER NOT NULL,
  reason           INTEGER,
  trade_seq        INTEGER,
  taker            INTEGER,
  taker_placed_seq INTEGER,
  first_owner      INTEGER NOT NULL,
  last_owner       INTEGER NOT NULL,
  owners           BLOB NOT NULL,
  rows             BLOB NOT NULL
) STRICT;
CREATE INDEX backlog_by_owners ON backlog (first_owner, last_owner);
CREATE INDEX backlog_by_trade ON backlog (trade_seq) WHERE trade_seq IS NOT NULL;
`
