import { assert } from '../../engine/domain/assert.ts'
import type { Seq } from '../../engine/domain/ids.ts'
import { eachRecord, recordSeq } from '../../engine/wire/codec.ts'
import { type Connection, openReadOnly, type Statement } from '../database.ts'
import { isFile, speaking } from '../folder-error.ts'
import type { KeyedFolder } from '../keyed-folder.ts'
import { journalPath } from './journal-end.ts'
import { openSegment, type SegmentReader } from './segments/segment-file.ts'
import { segmentPath } from './segments/segment-folder.ts'
import { SegmentList } from './segments/segment-list.ts'

// Finds single records of the journal by their seq, in journal.db or in a segment. What the journal
// itself has is not checked here: a start and `verify` do that. Blocks of segments are unpacked
// with their checks, and the last ones are kept, because the orders of one list are often near each
// other.

const HOLDING =
  'SELECT first_seq AS firstSeq, last_seq AS lastSeq, records FROM batches ' +
  'WHERE first_seq <= ? ORDER BY first_seq DESC LIMIT 1'
const BLOCKS_KEPT = 64
const READERS_KEPT = 8

/** Records of the journal by their seq. */
export interface Records {
  /** Null if the segment with the record was moved away. */
  readonly at: (seq: Seq) => Uint8Array | null
}

/** A batch without its checksum. */
interface StoredBatch {
  readonly firstSeq: Seq
  readonly lastSeq: Seq
  readonly records: Uint8Array
}

/** Adds to a map that keeps the last `most` entries; returns the one that leaves. */
function keep<V>(kept: Map<Seq, V>, key: Seq, value: V, most: number): V | undefined {
  kept.set(key, value)
  if (kept.size <= most) return undefined
  const [[oldest, left]] = kept
  kept.delete(oldest)
  return left
}

export class JournalRecords implements Records {
  readonly #folder: KeyedFolder
  readonly #connection: Connection
  readonly #holding: Statement<[Seq], StoredBatch>
  readonly #segments: SegmentList
  readonly #readers = new Map<Seq, SegmentReader>()
  readonly #blocks = new Map<Seq, readonly StoredBatch[]>()
  #newest: StoredBatch = { firstSeq: 1, lastSeq: 0, records: new Uint8Array() }

  /** Throws a DataFolderError if the journal cannot be read. */
  constructor(folder: KeyedFolder) {
    this.#folder = folder
    const path = journalPath(folder.dataDir)
    this.#connection = openReadOnly(path)
    this.#holding = speaking(path, () => this.#connection.prepare(HOLDING))
    this.#segments = speaking(path, () => new SegmentList(this.#connection))
  }

  /** The record with this seq; null if the segment with it was moved away. */
  at(seq: Seq): Uint8Array | null {
    const found = this.#inJournal(seq) ?? this.#inSegment(seq)
    return found === null ? null : recordIn(found, seq)
  }

  close(): void {
    for (const reader of this.#readers.values()) reader.close()
    this.#connection.close()
  }

  #inJournal(seq: Seq): StoredBatch | null {
    if (!holds(this.#newest, seq)) {
      const row = this.#holding.get(seq)
      if (row === undefined || !holds(row, seq)) return null
      this.#newest = row
    }
    return this.#newest
  }

  #inSegment(seq: Seq): StoredBatch | null {
    for (const block of this.#blocks.values()) {
      if (holds({ firstSeq: block[0].firstSeq, lastSeq: block[block.length - 1].lastSeq }, seq)) {
        return batchOf(block, seq)
      }
    }
    const reader = this.#readerOf(seq)
    if (reader === null) return null
    const block = reader.block(seq)
    keep(this.#blocks, block[0].firstSeq, block, BLOCKS_KEPT)
    return batchOf(block, seq)
  }

  #readerOf(seq: Seq): SegmentReader | null {
    const segment = this.#segments.holding(seq)
    if (segment === undefined) return null
    const { firstSeq } = segment
    const path = segmentPath(this.#folder.dataDir, segment)
    const known = this.#readers.get(firstSeq)
    if (!isFile(path)) {
      // An open file would keep its space on the disk.
      known?.close()
      this.#readers.delete(firstSeq)
      return null
    }
    if (known !== undefined) return known
    const reader = openSegment(this.#folder, path, segment)
    keep(this.#readers, firstSeq, reader, READERS_KEPT)?.close()
    return reader
  }
}

function holds(
  { firstSeq, lastSeq }: Pick<StoredBatch, 'firstSeq' | 'lastSeq'>,
  seq: Seq,
): boolean {
  return firstSeq <= seq && seq <= lastSeq
}

function batchOf(block: readonly StoredBatch[], seq: Seq): StoredBatch {
  const found = block.find((batch) => holds(batch, seq))
  assert(found !== undefined, 'the batches of a block have no gap')
  return found
}

function recordIn({ records }: StoredBatch, seq: Seq): Uint8Array {
  let found: Uint8Array | null = null
  eachRecord(records, (record) => {
    if (recordSeq(record) === seq) found = record
  })
  assert(found !== null, 'a batch has all its records')
  return found
}
