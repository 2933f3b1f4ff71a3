import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { DataLock } from '../../../persistence/data-lock.ts'
import { openWritable } from '../../../persistence/database.ts'
import { DataFolderError, dataFolderError } from '../../../persistence/folder-error.ts'
import { JOURNAL_SCHEMA } from '../../../persistence/journal/migrations.ts'
import type { SqliteJournalWriter } from '../../../persistence/journal/sqlite-journal.ts'
import { recoverJournal } from '../../../persistence/snapshot/recovery.ts'
import { verifyFolder } from '../../../persistence/verify-folder.ts'
import { copyFolder, newFolder } from '../../support/data-folder.ts'
import { recordAt, recoverAll, startJournal, writeBatches } from '../../support/journal-records.ts'

const BATCHES = 40
const LAST_SEQ = BATCHES * 3

/** A folder as a kill leaves it: only the WAL has the newest commits. */
function killedFolder(options: { durability?: 'full' | 'normal' } = {}): string {
  const dataDir = newFolder()
  const writer: SqliteJournalWriter = writeBatches(dataDir, BATCHES, options)
  const copy = copyFolder(dataDir)
  writer.close()
  rmSync(join(copy, 'journal.db-shm'), { force: true })
  return copy
}

/** A folder as a clean stop leaves it: everything is in the database. */
function closedFolder(): string {
  const dataDir = newFolder()
  writeBatches(dataDir, BATCHES).close()
  return dataDir
}

function flipBit(path: string, at: number): void {
  const bytes = readFileSync(path)
  bytes[at] ^= 0x10
  writeFileSync(path, bytes)
}

function refuses(dataDir: string, sentence: RegExp): void {
  const isSentence = (error: unknown) => {
    assert.ok(error instanceof DataFolderError, String(error))
    assert.match(error.message, sentence)
    return true
  }
  assert.throws(() => recoverJournal(dataDir, { visit: () => {} }), isSentence)
  assert.throws(() => verifyFolder(dataDir), isSentence)
}

/** Runs SQL on a journal that no process uses, as a careless hand might. */
function tamper(dataDir: string, sql: string): void {
  const path = join(dataDir, 'journal.db')
  const options = { ...JOURNAL_SCHEMA, durability: 'full', autocheckpointPages: 0 } as const
  const connection = openWritable(path, options)
  connection.exec(sql)
  connection.close()
}

test('a killed writer loses nothing', () => {
  assert.equal(recoverAll(killedFolder()).tail.seq, LAST_SEQ)
  assert.equal(verifyFolder(killedFolder()).seq, LAST_SEQ)
})

test('a torn tail that was never acknowledged is passed over, and the journal goes on', () => {
  const dataDir = killedFolder()
  const wal = join(dataDir, 'journal.db-wal')
  appendFileSync(wal, readFileSync(wal).subarray(32, 32 + 3000))
  assert.equal(recoverAll(dataDir).tail.seq, LAST_SEQ)
  writeBatches(dataDir, 1).close()
  assert.equal(recoverAll(dataDir).tail.seq, LAST_SEQ + 3)
})

test('a torn tail that was acknowledged stops the start', () => {
  const dataDir = killedFolder()
  const wal = join(dataDir, 'journal.db-wal')
  writeFileSync(wal, readFileSync(wal).subarray(0, statSync(wal).size - 100))
  refuses(dataDir, /ends at seq 117, but seq 120 was acknowledged: 3 records are lost/)
})

test('a flipped bit anywhere in the WAL stops the start', () => {
  for (const share of [0.2, 0.5, 0.9]) {
    const dataDir = killedFolder()
    const wal = join(dataDir, 'journal.db-wal')
    flipBit(wal, Math.floor(statSync(wal).size * share))
    const before = readFileSync(wal)
    refuses(dataDir, /ends at seq \d+, but seq 120 was acknowledged/)
    assert.deepEqual(readFileSync(wal), before, 'a refused start leaves the evidence alone')
  }
})

test('a missing WAL stops the start', () => {
  const dataDir = killedFolder()
  rmSync(join(dataDir, 'journal.db-wal'))
  refuses(dataDir, /ends at seq 0, but seq 120 was acknowledged: 120 records are lost/)
})

test('a flipped bit in a record of the database stops the start', () => {
  const dataDir = closedFolder()
  const path = join(dataDir, 'journal.db')
  const at = readFileSync(path).indexOf('Profile number 61')
  assert.ok(at > 0)
  flipBit(path, at + 3)
  refuses(dataDir, /the checksum of records 61 to 63 does not match/)
})

test('a page of zeros in the database stops the start', () => {
  const dataDir = closedFolder()
  const path = join(dataDir, 'journal.db')
  const bytes = readFileSync(path)
  bytes.fill(0, 4 * 4096, 6 * 4096)
  writeFileSync(path, bytes)
  refuses(dataDir, /damaged/)
})

test('a file that is not a database stops the start', () => {
  const dataDir = closedFolder()
  writeFileSync(join(dataDir, 'journal.db'), 'not a database at all, but long enough to be read')
  refuses(dataDir, /not a database/)
})

