import assert from 'node:assert/strict'
import { statSync } from 'node:fs'
import { test } from 'node:test'
import { openReadOnly } from '../../../persistence/database.ts'
import { identityOf } from '../../../persistence/file-identity.ts'
import { CheckpointCall } from '../../../persistence/journal/checkpoint-call.ts'
import { journalPath } from '../../../persistence/journal/journal-end.ts'
import {
  JournalCheckpointer,
  SqliteJournalWriter,
} from '../../../persistence/journal/sqlite-journal.ts'
import { recoverJournal } from '../../../persistence/snapshot/recovery.ts'
import { verifyFolder } from '../../../persistence/verify-folder.ts'
import { newFolder } from '../../support/data-folder.ts'
import { recordAt, startJournal } from '../../support/journal-records.ts'
import { freshSeed, Random } from '../../support/random.ts'

// The WAL stays bounded, and its copies into journal.db are made by another thread.

const MIB = 1 << 20
const IDLE = { logFrames: 0, copiedFrames: 0 }

function walBytes(dataDir: string): number {
  return statSync(`${journalPath(dataDir)}-wal`).size
}

test('a checkpoint is requested once, and its figures are taken once', () => {
  const shared = CheckpointCall.allocate()
  const journal = new CheckpointCall(shared)
  const thread = new CheckpointCall(shared)
  assert.equal(journal.request(), false, 'before the journal is open')
  journal.open()
  assert.equal(journal.take(), false)
  assert.equal(journal.request(), true)
  assert.equal(journal.request(), false)
  assert.equal(thread.waitForAsk(), true)
  assert.equal(journal.take(), false)
  thread.finish({ logFrames: 9, copiedFrames: 7 }, 0.5)
  assert.equal(journal.request(), false, 'before the last one was taken')
  assert.equal(journal.take(), true)
  assert.deepEqual([journal.logFrames, journal.copiedFrames, journal.micros], [9, 7, 1])
  assert.equal(journal.take(), false)
  assert.equal(journal.request(), true)
})

test('the end of the checkpoint thread stands, whatever comes after it', () => {
  const call = new CheckpointCall(CheckpointCall.allocate())
  call.open()
  assert.equal(call.request(), true)
  call.end()
  call.finish(IDLE, 1)
  assert.equal(call.take(), false)
  assert.equal(call.request(), false)
  assert.equal(call.waitForJournal(), false)
  assert.equal(call.waitForAsk(), false)
})

/** Commits of up to 100 KB. Both threads alternate on this one, in a random order. */
test('the WAL stays short under a flood of commits while readers come and go', () => {
  const random = new Random(freshSeed())
  const dataDir = newFolder()
  const { tail, folder } = recoverJournal(dataDir, { visit: () => {} })
  const writer = new SqliteJournalWriter(folder, 'normal', tail)
  const call = new CheckpointCall(CheckpointCall.allocate())
  call.open()
  const checkpointer = new JournalCheckpointer(identityOf(journalPath(dataDir)), 'normal')
  const reader = openReadOnly(journalPath(dataDir))
  const look = reader.prepare('SELECT count(*) FROM batches')
  let readsFor = 0
  let committedBytes = 0
  let restarts = 0
  let longest = 0
  for (let seq = 1; committedBytes < 160 * MIB; seq++) {
    const records = Buffer.alloc(8 * random.between(1, 12_500), recordAt(1))
    writer.commit(seq, records)
    committedBytes += records.length
    if (readsFor === 0 && random.chance(0.05)) {
      reader.exec('BEGIN')
      look.get()
      readsFor = random.between(1, 20)
    } else if (readsFor > 0 && --readsFor === 0) reader.exec('COMMIT')
    if (call.isRequested && random.chance(0.3)) call.finish(checkpointer.copy(), 1)
    if (writer.boundWal(call, call.take())) restarts++
    longest = Math.max(longest, walBytes(dataDir))
  }
  assert.ok(longest <= 24 * MIB, `the WAL had ${longest} bytes`)
  const fewest = Math.floor(committedBytes / (24 * MIB))
  assert.ok(restarts >= fewest, `the WAL started again ${restarts} times`)
  reader.close()
  checkpointer.close()
  writer.close()
})

test('without checkpoints in the other thread the writer waits for readers itself', () => {
  const dataDir = newFolder()
  const { tail, folder } = recoverJournal(dataDir, { visit: () => {} })
  const writer = new SqliteJournalWriter(folder, 'normal', tail)
  const call = new CheckpointCall(CheckpointCall.allocate())
  const records = Buffer.alloc(MIB, recordAt(1))
  let longest = 0
  for (let seq = 1; seq <= 160; seq++) {
    writer.commit(seq, records)
    writer.boundWal(call, call.take())
    longest = Math.max(longest, walBytes(dataDir))
  }
  assert.ok(longest <= 72 * MIB, `the WAL had ${longest} bytes`)
  writer.close()
})

test('a thread of its own makes the checkpoints of a journal', async () => {
  const dataDir = newFolder()
  let ended = 0
  const { journal, durable } = await startJournal(dataDir, {
    onCommit: (_records, _bytes, _micros, { ownMicros }) => {
      if (ownMicros > 0) ended++
    },
  })
  const MOST = 60_000
  let seq = 0
  while (ended === 0 && seq < MOST) {
    const until = Math.min(seq + 500, MOST)
    while (seq < until) journal.append(++seq, recordAt(seq))
    journal.send()
    await durable(seq)
  }
  assert.ok(ended > 0, 'a checkpoint ended')
  await journal.stop()
  assert.equal(verifyFolder(dataDir).seq, seq)
})

test('a checkpoint thread that dies is named in a fault', async () => {
  const { journal, fault, durable } = await startJournal(newFolder())
  const MIB_OF_RECORDS = 6000
  for (let seq = 1; seq <= MIB_OF_RECORDS; seq++) journal.append(seq, recordAt(seq))
  journal.send()
  await durable(MIB_OF_RECORDS)
  await journal.killCheckpoints()
  assert.match(await fault, /^The checkpoint thread failed: /)
  await journal.stop()
})
