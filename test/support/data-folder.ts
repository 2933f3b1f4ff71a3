import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSeal } from '../../persistence/folder-key.ts'
import type { KeyedFolder } from '../../persistence/keyed-folder.ts'

const made: string[] = []
// Not by a hook: one of this file would run before those that stop what uses the folders.
process.on('exit', () => {
  for (const path of made) rmSync(path, { recursive: true, force: true })
})

/** An empty folder that is gone when the file's tests are. */
export function newFolder(): string {
  const path = mkdtempSync(join(tmpdir(), 'outcomex-test-'))
  made.push(path)
  return path
}

/** Its own key, made when there is none yet. */
export function keyed(dataDir: string): KeyedFolder {
  return openSeal(dataDir).keyed(dataDir)
}

export function copyFolder(from: string): string {
  const path = newFolder()
  cpSync(from, path, { recursive: true })
  return path
}