test('a gap, a changed record and a batch from elsewhere stop the start and say where', () => {
  const gap = closedFolder()
  tamper(gap, 'DELETE FROM batches WHERE first_seq = 61')
  refuses(gap, /records 61 to 63 are missing/)
  const swapped = closedFolder()
  tamper(
    swapped,
    'UPDATE batches SET records = (SELECT records FROM batches WHERE first_seq = 4) ' +
      'WHERE first_seq = 7',
  )
  refuses(swapped, /the checksum of records 7 to 9 does not match/)
  const shortened = closedFolder()
  tamper(shortened, 'DELETE FROM batches WHERE first_seq > 100')
  refuses(shortened, /ends at seq 102, but seq 120 was acknowledged: 18 records are lost/)
})

test('a missing, damaged or foreign journal.head and a missing journal stop the start', () => {
  const missing = closedFolder()
  rmSync(join(missing, 'journal.head'))
  refuses(missing, /journal\.head: the file is missing/)
  const damaged = closedFolder()
  flipBit(join(damaged, 'journal.head'), 9)
  refuses(damaged, /journal\.head: the file is damaged/)
  const foreign = closedFolder()
  const other = copyFolder(foreign)
  writeBatches(foreign, 2, { perBatch: 6 }).close()
  writeBatches(other, 3, { perBatch: 4 }).close()
  copyFileSync(join(other, 'journal.head'), join(foreign, 'journal.head'))
  refuses(foreign, /not the journal of journal\.head/)
  const gone = closedFolder()
  rmSync(join(gone, 'journal.db'))
  assert.throws(() => recoverAll(gone), /journal\.db: the file is missing or empty/)
})

test('under normal durability a lost tail is counted, and the journal goes on from there', () => {
  const dataDir = killedFolder({ durability: 'normal' })
  const wal = join(dataDir, 'journal.db-wal')
  writeFileSync(wal, readFileSync(wal).subarray(0, statSync(wal).size - 100))
  const found = recoverAll(dataDir)
  assert.deepEqual([found.tail.seq, found.lostRecords], [LAST_SEQ - 3, 3])
  writeBatches(dataDir, 1, { durability: 'normal' }).close()
  const again = recoverAll(dataDir)
  assert.deepEqual([again.tail.seq, again.lostRecords], [LAST_SEQ, 0])
})

test('a second process on the folder is refused, and the first goes on', () => {
  const dataDir = newFolder()
  const lock = DataLock.take(dataDir)
  const entry = new URL('../../../persistence/data-lock.ts', import.meta.url).href
  const script = `import { DataLock } from ${JSON.stringify(entry)}
    try { DataLock.take(process.argv[1]); console.log('taken') }
    catch (error) { console.log(error.name + ' ' + error.message) }`
  const child = () =>
    spawnSync(
      process.execPath,
      ['--import', 'tsx', '--input-type=module', '--eval', script, dataDir],
      { encoding: 'utf8', timeout: 20_000 },
    ).stdout
  assert.match(child(), /^UnreadFolder .*another outcomex process uses this data folder/)
  assert.throws(() => verifyFolder(closedAndLocked()), /another outcomex process/)
  lock.release()
  assert.match(child(), /^taken/)
})

function closedAndLocked(): string {
  const dataDir = closedFolder()
  DataLock.take(dataDir)
  return dataDir
}

test('a read-only folder, and a folder that is a file, are refused with a sentence', () => {
  const dataDir = newFolder()
  chmodSync(dataDir, 0o555)
  // Root may write anywhere, so the process gives up root for the attempt.
  const isRoot = process.geteuid?.() === 0
  if (isRoot) process.seteuid?.(65_534)
  try {
    assert.throws(() => DataLock.take(dataDir), DataFolderError)
    assert.throws(() => recoverAll(dataDir), /may not use it|cannot be opened|read-only/)
  } finally {
    if (isRoot) process.seteuid?.(0)
    chmodSync(dataDir, 0o755)
  }
  writeFileSync(join(dataDir, 'file'), '')
  assert.throws(() => DataLock.take(join(dataDir, 'file')), DataFolderError)
  mkdirSync(join(dataDir, 'journal.db'))
  assert.throws(() => recoverAll(dataDir), DataFolderError)
})

test('a full disk ends the journal thread with a sentence; durable records stay', async () => {
  const dataDir = newFolder()
  const { journal, durable, fault } = await startJournal(dataDir, { pagesMax: 40 })
  journal.append(1, recordAt(1))
  journal.send()
  await durable(1)
  for (let seq = 2; seq <= 3000; seq++) journal.append(seq, recordAt(seq))
  journal.send()
  assert.match(await fault, /^The journal thread failed: .*the disk is full/)
  const reported = journal.durableSeq
  assert.ok(reported < 3000)
  assert.ok(recoverAll(dataDir).tail.seq >= reported)
})

test('damage of the read tables needs a rebuild, damage of the journal a backup', () => {
  const corrupt = Object.assign(new Error('malformed'), { code: 'SQLITE_CORRUPT_INDEX' })
  const sentenceFor = (name: string) => String(dataFolderError(corrupt, join('data', name)))
  assert.match(
    sentenceFor('read.db'),
    /read\.db: the read tables are damaged; run outcomex rebuild/,
  )
  assert.match(sentenceFor('journal.db'), /journal\.db: the file is damaged; restore the data/)
})
