// What SQLite alone can do: the same bytes in the same batches, one row and one fsync each, on the
// calling thread. It is the yardstick for all that must be durable.

import { join } from 'node:path'
import { openWritable } from '../../persistence/database.ts'

const TABLE = 'CREATE TABLE batches (first_seq INTEGER PRIMARY KEY, records BLOB NOT NULL) STRICT'
const INSERT = 'INSERT INTO batches (records) VALUES (?)'
const CHECKPOINT_PAGES = 1000

export interface BatchSize {
  readonly records: number
  readonly bytes: number
}

export interface RawRun {
  readonly perSecond: number
  /** Time of each commit, in milliseconds. */
  readonly tookMs: readonly number[]
}

export function replayRaw(folder: string, batches: readonly BatchSize[]): RawRun {
  const connection = openWritable(join(folder, 'raw.db'), {
    durability: 'full',
    migrations: [TABLE],
    autocheckpointPages: CHECKPOINT_PAGES,
  })
  const insert = connection.prepare<[Uint8Array]>(INSERT)
  const widest = new Uint8Array(Math.max(...batches.map((batch) => batch.bytes))).fill(7)
  const tookMs: number[] = []
  let records = 0
  const startMs = performance.now()
  for (const batch of batches) {
    const beforeMs = performance.now()
    insert.run(widest.subarray(0, batch.bytes))
    tookMs.push(performance.now() - beforeMs)
    records += batch.records
  }
  const seconds = (performance.now() - startMs) / 1000
  connection.close()
  return { perSecond: records / seconds, tookMs }
}
