import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const PARENT = fileURLToPath(new URL('../../.cache/', import.meta.url))
const open = new Set<string>()

function drop(folder: string): void {
  open.delete(folder)
  // A child process that is ending too may still write files.
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
}

// An interrupted bench leaves no folder behind either.
process.on('exit', () => {
  for (const folder of open) drop(folder)
})

/** Gives `work` a folder on the repository's disk: /tmp may be in memory, where fsync is free. */
export async function withFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  mkdirSync(PARENT, { recursive: true })
  const folder = mkdtempSync(`${PARENT}bench-`)
  open.add(folder)
  try {
    return await work(folder)
  } finally {
    drop(folder)
  }
}
