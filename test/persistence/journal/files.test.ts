import assert from 'node:assert/strict'
import { copyFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { DataLock } from '../../../persistence/data-lock.ts'
import { identityOf } from '../../../persistence/file-identity.ts'
import { DataFolderError } from '../../../persistence/folder-error.ts'
import {
  JournalCheckpointer,
  SqliteJournalWriter,
} from '../../../persistence/journal/sqlite-journal.ts'
import { recoverJournal } from '../../../persistence/snapshot/recovery.ts'
import { newFolder } from '../../support/data-folder.ts'
import { recordAt, recoverAll } from '../../support/journal-records.ts'

// A writer whose files were taken away; test/crash does the same to whole processes.

function openLocked() {
  const dataDir = newFolder()
  const lock = DataLock.take(dataDir)
  const { tail, folder } = recoverJournal(dataDir, { visit: () => {} })
  const writer = new SqliteJournalWriter(folder, 'full', tail, lock.file)
  writer.commit(1, recordAt(1))
  const close = () => {
    writer.close()
    lock.release()
  }
  return { dataDir, folder, writer, close }
}

for (const name of ['lock.db', 'journal.db', 'journal.db-wal', 'journal.head']) {
  test(`a writer stops when ${name} was deleted or replaced, and writes no more`, () => {
    for (const isReplaced of [false, true]) {
      const { dataDir, writer, close } = openLocked()
      const path = join(dataDir, name)
      const kept = join(newFolder(), 'kept')
      // Both files exist at once, so the copy has an inode of its own.
      if (isReplaced) copyFileSync(path, kept)
      const away = join(newFolder(), 'away')
      renameSync(path, away)
      if (isReplaced) renameSync(kept, path)
      const stops = (error: unknown) => {
        assert.ok(error instanceof DataFolderError)
        assert.match(error.message, /: the file was deleted or replaced while this process used it/)
        assert.ok(error.message.startsWith(path))
        return true
      }
      assert.throws(() => writer.checkFiles(), stops)
      assert.throws(() => writer.commit(2, recordAt(2)), stops)
      rmSync(path, { force: true })
      renameSync(away, path)
      writer.commit(2, recordAt(2))
      close()
      assert.equal(recoverAll(dataDir).tail.seq, 2)
    }
  })
}

test('a checkpoint thread copies only the journal that the writer has open', () => {
  for (const isReplaced of [false, true]) {
    const { dataDir, writer, close } = openLocked()
    const path = join(dataDir, 'journal.db')
    const file = identityOf(path)
    const checkpointer = new JournalCheckpointer(file, 'full')
    const kept = join(newFolder(), 'kept')
    if (isReplaced) copyFileSync(path, kept)
    const away = join(newFolder(), 'away')
    renameSync(path, away)
    if (isReplaced) renameSync(kept, path)
    const gone = /journal\.db: the file was deleted or replaced/
    assert.throws(() => new JournalCheckpointer(file, 'full'), gone)
    assert.throws(() => checkpointer.copy(), gone)
    rmSync(path, { force: true })
    renameSync(away, path)
    assert.ok(checkpointer.copy().logFrames > 0)
    checkpointer.close()
    writer.commit(2, recordAt(2))
    close()
    assert.equal(recoverAll(dataDir).tail.seq, 2)
  }
})

test('of two writers, the first to commit a seq has it; the other stops with a sentence', () => {
  const { dataDir, folder, writer, close } = openLocked()
  const { tail } = recoverJournal(dataDir, { visit: () => {} })
  const second = new SqliteJournalWriter(folder, 'full', tail)
  second.commit(3, Buffer.concat([recordAt(2), recordAt(3)]))
  assert.throws(
    () => writer.commit(2, recordAt(2)),
    /another process has written seq 2; this process/,
  )
  second.close()
  close()
  assert.equal(recoverAll(dataDir).tail.seq, 3)
})
