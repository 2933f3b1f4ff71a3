import type { Hmac } from 'node:crypto'
import type { Seq } from '../../engine/domain/ids.ts'
import type { TimeMs } from '../../engine/domain/units.ts'
import { eachRecord, lastRecordMs, recordMs, recordSeq } from '../../engine/wire/codec.ts'
import { HEAD_BYTES } from '../../engine/wire/record-layout.ts'
import { type Connection, openReadOnly, type Statement } from '../database.ts'
import { DataFolderError, isFile, speaking, UnreadFolder } from '../folder-error.ts'
import { type KeyedFolder, macsOf } from '../keyed-folder.ts'
import { chain, EMPTY_TAIL, same } from './journal-chain.ts'
import {
  checkEnd,
  type EndRow,
  HOLDING,
  type JournalEnd,
  journalPath,
  tailOf,
} from './journal-end.ts'
import type { Batch, JournalReader, JournalTail } from './journal-port.ts'
import {
  checkSegment,
  checksumIn,
  openSegment,
  type SegmentReader,
} from './segments/segment-file.ts'
import { type Segment, segmentNames, segmentPath } from './segments/segment-folder.ts'
import { SegmentList } from './segments/segment-list.ts'

// Reads the embedded journal: the rows of journal.db, and before them the segments in its archive.

const PAGE =
  'SELECT first_seq AS firstSeq, last_seq AS lastSeq, records, checksum FROM batches ' +
  'WHERE first_seq >= ? ORDER BY first_seq LIMIT ?'
const PAGE_ROWS = 16
const SHAPES =
  'SELECT first_seq AS firstSeq, last_seq AS lastSeq, length(records) AS bytes, ' +
  `substr(records, 1, ${HEAD_BYTES}) AS head FROM batches ` +
  'WHERE first_seq >= ? ORDER BY first_seq LIMIT 256'

/** A batch without its records. */
export interface BatchShape {
  readonly firstSeq: Seq
  readonly lastSeq: Seq
  /** Length of its records. */
  readonly bytes: number
  /** The time of its first record. */
  readonly ms: TimeMs
}

export class SqliteJournalReader implements JournalReader {
  readonly #path: string
  readonly #folder: KeyedFolder
  readonly #newMac: () => Hmac
  readonly #connection: Connection
  readonly #page: Statement<[fromSeq: Seq, rows: number], Batch>
  readonly #holding: Statement<[number], EndRow>
  readonly #segments: SegmentList

