import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Seq } from '../../engine/domain/ids.ts'
import { ifThere } from '../folder-error.ts'

// The paths of snapshots, and their list.

export const ENDING = '.snapshot'

export function folderOf(dataDir: string): string {
  return join(dataDir, 'snapshots')
}

export function snapshotPath(dataDir: string, seq: Seq): string {
  return join(folderOf(dataDir), `${seq}${ENDING}`)
}

export function namesIn(dataDir: string): string[] {
  const folder = folderOf(dataDir)
  return ifThere(folder, () => readdirSync(folder)) ?? []
}

/** null if the file is not a snapshot. */
function seqIn(name: string): number | null {
  const seq = /^(\d{1,16})\.snapshot$/.exec(name)?.[1]
  return seq === undefined ? null : Number(seq)
}

/** Newest seq first. */
export function snapshotSeqs(dataDir: string): number[] {
  const seqs = namesIn(dataDir).flatMap((name) => seqIn(name) ?? [])
  return seqs.sort((a, b) => b - a)
}

/** The other files in the snapshots' folder. The next save deletes what an unfinished save left. */
export function strayFiles(dataDir: string): string[] {
  return namesIn(dataDir).filter((name) => seqIn(name) === null)
}
