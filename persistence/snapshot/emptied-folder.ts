import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { codeOf } from '../../engine/domain/error-code.ts'
import type { Seq } from '../../engine/domain/ids.ts'
import { openReadOnly, schemaVersion } from '../database.ts'
import { DataFolderError } from '../folder-error.ts'
import { openSeal } from '../folder-key.ts'
import { journalPath, readUntouched, tailOf } from '../journal/journal-end.ts'
import { claimedSeq } from '../journal/journal-head.ts'
import type { Seal } from '../seal.ts'
import { folderOf, snapshotSeqs } from './snapshot-folder.ts'

// A journal without commands is not new if files exist that only commands create: the journal was
// removed or replaced, or a copy of the folder is incomplete.

const APPLIED = 'SELECT seq FROM applied WHERE id = 1'
const NOT_OURS = /SQLITE_(CORRUPT|NOTADB|ERROR)/

/** A first start creates empty read tables before its first command. */
function hasAppliedRows(path: string): boolean {
  if (!existsSync(path)) return false
  try {
    const connection = openReadOnly(path)
    try {
      if (schemaVersion(connection) === 0) return false
      return (connection.prepare<[], { seq: Seq }>(APPLIED).get()?.seq ?? 0) > 0
    } finally {
      connection.close()
    }
  } catch (error) {
    if (error instanceof Error && NOT_OURS.test(`${codeOf(error)} ${error.message}`)) return true
    throw error
  }
}

/** Throws if an exchange left files in a folder whose journal has no commands. */
export function refuseEmptied(dataDir: string): void {
  const lastSeq = readUntouched(dataDir, (connection) => tailOf(connection).seq) ?? 0
  if (lastSeq > 0 || claimedSeq(dataDir) > 0) return
  const tables = join(dataDir, 'read.db')
  const isSaved = snapshotSeqs(dataDir).length > 0
  if (!isSaved && !hasAppliedRows(tables)) return
  const left = isSaved ? folderOf(dataDir) : tables
  throw new DataFolderError(
    `${journalPath(dataDir)}: the journal has no commands, but ${left} is from ` +
      'an exchange that had some: put its journal.db, journal.db-wal and journal.head ' +
      'back, or restore the folder from a backup. For a new exchange choose an empty folder.',
  )
}

/** Opens a folder's seal for a start. In a new folder it creates the keys. */
export function openFolder(dataDir: string, keyFile?: string): Seal {
  refuseEmptied(dataDir)
  return openSeal(dataDir, keyFile)
}
