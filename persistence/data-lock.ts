import { chmodSync, existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { codeOf } from '../engine/domain/error-code.ts'
import { type Connection, openLockFile } from './database.ts'
import { type FileIdentity, identityOf } from './file-identity.ts'
import { DataFolderError, speaking, UnreadFolder } from './folder-error.ts'

const OWNER_ONLY = 0o600
const GROUP_BITS = 0o060

/** The permissions of a file; null if it does not exist. */
function modeOf(path: string): number | null {
  const found = speaking(path, () => statSync(path, { throwIfNoEntry: false }))
  return found === undefined ? null : found.mode & 0o777
}

/**
 * A user who can only read `lock.db` could take a shared lock on it, which prevents every start. So
 * only users that may open the journal may open it. Another user's file is not changed.
 */
function closeToOthers(dataDir: string, path: string): void {
  const mode = modeOf(path)
  if (mode === null) return
  const ofGroup = (modeOf(join(dataDir, 'journal.db')) ?? 0) & GROUP_BITS
  const closed = mode & (OWNER_ONLY | ofGroup)
  if (closed === mode) return
  try {
    chmodSync(path, closed)
  } catch {
    // The write of the lock shows whether this user can use the file.
  }
}

/**
 * On a file that it cannot write, SQLite opens a reader and silently begins an exclusive
 * transaction as a shared one. Only a write shows that the transaction is exclusive. It is never
 * committed.
 */
const LOCK = 'BEGIN EXCLUSIVE; PRAGMA user_version = 1'

function unwritable(path: string, dataDir: string): DataFolderError {
  return new DataFolderError(
    `${path}: this user may not write it, so it cannot exclude other processes from the folder; ` +
      'give every file of the data folder to the user that runs the exchange: ' +
      `chown -R USER ${dataDir} (SQLITE_READONLY).`,
  )
}

function begin(connection: Connection, refusal: () => DataFolderError): void {
  try {
    connection.exec(LOCK)
  } catch (error) {
    connection.close()
    throw /^SQLITE_READONLY/.test(codeOf(error)) ? refusal() : error
  }
}

class FolderInUse extends UnreadFolder {
  constructor(dataDir: string) {
    super(
      `${dataDir}: another outcomex process uses this data folder; stop it first, or choose ` +
        'another folder with --data.',
    )
  }
}

function isBusy(error: unknown): boolean {
  const codes = /SQLITE_(BUSY|LOCKED)/
  return error instanceof Error && codes.test(`${codeOf(error)} ${error.message}`)
}

/**
 * Excludes other processes from a data folder. Node has no flock. An open exclusive transaction has
 * the same effect, and ends with its process, however the process dies.
 */
export class DataLock {
  /** A lock on a deleted file excludes no process, so the journal writer checks this file. */
  readonly file: FileIdentity
  readonly #connection: Connection

  constructor(connection: Connection, file: FileIdentity) {
    this.#connection = connection
    this.file = file
  }

  /** Locks the folder, and creates it if missing. Throws if another process has it. */
  static take(dataDir: string): DataLock {
    const path = join(dataDir, 'lock.db')
    try {
      const connection = openLockFile(path)
      closeToOthers(dataDir, path)
      speaking(path, () => begin(connection, () => unwritable(path, dataDir)))
      return new DataLock(connection, identityOf(path))
    } catch (error) {
      throw isBusy(error) ? new FolderInUse(dataDir) : error
    }
  }

  /**
   * Locks a folder for reading; no server starts meanwhile. If this user cannot write the folder,
   * no file is needed: where nothing can be locked, no server of this user can run.
   */
  static share(dataDir: string): Pick<DataLock, 'release'> {
    const path = join(dataDir, 'lock.db')
    try {
      if (!existsSync(path)) return DataLock.take(dataDir)
      const connection = openLockFile(path, 'shared')
      return { release: () => connection.close() }
    } catch (error) {
      if (error instanceof FolderInUse) throw error
      if (isBusy(error)) throw new FolderInUse(dataDir)
      return { release: () => {} }
    }
  }

  release(): void {
    this.#connection.close()
  }
}
