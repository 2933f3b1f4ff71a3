import { existsSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Seq } from '../../engine/domain/ids.ts'
import { copyDatabase } from '../database.ts'
import { readSeal } from '../folder-key.ts'
import { readPath } from '../follower/read-database.ts'
import { archivedNames, archiveFolder, SEGMENT_NAME } from '../journal/segments/segment-folder.ts'
import { placeFile } from '../placed-file.ts'
import { savedNamesOf } from '../snapshot/snapshot-check.ts'
import { ENDING, folderOf, namesPath } from '../snapshot/snapshot-folder.ts'
import { copyDataFolder } from './copy-folder.ts'

// A copy of a data folder from which another node of the cluster starts: a backup, and the read
// tables, which the other node need not build again.

export interface CopiedFile {
  /** Path within the folder. */
  readonly name: string
  readonly bytes: number
}

export interface NodeCopy {
  readonly seq: Seq
  readonly files: readonly CopiedFile[]
}

export interface NodeCopyData {
  readonly dataDir: string
  readonly copyDir: string
  readonly keyFile: string | undefined
}

/** Copies a folder in use. The read tables come first, so that the journal is never behind them. */
export async function copyForNode({ dataDir, copyDir, keyFile }: NodeCopyData): Promise<NodeCopy> {
  const tables = `${copyDir}.read.db`
  if (existsSync(readPath(dataDir))) await copyDatabase(readPath(dataDir), tables)
  const { seq, snapshots } = copyDataFolder(dataDir, copyDir, { keyFile, isListOnly: true })
  if (existsSync(tables)) renameSync(tables, readPath(copyDir))
  rmSync(join(copyDir, 'lock.db'), { force: true })
  const saved = snapshots.map((each) => join(folderOf('.'), `${each}${ENDING}`))
  const names = copyNames({ dataDir, copyDir, keyFile }, snapshots)
  const all = ['journal.db', 'journal.db-wal', 'journal.head', 'read.db', ...names, ...saved]
  const files = all.flatMap((name) => {
    const found = statSync(join(copyDir, name), { throwIfNoEntry: false })
    return found === undefined || found.size === 0 ? [] : [{ name, bytes: found.size }]
  })
  return { seq, files: [...segmentsOf(dataDir), ...files] }
}

/** Copies the names that snapshots refer to. A start without them reads more of the tables. */
function copyNames(
  { dataDir, copyDir, keyFile }: NodeCopyData,
  snapshots: readonly Seq[],
): readonly string[] {
  const folder = readSeal(dataDir, keyFile)?.keyed(copyDir)
  if (folder === undefined) return []
  const saved = snapshots.flatMap((seq) => savedNamesOf(folder, seq))
  const firstSeqs = [...new Set(saved.map(({ firstSeq }) => firstSeq))]
  return firstSeqs.flatMap((firstSeq) => {
    const isPlaced = placeFile(
      namesPath(dataDir, firstSeq),
      namesPath(copyDir, firstSeq),
      () => true,
    )
    return isPlaced ? [namesPath('.', firstSeq)] : []
  })
}

/** Segments never change, so they are read where they are. */
function segmentsOf(dataDir: string): CopiedFile[] {
  return archivedNames(dataDir).flatMap((name) => {
    const found = statSync(join(archiveFolder(dataDir), name), { throwIfNoEntry: false })
    const isSegment = found !== undefined && SEGMENT_NAME.test(name)
    return isSegment ? [{ name: join(archiveFolder('.'), name), bytes: found.size }] : []
  })
}
