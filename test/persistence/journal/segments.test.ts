import assert from 'node:assert/strict'
import {
  copyFileSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { DAY_MS } from '../../../engine/domain/units.ts'
import { recordSeq } from '../../../engine/wire/codec.ts'
import { openReadOnly } from '../../../persistence/database.ts'
import type { Batch } from '../../../persistence/journal/journal-port.ts'
import { JournalRecords } from '../../../persistence/journal/journal-records.ts'
import { endOfNext, sealSegment } from '../../../persistence/journal/segments/seal-segment.ts'
import {
  type Segment,
  segmentNames,
  segmentPath,
} from '../../../persistence/journal/segments/segment-folder.ts'
import type { SqliteJournalWriter } from '../../../persistence/journal/sqlite-journal.ts'
import { type BatchShape, SqliteJournalReader } from '../../../persistence/journal/sqlite-reader.ts'
import { copyFolder, keyed, newFolder } from '../../support/data-folder.ts'
import { recordAt, recoverAll, writeBatches } from '../../support/journal-records.ts'

const PER_BATCH = 3
const BATCHES = 600
const SEQ_MAX = BATCHES * PER_BATCH

/** Seals the next segment of at least so many bytes, up to a batch. */
function seal(dataDir: string, throughSeq: number, bytesMax: number): Segment {
  const request = { throughSeq, beforeMs: Number.MAX_VALUE, bytesMax }
  const segment = sealSegment(keyed(dataDir), 0, request)
  assert.ok(segment !== null, 'there is enough for a segment')
  return segment
}

function readAll(dataDir: string, fromSeq = 1): Batch[] {
  const reader = new SqliteJournalReader(keyed(dataDir))
  try {
    return [...reader.batches(fromSeq)]
  } finally {
    reader.close()
  }
}

function refusal(dataDir: string): string {
  try {
    readAll(dataDir)
  } catch (error) {
    return String(error)
  }
  return 'none'
}

function recordOf(records: JournalRecords, seq: number): Uint8Array {
  return new Uint8Array(records.at(seq) ?? [])
}

/** A journal of which the first two thirds are in segments of about 60 kB of records. */
function sealedFolder(): { dataDir: string; writer: SqliteJournalWriter; segments: Segment[] } {
  const dataDir = newFolder()
  const writer = writeBatches(dataDir, BATCHES, { perBatch: PER_BATCH, durability: 'normal' })
  const segments: Segment[] = []
  const throughSeq = Math.floor(SEQ_MAX * (2 / 3))
  for (let last = 0; last < throughSeq - 300; last = segments[segments.length - 1].lastSeq) {
    const segment = seal(dataDir, throughSeq, 60_000)
    writer.addSegment(segment)
    segments.push(segment)
  }
  return { dataDir, writer, segments }
}

test('a journal with segments reads as without, in every state of its removal', () => {
  const plain = newFolder()
  writeBatches(plain, BATCHES, { perBatch: PER_BATCH, durability: 'normal' }).close()
  const expected = readAll(plain).map(({ firstSeq, lastSeq, records }) => {
    return { firstSeq, lastSeq, records: Buffer.from(records) }
  })
  const { dataDir, writer, segments } = sealedFolder()
  assert.ok(segments.length >= 3, `${segments.length} segments`)
  const look = () => {
    const found = readAll(dataDir).map(({ firstSeq, lastSeq, records }) => {
      return { firstSeq, lastSeq, records: Buffer.from(records) }
    })
    assert.deepEqual(found, expected)
  }
  const records = new JournalRecords(keyed(dataDir))
  look()
  for (let slices = 0; writer.clean(); slices++) {
    if (slices % 20 === 0) look()
    const seq = 1 + ((slices * 37) % SEQ_MAX)
    assert.deepEqual(recordOf(records, seq), recordAt(seq), `record ${seq}`)
  }
  look()
  for (let seq = 1; seq <= SEQ_MAX; seq++) {
    assert.deepEqual(recordOf(records, seq), recordAt(seq))
  }
  records.close()
  const reader = new SqliteJournalReader(keyed(dataDir))
  const { lastSeq: endSeq } = segments[segments.length - 1]
  assert.equal([...reader.shapes(1)][0].firstSeq, endSeq + 1, 'the rows left the journal')
  for (let fromSeq = 1; fromSeq <= SEQ_MAX; fromSeq += 31) {
    const [batch] = reader.batches(fromSeq)
    assert.ok(batch.firstSeq <= fromSeq && fromSeq <= batch.lastSeq, `from ${fromSeq}`)
    assert.deepEqual(reader.checksumAt(batch.lastSeq), batch.checksum)
    assert.equal(reader.checksumAt(batch.lastSeq - 1), null)
  }
  reader.close()
  writer.commit(SEQ_MAX + 1, recordAt(SEQ_MAX + 1))
  writer.close()
  assert.equal(recoverAll(dataDir).tail.seq, SEQ_MAX + 1)
})

test('the records of a segment that was moved away are not found, the others are', () => {
  const { dataDir, writer, segments } = sealedFolder()
  while (writer.clean());
  writer.close()
  const [first, second] = segments
  const elsewhere = join(newFolder(), 'first.seg')
  const records = new JournalRecords(keyed(dataDir))
  const seqAt = (seq: number) => {
    const record = records.at(seq)
    return record === null ? null : recordSeq(record)
  }
  // Read here only, so that its blocks are not kept from before.
  renameSync(segmentPath(dataDir, first), elsewhere)
  assert.equal(seqAt(first.firstSeq), null)
  assert.equal(seqAt(first.lastSeq), null)
  assert.equal(seqAt(second.firstSeq), second.firstSeq)
  assert.equal(seqAt(SEQ_MAX), SEQ_MAX)
  renameSync(elsewhere, segmentPath(dataDir, first))
  assert.equal(seqAt(first.firstSeq), first.firstSeq)
  records.close()
})

test('a sentence names three segments, or the first, the last and their number', () => {
  const named = (...seqs: number[]) => segmentNames(seqs.map((firstSeq) => ({ firstSeq })))
  assert.equal(named(1, 30, 500), '1.seg, 30.seg, 500.seg')
  assert.equal(named(1, 30, 500, 900, 1200), '1.seg, 30.seg … 1200.seg (5 files)')
})

test('a writer that starts again removes what its predecessor left', () => {
  const { dataDir, writer, segments } = sealedFolder()
  writer.close()
  const next = writeBatches(dataDir, 0)
  while (next.clean());
  next.close()
  const reader = new SqliteJournalReader(keyed(dataDir))
  const [first] = reader.shapes(1)
  assert.equal(first.firstSeq, segments[segments.length - 1].lastSeq + 1)
  reader.close()
})

test('the file gives free pages back', () => {
  const dataDir = newFolder()
  const writer = writeBatches(dataDir, 200, { perBatch: 200 })
  const path = join(dataDir, 'journal.db')
  const bytes = () => {
    const reader = openReadOnly(path)
    try {
      return Number(reader.pragma('page_count', { simple: true })) * 4096
    } finally {
      reader.close()
    }
  }
  const before = bytes()
  writer.addSegment(seal(dataDir, 36_000, 1 << 30))
  while (writer.clean());
  assert.ok(bytes() < before * 0.6, `${bytes()} of ${before} bytes`)
  writer.close()
})

test('a segment that was changed, truncated or made with another key is refused', () => {
  const { dataDir, writer, segments } = sealedFolder()
  while (writer.clean());
  writer.close()
  const [first, second] = segments
  const size = readFileSync(segmentPath(dataDir, first)).length
  for (let at = 0; at < size; at += Math.ceil(size / 20)) {
    const changed = copyFolder(dataDir)
    const path = segmentPath(changed, first)
    const bytes = readFileSync(path)
    bytes[at] ^= 1
    writeFileSync(path, bytes)
    assert.match(refusal(changed), /1\.seg: the segment is damaged/, `byte ${at}`)
  }
  for (const length of [0, 7, 100, size - 1]) {
    const shortened = copyFolder(dataDir)
    truncateSync(segmentPath(shortened, first), length)
    assert.match(refusal(shortened), /1\.seg: the segment is damaged/, `${length} bytes`)
  }
  const swapped = copyFolder(dataDir)
  renameSync(segmentPath(swapped, second), segmentPath(swapped, first))
  assert.match(refusal(swapped), /1\.seg: it is not the segment that the journal lists/)
  const other = sealedFolder()
  other.writer.close()
  const foreign = copyFolder(dataDir)
  copyFileSync(segmentPath(other.dataDir, first), segmentPath(foreign, first))
  assert.match(refusal(foreign), /without the key of this folder/)
})

test('a segment that was moved away is named, and what follows it can be read', () => {
  const { dataDir, writer, segments } = sealedFolder()
  while (writer.clean());
  writer.close()
  const [, second, third] = segments
  rmSync(segmentPath(dataDir, second))
  const reader = new SqliteJournalReader(keyed(dataDir))
  assert.deepEqual(
    reader.missingSegments.map(({ firstSeq }) => firstSeq),
    [second.firstSeq],
  )
  const all = () => [...reader.batches(1)]
  const sentence = `${second.firstSeq}.seg: this segment of the journal, with the commands `
  assert.throws(all, new RegExp(`${sentence}${second.firstSeq} to ${second.lastSeq}`))
  assert.equal([...reader.batches(third.firstSeq)][0].firstSeq, third.firstSeq)
  assert.deepEqual(reader.checksumAt(second.lastSeq), second.checksum)
  assert.equal(reader.checksumAt(second.lastSeq - 1), null)
  reader.close()
})

test('a segment of another journal is not listed', () => {
  const { writer } = sealedFolder()
  const other = sealedFolder()
  const [first] = other.segments
  const wrong = { ...first, firstSeq: writer.lastSeq - 2, lastSeq: writer.lastSeq }
  assert.throws(() => writer.addSegment(wrong), /is not a segment of this journal/)
  writer.close()
  other.writer.close()
})

/** Batches of one command a minute from time 0 on. */
function minutes(count: number): BatchShape[] {
  return Array.from({ length: count }, (_, minute) => {
    return { firstSeq: minute + 1, lastSeq: minute + 1, bytes: 100, ms: minute * 60_000 }
  })
}

test('a segment ends at its length, or takes what is older than a day', () => {
  const open = { throughSeq: Number.MAX_SAFE_INTEGER, bytesMax: 1e9 }
  const end = (count: number, request: Partial<Parameters<typeof endOfNext>[1]>) =>
    endOfNext(minutes(count), { ...open, beforeMs: DAY_MS, ...request })?.lastSeq ?? null
  assert.equal(end(3000, { bytesMax: 1000 }), 10)
  assert.equal(end(3000, {}), 1440, 'older than the limit')
  assert.equal(end(3000, { throughSeq: 700 }), 700, 'covered by snapshots')
  assert.equal(end(3000, { beforeMs: DAY_MS - 1 }), null, 'not a day, and short')
  assert.equal(end(3000, { beforeMs: DAY_MS - 1, bytesMax: 1000 }), 10)
  assert.equal(end(3000, { throughSeq: 5, bytesMax: 1000, beforeMs: DAY_MS - 1 }), null)
  assert.equal(end(0, {}), null)
})
