import { existsSync, renameSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { DataFolderError, makeFolder, speaking, syncFolder } from '../folder-error.ts'
import { readSeal } from '../folder-key.ts'
import { hasHead } from '../journal/journal-head.ts'
import { SqliteJournalReader } from '../journal/sqlite-journal.ts'
import { lockExisting, type OfflineOptions } from '../snapshot/recovery.ts'
import { type Copied, copyDataFolder, isUnfinished } from './copy-folder.ts'

// Makes a data folder of a backup. All of it is copied into a folder beside, which gets its name
// when it is whole: a data folder is restored or not there. A folder that is there, and empty, may
// be a disk of its own or stand where nothing can be made beside it: it takes the copy itself, and
// no start reads it before its head, which comes last. A restore that was cut off goes on.

export function restoreFolder(
  backupDir: string,
  dataDir: string,
  options: OfflineOptions = {},
): Copied {
  const target = resolve(dataDir)
  if (!isUnfinished(target)) {
    throw new DataFolderError(
      `${dataDir}: it is not empty, and a restore replaces nothing; choose a folder that does ` +
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
      `${backupDir}: this backup was not finished; run outcomex backup to it once more.`,
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
