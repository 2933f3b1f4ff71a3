import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { openWritable } from '../../../persistence/database.ts'
import { DataFolderError } from '../../../persistence/folder-error.ts'
import { Follower } from '../../../persistence/follower/follower.ts'
import { chain } from '../../../persistence/journal/journal-chain.ts'
import { tailOf } from '../../../persistence/journal/journal-end.ts'
import { HeadFile } from '../../../persistence/journal/journal-head.ts'
import type { JournalTail } from '../../../persistence/journal/journal-port.ts'
import { JOURNAL_SCHEMA } from '../../../persistence/journal/migrations.ts'
import { SqliteJournalReader } from '../../../persistence/journal/sqlite-reader.ts'
import { type KeyedFolder, macsOf } from '../../../persistence/keyed-folder.ts'
import { journalEnd, recoverExchange } from '../../../persistence/snapshot/recovery.ts'
import { saveSnapshot, takeSnapshot } from '../../../persistence/snapshot/snapshot.ts'
import { snapshotPath } from '../../../persistence/snapshot/snapshot-folder.ts'
import { verifyFolder } from '../../../persistence/verify-folder.ts'
import { copyFolder, keyed, newFolder } from '../../support/data-folder.ts'
import { recordAt, writeBatches } from '../../support/journal-records.ts'

// An attacker who can write every file of a data folder, but lacks the server key.

const SEQ = 30

/** The folder as the attacker has it, with a guessed key. */
function guessed(dataDir: string): KeyedFolder {
  return { dataDir, macKey: randomBytes(32) }
}

async function follow(folder: KeyedFolder): Promise<Follower> {
  const follower = new Follower(folder)
  while (follower.step(SEQ)) assert.ok(follower.stateSeq <= SEQ)
  return follower
}

/** A folder of thirty commands, with read tables and a snapshot of their end. */
async function soundFolder(): Promise<string> {
  const dataDir = newFolder()
  writeBatches(dataDir, SEQ / 3).close()
  const follower = await follow(keyed(dataDir))
  await save(follower, keyed(dataDir), dataDir)
  follower.close()
  assert.deepEqual(verifyFolder(dataDir).snapshots, [{ seq: SEQ, unusable: null }])
  return dataDir
}

async function save(follower: Follower, folder: KeyedFolder, dataDir: string): Promise<void> {
  const reader = new SqliteJournalReader(keyed(dataDir))
  const checksumAt = (seq: number) => reader.checksumAt(seq)
  const checksum = checksumAt(SEQ)
  assert.ok(checksum !== null)
  await saveSnapshot(folder, takeSnapshot(follower.exchange, { seq: SEQ, checksum }), checksumAt)
  reader.close()
}

const SOUND = await soundFolder()

function start(dataDir: string) {
  const folder = keyed(dataDir)
  const { tail } = journalEnd(folder)
  return recoverExchange(folder, tail, {
    onStart: () => {},
    visit: (command, exchange) => exchange.apply(command),
  })
}

/** Both a start and `verify` refuse the folder with this sentence. */
function refuses(dataDir: string, sentence: RegExp): void {
  const says = (error: unknown) => {
    assert.ok(error instanceof DataFolderError, String(error))
    assert.match(error.message, sentence)
    return true
  }
  assert.throws(() => start(dataDir), says)
  assert.throws(() => verifyFolder(dataDir), says)
}

type Checksum = (before: Uint8Array, records: Uint8Array) => Uint8Array

/** Appends a well-formed batch of one command, as the journal's own code would. */
function append(dataDir: string, checksumOf: Checksum): JournalTail {
  const connection = openWritable(join(dataDir, 'journal.db'), {
    ...JOURNAL_SCHEMA,
    durability: 'full',
    autocheckpointPages: 0,
  })
  const before = tailOf(connection)
  const seq = before.seq + 1
  const records = recordAt(seq)
  const checksum = checksumOf(before.checksum, records)
  connection.prepare('INSERT INTO batches VALUES (?, ?, ?, ?)').run(seq, seq, records, checksum)
  connection.close()
  return { seq, checksum }
}

const plain: Checksum = (before, records) => {
  const seqs = Buffer.alloc(16)
  seqs.writeDoubleLE(SEQ + 1, 0)
  seqs.writeDoubleLE(SEQ + 1, 8)
  return createHash('sha256').update(before).update(seqs).update(records).digest()
}

const underGuess: Checksum = (before, records) =>
  chain(macsOf(guessed(''), 'journal')(), before, {
    firstSeq: SEQ + 1,
    lastSeq: SEQ + 1,
    records,
  })

