import { closeSync, fsyncSync, mkdirSync, openSync, statSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { codeOf } from '../engine/domain/error-code.ts'

// Converts a failure at a data folder into a sentence with the cause and the remedy.

/** The remedy for damage depends on the owner of the file. */
interface Damage {
  readonly path: string
  readonly what: string
}

/** A data folder that cannot be used as it is. The message gives the cause and the remedy. */
export class DataFolderError extends Error {
  override name = 'DataFolderError'
  /** The file whose bytes are not as written, if that is the cause. */
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
 * The folder was not checked and may be sound: it has no journal, another process uses it, this
 * user may not read it, the disk fails, the key is missing, or another version wrote it.
 */
export class UnreadFolder extends DataFolderError {
  override name = 'UnreadFolder'
}

/** This version does not read the database's schema. */
export class WrongSchema extends UnreadFolder {
  override name = 'WrongSchema'
}

const SENTENCES: Readonly<Record<string, string>> = {
  SQLITE_FULL: 'the disk is full; free some space and start again, nothing acknowledged is lost',
  SQLITE_READONLY:
    'this user may not write it, its -wal, its -shm or its folder; ' +
    'make the folder and its files writable for the user that runs the exchange',
  SQLITE_CANTOPEN: 'it cannot be opened; check that the folder exists and that this user owns it',
  SQLITE_BUSY: 'another process uses it; stop that process first',
  SQLITE_LOCKED: 'another connection uses it; stop its process first',
  SQLITE_IOERR: 'the disk failed to read or write it; check the disk and the free space',
  SQLITE_PERM: 'this user may not use it; check the owner and the mode of the file',
  ENOSPC: 'the disk is full; free some space and start again, nothing acknowledged is lost',
  EROFS: 'the folder is read-only; make it writable for this user',
  EACCES: 'this user may not use it; check the owner and the mode of the file and its folder',
  EPERM: 'this user may not use it; check the owner and the mode of the file and its folder',
  ENOTDIR: 'a part of the path is a file, not a folder; choose another data folder',
  EEXIST: 'the path is a file, not a folder; choose another data folder',
  EISDIR: 'the path is a folder, not a file; move it away',
  ENOENT: 'it does not exist',
  EIO: 'the disk failed to read or write it; check the disk',
  EDQUOT: 'the quota of this user is used up; free some space and start again',
  EMFILE: 'this process has no file descriptors left; raise its limit (ulimit -n)',
  ENFILE: 'the machine has no file descriptors left; raise its limit (fs.file-max)',
}

const DAMAGE: Readonly<Record<string, string>> = {
  SQLITE_CORRUPT: 'the file is damaged',
  SQLITE_NOTADB: 'the file is not a database',
}

/** The read tables are a copy: the journal restores whatever they lose. */
const OF_A_COPY: Readonly<Record<string, string>> = {
  SQLITE_CORRUPT: 'the read tables are damaged; run outcomex rebuild, nothing is lost',
  SQLITE_NOTADB: 'the read tables are damaged; run outcomex rebuild, nothing is lost',
}

/**
 * A DataFolderError for a failure of SQLite or of the file system; any other error is returned
 * unchanged.
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

/** Runs `work` and converts its failures at `path` into sentences. */
export function speaking<T>(path: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw dataFolderError(error, path)
  }
}

/** The result of `read` at `path`; null if `path` does not exist. */
export function ifThere<T>(path: string, read: () => T): T | null {
  try {
    return read()
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null
    throw dataFolderError(error, path)
  }
}

/** False only if nothing is there: a file that cannot be reached is an error. */
export function isFile(path: string): boolean {
  return ifThere(path, () => statSync(path)) !== null
}

/**
 * Creates a folder and its parents one by one. Where a file system cannot create folders (/proc),
 * Node's recursive mkdir never ends.
 */
export function makeFolder(path: string): void {
  const folder = resolve(path)
  const found = speaking(folder, () => statSync(folder, { throwIfNoEntry: false }))
  if (found?.isDirectory()) return
  if (found === undefined && dirname(folder) !== folder) makeFolder(dirname(folder))
  try {
    mkdirSync(folder, { mode: 0o700 })
    syncFolder(dirname(folder))
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw dataFolderError(error, folder)
    throw new DataFolderError(
      `${folder}: no folder can be created there; choose another data folder with --data.`,
    )
  }
}

/** Flushes a folder. On return its file names are on disk. */
export function syncFolder(path: string): void {
  const folder = openSync(path, 'r')
  fsyncSync(folder)
  closeSync(folder)
}
