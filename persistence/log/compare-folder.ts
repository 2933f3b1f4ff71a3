import type { Seq } from '../../engine/domain/ids.ts'
import { same } from '../journal/journal-chain.ts'
import { SqliteJournalReader } from '../journal/sqlite-reader.ts'
import type { KeyedFolder } from '../keyed-folder.ts'
import type { LogAddress } from './log-address.ts'
import { PostgresLog } from './postgres-log.ts'

// Compares the journal of a node with the log. Each checksum covers everything before it.

const ENDS_MAX = 1000

export interface Comparison {
  /** The last command of the folder, and of the log. */
  readonly folderSeq: Seq
  readonly logSeq: Seq
  /** Where the log begins: nothing up to there is compared. */
  readonly baseSeq: Seq
  /** The first batch that differs, by its last seq; null for none. */
  readonly differsAt: Seq | null
}

export async function compareWithLog(
  folder: KeyedFolder,
  address: LogAddress,
): Promise<Comparison> {
  const log = await PostgresLog.connect(address, 'verify')
  const reader = new SqliteJournalReader(folder)
  try {
    const folderSeq = reader.lastSeq
    const base = await log.base()
    const { seq: logSeq } = await log.tail()
    // What a segment has that was moved away cannot be compared.
    const movedSeq = reader.missingSegments.at(-1)?.lastSeq ?? 0
    const baseSeq = Math.max(base?.seq ?? 0, movedSeq)
    let differsAt: Seq | null = folderSeq > logSeq ? folderSeq : null
    for (let seq = baseSeq; differsAt === null; ) {
      const ends = await log.ends(seq, ENDS_MAX)
      const wrong = ends.find((end) => {
        const own = end.seq > folderSeq ? end.checksum : reader.checksumAt(end.seq)
        return own === null || !same(own, end.checksum)
      })
      differsAt = wrong?.seq ?? null
      if (ends.length < ENDS_MAX) break
      seq = ends[ends.length - 1].seq
    }
    return { folderSeq, logSeq, baseSeq, differsAt }
  } finally {
    reader.close()
    log.close()
  }
}
