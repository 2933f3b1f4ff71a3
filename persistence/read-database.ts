import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import {
  type Connection,
  DataFolderError,
  openReadOnly,
  openWritable,
  speaking,
} from './database.ts'
import type { JournalTail } from './journal-port.ts'
import { READ_MIGRATIONS } from './migrations/read.ts'

// read.db is a copy: it may be missing, old or from another journal, and is then made anew.

const APPLIED = 'SELECT seq, checksum FROM applied WHERE id = 1'

export function readPath(dataDir: string): string {
  return join(dataDir, 'read.db')
}

/** NORMAL: a power cut may take its newest rows, which the journal then gives back. */
export function openReadTables(dataDir: string): Connection {
  return openWritable(readPath(dataDir), {
    durability: 'normal',
    migrations: READ_MIGRATIONS,
    autocheckpointPages: 4096,
  })
}

export function appliedOf(connection: Connection): JournalTail | null {
  return connection.prepare<[], JournalTail>(APPLIED).get() ?? null
}

/** Where the read tables of a folder stand; null when there are none. */
export function readApplied(dataDir: string): JournalTail | null {
  if (!existsSync(readPath(dataDir))) return null
  return speaking(readPath(dataDir), () => {
    const connection = openReadOnly(readPath(dataDir))
    try {
      return appliedOf(connection)
    } finally {
      connection.close()
    }
  })
}

export function deleteReadTables(dataDir: string): void {
  for (const ending of ['', '-wal', '-shm'])
    rmSync(`${readPath(dataDir)}${ending}`, { force: true })
}

/**
 * Opens the read tables when they were made from this journal, else makes empty ones. `checksumAt`
 * says what the journal holds at a seq, null when it has no such end.
 */
export function openMatchingReadTables(
  dataDir: string,
  checksumAt: (seq: number) => Uint8Array | null,
): { connection: Connection; applied: JournalTail } {
  const empty = { seq: 0, checksum: new Uint8Array(32) }
  try {
    const connection = openReadTables(dataDir)
    const applied = speaking(readPath(dataDir), () => appliedOf(connection)) ?? empty
    const checksum = checksumAt(applied.seq)
    if (checksum !== null && Buffer.compare(checksum, applied.checksum) === 0) {
      return { connection, applied }
    }
    connection.close()
  } catch (error) {
    // Damage costs only time here; anything else would meet the new file as well.
    if (!(error instanceof DataFolderError && /SQLITE_(CORRUPT|NOTADB)/.test(error.message))) {
      throw error
    }
  }
  deleteReadTables(dataDir)
  return { connection: openReadTables(dataDir), applied: empty }
}
