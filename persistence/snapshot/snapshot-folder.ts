import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { ifThere } from '../folder-error.ts'

// Where snapshots lie, and which there are.

export const ENDING = '.snapshot'

export function folderOf(dataDir: string): string {
  return join(dataDir, 'snapshots')
}

export function snapshotPath(dataDir: string, seq: number): string {
  return join(folderOf(dataDir), `${seq}${ENDING}`)
}

export function namesIn(dataDir: string): string[] {
  const folder = folderOf(dataDir)
  return ifThere(folder, () => readdirSync(folder)) ?? []
}

/** Newest first. */
export function snapshotSeqs(dataDir: string): number[] {
  const seqs = namesIn(dataDir).flatMap((name) => {
    const seq = /^(\d{1,16})\.snapshot$/.exec(name)?.[1]
    return seq === undefined ? [] : [Number(seq)]
  })
  return seqs.sort((a, b) => b - a)
}
