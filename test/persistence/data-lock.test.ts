import assert from 'node:assert/strict'
import { once } from 'node:events'
import { chmodSync, chownSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { reasonOf } from '../../engine/domain/error-code.ts'
import { DataLock } from '../../persistence/data-lock.ts'
import { openWritable } from '../../persistence/database.ts'
import { DataFolderError } from '../../persistence/folder-error.ts'
import { rebuildReadTables } from '../../persistence/follower/rebuild.ts'
import { commands } from '../../server/cli/commands.ts'
import { runCommand } from '../../server/command-line.ts'
import type { Shell } from '../../server/shell.ts'
import { newFolder } from '../support/data-folder.ts'
import { fillJournal } from '../support/journal-fill.ts'
import { recordAt } from '../support/journal-records.ts'

// The lock of a data folder whose files belong to several users, as after a first start as root.

const NOBODY = 65_534
const isRoot = process.geteuid?.() === 0
const skip = isRoot ? false : 'needs root: only root may give a file to another user'

/** Runs `work` as a user whom file modes bind. Closing a lock is part of the work. */
async function asNobody<T>(work: () => T | Promise<T>): Promise<T> {
  process.setegid?.(NOBODY)
  process.seteuid?.(NOBODY)
  try {
    return await work()
  } finally {
    process.seteuid?.(0)
    process.setegid?.(0)
  }
}

/** A folder of an exchange that belongs to nobody, except `lock.db`, which belongs to root. */
function handedOver(lockMode: number): string {
  const dataDir = newFolder()
  fillJournal(dataDir, [recordAt(1), recordAt(2)])
  rmSync(join(dataDir, 'lock.db'), { force: true })
  DataLock.take(dataDir).release()
  for (const name of ['', ...readdirSync(dataDir)]) chownSync(join(dataDir, name), NOBODY, NOBODY)
  const lockFile = join(dataDir, 'lock.db')
  chownSync(lockFile, 0, 0)
  chmodSync(lockFile, lockMode)
  return dataDir
}

const UNWRITABLE = /lock[.]db: this user may not write it, .*chown -R USER/

test('a lock that this user cannot write is refused', { skip }, async () => {
  const dataDir = handedOver(0o644)
  const isSentence = (error: unknown) =>
    error instanceof DataFolderError && UNWRITABLE.test(error.message)
  await asNobody(() => assert.throws(() => DataLock.take(dataDir).release(), isSentence))
})

test('rebuild and key rotate do not run without the lock', { skip }, async () => {
  const dataDir = handedOver(0o644)
  const warned: string[] = []
  const shell: Shell = {
    env: {},
    nowMs: () => 0,
    say: () => {},
    warn: (text) => warned.push(text),
  }
  await asNobody(async () => {
    assert.throws(() => rebuildReadTables(dataDir), UNWRITABLE)
    const newKey = join(dataDir, 'new.key')
    const args = ['key', 'rotate', '--data', dataDir, '--new-key-file', newKey]
    assert.equal(await runCommand(commands, args, '', shell), 1)
  })
  assert.match(warned.join('\n'), UNWRITABLE)
})

test('a database that this user cannot write is refused when it is opened', { skip }, async () => {
  // Connections of one process share the -shm, so its mode shows only between processes.
  for (const ending of ['', '-wal']) {
    const dataDir = newFolder()
    const path = join(dataDir, 'read.db')
    const options = {
      durability: 'normal',
      migrations: ['SELECT 1'],
      autocheckpointPages: 0,
    } as const
    const kept = openWritable(path, options)
    chownSync(dataDir, NOBODY, NOBODY)
    for (const each of ['', '-wal', '-shm']) {
      const isRoots = each === ending
      chownSync(path + each, isRoots ? 0 : NOBODY, NOBODY)
      chmodSync(path + each, isRoots ? 0o644 : 0o600)
    }
    const sentence = /read[.]db: this user may not write it, its -wal, .* make the folder and/
    await asNobody(() => assert.throws(() => openWritable(path, options).close(), sentence, ending))
    kept.close()
  }
})

test('an error of SQLite in another thread keeps its code', async () => {
  const sqlite = JSON.stringify(import.meta.resolve('better-sqlite3'))
  const script = `import(${sqlite}).then((sqlite) => new sqlite.default('').exec('no SQL'))`
  const [error] = await once(new Worker(script, { eval: true }), 'error')
  assert.equal(reasonOf(error), 'SQLITE_ERROR')
  assert.equal(reasonOf(new Error('a reason')), 'a reason')
  assert.equal(reasonOf('a text'), 'a text')
})

test('lock.db is made for its owner alone', () => {
  const dataDir = newFolder()
  DataLock.take(dataDir).release()
  assert.equal(statSync(join(dataDir, 'lock.db')).mode & 0o777, 0o600)
})

test('a lock.db that others may open is closed to them', () => {
  const rows = [
    [0o644, 0o600],
    [0o666, 0o600],
    [0o660, 0o600],
    [0o600, 0o600],
  ]
  for (const [before, after] of rows) {
    const dataDir = newFolder()
    DataLock.take(dataDir).release()
    const path = join(dataDir, 'lock.db')
    chmodSync(path, before)
    const lock = DataLock.take(dataDir)
    assert.equal(statSync(path).mode & 0o777, after, before.toString(8))
    lock.release()
  }
})

test('a group that may write the journal may write the lock too', () => {
  const dataDir = newFolder()
  fillJournal(dataDir, [recordAt(1)])
  DataLock.take(dataDir).release()
  const path = join(dataDir, 'lock.db')
  chmodSync(join(dataDir, 'journal.db'), 0o660)
  chmodSync(path, 0o664)
  DataLock.take(dataDir).release()
  assert.equal(statSync(path).mode & 0o777, 0o660)
})

test('a lock of another user that this user may write is taken as it is', { skip }, async () => {
  const dataDir = handedOver(0o666)
  await asNobody(() => DataLock.take(dataDir).release())
  assert.equal(statSync(join(dataDir, 'lock.db')).mode & 0o777, 0o666)
})
