import { lockExisting, type OfflineOptions, recoverJournal } from '../snapshot/recovery.ts'
import { Follower } from './follower.ts'
import { deleteReadTables } from './read-database.ts'

/**
 * Rebuilds the read tables offline from the journal and returns their seq. If the process dies
 * midway, the tables have an older seq, and the next start continues from it.
 */
export function rebuildReadTables(
  dataDir: string,
  { keyFile, onProgress = () => {} }: OfflineOptions = {},
): number {
  const lock = lockExisting(dataDir)
  try {
    // The old tables are removed only if this version knows all commands.
    const { tail, folder } = recoverJournal(dataDir, { keyFile, visit: () => {} })
    deleteReadTables(dataDir)
    const follower = new Follower(folder)
    for (let isMore = true; isMore; ) {
      isMore = follower.step(tail.seq)
      while (follower.writePage());
      if (isMore) onProgress(follower.readSeq, tail.seq)
    }
    follower.close()
    return follower.readSeq
  } finally {
    lock.release()
  }
}
