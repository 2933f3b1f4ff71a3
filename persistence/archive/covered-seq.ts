import type { Seq } from '../../engine/domain/ids.ts'
import { SqliteJournalReader } from '../journal/sqlite-reader.ts'
import type { KeyedFolder } from '../keyed-folder.ts'
import { claimOf } from '../snapshot/snapshot-check.ts'
import { snapshotSeqs } from '../snapshot/snapshot-folder.ts'

/**
 * The seq of the second newest snapshot of this journal, or 0. No start reads commands before it,
 * even when the newest snapshot cannot be used.
 */
export function coveredSeq(folder: KeyedFolder): Seq {
  const reader = new SqliteJournalReader(folder)
  try {
    const checksumAt = (seq: Seq) => reader.checksumAt(seq)
    const isOurs = (seq: Seq) => claimOf(folder, seq, checksumAt) === 'ours'
    return snapshotSeqs(folder.dataDir).filter(isOurs)[1] ?? 0
  } finally {
    reader.close()
  }
}
