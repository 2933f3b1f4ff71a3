import { closeSync, fsyncSync, mkdirSync, openSync, statSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { codeOf } from '../engine/domain/error-code.ts'

// Turns a failure at a data folder into a sentence that says what is wrong and what to do.

/** What to do about damage depends on whose file it is. */
interface Damage {
  readonly path: string
  readonly what: string
}

/** A data folder that cannot be used as it is. The message says what is wrong and what to do. */
export class DataFolderError extends Error {
  override name = 'DataFolderError'
  /** The file whose bytes are not as they were written, if that is the reason. */
  readonly damage: Damage | null

  constructor(message: string, damage: Damage | null = null) {
    super(message)
    this.damage = damage
  }

  static ofDamage(path: string, what: string, detail = ''): DataFolderError {
    const message = `${path}: ${what}; restore the data folder from a backup${detail}.`
    return new DataFolderError(message, { path, what })
  }
}

/**
 * The folder was not checked, and may be sound: it has no journal, another process uses it, this
 * user may not read it, the disk fails, the key is missing, or another version wrote it.
 */
export class UnreadFolder extends DataFolderError {
  override name = 'UnreadFolder'
}

/** This version does not read the schema of the database. */
export class WrongSchema extends UnreadFolder {
  override name = 'WrongSchema'
}

const SENTENCES: Readonly<Record<string, string>> = {
  SQLITE_FULL: 'the disk is full; free some space and start again, nothing acknowledged is lost',
  SQLITE_READONLY:
    'this user may not write it, its -wal, its -shm or its folder; ' +
    'make the folder and its files writable for the user that runs the exchange',
  SQLITE_CANTOPEN: 'it cannot be opened; check that the folder exists and that this user owns it',
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

const DAMAGE: Readonly<Record<string, string>> = {
  SQLITE_CORRUPT: 'the file is damaged',
  SQLITE_NOTADB: 'the file is not a database',
}

/** The read tables are a copy: the journal gives back whatever they lose. */
const OF_A_COPY: Readonly<Record<string, string>> = {
  SQLITE_CORRUPT: 'the read tables are damaged; run outcomex rebuild, nothing is lost',
  SQLITE_NOTADB: 'the read tables are damaged; run outcomex rebuild, nothing is lost',
}

/**
 * Gives a DataFolderError for a failure of SQLite or of the file system, and any other error as it
 * is.
 */
export function dataFolderError(error: unknown, path: string): unknown {
  if (error instanceof DataFolderError || !(error instanceof Error)) return error
  const code = codeOf(error)
  const detail = ` (${code}: ${error.message})`
  const primary = /^SQLITE_[A-Z]+/.exec(code)?.[0] ?? code
  const ofCopy = basename(path) === 'read.db' ? OF_A_COPY[primary] : undefined
  if (ofCopy === undefined && primary in DAMAGE) {
    return DataFolderError.ofDamage(path, DAMAGE[primary], detail)
  }
  const isOfFiles = 'syscall' in error
  const sentence = ofCopy ?? SENTENCES[primary] ?? (isOfFiles ? 'it cannot be used' : undefined)
  if (sentence === undefined) return error
  const Kind = ofCopy === undefined ? UnreadFolder : DataFolderError
  return new Kind(`${path}: ${sentence}${detail}.`)
}

/** Runs `work` and turns its failures at `path` into sentences. */
export function speaking<T>(path: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw dataFolderError(error, path)
  }
}

/** Gives what `read` finds at `path`; null when `path` does not exist. */
export function ifThere<T>(path: string, read: () => T): T | null {
  try {
    return read()
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null
    throw dataFolderError(error, path)
  }
}

/**
 * Makes a folder and its parents, one by one. Where a file system makes no folders (/proc), the
 * recursive mkdir of Node tries for ever.
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

/** Flushes a folder: the names in it are on the disk when this returns. */
export function syncFolder(path: string): void {
  const folder = openSync(path, 'r')
  fsyncSync(folder)
  closeSync(folder)
}
