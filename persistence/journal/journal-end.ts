import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Seq } from '../../engine/domain/ids.ts'
import { refuseUnfinishedCopy } from '../copy-mark.ts'
import {
  type Connection,
  type Durability,
  knownVersion,
  openReadOnly,
  openWritable,
} from '../database.ts'
import { DataFolderError, speaking } from '../folder-error.ts'
import type { KeyedFolder } from '../keyed-folder.ts'
import { same } from './journal-chain.ts'
import { claimedSeq, headPath, readHead } from './journal-head.ts'
import type { JournalTail } from './journal-port.ts'
import { JOURNAL_SCHEMA } from './migrations.ts'
import { checksumIn } from './segments/segment-file.ts'
import { SegmentList } from './segments/segment-list.ts'

// Opens the journal's file and compares its end with journal.head.

const LAST =
  'SELECT first_seq AS firstSeq, last_seq AS lastSeq, checksum FROM batches ' +
  'ORDER BY first_seq DESC LIMIT 1'
export const HOLDING =
  'SELECT first_seq AS firstSeq, last_seq AS lastSeq, checksum FROM batches ' +
  'WHERE first_seq <= ? ORDER BY first_seq DESC LIMIT 1'

export interface EndRow {
  firstSeq: Seq
  lastSeq: Seq
  checksum: Uint8Array
}

export function journalPath(dataDir: string): string {
  return join(dataDir, 'journal.db')
}

export function tailOf(connection: Connection): JournalTail {
  const row = connection.prepare<[], EndRow>(LAST).get()
  if (row === undefined) return new SegmentList(connection).end
  return { seq: row.lastSeq, checksum: row.checksum }
}

/**
 * The end of a folder's journal, and the commits that a power failure lost under `normal`
 * durability.
 */
export interface JournalEnd {
  readonly tail: JournalTail
  readonly lostRecords: number
}

/**
 * Creates the journal of a new folder, and throws for a truncated journal. It reads the end before
 * it writes, because a checkpoint of a damaged WAL would destroy what could still be saved.
 */
export function prepareJournal(folder: KeyedFolder): void {
  const path = journalPath(folder.dataDir)
  readUntouched(folder.dataDir, (connection) => checkEnd(folder, connection))
  const connection = openJournal(folder.dataDir, 'full')
  // Moves the schema out of the WAL immediately, so that a lost WAL never looks like a new folder.
  speaking(path, () => connection.pragma('wal_checkpoint(TRUNCATE)'))
  connection.close()
}

/**
 * Reads from a journal without writing to it. Returns null if there is no journal. Throws if
 * journal.head shows that there was one, and for an unfinished copy.
 */
export function readUntouched<T>(
  dataDir: string,
  request: (connection: Connection) => T,
): T | null {
  refuseUnfinishedCopy(dataDir)
  const path = journalPath(dataDir)
  if (!existsSync(path)) return refuseLostFile(dataDir)
  const connection = openReadOnly(path)
  try {
    return speaking(path, () => {
      if (knownVersion(connection, path, JOURNAL_SCHEMA) > 0) return request(connection)
      return refuseLostFile(dataDir)
    })
  } finally {
    connection.close()
  }
}

function refuseLostFile(dataDir: string): null {
  const seq = claimedSeq(dataDir)
  if (seq === 0) return null
  throw new DataFolderError(
    `${journalPath(dataDir)}: the file is missing or empty, but journal.head shows that it ended ` +
      `at seq ${seq}; restore the data folder from a backup.`,
  )
}

/** Opens the journal for its single writer, which also makes checkpoints. */
export function openJournal(dataDir: string, durability: Durability): Connection {
  return openWritable(journalPath(dataDir), {
    ...JOURNAL_SCHEMA,
    durability,
    autocheckpointPages: 0,
    mayShrink: true,
  })
}

/** While a copy is updated, the row of its head may be in a segment already. */
function sealedChecksum(folder: KeyedFolder, connection: Connection, seq: Seq): Uint8Array | null {
  const segment = new SegmentList(connection).holding(seq)
  return segment === undefined ? null : checksumIn(folder, segment, seq)
}

/**
 * Compares the journal's end with journal.head. Throws if acknowledged records are missing. The
 * head is read first, because a journal in use only grows meanwhile.
 */
export function checkEnd(folder: KeyedFolder, connection: Connection): JournalEnd {
  const { dataDir } = folder
  const path = journalPath(dataDir)
  const head = readHead(folder)
  const tail = tailOf(connection)
  if (head === null) {
    if (tail.seq === 0) return { tail, lostRecords: 0 }
    throw new DataFolderError(
      `${headPath(dataDir)}: the file is missing or empty, so the end of the journal ` +
        `(seq ${tail.seq}) cannot be checked; restore the data folder from a backup.`,
    )
  }
  if (head.seq > tail.seq) {
    if (head.durability === 'normal') return { tail, lostRecords: head.seq - tail.seq }
    throw new DataFolderError(
      `${path}: the journal ends at seq ${tail.seq}, but seq ${head.seq} was acknowledged: ` +
        `${head.seq - tail.seq} records are lost, its -wal file is missing or damaged; ` +
        'put the file back or restore the data folder from a backup.',
    )
  }
  if (head.seq === 0) return { tail, lostRecords: 0 }
  const row = connection.prepare<[number], EndRow>(HOLDING).get(head.seq)
  const checksum =
    row?.lastSeq === head.seq ? row.checksum : sealedChecksum(folder, connection, head.seq)
  if (checksum === null || !same(checksum, head.checksum)) {
    throw new DataFolderError(
      `${path}: the journal at seq ${head.seq} is not the journal of journal.head; ` +
        'the files are from different times; restore the whole data folder from one backup.',
    )
  }
  return { tail, lostRecords: 0 }
}
