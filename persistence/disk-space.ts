import { statfs } from 'node:fs/promises'

/**
 * Bytes that this user can still write to the data folder's disk; null if the file system does not
 * report it. A library thread makes the call, so a stuck disk delays the result but not the caller.
 */
export async function freeDiskBytes(dataDir: string): Promise<number | null> {
  try {
    const { bavail, bsize } = await statfs(dataDir)
    return bavail * bsize
  } catch {
    return null
  }
}
