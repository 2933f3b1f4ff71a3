import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Seq } from '../../../engine/domain/ids.ts'
import { ifThere } from '../../folder-error.ts'

// The files of the segments of a journal. Their list is a table of journal.db.

const ENDING = '.seg'
export const SEGMENT_NAME = /^[1-9][0-9]{0,15}[.]seg$/

/** A part of the journal that left journal.db. */
export interface Segment {
  readonly firstSeq: Seq
  readonly lastSeq: Seq
  /** Length of the file. */
  readonly bytes: number
  /** The checksum of its last batch. */
  readonly checksum: Uint8Array
}

export const archiveFolder = (dataDir: string): string => join(dataDir, 'archive')

export const segmentName = ({ firstSeq }: Pick<Segment, 'firstSeq'>): string =>
  `${firstSeq}${ENDING}`

const NAMED_MAX = 3

/** The names of segments, for a sentence. */
export function segmentNames(segments: readonly Pick<Segment, 'firstSeq'>[]): string {
  const names = segments.map(segmentName)
  if (names.length <= NAMED_MAX) return names.join(', ')
  const last = names[names.length - 1]
  return `${names.slice(0, NAMED_MAX - 1).join(', ')} … ${last} (${names.length} files)`
}

export function segmentPath(dataDir: string, segment: Pick<Segment, 'firstSeq'>): string {
  return join(archiveFolder(dataDir), segmentName(segment))
}

/** The names of all files in the archive of a folder. */
export function archivedNames(dataDir: string): string[] {
  const folder = archiveFolder(dataDir)
  return ifThere(folder, () => readdirSync(folder)) ?? []
}

const SEGMENT_BYTES = 64
const CHECKSUM_AT = 32

/** A segment as the payload of a ring's frame: three f64, and its checksum from byte 32 on. */
export function segmentBytes({ firstSeq, lastSeq, bytes, checksum }: Segment): Uint8Array {
  const payload = new Uint8Array(SEGMENT_BYTES)
  payload.set(new Uint8Array(Float64Array.of(firstSeq, lastSeq, bytes).buffer))
  payload.set(checksum, CHECKSUM_AT)
  return payload
}

export function segmentOf(payload: Uint8Array): Segment {
  const copy = payload.slice()
  const [firstSeq, lastSeq, bytes] = new Float64Array(copy.buffer, 0, 3)
  return { firstSeq, lastSeq, bytes, checksum: copy.subarray(CHECKSUM_AT) }
}
