import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf } from '../engine/domain/error-code.ts'
import { readPath } from './follower/read-database.ts'
import { journalPath } from './journal/journal-end.ts'
import { archiveFolder } from './journal/segments/segment-folder.ts'
import { folderOf } from './snapshot/snapshot-folder.ts'

/** The parts of a data folder that grow with what it does. */
export const FOLDER_PARTS = ['journal', 'archive', 'read_tables', 'snapshots'] as const
export type FolderPart = (typeof FOLDER_PARTS)[number]
export type FolderSizes = Readonly<Record<FolderPart, number>>

async function fileBytes(path: string): Promise<number> {
  try {
    return (await stat(path)).size
  } catch (error) {
    // Files come and go meanwhile.
    if (codeOf(error) === 'ENOENT') return 0
    throw error
  }
}

async function folderBytes(folder: string): Promise<number> {
  let bytes = 0
  const names = await readdir(folder).catch(() => [])
  for (const name of names) bytes += await fileBytes(join(folder, name))
  return bytes
}

async function databaseBytes(path: string): Promise<number> {
  return (await fileBytes(path)) + (await fileBytes(`${path}-wal`))
}

/** Bytes of each part. Library threads make the calls, so a stuck disk delays only the result. */
export async function folderSizes(dataDir: string): Promise<FolderSizes> {
  return {
    journal: await databaseBytes(journalPath(dataDir)),
    archive: await folderBytes(archiveFolder(dataDir)),
    read_tables: await databaseBytes(readPath(dataDir)),
    snapshots: await folderBytes(folderOf(dataDir)),
  }
}
