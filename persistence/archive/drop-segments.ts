import type { TimeMs } from '../../engine/domain/units.ts'
import { lastRecordMs } from '../../engine/wire/codec.ts'
import { openSegment } from '../journal/segments/segment-file.ts'
import type { Segment } from '../journal/segments/segment-folder.ts'
import type { KeyedFolder } from '../keyed-folder.ts'
import { movableSegments, removeSegment } from './movable-segments.ts'

/** Deletes the oldest segments, up to the first with a command at or after `beforeMs`. */
export function dropSegments(folder: KeyedFolder, beforeMs: TimeMs): void {
  for (const { segment, path } of movableSegments(folder)) {
    if (lastMs(folder, path, segment) >= beforeMs) return
    removeSegment(folder, path)
  }
}

/** The time of the last command. */
function lastMs(folder: KeyedFolder, path: string, segment: Segment): TimeMs {
  const file = openSegment(folder, path, segment)
  try {
    const batches = file.block(segment.lastSeq)
    return lastRecordMs(batches[batches.length - 1].records)
  } finally {
    file.close()
  }
}
