// SQLite alone with the same bytes in the same batches, one row and one fsync each, on the calling
// thread. It is the baseline of everything that must be durable.

import { join } from 'node:path'
import { openWritable } from '../../persistence/database.ts'
import { median, pairOf, type Row, rowOf } from '../harness/bench.ts'
import { withFolder } from '../harness/folder.ts'

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

/** Commits the batches in a folder of its own. */
export function commitRaw(batches: readonly BatchSize[]): Promise<RawRun> {
  return withFolder((folder) => {
    const connection = openWritable(join(folder, 'raw.db'), {
      durability: 'full',
      migrations: [TABLE],
      autocheckpointPages: CHECKPOINT_PAGES,
    })
    const insert = connection.prepare<[Uint8Array]>(INSERT)
    const widest = new Uint8Array(Math.max(...batches.map(({ bytes }) => bytes))).fill(7)
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
  })
}

/** A run that committed in batches, and SQLite with the same batches. */
export interface CommittedRun {
  readonly perSecond: number
  readonly rawPerSecond: number
  readonly batches: readonly BatchSize[]
}

/** Rows of runs whose baseline is SQLite with the same batches. */
export function committedRows(name: string, noun: string, runs: readonly CommittedRun[]): Row[] {
  const unit = `${noun}/s`
  const rates = runs.map(({ perSecond }) => perSecond)
  const rawRates = runs.map(({ rawPerSecond }) => rawPerSecond)
  const widths = runs.map(({ batches }) => median(batches.map(({ records }) => records)))
  const raw = { name: `raw SQLite, the batches of ${name}`, samples: rawRates }
  const pair = pairOf(unit, { name, samples: rates }, raw)
  return [...pair, rowOf(`${name}, the median batch`, noun, widths)]
}
