import { closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import SqliteDatabase from 'better-sqlite3'

// The only place that opens a database. Every pragma that decides durability is written out here,
// because the driver's own defaults differ from SQLite's (its WAL default is NORMAL).

export type Connection = SqliteDatabase.Database
export type Statement<Parameters extends unknown[], Row = unknown> = SqliteDatabase.Statement<
  Parameters,
  Row
>

/** `full` reaches the disk before a commit returns; `normal` survives a process kill only. */
export type Durability = 'full' | 'normal'

/** A data folder that cannot be used as it is. The message says what is wrong and what to do. */
export class DataFolderError extends Error {
  override name = 'DataFolderError'
}

const READER_BUSY_MS = 5000
const CACHE_KIBIBYTES = 16_384

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
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error) || !('code' in error)) return ''
  return typeof error.code === 'string' ? error.code : ''
}

/** The refusal for a failure of SQLite or the file system; others come back as they are. */
export function dataFolderError(error: unknown, path: string): unknown {
  if (error instanceof DataFolderError || !(error instanceof Error)) return error
  const code = codeOf(error)
  const primary = /^SQLITE_[A-Z]+/.exec(code)?.[0] ?? code
  const sentence = SENTENCES[primary]
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

export interface WritableOptions {
  readonly durability: Durability
  /** Statements that bring the file from version i to i + 1; numbered from 0, never edited. */
  readonly migrations: readonly string[]
  /** WAL pages after which a commit also checkpoints; 0 when the caller does it. */
  readonly autocheckpointPages: number
}

/** Opens or creates a database for its one writer. */
export function openWritable(path: string, options: WritableOptions): Connection {
  return speaking(path, () => {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    // Secrets are sealed, yet orders are nobody else's business either.
    closeSync(openSync(path, 'a', 0o600))
    const connection = new SqliteDatabase(path, { timeout: 0 })
    try {
      connection.pragma('journal_mode = WAL')
      connection.pragma(`synchronous = ${options.durability === 'full' ? 'FULL' : 'NORMAL'}`)
      connection.pragma(`wal_autocheckpoint = ${options.autocheckpointPages}`)
      connection.pragma('journal_size_limit = 67108864')
      statePragmas(connection)
      migrate(connection, path, options.migrations)
      return connection
    } catch (error) {
      connection.close()
      throw error
    }
  })
}

/** Opens an existing database that another connection writes. */
export function openReadOnly(path: string): Connection {
  return speaking(path, () => {
    const options = { readonly: true, fileMustExist: true, timeout: READER_BUSY_MS }
    const connection = new SqliteDatabase(path, options)
    statePragmas(connection)
    return connection
  })
}

/** A tiny database in rollback mode, whose open transaction is a lock between processes. */
export function openLockFile(path: string): Connection {
  return speaking(path, () => {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    const connection = new SqliteDatabase(path, { timeout: 0 })
    connection.pragma('journal_mode = DELETE')
    return connection
  })
}

function statePragmas(connection: Connection): void {
  connection.pragma(`cache_size = -${CACHE_KIBIBYTES}`)
  // A failing disk then gives an error here instead of a SIGBUS of the whole process.
  connection.pragma('mmap_size = 0')
  connection.pragma('cell_size_check = ON')
  connection.pragma('trusted_schema = OFF')
  connection.pragma('foreign_keys = OFF')
  connection.pragma('temp_store = MEMORY')
}

export function schemaVersion(connection: Connection): number {
  return Number(connection.pragma('user_version', { simple: true }))
}

function migrate(connection: Connection, path: string, migrations: readonly string[]): void {
  const version = schemaVersion(connection)
  if (version > migrations.length) {
    throw new DataFolderError(
      `${path}: it was written by a newer outcomex (schema ${version}, this one knows ` +
        `${migrations.length}); start the newer version.`,
    )
  }
  for (let next = version; next < migrations.length; next++) {
    const apply = connection.transaction(() => {
      connection.exec(migrations[next])
      connection.pragma(`user_version = ${next + 1}`)
    })
    apply.exclusive()
  }
}
