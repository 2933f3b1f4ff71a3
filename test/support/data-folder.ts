import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSeal } from '../../persistence/folder-key.ts'
import type { KeyedFolder } from '../../persistence/keyed-folder.ts'
import { noteProgress } from './progress.ts'

const made: string[] = []
// Not in a hook: a hook of this file would run before the hooks that stop the users of a folder.
process.on('exit', () => {
  for (const path of made) rmSync(path, { recursive: true, force: true })
})

/** An empty folder that is removed when the tests of the file are over. */
export function newFolder(): string {
  noteProgress()
  const path = mkdtempSync(join(tmpdir(), 'outcomex-test-'))
  made.push(path)
  return path
}

/** The folder with its own key, which is made when there is none yet. */
export function keyed(dataDir: string): KeyedFolder {
  return openSeal(dataDir).keyed(dataDir)
}

/** Deletes the read tables of a folder, so that its next start makes them again. */
export function loseReadTables(dataDir: string): void {
  for (const ending of ['', '-wal', '-shm'])
    rmSync(join(dataDir, `read.db${ending}`), { force: true })
}

export function copyFolder(from: string): string {
  const path = newFolder()
  cpSync(from, path, { recursive: true })
  return path
}
