import { IS_FEATURED_POOL_TRADE, IS_FEATURED_TRADE, IS_POOL_TRADE } from '../tables/featured.ts'

/** Sources of feeds by age, besides the trades (persistence/query/read/feeds). */
const FEEDS = `
CREATE TABLE resolutions (
  seq         INTEGER NOT NULL,
  market_id   INTEGER NOT NULL,
  resolved_ms INTEGER NOT NULL,
  PRIMARY KEY (seq, market_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX featured_trades ON trades (seq) WHERE ${IS_FEATURED_TRADE};
CREATE INDEX pool_trades ON moves (seq, leg) WHERE ${IS_POOL_TRADE};
CREATE INDEX featured_pool_trades ON moves (seq, leg) WHERE ${IS_FEATURED_POOL_TRADE};
`

/** Referrals and their results (tables/referrals.ts). */
const REFERRALS = `
CREATE TABLE referrals (
  referred    INTEGER PRIMARY KEY,
  referrer    INTEGER NOT NULL,
  referred_ms INTEGER NOT NULL,
  fees_raw    INTEGER NOT NULL,
  volume_raw  INTEGER NOT NULL,
  earned_raw  INTEGER NOT NULL
) STRICT;
CREATE INDEX referrals_by_referrer ON referrals (referrer);
CREATE TABLE referrers (
  referrer       INTEGER PRIMARY KEY,
  fees_raw       INTEGER NOT NULL,
  referred_count INTEGER NOT NULL,
  earning_count  INTEGER NOT NULL,
  elder          INTEGER NOT NULL,
  earned_raw     INTEGER NOT NULL
) STRICT;
CREATE INDEX referrers_by_earned ON referrers (earned_raw, fees_raw, referred_count, elder);
CREATE TABLE referrer_counts (
  id        INTEGER PRIMARY KEY CHECK (id = 1),
  referrers INTEGER NOT NULL
) STRICT;
`

/**
 * For markets without a payout: parts of fees in shares (tables/rewards.ts), and fees in shares of
 * referred profiles (tables/referrals.ts). `referred` is 0 for a maker's part.
 */
export const FEE_SHARES = `
CREATE TABLE share_parts (
  market_id  INTEGER NOT NULL,
  owner      INTEGER NOT NULL,
  outcome    INTEGER NOT NULL,
  referred   INTEGER NOT NULL,
  shares_raw INTEGER NOT NULL,
  PRIMARY KEY (market_id, owner, outcome, referred)
) STRICT, WITHOUT ROWID;
CREATE TABLE referred_fees (
  market_id  INTEGER NOT NULL,
  referred   INTEGER NOT NULL,
  outcome    INTEGER NOT NULL,
  shares_raw INTEGER NOT NULL,
  PRIMARY KEY (market_id, referred, outcome)
) STRICT, WITHOUT ROWID;
`

export const FEED_TABLES = [FEEDS, REFERRALS].join('')
