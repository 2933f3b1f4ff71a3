import { lockExisting, type OfflineOptions, recoverJournal } from '../snapshot/recovery.ts'
import { Follower } from './follower.ts'
import { deleteReadTables } from './read-database.ts'

/**
 * Rebuilds the read tables from the journal, offline, and returns the seq that they reach. When
 * the process dies midway the tables show an older seq, and the next start continues from there.
 */
export function rebuildReadTables(
  dataDir: string,
  { keyFile, onProgress = () => {} }: OfflineOptions = {},
): number {
  const lock = lockExisting(dataDir)
  try {
    // The old tables go only when every command is known to this version.
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
