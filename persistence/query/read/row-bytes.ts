import type { CountedTable } from '../../follower/tables/written-rows.ts'
import { query } from './query.ts'

// The bytes of a table's row, with its part of each whole index: of some full pages of each tree.

const PAGES = 32
const TREES = `
SELECT name FROM sqlite_schema
WHERE tbl_name = ? AND type IN ('table', 'index') AND coalesce(sql, '') NOT LIKE '% WHERE %'`
const PAGES_OF = `
SELECT pgsize AS bytes, ncell AS rows FROM dbstat
WHERE name = ? AND pagetype = 'leaf' LIMIT ${PAGES}`

interface Page {
  readonly bytes: number
  readonly rows: number
}

/** 0 for an empty table. */
export const rowBytes = query({
  name: 'rowBytes',
  prepare: (db) => ({
    trees: db.prepare<[CountedTable], { name: string }>(TREES),
    pages: db.prepare<[tree: string], Page>(PAGES_OF),
  }),
  run: ({ trees, pages }, table: CountedTable): number => {
    let sum = 0
    for (const { name } of trees.all(table)) {
      const sample = pages.all(name)
      const rows = sample.reduce((count, page) => count + page.rows, 0)
      if (rows > 0) sum += sample.reduce((bytes, page) => bytes + page.bytes, 0) / rows
    }
    return sum
  },
})
