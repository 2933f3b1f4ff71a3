import { existsSync, renameSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { DataFolderError, makeFolder, speaking, syncFolder } from '../folder-error.ts'
import { readSeal } from '../folder-key.ts'
import { hasHead } from '../journal/journal-head.ts'
import { SqliteJournalReader } from '../journal/sqlite-reader.ts'
import { lockExisting, type OfflineOptions } from '../snapshot/recovery.ts'
import { type Copied, copyDataFolder, isUnfinished } from './copy-folder.ts'

// Creates a data folder from a backup. Everything is copied to a sibling folder, which is renamed
// when it is complete, so a data folder is either restored or missing. An existing empty folder may
// be a mount point, or be in a place where no sibling can be created, so it receives the copy
// itself; no start reads it before its head, which is written last. An interrupted restore can be
// continued.

export function restoreFolder(
  backupDir: string,
  dataDir: string,
  options: OfflineOptions = {},
): Copied {
  const target = resolve(dataDir)
  if (!isUnfinished(target)) {
    throw new DataFolderError(
      `${dataDir}: it is not empty, and a restore never overwrites; choose a folder that does ` +
        'not exist yet.',
    )
  }
  const lock = lockExisting(backupDir, 'shared')
  try {
    checkWhole(backupDir, options.keyFile)
    if (existsSync(target)) return copyDataFolder(backupDir, target, options)
    const beside = `${target}.restoring`
    makeFolder(dirname(target))
    const copied = copyDataFolder(backupDir, beside, options)
    speaking(target, () => {
      renameSync(beside, target)
      syncFolder(dirname(target))
    })
    return copied
  } finally {
    lock.release()
  }
}

function checkWhole(backupDir: string, keyFile: string | undefined): void {
  if (!hasHead(backupDir)) {
    throw new DataFolderError(
      `${backupDir}: this backup is unfinished; run outcomex backup to it again.`,
    )
  }
  const seal = readSeal(backupDir, keyFile)
  if (seal === null) return
  const reader = new SqliteJournalReader(seal.keyed(backupDir))
  try {
    reader.checkEnd()
  } finally {
    reader.close()
  }
}
