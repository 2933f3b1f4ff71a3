import { statfs } from 'node:fs/promises'

/**
 * Gives the bytes that this user can still write on the disk of the data folder; null when the file
 * system does not say. A library thread asks, so a stuck disk delays the answer but not the caller.
 */
export async function freeDiskBytes(dataDir: string): Promise<number | null> {
  try {
    const { bavail, bsize } = await statfs(dataDir)
    return bavail * bsize
  } catch {
    return null
  }
}
