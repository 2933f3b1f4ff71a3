// The search tables, which contain only active markets. `search_words` finds words regardless of
// their ending, `search_parts` finds parts of title words. Neither stores the texts. A row of
// `search_changes` records that a market was added, changed or removed, so a reader that is current
// as of one change reads only later ones. Only the newest changes are retained.

export const SEARCH_TABLES = `
CREATE TABLE search_markets (
  market_id  INTEGER PRIMARY KEY,
  title      TEXT NOT NULL,
  slug       TEXT NOT NULL,
  group_id   INTEGER,
  categories TEXT NOT NULL,
  vector     BLOB NOT NULL
) STRICT;
CREATE TABLE search_changes (
  change    INTEGER PRIMARY KEY,
  market_id INTEGER NOT NULL
) STRICT;
CREATE TABLE search_made (
  id          INTEGER PRIMARY KEY CHECK (id = 1),
  fingerprint TEXT NOT NULL
) STRICT;
CREATE VIRTUAL TABLE search_words USING fts5 (
  title, slug, labels, about, content = '', contentless_delete = 1,
  tokenize = 'porter unicode61 remove_diacritics 2'
);
CREATE VIRTUAL TABLE search_parts USING fts5 (
  title, content = '', contentless_delete = 1, tokenize = 'trigram remove_diacritics 1'
);
`
