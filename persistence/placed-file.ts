import {
  chmodSync,
  closeSync,
  copyFileSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { ifThere, speaking, syncFolder } from './folder-error.ts'

/**
 * Copies a file to `path`. The copy gets that name once `isGood` has accepted it and it is on disk.
 * Returns false if the file is missing or not good.
 */
export function placeFile(from: string, path: string, isGood: (path: string) => boolean): boolean {
  const unfinished = `${path}.unfinished`
  return speaking(path, () => {
    const isThere = ifThere(from, () => {
      copyFileSync(from, unfinished)
      return true
    })
    if (isThere === null) return false
    if (!isGood(unfinished)) {
      rmSync(unfinished)
      return false
    }
    chmodSync(unfinished, 0o600)
    syncFile(unfinished)
    renameSync(unfinished, path)
    syncFolder(dirname(path))
    return true
  })
}

/** Returns once a file and its name are on disk. */
export function syncFile(path: string): void {
  const file = openSync(path, 'r')
  fsyncSync(file)
  closeSync(file)
  syncFolder(dirname(path))
}
