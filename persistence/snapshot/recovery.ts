import { existsSync } from 'node:fs'
import type { Exchange } from '../../engine/core/exchange.ts'
import type { Command, PlaceOrder } from '../../engine/domain/command.ts'
import type { Seq } from '../../engine/domain/ids.ts'
import { decodeCommand, eachRecord } from '../../engine/wire/codec.ts'
import { blankPlace, decodePlaceInto } from '../../engine/wire/place-codec.ts'
import { HEAD, KIND } from '../../engine/wire/record-layout.ts'
import { DataLock } from '../data-lock.ts'
import { DataFolderError, UnreadFolder } from '../folder-error.ts'
import { openSeal } from '../folder-key.ts'
import { type JournalEnd, journalPath, prepareJournal } from '../journal/journal-end.ts'
import { claimedSeq } from '../journal/journal-head.ts'
import type { JournalTail } from '../journal/journal-port.ts'
import { SqliteJournalReader } from '../journal/sqlite-journal.ts'
import type { KeyedFolder } from '../keyed-folder.ts'
import { type StartingState, startingState } from './snapshot.ts'

// The way back: every committed command, once and in order. The caller holds the folder's lock.

export { DataFolderError, UnreadFolder } from '../folder-error.ts'
export type { JournalEnd }

/** Told about once per batch, so that a long start can show where it is. */
export type Progress = (seq: Seq, totalSeq: Seq) => void

/** Of a command that works on a folder without a server. */
export interface OfflineOptions {
  /** Absent: server.key in the folder. */
  readonly keyFile?: string | undefined
  readonly onProgress?: Progress
}

export interface RecoverOptions {
  readonly visit: (command: Command, record: Uint8Array) => void
  readonly onProgress?: Progress
}

/** Takes a folder that holds an exchange: an offline command makes none. */
export function lockExisting(dataDir: string): DataLock {
  if (existsSync(journalPath(dataDir)) || claimedSeq(dataDir) > 0) return DataLock.take(dataDir)
  throw new UnreadFolder(`${dataDir}: there is no journal here; name a data folder with --data.`)
}

/** Where the journal ends, creating one in a new folder. Damage of its end throws a sentence. */
export function journalEnd(folder: KeyedFolder): JournalEnd {
  prepareJournal(folder)
  const reader = new SqliteJournalReader(folder)
  try {
    return reader.checkEnd()
  } finally {
    reader.close()
  }
}

export interface RecoveredExchange extends StartingState {
  /** Seq of the snapshot the state came from; 0 for none. */
  readonly snapshotSeq: Seq
}

/**
 * The state at `end`: the newest good snapshot, told to `onStart`, and the commands behind it, each
 * given to `visit`, which applies it.
 */
export function recoverExchange(
  folder: KeyedFolder,
  end: JournalTail,
  options: {
    readonly onStart: (exchange: Exchange) => void
    readonly visit: (command: Command, exchange: Exchange) => void
    readonly onProgress?: Progress
    /** Of the order table. */
    readonly lanes?: number
  },
): RecoveredExchange {
  const reader = new SqliteJournalReader(folder)
  try {
    const checksumAt = (seq: Seq) => reader.checksumAt(seq)
    const found = startingState(folder, checksumAt, end.seq, options.lanes)
    const { exchange, tail } = found
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
 * Reads the whole journal, creating it and its key in a new folder. Damage throws with a sentence.
 */
export function recoverJournal(
  dataDir: string,
  options: RecoverOptions & Pick<OfflineOptions, 'keyFile'>,
): JournalEnd & { readonly folder: KeyedFolder } {
  const folder = openSeal(dataDir, options.keyFile).keyed(dataDir)
  prepareJournal(folder)
  const reader = new SqliteJournalReader(folder)
  try {
    const end = reader.checkEnd()
    replay(reader, { from: 0, to: end.tail.seq }, options)
    return { ...end, folder }
  } finally {
    reader.close()
  }
}

/** Every record between two seqs; each batch is checked before it is read. */
export function replay(
  reader: SqliteJournalReader,
  seqs: { readonly from: number; readonly to: number },
  options: RecoverOptions & {
    readonly afterBatch?: (seq: Seq) => void
    /** Every order is read into this one: `visit` keeps none. */
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

/** The checksum held, so a record that does not decode was written by another version. */
function decodeKnown(record: Uint8Array, fromSeq: Seq, order?: PlaceOrder): Command {
  try {
    if (order === undefined || record[HEAD.kind] !== KIND.PLACE) return decodeCommand(record)
    decodePlaceInto(record, order)
    return order
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new DataFolderError(
      `A journal record at or after seq ${fromSeq} is unknown to this version (${why}); ` +
        'start the version that wrote it.',
    )
  }
}
