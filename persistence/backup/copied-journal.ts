import type { Seq } from '../../engine/domain/ids.ts'
import { faultPoint } from '../../engine/thread/fault-point.ts'
import type { Connection, Statement } from '../database.ts'
import { DataFolderError, isFile, makeFolder, speaking, UnreadFolder } from '../folder-error.ts'
import { same } from '../journal/journal-chain.ts'
import { journalPath, openJournal, tailOf } from '../journal/journal-end.ts'
import { HeadFile } from '../journal/journal-head.ts'
import type { Batch, JournalTail } from '../journal/journal-port.ts'
import { checkSegment } from '../journal/segments/segment-file.ts'
import {
  archiveFolder,
  type Segment,
  segmentName,
  segmentPath,
} from '../journal/segments/segment-folder.ts'
import { listSegment, REMOVE_THROUGH, SegmentList } from '../journal/segments/segment-list.ts'
import { SqliteJournalReader } from '../journal/sqlite-reader.ts'
import type { KeyedFolder } from '../keyed-folder.ts'
import { placeFile } from '../placed-file.ts'
import type { Progress } from '../snapshot/recovery.ts'

// The journal of a copy, with the same rows as its source. Rows are added in chunks, each one
// transaction, so an interrupted copy is a shorter journal and can be continued.
// Invariant: a copy has a head only if it was complete once, and no start reads a journal without a
// head.

const INSERT = 'INSERT INTO batches (first_seq, last_seq, records, checksum) VALUES (?, ?, ?, ?)'
/**
 * A chunk is on disk before the next one; it also limits the work that is repeated after a crash.
 */
const CHUNK_BYTES = 4 << 20

export class CopiedJournal {
  readonly #folder: KeyedFolder
  readonly #path: string
  readonly #connection: Connection
  readonly #insert: Statement<[number, number, Uint8Array, Uint8Array]>

  constructor(folder: KeyedFolder) {
    this.#folder = folder
    this.#path = journalPath(folder.dataDir)
    this.#connection = openJournal(folder.dataDir, 'full')
    this.#insert = this.#connection.prepare(INSERT)
  }

  get tail(): JournalTail {
    return speaking(this.#path, () => tailOf(this.#connection))
  }

  /** Throws unless the source has everything that the copy has. */
  belongsTo(source: SqliteJournalReader): void {
    const { seq, checksum } = this.tail
    const there = source.checksumAt(seq)
    if (there !== null && same(there, checksum)) return
    const away = source.missingSegments.find(({ firstSeq, lastSeq }) => {
      return firstSeq <= seq && seq <= lastSeq
    })
    if (away !== undefined) {
      throw new UnreadFolder(
        `${this.#path}: it ends at seq ${seq}, which the source has in ${segmentName(away)}; ` +
          'that segment was moved away: put it back, or choose an empty folder.',
      )
    }
    throw new DataFolderError(
      `${this.#path}: it has commands up to seq ${seq} that the source does not have; it is a ` +
        'copy of another exchange, or newer than the source: choose another folder.',
    )
  }

  /**
   * Throws unless every row left by an earlier run is as written: the disk of a backup ages too,
   * and a copy is not read until it is needed. Only a few rows are in memory at a time.
   */
  checkRows(goal: Seq, onProgress: Progress): void {
    const reader = new SqliteJournalReader(this.#folder)
    try {
      reader.checkSegments((seq) => onProgress(seq, goal))
      for (const { lastSeq } of reader.batches(reader.sealedSeq + 1)) onProgress(lastSeq, goal)
    } finally {
      reader.close()
    }
  }

  /**
   * Takes the segments of the source whose files this copy lacks, and removes the rows that new
   * ones have. A segment whose file is elsewhere is only listed, and only if this copy has no rows
   * of it. With `isListOnly` all files stay where they are.
   */
  addSegments(source: KeyedFolder, segments: readonly Segment[], isListOnly: boolean): void {
    const listed = new SegmentList(this.#connection).end
    for (const segment of segments) {
      const path = segmentPath(this.#folder.dataDir, segment)
      const isThere = isFile(path) || (!isListOnly && copySegment(source, this.#folder, segment))
      if (segment.lastSeq <= listed.seq) continue
      // The rows stay, and so do those behind them.
      if (!isThere && !isListOnly && this.tail.seq >= segment.firstSeq) return
      speaking(this.#path, () => {
        const both = this.#connection.transaction(() => {
          listSegment(this.#connection, segment)
          this.#connection.prepare<[number]>(REMOVE_THROUGH).run(segment.lastSeq)
        })
        both.exclusive()
        this.#connection.pragma('wal_checkpoint(TRUNCATE)')
      })
      faultPoint('mid-backup')
    }
  }

  /** Returns once the rows are on disk. */
  add(chunk: readonly Batch[]): void {
    speaking(this.#path, () => {
      const all = this.#connection.transaction(() => {
        for (const { firstSeq, lastSeq, records, checksum } of chunk) {
          this.#insert.run(firstSeq, lastSeq, records, checksum)
        }
      })
      all.exclusive()
      this.#connection.pragma('wal_checkpoint(TRUNCATE)')
    })
    faultPoint('mid-backup')
  }

  /**
   * Marks the copy as complete. The journal leaves WAL mode, so that the copy is one file that can
   * be read without write access.
   */
  seal(): void {
    speaking(this.#path, () => this.#connection.pragma('journal_mode = DELETE'))
    new HeadFile(this.#folder, 'full', this.tail).close()
  }

  close(): void {
    this.#connection.close()
  }
}

/** Copies a file that never changes; false if it is not in the source. */
function copySegment(source: KeyedFolder, copy: KeyedFolder, segment: Segment): boolean {
  makeFolder(archiveFolder(copy.dataDir))
  const from = segmentPath(source.dataDir, segment)
  return placeFile(from, segmentPath(copy.dataDir, segment), (unfinished) => {
    try {
      checkSegment(copy, unfinished, segment)
    } catch (error) {
      // Rather name the file that was damaged first.
      checkSegment(source, from, segment)
      throw error
    }
    return true
  })
}

/** Consecutive batches in chunks of a few megabytes. */
export function* chunksOf(batches: Iterable<Batch>): Generator<Batch[], void> {
  let chunk: Batch[] = []
  let bytes = 0
  for (const batch of batches) {
    chunk.push(batch)
    bytes += batch.records.length
    if (bytes < CHUNK_BYTES) continue
    yield chunk
    chunk = []
    bytes = 0
  }
  if (chunk.length > 0) yield chunk
}
