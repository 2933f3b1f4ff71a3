import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { folderSizes } from '../../../persistence/folder-sizes.ts'
import { Growth } from '../../../server/ops/growth.ts'
import { newFolder } from '../../support/data-folder.ts'

const HOUR_MS = 3_600_000
const GB = 1e9
const sizesOf = (journal: number, archive = 0) => {
  return { journal, archive, read_tables: 0, snapshots: 0 }
}

test('growth is that of the last day, and the disk is full when it has used the free bytes', () => {
  const growth = new Growth(() => assert.fail())
  growth.take(0, sizesOf(1 * GB))
  growth.take(HOUR_MS / 12, sizesOf(2 * GB))
  assert.equal(growth.perDay('journal'), 0, 'five minutes are too short')
  assert.equal(growth.daysUntilFull(100 * GB), -1)
  growth.take(HOUR_MS, sizesOf(2 * GB))
  assert.equal(growth.perDay('journal'), 24 * GB)
  assert.equal(growth.daysUntilFull(48 * GB), 2)
  // From here on the archive takes what leaves the journal, and half a GB an hour comes.
  for (let hour = 2; hour <= 60; hour++) {
    growth.take(hour * HOUR_MS, sizesOf(2 * GB, ((hour - 1) * GB) / 2))
  }
  assert.equal(growth.perDay('journal'), 0)
  assert.equal(growth.perDay('archive'), 12 * GB)
  assert.equal(growth.daysUntilFull(36 * GB), 3)
  assert.equal(growth.daysUntilFull(null), -1)
  growth.take(61 * HOUR_MS, sizesOf(0))
  assert.equal(growth.daysUntilFull(36 * GB), -1, 'a folder that shrinks fills nothing')
})

test('the sizes of a folder are those of its files', async () => {
  const dataDir = newFolder()
  const none = { journal: 0, archive: 0, read_tables: 0, snapshots: 0 }
  assert.deepEqual(await folderSizes(dataDir), none)
  writeFileSync(join(dataDir, 'journal.db'), 'x'.repeat(10))
  writeFileSync(join(dataDir, 'journal.db-wal'), 'x'.repeat(5))
  assert.deepEqual(await folderSizes(dataDir), { ...none, journal: 15 })
})
