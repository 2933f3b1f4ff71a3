import type { Seq } from '../../engine/domain/ids.ts'
import type { Durability } from '../database.ts'

// What a journal is: append records, learn the durable seq, read from a seq. The embedded one is a
// local file, another may be a replicated stream; nothing outside this folder may know which.

/** Decided commands `firstSeq`..`lastSeq`, one encoded record after the other. */
export interface Batch {
  readonly firstSeq: Seq
  readonly lastSeq: Seq
  readonly records: Uint8Array
  /** Chained over all batches before this one. */
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
   * Committed batches from the one that holds `fromSeq` on, in order. Each is checked against the
   * chain before it is given; damage throws with a sentence.
   */
  batches(fromSeq: Seq): Iterable<Batch>
  close(): void
}

export interface JournalWriter {
  readonly durability: Durability
  /** All records up to here are committed as `durability` promises. */
  readonly durableSeq: Seq
  /** Bytes one more record may have now. */
  freeBytes(): number
  /** Adds a record the caller made sure has room. Not under way before `publish`. */
  append(seq: Seq, record: Uint8Array): void
  send(): void
  /** Ends a batch with the newest record, so that its seq has a checksum; false when full. */
  cut(): boolean
  /** Commits what waits, then ends. */
  stop(): Promise<void>
}

export type { Durability }
