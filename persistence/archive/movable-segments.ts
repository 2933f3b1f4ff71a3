import { rmSync } from 'node:fs'
import { isFile, speaking, syncFolder } from '../folder-error.ts'
import { archiveFolder, type Segment, segmentPath } from '../journal/segments/segment-folder.ts'
import { SqliteJournalReader } from '../journal/sqlite-reader.ts'
import type { KeyedFolder } from '../keyed-folder.ts'

/** A segment with its file. */
interface Movable {
  readonly segment: Segment
  readonly path: string
}

/** The segments in the folder, oldest first, whose rows left the journal: no start reads them. */
export function* movableSegments(folder: KeyedFolder): Generator<Movable, void> {
  for (const segment of withoutRows(folder)) {
    const path = segmentPath(folder.dataDir, segment)
    if (isFile(path)) yield { segment, path }
  }
}

function withoutRows(folder: KeyedFolder): readonly Segment[] {
  const reader = new SqliteJournalReader(folder)
  try {
    const first = reader.shapes(1).next().value
    return reader.segments.filter(({ lastSeq }) => lastSeq < (first?.firstSeq ?? 0))
  } finally {
    reader.close()
  }
}

/** Returns once the deletion is on disk. */
export function removeSegment({ dataDir }: KeyedFolder, path: string): void {
  speaking(path, () => {
    rmSync(path)
    syncFolder(archiveFolder(dataDir))
  })
}
