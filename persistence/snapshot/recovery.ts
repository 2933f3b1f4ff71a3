import { existsSync } from 'node:fs'
import { RULES_VERSION } from '../../engine/core/clearing.ts'
import type { Exchange } from '../../engine/core/exchange.ts'
import type { Command, PlaceOrder } from '../../engine/domain/command.ts'
import type { Seq } from '../../engine/domain/ids.ts'
import { decodeCommand, eachRecord } from '../../engine/wire/codec.ts'
import { blankPlace, decodePlaceInto } from '../../engine/wire/place-codec.ts'
import { beginsOrder, HEAD } from '../../engine/wire/record-layout.ts'
import { DataLock } from '../data-lock.ts'
import { DataFolderError, UnreadFolder } from '../folder-error.ts'
import { type JournalEnd, journalPath, prepareJournal } from '../journal/journal-end.ts'
import { claimedSeq } from '../journal/journal-head.ts'
import type { JournalTail } from '../journal/journal-port.ts'
import { SqliteJournalReader } from '../journal/sqlite-reader.ts'
import type { KeyedFolder } from '../keyed-folder.ts'
import { openFolder } from './emptied-folder.ts'
import { type StartingState, startingState } from './snapshot.ts'

// Recovery reads every committed command, once and in order. The caller has the folder's lock.

export { DataFolderError, UnreadFolder } from '../folder-error.ts'
export type { JournalEnd }

/** Called about once per batch, so that a long start can report its progress. */
export type Progress = (seq: Seq, totalSeq: Seq) => void

/** Options of a command that works on a folder without a server. */
export interface OfflineOptions {
  /** Absent: server.key in the folder. */
  readonly keyFile?: string | undefined
  readonly onProgress?: Progress
}

export interface RecoverOptions {
  readonly visit: (command: Command, record: Uint8Array) => void
  readonly onProgress?: Progress
}

/**
 * Locks a folder with an exchange. Offline commands never create a folder. Commands that only read
 * share the lock.
 */
export function lockExisting(
  dataDir: string,
  use: 'alone' | 'shared' = 'alone',
): Pick<DataLock, 'release'> {
  if (existsSync(journalPath(dataDir)) || claimedSeq(dataDir) > 0) {
    return use === 'alone' ? DataLock.take(dataDir) : DataLock.share(dataDir)
  }
  throw new UnreadFolder(`${dataDir}: there is no journal here; name a data folder with --data.`)
}

/**
 * The end of the journal and the time of its last command. Creates the journal of a new folder.
 * Throws a sentence for a damaged end.
 */
export function journalEnd(folder: KeyedFolder): JournalEnd & Pick<SqliteJournalReader, 'lastMs'> {
  prepareJournal(folder)
  const reader = new SqliteJournalReader(folder)
  try {
    const { lastMs } = reader
    return { ...reader.checkEnd(), lastMs }
  } finally {
    reader.close()
  }
}

export interface RecoveredExchange extends StartingState {
  /** The seq of the snapshot behind the state; 0 = none. */
  readonly snapshotSeq: Seq
}

/**
 * Restores the state at `end`. `onStart` gets the state of the newest good snapshot. `visit` gets
 * each later command and applies it.
 */
export function recoverExchange(
  folder: KeyedFolder,
  end: JournalTail,
  options: {
    readonly onStart: (exchange: Exchange) => void
    readonly visit: (command: Command, exchange: Exchange) => void
    readonly onProgress?: Progress
    /** Partitions of the order table. */
    readonly partitions?: number
  },
): RecoveredExchange {
  const reader = new SqliteJournalReader(folder)
  try {
    const checksumAt = (seq: Seq) => reader.checksumAt(seq)
    const { partitions = 1 } = options
    const found = startingState(folder, checksumAt, { seqMax: end.seq, partitions, names: false })
    const { exchange, tail } = found
    if (tail.seq === 0) reader.requireSegments()
    options.onStart(exchange)
    const visit = (command: Command) => options.visit(command, exchange)
    const { onProgress } = options
    const seqs = { from: tail.seq, to: end.seq }
    replay(reader, seqs, { visit, onProgress, order: blankPlace() })
    return { ...found, tail: end, snapshotSeq: tail.seq }
  } finally {
    reader.close()
  }
}

/**
 * Reads the whole journal. In a new folder it creates the journal and its key. Throws a sentence
 * for damage.
 */
export function recoverJournal(
  dataDir: string,
  options: RecoverOptions & Pick<OfflineOptions, 'keyFile'>,
): JournalEnd & { readonly folder: KeyedFolder } {
  const folder = openFolder(dataDir, options.keyFile).keyed(dataDir)
  prepareJournal(folder)
  const reader = new SqliteJournalReader(folder)
  try {
    const end = reader.checkEnd()
    reader.requireSegments()
    replay(reader, { from: 0, to: end.tail.seq }, options)
    return { ...end, folder }
  } finally {
    reader.close()
  }
}

/** Visits all records between two seqs. Each batch is checked before it is read. */
export function replay(
  reader: SqliteJournalReader,
  seqs: { readonly from: number; readonly to: number },
  options: RecoverOptions & {
    readonly afterBatch?: (seq: Seq) => void
    /** All orders are decoded into this object, so `visit` must not keep it. */
    readonly order?: PlaceOrder
  },
): void {
  let seq = seqs.from
  for (const batch of reader.batches(seq + 1)) {
    eachRecord(batch.records, (record) => {
      options.visit(decodeKnown(record, seq + 1, options.order), record)
    })
    seq = batch.lastSeq
    options.afterBatch?.(seq)
    options.onProgress?.(seq, seqs.to)
  }
  if (seq === seqs.to) return
  throw new DataFolderError(
    `The journal was read to seq ${seq} but ends at ${seqs.to}; restore it from a backup.`,
  )
}

/** A command that enables rules this version does not have is unknown to it as well. */
function knownRules(record: Uint8Array): Command {
  const command = decodeCommand(record)
  if (command.kind !== 'rules' || command.version <= RULES_VERSION) return command
  throw new Error(`rules ${command.version}; this version has ${RULES_VERSION}`)
}

/** The checksum is valid, so a record that does not decode was written by another version. */
export function decodeKnown(record: Uint8Array, fromSeq: Seq, order?: PlaceOrder): Command {
  try {
    if (order === undefined || !beginsOrder(record[HEAD.kind])) return knownRules(record)
    decodePlaceInto(record, order)
    return order
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new UnreadFolder(
      `A journal record at or after seq ${fromSeq} is unknown to this version (${why}); ` +
        'start the version that wrote it.',
    )
  }
}
