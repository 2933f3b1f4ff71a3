import { closeSync, fsyncSync, mkdirSync, openSync, statSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { codeOf } from '../engine/domain/error-code.ts'

// What is said of a data folder that cannot be used, or not made.

/** A data folder that cannot be used as it is. The message says what is wrong and what to do. */
export class DataFolderError extends Error {
  override name = 'DataFolderError'
}

/** There is nothing to look at here, or somebody else is at it: the folder may well be sound. */
export class UnreadFolder extends DataFolderError {
  override name = 'UnreadFolder'
}

/** A database of a form that this version does not read. */
export class WrongSchema extends DataFolderError {
  override name = 'WrongSchema'
}

const SENTENCES: Readonly<Record<string, string>> = {
  SQLITE_FULL: 'the disk is full; free some space and start again, nothing acknowledged is lost',
  SQLITE_READONLY: 'the file or its folder is read-only; make both writable for this user',
  SQLITE_CANTOPEN: 'it cannot be opened; check that the folder exists and that this user owns it',
  SQLITE_CORRUPT: 'the file is damaged; restore the data folder from a backup',
  SQLITE_NOTADB: 'the file is not a database; restore the data folder from a backup',
  SQLITE_BUSY: 'another process holds it; stop that process first',
  SQLITE_LOCKED: 'another connection holds it; stop that process first',
  SQLITE_IOERR: 'the disk failed to read or write it; check the disk and the free space',
  SQLITE_PERM: 'this user may not use it; check the owner and the mode of the file',
  ENOSPC: 'the disk is full; free some space and start again, nothing acknowledged is lost',
  EROFS: 'the folder is read-only; make it writable for this user',
  EACCES: 'this user may not use it; check the owner and the mode of the file and its folder',
  EPERM: 'this user may not use it; check the owner and the mode of the file and its folder',
  ENOTDIR: 'a part of the path is a file, not a folder; choose another data folder',
  EEXIST: 'a file stands where the data folder should be; choose another data folder',
  EISDIR: 'a folder stands where the file should be; move it away',
  ENOENT: 'it does not exist',
  EIO: 'the disk failed to read or write it; check the disk',
  EDQUOT: 'the quota of this user is used up; free some space and start again',
  EMFILE: 'this process has no file descriptor left; raise its limit (ulimit -n)',
  ENFILE: 'the machine has no file descriptor left; raise its limit (fs.file-max)',
}

/** The read tables are a copy: what is lost there the journal gives back. */
const OF_A_COPY: Readonly<Record<string, string>> = {
  SQLITE_CORRUPT: 'the read tables are damaged; run outcomex rebuild, nothing is lost',
  SQLITE_NOTADB: 'the read tables are damaged; run outcomex rebuild, nothing is lost',
}

function sentenceOf(code: string, path: string): string | undefined {
  const primary = /^SQLITE_[A-Z]+/.exec(code)?.[0] ?? code
  const isCopy = basename(path) === 'read.db'
  return (isCopy ? OF_A_COPY[primary] : undefined) ?? SENTENCES[primary]
}

/** The refusal for a failure of SQLite or the file system; others come back as they are. */
export function dataFolderError(error: unknown, path: string): unknown {
  if (error instanceof DataFolderError || !(error instanceof Error)) return error
  const code = codeOf(error)
  const isOfFiles = 'syscall' in error
  const sentence = sentenceOf(code, path) ?? (isOfFiles ? 'it cannot be used' : undefined)
  if (sentence === undefined) return error
  return new DataFolderError(`${path}: ${sentence} (${code}: ${error.message}).`)
}

/** Runs `work` and turns its failures at `path` into sentences. */
export function speaking<T>(path: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw dataFolderError(error, path)
  }
}

/** What `read` finds at `path`; null when nothing is there. */
export function ifThere<T>(path: string, read: () => T): T | null {
  try {
    return read()
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null
    throw dataFolderError(error, path)
  }
}

/**
 * Makes a folder and those above it, one by one: where a file system makes none (/proc), the
 * driver's own recursive way tries for ever.
 */
export function makeFolder(path: string): void {
  const folder = resolve(path)
  const found = speaking(folder, () => statSync(folder, { throwIfNoEntry: false }))
  if (found?.isDirectory()) return
  if (found === undefined && dirname(folder) !== folder) makeFolder(dirname(folder))
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw dataFolderError(error, folder)
    throw new DataFolderError(
      `${folder}: no folder can be made there; choose another data folder with --data.`,
    )
  }
}

/** The names in a folder are on the disk when it returns. */
export function syncFolder(path: string): void {
  const folder = openSync(path, 'r')
  fsyncSync(folder)
  closeSync(folder)
}
