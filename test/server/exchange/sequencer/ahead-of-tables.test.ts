import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AheadOfTables } from '../../../../server/exchange/sequencer/ahead-of-tables.ts'

test('a burst of ends waits until the tables show the burst before', () => {
  let tablesSeq = 0
  const ahead = new AheadOfTables(() => tablesSeq, 100)
  ahead.ended(1, 60)
  assert.equal(ahead.isFull, false)
  ahead.ended(2, 40)
  assert.equal(ahead.isFull, true)
  tablesSeq = 1
  assert.equal(ahead.isFull, true, 'the tables lack the last command of the burst')
  tablesSeq = 2
  assert.equal(ahead.isFull, false)
  ahead.ended(7, 99)
  assert.equal(ahead.isFull, false, 'a new burst counts from 0')
  ahead.ended(8, 1)
  assert.equal(ahead.isFull, true)
})
