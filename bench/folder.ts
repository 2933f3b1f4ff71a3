import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const PARENT = fileURLToPath(new URL('../.cache/', import.meta.url))

/** Gives `work` a folder on the disk of the repository: /tmp may be memory, where fsync is free. */
export async function withFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  mkdirSync(PARENT, { recursive: true })
  const folder = mkdtempSync(`${PARENT}bench-`)
  try {
    return await work(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
