import { existsSync } from 'node:fs'
import { Exchange } from '../engine/core/exchange.ts'
import type { Command, PlaceOrder } from '../engine/domain/command.ts'
import { decodeCommand, eachRecord } from '../engine/wire/codec.ts'
import { HEAD, KIND } from '../engine/wire/layout.ts'
import { blankPlace, decodePlaceInto } from '../engine/wire/place-codec.ts'
import { DataLock } from './data-lock.ts'
import { DataFolderError } from './database.ts'
import type { JournalTail } from './journal-port.ts'
import { readApplied } from './read-database.ts'
import {
  checkSnapshots,
  type SnapshotFinding,
  type StartingState,
  snapshotSeqs,
  startingState,
} from './snapshot.ts'
import {
  type JournalEnd,
  journalPath,
  prepareJournal,
  SqliteJournalReader,
} from './sqlite-journal.ts'

// The way back: every committed command, once and in order. The caller holds the folder's lock.

export { DataFolderError } from './database.ts'
export type { JournalEnd }

/** Told about once per batch, so that a long start can show where it is. */
export type Progress = (seq: number, totalSeq: number) => void

export interface RecoverOptions {
  readonly visit: (command: Command, record: Uint8Array) => void
  readonly onProgress?: Progress
}

/** Where the journal ends, creating one in a new folder. Damage of its end throws a sentence. */
export function journalEnd(dataDir: string): JournalEnd {
  prepareJournal(dataDir)
  const reader = new SqliteJournalReader(dataDir)
  try {
    return reader.checkEnd()
  } finally {
    reader.close()
  }
}

export interface RecoveredExchange extends StartingState {
  /** Seq of the snapshot the state came from; 0 for none. */
  readonly snapshotSeq: number
}

/**
 * The state at `end`: the newest good snapshot, told to `onStart`, and the commands behind it, each
 * given to `visit`, which applies it.
 */
export function recoverExchange(
  dataDir: string,
  end: JournalTail,
  options: {
    readonly onStart: (exchange: Exchange) => void
    readonly visit: (command: Command, exchange: Exchange) => void
    readonly onProgress?: Progress
    /** Of the order table. */
    readonly lanes?: number
  },
): RecoveredExchange {
  const reader = new SqliteJournalReader(dataDir)
  try {
    const checksumAt = (seq: number) => reader.checksumAt(seq)
    const found = startingState(dataDir, checksumAt, end.seq, options.lanes)
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

/** Reads the whole journal, creating it in a new folder. Damage throws with a sentence. */
export function recoverJournal(dataDir: string, options: RecoverOptions): JournalEnd {
  prepareJournal(dataDir)
  const reader = new SqliteJournalReader(dataDir)
  try {
    const end = reader.checkEnd()
    replay(reader, { from: 0, to: end.tail.seq }, options)
    return end
  } finally {
    reader.close()
  }
}

function replay(
  reader: SqliteJournalReader,
  seqs: { readonly from: number; readonly to: number },
  options: RecoverOptions & {
    readonly afterBatch?: (seq: number) => void
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
function decodeKnown(record: Uint8Array, fromSeq: number, order?: PlaceOrder): Command {
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

export interface FolderReport {
  readonly seq: number
  readonly stateHash: string
  readonly profiles: number
  readonly markets: number
  readonly openOrders: number
  /** Seq the read tables have applied; null when there are none. */
  readonly readSeq: number | null
  /** Newest first. */
  readonly snapshots: readonly SnapshotFinding[]
  readonly lostRecords: number
}

/**
 * Checks a whole folder offline: the chain, every record, conservation, the snapshots, the read
 * tables. Changes nothing but takes the lock, so it refuses while a server runs.
 */
export function verifyFolder(dataDir: string, onProgress: Progress = () => {}): FolderReport {
  if (!existsSync(journalPath(dataDir))) {
    throw new DataFolderError(
      `${dataDir}: there is no journal here; name a data folder with --data.`,
    )
  }
  const lock = DataLock.take(dataDir)
  const reader = new SqliteJournalReader(dataDir)
  try {
    const { tail, lostRecords } = reader.checkEnd()
    const exchange = new Exchange()
    exchange.clearing.seen.countOnly()
    const visit = (command: Command) => exchange.apply(command)
    const saved = new Set(snapshotSeqs(dataDir))
    const hashOf = new Map<number, string>()
    const afterBatch = (seq: number) => {
      if (saved.has(seq)) hashOf.set(seq, exchange.stateHash())
    }
    const order = blankPlace()
    replay(reader, { from: 0, to: tail.seq }, { visit, afterBatch, onProgress, order })
    const broken = exchange.checkInvariants()
    if (broken !== null) {
      throw new DataFolderError(`The state at seq ${tail.seq} breaks a law: ${broken}.`)
    }
    const { accounts, catalogue, orders } = exchange.clearing
    const stateHash = exchange.stateHash()
    return {
      seq: tail.seq,
      stateHash,
      profiles: accounts.count,
      markets: catalogue.all().length,
      openOrders: orders.openCount,
      readSeq: checkedReadSeq(dataDir, reader),
      snapshots: checkSnapshots(dataDir, (seq) => reader.checksumAt(seq), hashOf),
      lostRecords,
    }
  } finally {
    reader.close()
    lock.release()
  }
}

function checkedReadSeq(dataDir: string, reader: SqliteJournalReader): number | null {
  const applied = readApplied(dataDir)
  if (applied === null) return null
  const checksum = reader.checksumAt(applied.seq)
  if (checksum !== null && Buffer.compare(checksum, applied.checksum) === 0) return applied.seq
  throw new DataFolderError(
    `read.db at seq ${applied.seq} was not made from this journal; run outcomex rebuild.`,
  )
}
