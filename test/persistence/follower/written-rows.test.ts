import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { openReadOnly } from '../../../persistence/database.ts'
import { Follower } from '../../../persistence/follower/follower.ts'
import {
  allocateCounts,
  type CountedTable,
  WrittenRows,
} from '../../../persistence/follower/tables/written-rows.ts'
import { rowBytes } from '../../../persistence/query/read/row-bytes.ts'
import { CommandFlow } from '../../support/command-flow.ts'
import { keyed, newFolder } from '../../support/data-folder.ts'
import { fillJournal } from '../../support/journal-fill.ts'
import { freshSeed } from '../../support/random.ts'

const SEED = freshSeed()
/** Rows of these never change. */
const STEADY: readonly CountedTable[] = [
  'order_terms',
  'own_makers',
  'order_events',
  'trades',
  'maker_fills',
  'moves',
]

test(`rows that are written times their size are what the tables take (SEED=${SEED})`, () => {
  const dataDir = newFolder()
  const flow = new CommandFlow(SEED)
  flow.run(20_000)
  fillJournal(dataDir, flow.records)
  const written = new WrittenRows(allocateCounts())
  const follower = new Follower(keyed(dataDir), { written })
  while (follower.step(flow.seq));
  while (follower.writePage());
  follower.close()
  const db = openReadOnly(join(dataDir, 'read.db'))
  const number = (sql: string, ...params: string[]) => {
    return db
      .prepare<string[], number>(sql)
      .pluck()
      .all(...params)[0]
  }
  for (const table of STEADY) {
    assert.equal(written.of(table), number(`SELECT count(*) FROM ${table}`), table)
  }
  const states = number('SELECT count(*) FROM order_states')
  assert.ok(written.of('order_states') >= states && written.of('order_states') < states * 1.5)
  const read = rowBytes.open(db)
  assert.equal(read('packs'), 0)
  for (const table of ['order_terms', 'order_events', 'order_names', 'trades'] as const) {
    const trees = `SELECT name FROM sqlite_schema WHERE tbl_name = ? AND type IN ('table', 'index')`
    const taken = number(`SELECT sum(pgsize) FROM dbstat WHERE name IN (${trees})`, table)
    const product = written.of(table) * read(table)
    assert.ok(
      product > taken * 0.8 && product < taken * 1.2,
      `${table}: ${product} of ${taken} bytes`,
    )
  }
  db.close()
})
