import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const PARENT = fileURLToPath(new URL('../.cache/', import.meta.url))
const open = new Set<string>()

function drop(folder: string): void {
  open.delete(folder)
  // Who was told to end with us may still write its last.
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
}

// A bench that is interrupted leaves nothing behind either.
process.on('exit', () => {
  for (const folder of open) drop(folder)
})

/** Gives `work` a folder on the disk of the repository: /tmp may be memory, where fsync is free. */
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
