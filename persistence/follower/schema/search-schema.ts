// The tables of the search, which hold active markets only. `search_words` finds words whatever
// their ending, `search_parts` finds parts of words of titles. Neither keeps the texts. A row of
// `search_changes` says that a market came, changed or left; a reader that knows the markets as of
// one change reads only what came later. Only the newest changes are kept.

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
