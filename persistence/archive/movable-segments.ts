import type { Segment } from '../journal/segments/segment-folder.ts'
import { SqliteJournalReader } from '../journal/sqlite-reader.ts'
import type { KeyedFolder } from '../keyed-folder.ts'

/** The segments, oldest first, whose rows have left the journal: no start reads them. */
export function movableSegments(folder: KeyedFolder): readonly Segment[] {
  const reader = new SqliteJournalReader(folder)
  try {
    const first = reader.shapes(1).next().value
    return reader.segments.filter(({ lastSeq }) => lastSeq < (first?.firstSeq ?? 0))
  } finally {
    reader.close()
  }
}
