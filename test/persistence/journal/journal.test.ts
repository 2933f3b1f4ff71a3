import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LIMITS } from '../../../engine/domain/limits.ts'
import { recordSeq } from '../../../engine/wire/codec.ts'
import { SqliteJournalReader } from '../../../persistence/journal/sqlite-reader.ts'
import { keyed, newFolder } from '../../support/data-folder.ts'
import { recordAt, recoverAll, startJournal, writeBatches } from '../../support/journal-records.ts'

test('every durable record is there after a reopen, in order and once', async () => {
  const dataDir = newFolder()
  const total = 5000
  const { journal, durable } = await startJournal(dataDir)
  for (let seq = 1; seq <= total; seq++) {
    journal.append(seq, recordAt(seq))
    if (seq % 50 === 0) journal.send()
  }
  await durable(total)
  assert.equal(journal.durableSeq, total)
  assert.equal(journal.stats.records, total)
  assert.ok(journal.stats.batches < total, 'waiting records are committed together')
  await journal.stop()
  const found = recoverAll(dataDir)
  assert.equal(found.tail.seq, total)
  assert.deepEqual(
    found.commands.map((command) => command.seq),
    Array.from({ length: total }, (_, index) => index + 1),
  )
})

test('durable seqs ascend, and a stop commits the records that still wait', async () => {
  const dataDir = newFolder()
  const reported: number[] = []
  const { journal } = await startJournal(dataDir, { onDurable: (seq) => reported.push(seq) })
  for (let seq = 1; seq <= 700; seq++) journal.append(seq, recordAt(seq))
  await journal.stop()
  assert.equal(reported.at(-1), 700)
  assert.deepEqual(
    reported,
    [...reported].sort((a, b) => a - b),
  )
  assert.equal(recoverAll(dataDir).tail.seq, 700)
})

test('a journal continues where it ended, and its chain spans the restart', async () => {
  const dataDir = newFolder()
  for (let round = 0; round < 3; round++) {
    const { journal, durable } = await startJournal(dataDir)
    const first = journal.durableSeq + 1
    for (let seq = first; seq < first + 10; seq++) journal.append(seq, recordAt(seq))
    journal.send()
    await durable(first + 9)
    await journal.stop()
  }
  assert.equal(recoverAll(dataDir).tail.seq, 30)
})

test('a batch is bounded, however many records wait', async () => {
  const dataDir = newFolder()
  const { journal } = await startJournal(dataDir)
  let seq = 0
  while (journal.freeBytes() > LIMITS.ringReserveBytes) journal.append(++seq, recordAt(seq + 0))
  await journal.stop()
  const reader = new SqliteJournalReader(keyed(dataDir))
  let records = 0
  for (const batch of reader.batches(1)) {
    assert.ok(batch.records.length <= LIMITS.batchBytesMax)
    records += batch.lastSeq - batch.firstSeq + 1
  }
  reader.close()
  assert.equal(records, seq)
})

test('a reader starts at the batch that holds the requested seq', () => {
  const dataDir = newFolder()
  writeBatches(dataDir, 40, { perBatch: 5 }).close()
  const reader = new SqliteJournalReader(keyed(dataDir))
  for (const fromSeq of [1, 5, 6, 7, 100, 199, 200]) {
    const [batch] = reader.batches(fromSeq)
    assert.ok(batch.firstSeq <= fromSeq && fromSeq <= batch.lastSeq)
    assert.equal(recordSeq(batch.records), batch.firstSeq)
  }
  assert.deepEqual([...reader.batches(201)], [])
  assert.equal(reader.lastSeq, 200)
  reader.close()
})

test('a reader sees what another connection commits meanwhile', () => {
  const dataDir = newFolder()
  const writer = writeBatches(dataDir, 1)
  const reader = new SqliteJournalReader(keyed(dataDir))
  assert.equal(reader.lastSeq, 3)
  writer.commit(5, Buffer.concat([recordAt(4), recordAt(5)]))
  assert.equal(reader.lastSeq, 5)
  assert.equal([...reader.batches(4)].length, 1)
  reader.close()
  writer.close()
})

test('a journal thread that is killed is named in a fault', async () => {
  const { journal, durable, fault } = await startJournal(newFolder())
  journal.append(1, recordAt(1))
  journal.send()
  await durable(1)
  await journal.kill()
  assert.match(await fault, /^The journal thread failed: /)
})
