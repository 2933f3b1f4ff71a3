// Folders that are long in the making: READS_DIR names a folder that keeps them for the next run.

import { existsSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DAY_BUCKET_MS, DAY_BUCKETS } from '../../engine/domain/markets/day-window.ts'
import { withFolder } from '../passes/folder.ts'

/** A kept folder that is older has too few trades of the last day. */
const KEPT_MS = (DAY_BUCKET_MS * DAY_BUCKETS) / 4

interface Made {
  readonly name: string
  readonly make: (dataDir: string) => void
}

/** Gives `work` a folder that was made now, or, where it is kept, for an earlier run. */
export function withKeptFolder<T>(
  { name, make }: Made,
  work: (dataDir: string) => Promise<T>,
): Promise<T> {
  const { READS_DIR: keptIn = '' } = process.env
  if (keptIn === '') {
    return withFolder((dataDir) => {
      make(dataDir)
      return work(dataDir)
    })
  }
  const dataDir = join(keptIn, name)
  const mark = join(dataDir, 'made')
  const isKept = existsSync(mark) && Date.now() - statSync(mark).mtimeMs < KEPT_MS
  if (!isKept) {
    rmSync(dataDir, { recursive: true, force: true })
    mkdirSync(dataDir, { recursive: true })
    make(dataDir)
    writeFileSync(mark, '')
  }
  return work(dataDir)
}
