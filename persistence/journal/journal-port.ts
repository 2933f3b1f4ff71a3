import type { Seq } from '../../engine/domain/ids.ts'
import type { Durability } from '../database.ts'

// The port of a journal: append records, learn the durable seq, read from a seq. The embedded
// journal is a local file; another may be a replicated stream. No code outside this folder may know
// which.

/** Decided commands `firstSeq`..`lastSeq`, one encoded record after the other. */
export interface Batch {
  readonly firstSeq: Seq
  readonly lastSeq: Seq
  readonly records: Uint8Array
  /** The checksum is chained over all batches before this one. */
  readonly checksum: Uint8Array
}

/** Where a journal ends. A new journal ends at seq 0 with a checksum of zeros. */
export interface JournalTail {
  readonly seq: Seq
  readonly checksum: Uint8Array
}

export interface JournalReader {
  /** The last committed seq; 0 when there is none. */
  readonly lastSeq: Seq
  /**
   * Gives the committed batches in order, from the batch that holds `fromSeq`. Each batch is first
   * checked against the chain; damage throws a sentence.
   */
  batches(fromSeq: Seq): Iterable<Batch>
  close(): void
}

export interface JournalWriter {
  readonly durability: Durability
  /** All records up to this seq are committed as `durability` promises. */
  readonly durableSeq: Seq
  /**
   * Gives the bytes that one more record may have now. With `wanted` it may give fewer than there
   * are, but not fewer than that.
   */
  freeBytes(wanted?: number): number
  /** Adds a record; the caller has checked that there is room. The next `send` shows it. */
  append(seq: Seq, record: Uint8Array): void
  send(): void
  /** Ends a batch with the newest record, so that its seq has a checksum; false without room. */
  cut(): boolean
  /** Commits the waiting records, then ends. */
  stop(): Promise<void>
}

export type { Durability }
