import { IS_ENDED_PACK, IS_FEATURED_PACK, IS_OF_LIST } from '../tables/featured.ts'

/** Packs, their legs, and the number of packs of each status per profile (packs/packs.ts). */
export const PACK_TABLES = `
CREATE TABLE packs (
  pack_id    INTEGER PRIMARY KEY,
  owner      INTEGER NOT NULL,
  maker      INTEGER,
  stake_raw  INTEGER NOT NULL,
  payout_raw INTEGER NOT NULL,
  made_ms    INTEGER NOT NULL,
  status     INTEGER NOT NULL,
  paid_raw   INTEGER,
  ended_ms   INTEGER,
  ended_seq  INTEGER
) STRICT;
CREATE INDEX packs_by_owner ON packs (owner, pack_id);
CREATE INDEX packs_by_status ON packs (owner, status, pack_id);
CREATE INDEX featured_packs ON packs (pack_id) WHERE ${IS_FEATURED_PACK};
CREATE INDEX ended_packs ON packs (ended_seq, pack_id) WHERE ${IS_ENDED_PACK};
CREATE INDEX featured_ended_packs ON packs (ended_seq, pack_id)
  WHERE ${IS_ENDED_PACK} AND ${IS_FEATURED_PACK};
CREATE TABLE pack_legs (
  pack_id     INTEGER NOT NULL,
  position    INTEGER NOT NULL,
  market_id   INTEGER NOT NULL,
  outcome     INTEGER NOT NULL,
  price_ticks INTEGER NOT NULL,
  result      INTEGER NOT NULL,
  PRIMARY KEY (pack_id, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX pack_legs_by_market ON pack_legs (market_id, pack_id);
CREATE TABLE pack_counts (
  owner  INTEGER NOT NULL,
  status INTEGER NOT NULL,
  count  INTEGER NOT NULL,
  PRIMARY KEY (owner, status)
) STRICT, WITHOUT ROWID;
`

/**
 * Curated packs and their purchases (packs/curated-packs.ts). Older journals have none, so the new
 * columns are empty in their rows.
 */
export const CURATED_TABLES = `
ALTER TABLE packs ADD COLUMN curated_id INTEGER;
ALTER TABLE pack_legs ADD COLUMN counted_ms INTEGER;
CREATE INDEX packs_of_list ON packs (owner, pack_id) WHERE ${IS_OF_LIST};
CREATE TABLE curated_packs (
  pack_id INTEGER PRIMARY KEY,
  name    TEXT NOT NULL,
  legs    TEXT NOT NULL,
  made_ms INTEGER NOT NULL
) STRICT;
CREATE TABLE curated_counts (
  owner INTEGER PRIMARY KEY,
  count INTEGER NOT NULL
) STRICT;
`
