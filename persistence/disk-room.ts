import { statfs } from 'node:fs/promises'

/**
 * Bytes that this user can still write where the data folder lies; null when the file system does
 * not say. It asks on a thread of the library: a stuck disk keeps the answer, not the caller.
 */
export async function freeDiskBytes(dataDir: string): Promise<number | null> {
  try {
    const { bavail, bsize } = await statfs(dataDir)
    return bavail * bsize
  } catch {
    return null
  }
}
