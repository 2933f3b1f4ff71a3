import type { CapturedSegment } from '../../engine/core/orders/seen-filter.ts'
import type { CapturedAge, FilterAge } from '../../engine/core/orders/seen-filters.ts'
import { type KeyedFolder, macsOf } from '../keyed-folder.ts'
import {
  type CheckedReader,
  damaged,
  reading,
  sectionOf,
  UnusableSnapshot,
  type WrittenFile,
  writeChecked,
} from './checked-file.ts'
import { namesPath } from './snapshot-folder.ts'
import { readSegment, SEGMENT_SECTION_BYTES_MAX, segmentParts } from './snapshot-names.ts'

// A closed filter of names never changes, so it is saved once, in a file of its own. Snapshots have
// its MAC. The file, little-endian:
//
//   0 magic 8 │ 8 first seq f64 │ 16 the segments │ MAC of the bytes before it 32
//
// Segments, here and in a snapshot: seed i32, number + 1 u32 (0 = no names), then for each segment:
// bytes u32, snapshot-names.ts.

const MAGIC = Buffer.from('OXNAMES1', 'latin1')
const HEAD_BYTES = 16

/** A closed filter and the MAC of its file. */
export interface SavedNames extends FilterAge {
  readonly mac: Uint8Array
}

interface Names {
  readonly seed: number
  readonly segments: readonly CapturedSegment[]
}

/** null if they are not wanted, or the state had none. */
export function readSegments(file: CheckedReader, isWanted: boolean): Names | null {
  const head = file.readChecked(8)
  const seed = head.readInt32LE(0)
  const segments: CapturedSegment[] = []
  const count = head.readUInt32LE(4) - 1
  // One buffer for all segments, so that a start with millions of names creates no garbage of their
  // size.
  const buffer = Buffer.alloc(SEGMENT_SECTION_BYTES_MAX)
  for (let next = 0; next < count; next++) {
    const bytes = file.readChecked(4).readUInt32LE()
    if (bytes > buffer.length) throw damaged()
    const section = file.readChecked(bytes, buffer)
    if (isWanted) segments.push(segmentOf(section))
  }
  return isWanted && count >= 0 ? { seed, segments } : null
}

/** The file is checked last, so a section may contain anything here. */
function segmentOf(section: Buffer): CapturedSegment {
  try {
    return readSegment(section)
  } catch {
    throw damaged()
  }
}

export function* segmentPieces(names: Names | null): Generator<Uint8Array> {
  const counted = Buffer.alloc(8)
  counted.writeInt32LE(names?.seed ?? 0)
  counted.writeUInt32LE(names === null ? 0 : names.segments.length + 1, 4)
  yield counted
  for (const segment of names?.segments ?? []) yield* sectionOf(segmentParts(segment))
}

function headOf({ firstSeq }: FilterAge): Buffer {
  const head = Buffer.alloc(HEAD_BYTES)
  MAGIC.copy(head)
  head.writeDoubleLE(firstSeq, MAGIC.length)
  return head
}

export function writeNames(
  folder: KeyedFolder,
  age: FilterAge,
  names: Names,
): Promise<WrittenFile> {
  function* pieces() {
    yield headOf(age)
    yield* segmentPieces(names)
  }
  const path = namesPath(folder.dataDir, age.firstSeq)
  return writeChecked(path, macsOf(folder, 'names')(), pieces())
}

/** Throws UnusableSnapshot. */
function checkedNames(folder: KeyedFolder, saved: SavedNames, isWanted: boolean): Names | null {
  const path = namesPath(folder.dataDir, saved.firstSeq)
  return reading(path, macsOf(folder, 'names')(), (file) => {
    if (!headOf(saved).equals(file.readChecked(HEAD_BYTES))) throw damaged()
    const names = readSegments(file, isWanted)
    if (Buffer.compare(file.checkEnd(), saved.mac) !== 0) {
      throw new UnusableSnapshot('was written for another snapshot')
    }
    return names
  })
}

/** The saved filter; without segments if its file cannot be used. */
export function readNames(folder: KeyedFolder, saved: SavedNames): CapturedAge {
  try {
    return { ...saved, segments: checkedNames(folder, saved, true)?.segments ?? null }
  } catch (error) {
    if (!(error instanceof UnusableSnapshot)) throw error
    return { ...saved, segments: null }
  }
}

/** Why the file cannot be used, as the end of a sentence; null if it can. */
export function namesFault(folder: KeyedFolder, saved: SavedNames): string | null {
  try {
    checkedNames(folder, saved, false)
    return null
  } catch (error) {
    if (error instanceof UnusableSnapshot) return error.message
    throw error
  }
}
