// Migrations of journal.db, numbered by position. A released migration is never edited.

const M1 = `
CREATE TABLE batches (
  first_seq INTEGER PRIMARY KEY,
  last_seq  INTEGER NOT NULL,
  records   BLOB NOT NULL,
  checksum  BLOB NOT NULL
) STRICT;
CREATE TABLE marks (
  name  TEXT PRIMARY KEY,
  value BLOB NOT NULL
) STRICT, WITHOUT ROWID;
`

const M2 = `
CREATE TABLE segments (
  first_seq INTEGER PRIMARY KEY,
  last_seq  INTEGER NOT NULL,
  bytes     INTEGER NOT NULL,
  checksum  BLOB NOT NULL
) STRICT;
`

/** Version 1 had no folder key, and version 2 no books: orders referred only to their markets. */
export const JOURNAL_SCHEMA = { migrations: [M1, M2], baseVersion: 2 }

/** The first version whose files have a list of segments. */
export const SEGMENTS_VERSION = 4
