// Read tables with a long history, as if a follower had written it before the first command of a
// journal, all with seqs below 0. To a server or follower that starts on them both look the same.
// Ten million trades would take hours to decide as commands; here SQLite generates the rows.

import { join } from 'node:path'
import { type Connection, openWritable } from '../../persistence/database.ts'
import { READ_SCHEMA } from '../../persistence/follower/schema/migrations.ts'
import { EPOCH_BITS } from '../../persistence/follower/tables/epochs.ts'
import { progress } from '../harness/bench.ts'

const CHECKPOINT_PAGES = 65_536
const COMMIT_EVERY = 500_000
const INDEXES = `
SELECT name, sql FROM sqlite_schema
WHERE type = 'index' AND tbl_name = 'trades' AND sql IS NOT NULL`

/** The table `each` has the numbers `@first` to `@last` of the rows, counted from 0. */
export const NUMBERS = `
WITH RECURSIVE each(n) AS (SELECT @first UNION ALL SELECT n + 1 FROM each WHERE n < @last)`
export const TRADE_EPOCHS = `
INSERT INTO trade_epochs (market_id, first_ms, first_seq)
SELECT market_id, min(traded_ms), min(seq) FROM trades GROUP BY market_id, seq >> ${EPOCH_BITS}`

/** Runs an INSERT with `NUMBERS` for so many rows, in several transactions. */
export function insertRows(
  db: Connection,
  sql: string,
  rows: number,
  terms: Readonly<Record<string, number>>,
): void {
  for (let first = 0; first < rows; first += COMMIT_EVERY) {
    const all = { ...terms, first, last: Math.min(rows, first + COMMIT_EVERY) - 1 }
    const named = Object.entries(all).filter(([name]) => sql.includes(`@${name}`))
    // The driver binds a number as REAL, and a division of it would leave a fraction.
    const whole = named.map(([name, value]) => [name, BigInt(value)])
    db.prepare(sql).run(Object.fromEntries(whole))
  }
  progress(`inserted ${rows} rows`)
}

/**
 * Writes rows into read.db without the indexes of trades, builds these, and then calls `finish`.
 */
export function writeTables(
  dataDir: string,
  write: (db: Connection) => void,
  finish: (db: Connection) => void = () => {},
): void {
  const db = openWritable(join(dataDir, 'read.db'), {
    durability: 'normal',
    ...READ_SCHEMA,
    autocheckpointPages: CHECKPOINT_PAGES,
  })
  const indexes = db.prepare<[], { name: string; sql: string }>(INDEXES).all()
  for (const { name } of indexes) db.exec(`DROP INDEX ${name}`)
  write(db)
  for (const { sql, name } of indexes) {
    db.exec(sql)
    progress(`built the index ${name}`)
  }
  finish(db)
  db.close()
}
