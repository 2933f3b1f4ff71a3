import { constants, copyFileSync, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { codeOf } from '../engine/domain/error-code.ts'
import { speaking, UnreadFolder } from './folder-error.ts'

// SQLite reads a database in WAL mode only if it can write a -shm file next to it, or one exists. A
// folder on read-only media or of another user has none, unless a server runs there. Then the
// database is copied to the temporary folder, once per process, and read there.

const ENDINGS = ['', '-wal'] as const
const FULL = /^(ENOSPC|EDQUOT)$/

interface Kept {
  readonly stamp: string
  readonly copy: string
}

/** Copies of this process by the path of their source. */
const copies = new Map<string, Kept>()

/** Changes if the database or its WAL changes. */
function stampOf(path: string): string {
  const found = ENDINGS.map((end) => statSync(path + end, { throwIfNoEntry: false }))
  return found.map((each) => (each ? `${each.ino} ${each.size} ${each.mtimeMs}` : '-')).join(', ')
}

const folders: string[] = []

function newFolder(): string {
  if (folders.length === 0) {
    process.once('exit', () => {
      for (const folder of folders) rmSync(folder, { recursive: true, force: true })
    })
  }
  const folder = mkdtempSync(join(tmpdir(), 'outcomex-reading-'))
  folders.push(folder)
  return folder
}

function copyInto(folder: string, path: string): string {
  const copy = join(folder, basename(path))
  try {
    for (const end of ENDINGS) {
      if (!existsSync(path + end)) continue
      copyFileSync(path + end, copy + end, constants.COPYFILE_FICLONE)
    }
    return copy
  } catch (error) {
    if (!FULL.test(codeOf(error))) throw error
    const bytes = statSync(path).size
    throw new UnreadFolder(
      `${path}: its folder is not writable, so the file (${bytes} bytes) is read from a copy, ` +
        `and ${tmpdir()} has too little space for it; set TMPDIR to a folder with more space.`,
    )
  }
}

/** The path of a copy of a database and of its WAL. It is removed when the process ends. */
export function readableCopy(path: string): string {
  return speaking(path, () => {
    const stamp = stampOf(path)
    const known = copies.get(path)
    if (known?.stamp === stamp) return known.copy
    const copy = copyInto(newFolder(), path)
    if (stampOf(path) !== stamp) {
      throw new UnreadFolder(
        `${path}: it changed while it was copied; stop the exchange that uses it first.`,
      )
    }
    copies.set(path, { stamp, copy })
    return copy
  })
}
