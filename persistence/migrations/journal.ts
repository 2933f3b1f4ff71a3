// Migrations of journal.db. Numbered by position, never edited once released.

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

export const JOURNAL_MIGRATIONS: readonly string[] = [M1]
