import { rmSync } from 'node:fs'
import type { TimeMs } from '../../engine/domain/units.ts'
import { eachRecord, recordMs } from '../../engine/wire/codec.ts'
import { isFile, speaking, syncFolder } from '../folder-error.ts'
import { openSegment } from '../journal/segments/segment-file.ts'
import { archiveFolder, type Segment, segmentPath } from '../journal/segments/segment-folder.ts'
import type { KeyedFolder } from '../keyed-folder.ts'
import { movableSegments } from './movable-segments.ts'

/** Deletes the oldest segments, up to the first with a command at or after `beforeMs`. */
export function dropSegments(folder: KeyedFolder, beforeMs: TimeMs): void {
  for (const segment of movableSegments(folder)) {
    const path = segmentPath(folder.dataDir, segment)
    if (!isFile(path)) continue
    if (lastMs(folder, path, segment) >= beforeMs) return
    speaking(path, () => {
      rmSync(path)
      syncFolder(archiveFolder(folder.dataDir))
    })
  }
}

/** The time of the last command. */
function lastMs(folder: KeyedFolder, path: string, segment: Segment): TimeMs {
  const file = openSegment(folder, path, segment)
  try {
    let ms = 0
    for (const { records } of file.block(segment.lastSeq)) {
      eachRecord(records, (record) => {
        ms = recordMs(record)
      })
    }
    return ms
  } finally {
    file.close()
  }
}