  constructor(folder: KeyedFolder) {
    this.#folder = folder
    this.#newMac = macsOf(folder, 'journal')
    this.#path = journalPath(folder.dataDir)
    this.#connection = openReadOnly(this.#path)
    const prepare = () => ({
      page: this.#connection.prepare<[Seq, number], Batch>(PAGE),
      holding: this.#connection.prepare<[number], EndRow>(HOLDING),
      segments: new SegmentList(this.#connection),
    })
    const statements = speaking(this.#path, prepare)
    this.#page = statements.page
    this.#holding = statements.holding
    this.#segments = statements.segments
  }

  get lastSeq(): Seq {
    return speaking(this.#path, () => tailOf(this.#connection).seq)
  }

  /** The time of the last command; null for an empty journal. */
  get lastMs(): TimeMs | null {
    let lastMs: TimeMs | null = null
    for (const { records } of this.batches(this.lastSeq)) lastMs = lastRecordMs(records)
    return lastMs
  }

  /** Compares the end with journal.head, also while the exchange writes both. */
  checkEnd(): JournalEnd {
    return speaking(this.#path, () => checkEnd(this.#folder, this.#connection))
  }

  /** The checksum of the batch that ends at `seq`; null if no batch ends there. */
  checksumAt(seq: Seq): Uint8Array | null {
    if (seq === 0) return EMPTY_TAIL.checksum
    const row = speaking(this.#path, () => this.#holding.get(seq))
    if (row !== undefined && row.lastSeq >= seq) return row.lastSeq === seq ? row.checksum : null
    const segment = this.#segmentWith(seq)
    if (segment === undefined || segment.lastSeq === seq) return segment?.checksum ?? null
    return checksumIn(this.#folder, segment, seq)
  }

  /**
   * From the batch with `fromSeq` on. The writer may have to wait while a page of rows is read, so
   * a long read beside it takes few rows at a time.
   */
  *batches(fromSeq: Seq, pageRows = PAGE_ROWS): Generator<Batch, void> {
    let previous = this.#before(fromSeq)
    for (;;) {
      // Reads one page at a time: an open cursor would block the WAL from restarting.
      const rows = speaking(this.#path, () => this.#page.all(previous.seq + 1, pageRows))
      const isNext = rows.length > 0 && rows[0].firstSeq === previous.seq + 1
      // Rows may leave the journal at any time. They are in a segment before that.
      const segment = isNext ? undefined : this.#segmentWith(previous.seq + 1)
      if (rows.length === 0 && segment === undefined) return
      const found = segment === undefined ? rows : this.#inSegment(segment, previous.seq + 1)
      for (const batch of found) {
        this.#check(previous, batch)
        previous = { seq: batch.lastSeq, checksum: batch.checksum }
        if (batch.lastSeq >= fromSeq) yield batch
      }
    }
  }

  /** The end of a batch at or before the one with `fromSeq`. */
  #before(fromSeq: Seq): JournalTail {
    const find = this.#connection.transaction(() => this.#findBefore(fromSeq))
    const found = speaking(this.#path, () => find.deferred())
    if (!('lastSeq' in found)) return found
    const file = this.#open(found)
    try {
      return file.before(fromSeq)
    } finally {
      file.close()
    }
  }

  /** Must be one transaction: rows may leave the journal meanwhile. */
  #findBefore(fromSeq: Seq): JournalTail | Segment {
    const holding = this.#holding.get(fromSeq)
    if (holding !== undefined && holding.lastSeq >= fromSeq) {
      if (holding.firstSeq === 1) return EMPTY_TAIL
      const before = this.#holding.get(holding.firstSeq - 1)
      if (before !== undefined) return endOf(before)
    }
    const segment = this.#segments.holding(fromSeq)
    if (segment !== undefined) return segment
    if (holding !== undefined && holding.lastSeq < fromSeq) return endOf(holding)
    return this.#segments.end
  }

  #segmentWith(seq: Seq): Segment | undefined {
    return speaking(this.#path, () => this.#segments.holding(seq))
  }

  #has(segment: Segment): boolean {
    return isFile(segmentPath(this.#folder.dataDir, segment))
  }

  *#inSegment(segment: Segment, fromSeq: Seq): Generator<Batch, void> {
    const file = this.#open(segment)
    try {
      yield* file.batches(fromSeq)
    } finally {
      file.close()
    }
  }

  #open(segment: Segment): SegmentReader {
    const path = segmentPath(this.#folder.dataDir, segment)
    if (this.#has(segment)) return openSegment(this.#folder, path, segment)
    throw new UnreadFolder(
      `${path}: this segment of the journal, with the commands ${segment.firstSeq} to ` +
        `${segment.lastSeq}, was moved away; put the file back.`,
    )
  }

  #check(previous: JournalTail, batch: Batch): void {
    const expected = previous.seq + 1
    if (batch.firstSeq !== expected) {
      this.#refuse(`records ${expected} to ${batch.firstSeq - 1} are missing`)
    }
    if (!same(chain(this.#newMac(), previous.checksum, batch), batch.checksum)) {
      this.#refuse(
        `the checksum of records ${batch.firstSeq} to ${batch.lastSeq} does not match: ` +
          'these records or earlier ones were changed, or written without the key',
      )
    }
    let seq = expected
    eachRecord(batch.records, (record) => {
      if (recordSeq(record) !== seq) this.#refuse(`record ${seq} carries seq ${recordSeq(record)}`)
      seq++
    })
    if (seq !== batch.lastSeq + 1) {
      this.#refuse(`the batch from seq ${expected} ends at ${seq - 1}, not at ${batch.lastSeq}`)
    }
  }

  #refuse(what: string): never {
    throw DataFolderError.ofDamage(this.#path, `the journal is damaged: ${what}`)
  }

  /** The shapes of the batches in the file itself, from `fromSeq` on. */
  *shapes(fromSeq: Seq): Generator<BatchShape, void> {
    const page = this.#connection.prepare<[number], Omit<BatchShape, 'ms'> & { head: Buffer }>(
      SHAPES,
    )
    for (let seq = fromSeq; ; ) {
      const rows = speaking(this.#path, () => page.all(seq))
      for (const { head, ...shape } of rows) {
        yield { ...shape, ms: recordMs(head) }
        seq = shape.lastSeq + 1
      }
      if (rows.length === 0) return
    }
  }

  /** Rows up to here may have left the file. */
  get sealedSeq(): Seq {
    return speaking(this.#path, () => this.#segments.end.seq)
  }

  /** All segments, in ascending order. */
  get segments(): readonly Segment[] {
    return speaking(this.#path, () => this.#segments.all())
  }

  /** Reads all segments that are in the folder. Throws if one is not as written. */
  checkSegments(onChecked: (seq: Seq) => void): void {
    const { dataDir } = this.#folder
    let end = EMPTY_TAIL
    for (const segment of this.segments) {
      if (segment.firstSeq !== end.seq + 1) {
        this.#refuse(`the list of segments has nothing from ${end.seq + 1} on`)
      }
      if (this.#has(segment)) {
        checkSegment(this.#folder, segmentPath(dataDir, segment), segment, { before: end })
        onChecked(segment.lastSeq)
      }
      end = { seq: segment.lastSeq, checksum: segment.checksum }
    }
  }

  /** The segments whose files are not in the folder. */
  get missingSegments(): readonly Segment[] {
    return this.segments.filter((each) => !this.#has(each))
  }

  /** Throws unless every segment is in the folder; names all that are not. */
  requireSegments(): void {
    const missing = this.missingSegments
    if (missing.length === 0) return
    throw new UnreadFolder(
      `${this.#folder.dataDir}: the whole journal is needed, and segments of it were moved away: ` +
        `put ${segmentNames(missing)} back into its folder archive. If they were deleted, as a ` +
        'demo does after a day, begin with a new folder.',
    )
  }

  close(): void {
    this.#connection.close()
  }
}

function endOf({ lastSeq: seq, checksum }: EndRow): JournalTail {
  return { seq, checksum }
}