test('a batch appended without the key is refused by a start and by verify', () => {
  for (const checksumOf of [plain, underGuess]) {
    const dataDir = copyFolder(SOUND)
    append(dataDir, checksumOf)
    refuses(dataDir, /records 31 to 31 does not match: .* or written without the key/)
  }
})

test('a journal.head written without the key is refused, so the end cannot be cut off', () => {
  const dataDir = copyFolder(SOUND)
  const tail = append(dataDir, plain)
  rmSync(join(dataDir, 'journal.head'))
  new HeadFile(guessed(dataDir), 'full', tail).close()
  refuses(dataDir, /journal\.head: the file is damaged, or was written without the key/)
})

test('a snapshot written without the key is passed over, and verify says so', async () => {
  const dataDir = copyFolder(SOUND)
  const follower = await follow(keyed(dataDir))
  // A million units out of nothing, in a file that is otherwise well-formed.
  const { ledger } = follower.exchange.clearing
  ledger.collateralFreeRaw[1] += 1e12
  ledger.fundedRaw += 1e12
  rmSync(snapshotPath(dataDir, SEQ))
  await save(follower, guessed(dataDir), dataDir)
  follower.close()
  const [finding] = verifyFolder(dataDir).snapshots
  assert.match(finding.unusable ?? '', /^is damaged or was written without the key/)
  const found = start(dataDir)
  assert.equal(found.snapshotSeq, 0, 'the journal alone is read')
  assert.match(found.passedOver[0], /written without the key.*; this snapshot is skipped\.$/)
  assert.equal(found.exchange.clearing.ledger.collateralFreeRaw[1], 0)
})

test('the journal, snapshots and head of another folder are refused in this one', async () => {
  const other = newFolder()
  copyFileSync(join(SOUND, 'server.key'), join(other, 'server.key'))
  writeBatches(other, SEQ / 3).close()
  const journal = copyFolder(SOUND)
  for (const name of ['journal.db', 'journal.db-wal', 'journal.db-shm']) {
    rmSync(join(journal, name), { force: true })
  }
  copyFileSync(join(other, 'journal.db'), join(journal, 'journal.db'))
  refuses(journal, /journal\.head: the file is damaged, or was written without the key/)
  const snapshot = copyFolder(other)
  start(snapshot)
  const follower = await follow(keyed(snapshot))
  await save(follower, keyed(snapshot), snapshot)
  follower.close()
  copyFileSync(snapshotPath(SOUND, SEQ), snapshotPath(snapshot, SEQ))
  assert.match(verifyFolder(snapshot).snapshots[0].unusable ?? '', /written without the key/)
})

test('a sealed folder key that was changed or removed stops the start', () => {
  const run = (dataDir: string, sql: string) => {
    const path = join(dataDir, 'journal.db')
    const options = { ...JOURNAL_SCHEMA, durability: 'full', autocheckpointPages: 0 } as const
    const connection = openWritable(path, options)
    connection.exec(sql)
    connection.close()
  }
  const changed = copyFolder(SOUND)
  run(changed, "UPDATE marks SET value = zeroblob(61) WHERE name = 'folder-key'")
  refuses(changed, /this is not the key the journal was written with/)
  const gone = copyFolder(SOUND)
  run(gone, 'DELETE FROM marks')
  refuses(gone, /journal\.db: the folder's sealed key is missing from it/)
})

test('a folder of an older outcomex is refused with a sentence', () => {
  const dataDir = copyFolder(SOUND)
  const path = join(dataDir, 'journal.db')
  const connection = openWritable(path, {
    ...JOURNAL_SCHEMA,
    durability: 'full',
    autocheckpointPages: 0,
  })
  connection.pragma(`user_version = ${JOURNAL_SCHEMA.baseVersion}`)
  connection.close()
  refuses(dataDir, /written by an older outcomex .* use another --data, or use the/)
})

test('a journal.head cut short or grown is reported as damage, not as a fault', () => {
  const dataDir = copyFolder(SOUND)
  const path = join(dataDir, 'journal.head')
  const bytes = readFileSync(path)
  for (const changed of [bytes.subarray(0, 100), Buffer.concat([bytes, bytes])]) {
    writeFileSync(path, changed)
    refuses(dataDir, /journal\.head: the file is damaged/)
  }
  writeFileSync(path, '')
  refuses(dataDir, /journal\.head: the file is missing or empty/)
})
