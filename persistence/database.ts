import { closeSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import SqliteDatabase from 'better-sqlite3'
import { codeOf } from '../engine/domain/error-code.ts'
import { makeFolder, speaking, WrongSchema } from './folder-error.ts'
import { readableCopy } from './readable-copy.ts'

// The only file that opens a database. It sets every pragma that affects durability, because the
// driver's defaults differ from SQLite's (the driver's default for WAL is NORMAL).

export type Connection = SqliteDatabase.Database
export type Statement<Parameters extends unknown[], Row = unknown> = SqliteDatabase.Statement<
  Parameters,
  Row
>

/**
 * `full`: a commit is on disk when it returns. `normal`: it survives a kill, but not a power
 * failure.
 */
export type Durability = 'full' | 'normal'

const READER_BUSY_MS = 5000
/** What a reader in WAL mode gets if it cannot create a -shm file. */
const NEEDS_WRITE = /^SQLITE_(READONLY|CANTOPEN)/
const CACHE_KIBIBYTES = 16_384

export interface WritableOptions {
  readonly durability: Durability
  /**
   * Statements that migrate the file from version i to i + 1. A released statement is never edited.
   */
  readonly migrations: readonly string[]
  /** The version before the first migration. Files up to it are no longer read. */
  readonly baseVersion?: number
  /** A commit also checkpoints at this many WAL pages; 0 if the caller makes the checkpoints. */
  readonly autocheckpointPages: number
  /** Whether freed pages of a new file can be given back by `incremental_vacuum`. */
  readonly mayShrink?: boolean
}

/**
 * Creates a file that only its owner can read: secrets are sealed, but orders are private too. It
 * never opens an existing file, because closing that file would drop all locks of this process on
 * it, and SQLite relies on them.
 */
function createPrivate(path: string): void {
  try {
    closeSync(openSync(path, 'ax', 0o600))
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
  }
}

/** Opens or creates a database for its single writer. */
export function openWritable(path: string, options: WritableOptions): Connection {
  makeFolder(dirname(path))
  return speaking(path, () => {
    createPrivate(path)
    const connection = new SqliteDatabase(path, { timeout: 0 })
    try {
      // It has an effect before the first page only, and would write to a file that has pages.
      const isNew = Number(connection.pragma('page_count', { simple: true })) === 0
      if (isNew && options.mayShrink === true) connection.pragma('auto_vacuum = INCREMENTAL')
      connection.pragma('journal_mode = WAL')
      stateDurability(connection, options.durability)
      connection.pragma(`wal_autocheckpoint = ${options.autocheckpointPages}`)
      connection.pragma('journal_size_limit = 67108864')
      statePragmas(connection)
      proveWritable(connection)
      migrate(connection, path, options)
      return connection
    } catch (error) {
      connection.close()
      throw error
    }
  })
}

/** Opens an existing WAL database, written by another connection, to copy the WAL into it. */
export function openCheckpointer(path: string, durability: Durability): Connection {
  return speaking(path, () => {
    const connection = new SqliteDatabase(path, { fileMustExist: true, timeout: READER_BUSY_MS })
    stateDurability(connection, durability)
    connection.pragma('wal_autocheckpoint = 0')
    statePragmas(connection)
    // Before its first read, a connection does not know of the WAL and would copy nothing.
    schemaVersion(connection)
    return connection
  })
}

/**
 * Opens an existing database that another connection may write. It never needs write access:
 * without it, it reads a copy.
 */
export function openReadOnly(path: string): Connection {
  return speaking(path, () => {
    try {
      return readerOf(path)
    } catch (error) {
      if (!NEEDS_WRITE.test(codeOf(error))) throw error
      return readerOf(readableCopy(path))
    }
  })
}

function readerOf(path: string): Connection {
  const options = { readonly: true, fileMustExist: true, timeout: READER_BUSY_MS }
  const connection = new SqliteDatabase(path, options)
  try {
    statePragmas(connection)
    // The first read shows whether the files for WAL mode exist or can be created.
    schemaVersion(connection)
    return connection
  } catch (error) {
    connection.close()
    throw error
  }
}

/** Copies a database in use, a few pages at a time. The copy is a file without a WAL. */
export async function copyDatabase(path: string, copyPath: string): Promise<void> {
  const connection = openReadOnly(path)
  try {
    createPrivate(copyPath)
    await connection.backup(copyPath)
  } finally {
    connection.close()
  }
}

/** Creates an in-memory database with these migrations. */
export function openInMemory(migrations: readonly string[]): Connection {
  const connection = new SqliteDatabase(':memory:')
  for (const migration of migrations) connection.exec(migration)
  return connection
}

/** Creates a database in an unnamed temporary file, for data that need not fit in memory. */
export function openTemporary(schema: string): Connection {
  const connection = new SqliteDatabase('')
  connection.pragma(`cache_size = -${CACHE_KIBIBYTES}`)
  connection.pragma('journal_mode = OFF')
  connection.exec(schema)
  return connection
}

/**
 * Opens a tiny database whose open transaction is a lock between processes. Its rollback journal is
 * in memory, because nothing is ever committed. A shared lock is held from here on and needs no
 * write. SQLITE_BUSY is thrown while another process has exclusive use of the file.
 */
export function openLockFile(path: string, use: 'alone' | 'shared' = 'alone'): Connection {
  if (use === 'shared') return sharedLock(path)
  makeFolder(dirname(path))
  return speaking(path, () => {
    createPrivate(path)
    const connection = new SqliteDatabase(path, { timeout: 0 })
    connection.pragma('journal_mode = MEMORY')
    return connection
  })
}

function sharedLock(path: string): Connection {
  const connection = new SqliteDatabase(path, { readonly: true, fileMustExist: true, timeout: 0 })
  try {
    connection.exec('BEGIN')
    schemaVersion(connection)
    return connection
  } catch (error) {
    connection.close()
    throw error
  }
}

/**
 * Throws if a file of the database cannot be written: SQLite would open it as a reader, and only
 * the first commit would fail. The write is rolled back before it leaves memory.
 */
function proveWritable(connection: Connection): void {
  const version = schemaVersion(connection)
  connection.exec(`BEGIN IMMEDIATE; PRAGMA user_version = ${version}; ROLLBACK`)
}

function stateDurability(connection: Connection, durability: Durability): void {
  connection.pragma(`synchronous = ${durability === 'full' ? 'FULL' : 'NORMAL'}`)
}

function statePragmas(connection: Connection): void {
  connection.pragma(`cache_size = -${CACHE_KIBIBYTES}`)
  // Without mmap, a failing disk causes an error here instead of a SIGBUS of the whole process.
  connection.pragma('mmap_size = 0')
  connection.pragma('cell_size_check = ON')
  connection.pragma('trusted_schema = OFF')
  connection.pragma('foreign_keys = OFF')
  connection.pragma('temp_store = MEMORY')
}

export function schemaVersion(connection: Connection): number {
  return Number(connection.pragma('user_version', { simple: true }))
}

/**
 * The schema version of a file; 0 = no tables. Throws for a version that this program does not
 * read.
 */
export function knownVersion(
  connection: Connection,
  path: string,
  { migrations, baseVersion = 0 }: Pick<WritableOptions, 'migrations' | 'baseVersion'>,
): number {
  const version = schemaVersion(connection)
  const newest = baseVersion + migrations.length
  if (version > newest) {
    throw new WrongSchema(
      `${path}: it was written by a newer outcomex (schema ${version}, this version reads up to ` +
        `${newest}); start the newer version.`,
    )
  }
  if (version > 0 && version <= baseVersion) {
    throw new WrongSchema(
      `${path}: it was written by an older outcomex (schema ${version}, this version reads from ` +
        `${baseVersion + 1} on); use another --data, or use the version that wrote it.`,
    )
  }
  return version
}

function migrate(connection: Connection, path: string, options: WritableOptions): void {
  const { migrations, baseVersion = 0 } = options
  const done = Math.max(knownVersion(connection, path, options) - baseVersion, 0)
  for (let next = done; next < migrations.length; next++) {
    const apply = connection.transaction(() => {
      connection.exec(migrations[next])
      connection.pragma(`user_version = ${baseVersion + next + 1}`)
    })
    apply.exclusive()
  }
}
