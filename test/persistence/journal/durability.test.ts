import assert from 'node:assert/strict'
import { copyFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Ring } from '../../../engine/thread/ring.ts'
import { encodeControl } from '../../../engine/wire/codec.ts'
import { encodePlace } from '../../../engine/wire/place-codec.ts'
import { DataLock } from '../../../persistence/data-lock.ts'
import { type Durability, openCheckpointer, openWritable } from '../../../persistence/database.ts'
import { rebuildReadTables } from '../../../persistence/follower/rebuild.ts'
import { journalPath, openJournal } from '../../../persistence/journal/journal-end.ts'
import { SqliteJournalWriter } from '../../../persistence/journal/sqlite-journal.ts'
import { SqliteJournalReader } from '../../../persistence/journal/sqlite-reader.ts'
import { BatchBuffer } from '../../../persistence/journal/thread/batch-buffer.ts'
import { recoverJournal } from '../../../persistence/snapshot/recovery.ts'
import { verifyFolder } from '../../../persistence/verify-folder.ts'
import { CommandFlow } from '../../support/command-flow.ts'
import { copyFolder, keyed, newFolder } from '../../support/data-folder.ts'
import { fillJournal } from '../../support/journal-fill.ts'
import { recordAt, startJournal, writeBatches } from '../../support/journal-records.ts'

test('a full commit is on the disk before it returns, a normal one in the file', () => {
  // SQLite's own numbers: 2 is FULL, 1 is NORMAL.
  const synchronous = (durability: Durability) => {
    const dataDir = newFolder()
    const connection = openJournal(dataDir, durability)
    const checkpointer = openCheckpointer(journalPath(dataDir), durability)
    const level = connection.pragma('synchronous', { simple: true })
    assert.equal(connection.pragma('journal_mode', { simple: true }), 'wal')
    assert.equal(checkpointer.pragma('synchronous', { simple: true }), level)
    assert.equal(checkpointer.pragma('wal_autocheckpoint', { simple: true }), 0)
    checkpointer.close()
    connection.close()
    return level
  }
  assert.equal(synchronous('full'), 2)
  assert.equal(synchronous('normal'), 1)
})

test('the files of a journal are for their owner only', () => {
  const dataDir = newFolder()
  writeBatches(dataDir, 1).close()
  for (const file of ['journal.db', 'journal.head']) {
    assert.equal(statSync(join(dataDir, file)).mode & 0o777, 0o600, file)
  }
})

test('a file of a newer version is refused', () => {
  const path = join(newFolder(), 'journal.db')
  const options = { durability: 'full', autocheckpointPages: 0 } as const
  openWritable(path, { ...options, migrations: ['SELECT 1', 'SELECT 2'] }).close()
  assert.throws(
    () => openWritable(path, { ...options, migrations: ['SELECT 1'] }),
    /written by a newer outcomex/,
  )
})

test('a writer is refused when the journal has grown since its recovery', () => {
  const dataDir = newFolder()
  writeBatches(dataDir, 2).close()
  const { tail, folder } = recoverJournal(dataDir, { visit: () => {} })
  writeBatches(dataDir, 1).close()
  assert.throws(() => new SqliteJournalWriter(folder, 'full', tail), /another process writes it/)
})

test('verify reports a journal whose commands break an invariant', () => {
  const dataDir = newFolder()
  const flow = new CommandFlow(1)
  const order = flow.place({ side: 0, outcome: 0, priceTicks: 500, sizeRaw: 1_000_000 })
  fillJournal(dataDir, flow.records)
  assert.equal(verifyFolder(dataDir).openOrders, 1)
  const broken = newFolder()
  const dear = encodePlace({ ...order, reserveRaw: order.reserveRaw + 1 })
  fillJournal(broken, [...flow.records.slice(0, -1), dear])
  assert.throws(
    () => verifyFolder(broken),
    /violates an invariant: the order of seq \d+ reserves 500001/,
  )
})

test('verify reports read tables of another journal, and refuses to run beside a server', () => {
  const [dataDir, other] = [newFolder(), newFolder()]
  for (const [folder, seed] of [
    [dataDir, 1],
    [other, 2],
  ] as const) {
    const flow = new CommandFlow(seed)
    flow.run(100)
    fillJournal(folder, flow.records)
    assert.ok(rebuildReadTables(folder) > 100 - 40)
  }
  assert.equal(verifyFolder(dataDir).readTables.seq, verifyFolder(dataDir).seq)
  copyFileSync(join(other, 'read.db'), join(dataDir, 'read.db'))
  const { readTables } = verifyFolder(dataDir)
  assert.match(readTables.rebuildReason ?? '', /was not made from this journal/)
  const lock = DataLock.take(other)
  assert.throws(() => verifyFolder(other), /another outcomex process/)
  lock.release()
})

test('a batch takes what fits, in order and without a gap, and starts again empty', () => {
  const ring = new Ring(Ring.allocate(1 << 12))
  const framed = (seq: number): Ring => {
    ring.free()
    assert.ok(ring.push(0, recordAt(seq)))
    ring.send()
    assert.ok(ring.next())
    return ring
  }
  const batch = new BatchBuffer(4)
  assert.throws(() => batch.add(framed(6)), /without gaps/)
  let seq = 4
  while (batch.fits(recordAt(seq + 1).length)) batch.add(framed(++seq))
  assert.deepEqual([batch.lastSeq, batch.count], [seq, seq - 4])
  const bytes = batch.records.length
  assert.ok(bytes <= 1 << 20 && bytes > (1 << 20) - 1000, `${bytes} bytes`)
  batch.clear()
  assert.deepEqual([batch.lastSeq, batch.count, batch.records.length], [seq, 0, 0])
  batch.add(framed(seq + 1))
  assert.equal(batch.lastSeq, seq + 1)
})

test('a record out of order never enters the journal', async () => {
  const { journal } = await startJournal(newFolder())
  journal.append(1, recordAt(1))
  assert.throws(() => journal.append(3, recordAt(3)), /the sequencer appends without gaps/)
  assert.throws(() => journal.append(1, recordAt(1)), /the sequencer appends without gaps/)
  journal.append(2, recordAt(2))
  await journal.stop()
  assert.equal(journal.durableSeq, 2)
})

test('a checksum covers every record before it, and a record carries its own seq', () => {
  const base = newFolder()
  keyed(base)
  const checksumOf = (first: Uint8Array) => {
    const dataDir = copyFolder(base)
    const writer = writeBatches(dataDir, 0)
    writer.commit(1, first)
    writer.commit(2, recordAt(2))
    writer.close()
    const reader = new SqliteJournalReader(keyed(dataDir))
    const checksum = reader.checksumAt(2)
    reader.close()
    return checksum
  }
  const otherFirst = encodeControl({ kind: 'setAdminToken', tokenDigest: 'ab', seq: 1, nowMs: 1 })
  assert.deepEqual(checksumOf(recordAt(1)), checksumOf(recordAt(1)))
  assert.notDeepEqual(checksumOf(recordAt(1)), checksumOf(otherFirst))
  const dataDir = newFolder()
  const writer = writeBatches(dataDir, 0)
  writer.commit(3, Buffer.concat([recordAt(1), recordAt(3), recordAt(2)]))
  writer.close()
  assert.throws(() => recoverJournal(dataDir, { visit: () => {} }), /record 2 carries seq 3/)
})
