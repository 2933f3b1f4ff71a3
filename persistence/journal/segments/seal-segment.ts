import { renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Seq } from '../../../engine/domain/ids.ts'
import { DAY_MS, type TimeMs } from '../../../engine/domain/units.ts'
import { faultPoint } from '../../../engine/thread/fault-point.ts'
import { DataFolderError, makeFolder, speaking, syncFolder } from '../../folder-error.ts'
import type { KeyedFolder } from '../../keyed-folder.ts'
import { type BatchShape, SqliteJournalReader } from '../sqlite-reader.ts'
import { checkSegment, SegmentWriter } from './segment-file.ts'
import { archiveFolder, type Segment, segmentPath } from './segment-folder.ts'

// Writes the oldest part of a journal as a segment. It is read back before anybody may remove what
// it has from the journal.

/** What may be sealed, and how much of it is a segment. */
export interface SealRequest {
  /** Commands up to here may be sealed. */
  readonly throughSeq: Seq
  /** Only batches that are older than this. */
  readonly beforeMs: TimeMs
  /** Bytes of records at which a segment ends. */
  readonly bytesMax: number
  /** Called after each batch that is written or read back; may pause. */
  readonly onBatch?: () => void
}

/** Less than `bytesMax` is a segment when it is this old: a quiet exchange seals once a day. */
const SPAN_MS = DAY_MS

/** The last batch of the next segment; null if there is not enough for one. */
export function endOfNext(
  shapes: Iterable<BatchShape>,
  { throughSeq, beforeMs, bytesMax }: SealRequest,
): BatchShape | null {
  let bytes = 0
  let firstMs: TimeMs | null = null
  let last: BatchShape | null = null
  for (const shape of shapes) {
    if (shape.lastSeq > throughSeq || shape.ms >= beforeMs) break
    firstMs ??= shape.ms
    last = shape
    bytes += shape.bytes
    if (bytes >= bytesMax) return last
  }
  return firstMs !== null && beforeMs - firstMs >= SPAN_MS ? last : null
}

/**
 * Writes the segment that follows `afterSeq`, if there is enough for one. On return it is on disk
 * and was read back. Throws a DataFolderError.
 */
export function sealSegment(
  folder: KeyedFolder,
  afterSeq: Seq,
  request: SealRequest,
): Segment | null {
  const { dataDir } = folder
  const { onBatch = () => {} } = request
  const reader = new SqliteJournalReader(folder)
  try {
    const seq = Math.max(afterSeq, reader.sealedSeq)
    const end = endOfNext(reader.shapes(seq + 1), request)
    if (end === null) return null
    const path = segmentPath(dataDir, { firstSeq: seq + 1 })
    const unfinished = `${path}.unfinished`
    makeFolder(archiveFolder(dataDir))
    const segment = write(folder, reader, { path: unfinished, afterSeq: seq, end, onBatch })
    checkSegment(folder, unfinished, segment, { onBatch })
    faultPoint('mid-segment')
    speaking(path, () => {
      renameSync(unfinished, path)
      syncFolder(dirname(path))
    })
    faultPoint('mid-segment')
    return segment
  } finally {
    reader.close()
  }
}

function write(
  folder: KeyedFolder,
  reader: SqliteJournalReader,
  {
    path,
    afterSeq,
    end,
    onBatch,
  }: { path: string; afterSeq: Seq; end: BatchShape; onBatch: () => void },
): Segment {
  const checksum = reader.checksumAt(afterSeq)
  if (checksum === null) throw new DataFolderError(`${path}: no batch ends at seq ${afterSeq}.`)
  const writer = new SegmentWriter(folder, path, { seq: afterSeq, checksum })
  try {
    for (const batch of reader.batches(afterSeq + 1, 1)) {
      writer.add(batch)
      onBatch()
      if (batch.lastSeq >= end.lastSeq) break
    }
    return writer.finish()
  } catch (error) {
    rmSync(path, { force: true })
    throw error
  } finally {
    writer.close()
  }
}
