import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { codeOf } from '../../engine/domain/error-code.ts'
import type { Seq } from '../../engine/domain/ids.ts'
import {
  type Connection,
  knownVersion,
  openInMemory,
  openReadOnly,
  openWritable,
  schemaVersion,
} from '../database.ts'
import { DataFolderError, speaking, WrongSchema } from '../folder-error.ts'
import type { JournalTail } from '../journal/journal-port.ts'
import { READ_SCHEMA } from './schema/migrations.ts'

// read.db is a copy. It is rebuilt if it is missing, damaged or from another journal.

const APPLIED = 'SELECT seq, checksum FROM applied WHERE id = 1'
const SCHEMA = 'SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name'
export const NEWEST_VERSION = READ_SCHEMA.baseVersion + READ_SCHEMA.migrations.length
const EMPTY: JournalTail = { seq: 0, checksum: new Uint8Array(32) }

/** The journal's checksum at a seq; null if no batch ends there. */
type ChecksumAt = (seq: Seq) => Uint8Array | null

export function readPath(dataDir: string): string {
  return join(dataDir, 'read.db')
}

/** The journal commits to the same disk, and a large checkpoint's fsync delays its commits. */
const CHECKPOINT_PAGES = 1024

/**
 * Opened as NORMAL: a power failure may lose the newest rows, which are rebuilt from the journal.
 */
function openReadTables(dataDir: string): Connection {
  return openWritable(readPath(dataDir), {
    durability: 'normal',
    ...READ_SCHEMA,
    autocheckpointPages: CHECKPOINT_PAGES,
  })
}

export function appliedOf(connection: Connection): JournalTail | null {
  return connection.prepare<[], JournalTail>(APPLIED).get() ?? null
}

export function deleteReadTables(dataDir: string): void {
  for (const ending of ['', '-wal', '-shm'])
    rmSync(`${readPath(dataDir)}${ending}`, { force: true })
}

function schemaOf(connection: Connection): string {
  const rows = connection.prepare<[], { sql: string }>(SCHEMA).all()
  return rows.map(({ sql }) => sql).join('\n')
}

/** The schema that the migrations create from nothing. */
function expectedSchema(): string {
  const connection = openInMemory(READ_SCHEMA.migrations)
  try {
    return schemaOf(connection)
  } finally {
    connection.close()
  }
}

/** The position of the tables, or the end of a sentence with the reason why they are unusable. */
function standOf(connection: Connection, checksumAt: ChecksumAt): JournalTail | string {
  // A start migrates an older file first, so only the newest version is compared.
  const isNewest = schemaVersion(connection) === NEWEST_VERSION
  if (isNewest && schemaOf(connection) !== expectedSchema()) return 'has unexpected tables'
  const applied = appliedOf(connection) ?? EMPTY
  const checksum = checksumAt(applied.seq)
  const isOurs = checksum !== null && Buffer.compare(checksum, applied.checksum) === 0
  return isOurs ? applied : `was not made from this journal (it is at seq ${applied.seq})`
}

/** Why the tables must be rebuilt; null if a new file would fail in the same way. */
function uselessFor(error: unknown): string | null {
  if (error instanceof WrongSchema) return 'was written by another version of outcomex'
  const isDamage = /SQLITE_(CORRUPT|NOTADB|ERROR)/
  const isDamaged =
    isDamage.test(codeOf(error)) ||
    (error instanceof DataFolderError && isDamage.test(error.message))
  return isDamaged ? 'is damaged' : null
}

/**
 * Opens the read tables if they were made from this journal; otherwise creates empty ones.
 * `mayRebuild` throws if the journal cannot make them again: then they stay as they are.
 */
export function openMatchingReadTables(
  dataDir: string,
  checksumAt: ChecksumAt,
  mayRebuild: () => void = () => {},
): { connection: Connection; applied: JournalTail } {
  const found = usable(dataDir, checksumAt)
  if (found !== null) return found
  mayRebuild()
  deleteReadTables(dataDir)
  return { connection: openReadTables(dataDir), applied: EMPTY }
}

function usable(
  dataDir: string,
  checksumAt: ChecksumAt,
): { connection: Connection; applied: JournalTail } | null {
  let connection: Connection | undefined
  try {
    const opened = openReadTables(dataDir)
    connection = opened
    const applied = speaking(readPath(dataDir), () => standOf(opened, checksumAt))
    if (typeof applied !== 'string') return { connection, applied }
  } catch (error) {
    if (uselessFor(error) === null) throw error
  }
  connection?.close()
  return null
}

/** The condition of the read tables for the next start. */
export interface ReadTablesFinding {
  /** The seq of the tables; null if the next start rebuilds them. */
  readonly seq: Seq | null
  /** Why the next start rebuilds them, as the end of a sentence. */
  readonly rebuildReason: string | null
  /** Damage that a start does not detect; only a rebuild repairs it. */
  readonly damage: string | null
}

/** Checks the read tables like a start, plus every page. It writes nothing. */
export function checkReadTables(dataDir: string, checksumAt: ChecksumAt): ReadTablesFinding {
  const path = readPath(dataDir)
  const unusable = (why: string) => ({ seq: null, rebuildReason: why, damage: null })
  if (!existsSync(path)) return unusable('is missing')
  try {
    const connection = openReadOnly(path)
    try {
      return speaking(path, () => {
        if (knownVersion(connection, path, READ_SCHEMA) === 0) {
          return unusable('is empty')
        }
        const stand = standOf(connection, checksumAt)
        if (typeof stand === 'string') return unusable(stand)
        return { seq: stand.seq, rebuildReason: null, damage: damageOf(connection) }
      })
    } finally {
      connection.close()
    }
  } catch (error) {
    const why = uselessFor(error)
    if (why === null) throw error
    return unusable(why)
  }
}

function damageOf(connection: Connection): string | null {
  const stated = String(connection.pragma('quick_check(1)', { simple: true }))
  return stated === 'ok' ? null : stated.replaceAll(/\s+/g, ' ')
}
