// Data folders of benches.

import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { DAY_BUCKET_MS, DAY_BUCKETS } from '../../engine/domain/markets/day-window.ts'

const PARENT = fileURLToPath(new URL('../../.cache/', import.meta.url))
/** An older cached folder has too few trades of the last day. */
const CACHED_MS_MAX = (DAY_BUCKET_MS * DAY_BUCKETS) / 4
const open = new Set<string>()

function drop(folder: string): void {
  open.delete(folder)
  // A child process that is ending too may still write files.
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
}

// An interrupted bench removes its folders too.
process.on('exit', () => {
  for (const folder of open) drop(folder)
})

/** Calls `work` with a folder on the repository's disk: /tmp may be in memory, without fsync. */
export async function withFolder<T>(work: (folder: string) => T | Promise<T>): Promise<T> {
  mkdirSync(PARENT, { recursive: true })
  const folder = mkdtempSync(`${PARENT}bench-`)
  open.add(folder)
  try {
    return await work(folder)
  } finally {
    drop(folder)
  }
}

/**
 * Calls `work` with a folder that `make` filled. READS_DIR names a folder that caches it for the
 * next run, because some take hours to make.
 */
export function withCachedFolder<T>(
  name: string,
  make: (dataDir: string) => void,
  work: (dataDir: string) => Promise<T>,
): Promise<T> {
  const { READS_DIR: cache = '' } = process.env
  if (cache === '') {
    return withFolder((dataDir) => {
      make(dataDir)
      return work(dataDir)
    })
  }
  const dataDir = join(cache, name)
  const mark = join(dataDir, 'made')
  if (!existsSync(mark) || Date.now() - statSync(mark).mtimeMs >= CACHED_MS_MAX) {
    rmSync(dataDir, { recursive: true, force: true })
    mkdirSync(dataDir, { recursive: true })
    make(dataDir)
    writeFileSync(mark, '')
  }
  return work(dataDir)
}
