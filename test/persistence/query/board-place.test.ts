import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openInMemory } from '../../../persistence/database.ts'
import { READ_SCHEMA } from '../../../persistence/follower/schema/migrations.ts'
import { BOARD_SPANS } from '../../../persistence/follower/tables/board-spans.ts'
import { boardPlace, RANKED_MAX } from '../../../persistence/query/read/boards/board-place.ts'
import { leaderboard } from '../../../persistence/query/read/boards/leaderboard.ts'
import { freshSeed, Random } from '../../support/random.ts'

// The place of one owner (rules §12.2), beside the pages of the same board.

const db = openInMemory(READ_SCHEMA.migrations)
after(() => db.close())
const placeOf = boardPlace.open(db)
const page = leaderboard.open(db)
const put = db.prepare(
  'INSERT INTO boards (span_hours, owner, pnl_raw, volume_raw) VALUES (?, ?, ?, ?)',
)
const clear = db.prepare('DELETE FROM boards')
const ALL = BOARD_SPANS.all
const OWNERS = 40

test('the place of an owner is its rank in the pages of the board', () => {
  const seed = freshSeed()
  const random = new Random(seed)
  for (let round = 0; round < 200; round++) {
    clear.run()
    for (let owner = 1; owner <= OWNERS; owner++) {
      // Few sums, so many owners stand together.
      if (random.chance(0.8)) put.run(ALL, owner, random.between(-2, 2), random.below(3))
      put.run(BOARD_SPANS['24h'], owner, random.between(-9, 9), random.below(9))
    }
    const board = { board: 'pnl', spanHours: ALL, offset: 0, limit: OWNERS } as const
    const ranks = new Map(page(board).rows.map(({ owner }, index) => [owner, index + 1]))
    for (let owner = 1; owner <= OWNERS + 1; owner++) {
      assert.equal(placeOf(owner), ranks.get(owner) ?? null, `seed ${seed}, owner ${owner}`)
    }
  }
})

test('the last counted place is the 10,000th, also of owners with equal sums', () => {
  clear.run()
  db.exec('BEGIN')
  for (let owner = 1; owner <= RANKED_MAX + 1; owner++) put.run(ALL, owner, -5, 7)
  db.exec('COMMIT')
  assert.deepEqual([1, 100, RANKED_MAX].map(placeOf), [1, 100, RANKED_MAX])
  assert.equal(placeOf(RANKED_MAX + 1), null)
  put.run(ALL, RANKED_MAX + 2, 6, 0)
  assert.deepEqual([RANKED_MAX - 1, RANKED_MAX].map(placeOf), [RANKED_MAX, null])
})
