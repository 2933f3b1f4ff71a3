import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Seq } from '../../engine/domain/ids.ts'
import { ifThere } from '../folder-error.ts'

// The paths of snapshots, and their list.

export const ENDING = '.snapshot'
export const NAMES_ENDING = '.names'

export function folderOf(dataDir: string): string {
  return join(dataDir, 'snapshots')
}

export function snapshotPath(dataDir: string, seq: Seq): string {
  return join(folderOf(dataDir), `${seq}${ENDING}`)
}

/** The file of the closed filter of names that begins at a seq. */
export function namesPath(dataDir: string, firstSeq: Seq): string {
  return join(folderOf(dataDir), `${firstSeq}${NAMES_ENDING}`)
}

export function filesIn(dataDir: string): string[] {
  const folder = folderOf(dataDir)
  return ifThere(folder, () => readdirSync(folder)) ?? []
}

/** null if the file is neither a snapshot nor names. */
function fileIn(name: string): { readonly seq: Seq; readonly ending: string } | null {
  const [, seq, ending] = /^(\d{1,16})(\.snapshot|\.names)$/.exec(name) ?? []
  return seq === undefined ? null : { seq: Number(seq), ending }
}

/** Newest seq first. */
export function snapshotSeqs(dataDir: string): number[] {
  const found = filesIn(dataDir).map(fileIn)
  const seqs = found.flatMap((file) => (file?.ending === ENDING ? [file.seq] : []))
  return seqs.sort((a, b) => b - a)
}

/** The other files in the snapshots' folder. The next save deletes what an unfinished save left. */
export function strayFiles(dataDir: string): string[] {
  return filesIn(dataDir).filter((name) => fileIn(name) === null)
}
