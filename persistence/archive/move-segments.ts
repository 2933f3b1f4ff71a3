import { statSync } from 'node:fs'
import { join } from 'node:path'
import { DataFolderError, isFile, makeFolder, speaking } from '../folder-error.ts'
import { readSeal } from '../folder-key.ts'
import { checkSegment } from '../journal/segments/segment-file.ts'
import { type Segment, segmentName } from '../journal/segments/segment-folder.ts'
import type { KeyedFolder } from '../keyed-folder.ts'
import { placeFile, syncFile } from '../placed-file.ts'
import type { OfflineOptions } from '../snapshot/recovery.ts'
import { movableSegments, removeSegment } from './movable-segments.ts'

// Moves segments out of a data folder, which may be in use. A start does not need them.

export interface MovedSegments {
  readonly count: number
  readonly bytes: number
}

/** Puts the file at `path` elsewhere. Returns once it is safe there; throws if it is not. */
export type TakeSegment = (folder: KeyedFolder, path: string, segment: Segment) => void

/**
 * Hands each segment to `take`, oldest first, and then deletes it. A segment whose rows have not
 * left the journal yet stays. Throws a DataFolderError if a segment is damaged.
 */
export function moveSegments(
  dataDir: string,
  take: TakeSegment,
  { keyFile, onProgress = () => {} }: OfflineOptions = {},
): MovedSegments {
  const seal = readSeal(dataDir, keyFile)
  if (seal === null) return { count: 0, bytes: 0 }
  const folder = seal.keyed(dataDir)
  let [count, bytes] = [0, 0]
  for (const { segment, path } of movableSegments(folder)) {
    checkSegment(folder, path, segment)
    take(folder, path, segment)
    removeSegment(folder, path)
    count++
    bytes += segment.bytes
    onProgress(segment.lastSeq, segment.lastSeq)
  }
  return { count, bytes }
}

/** Whether two paths are one file, also by a link or another mount. */
function areOne(one: string, other: string): boolean {
  const [a, b] = [one, other].map((path) => speaking(path, () => statSync(path)))
  return a.dev === b.dev && a.ino === b.ino
}

/** Copies segments to a folder, and reads each copy. */
export function takeInto(target: string): TakeSegment {
  makeFolder(target)
  return (folder, path, segment) => {
    const copy = join(target, segmentName(segment))
    if (isFile(copy)) {
      if (areOne(copy, path)) {
        throw new DataFolderError(`${target}: it is the archive itself; choose another folder.`)
      }
      checkSegment(folder, copy, segment)
      speaking(copy, () => syncFile(copy))
      return
    }
    const isPlaced = placeFile(path, copy, (unfinished) => {
      checkSegment(folder, unfinished, segment)
      return true
    })
    if (!isPlaced) throw new DataFolderError(`${path}: it disappeared; run the command again.`)
  }
}
