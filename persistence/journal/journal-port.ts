import type { Seq } from '../../engine/domain/ids.ts'
import type { BusyTimes } from '../../engine/thread/busy-times.ts'
import type { Durability } from '../database.ts'
import type { Segment } from './segments/segment-folder.ts'

// The journal's port: append records, get the durable seq, read from a seq. The embedded journal is
// a local file; another could be a replicated stream. Code outside this folder must not depend on
// which.

/** Decided commands `firstSeq`..`lastSeq`, as consecutive encoded records. */
export interface Batch {
  readonly firstSeq: Seq
  readonly lastSeq: Seq
  readonly records: Uint8Array
  /** Chained over all batches before this one. */
  readonly checksum: Uint8Array
}

/** The end of a journal. A new journal ends at seq 0 with a zero checksum. */
export interface JournalTail {
  readonly seq: Seq
  readonly checksum: Uint8Array
}

export interface JournalReader {
  /** The last committed seq; 0 if none. */
  readonly lastSeq: Seq
  /**
   * The committed batches in order, from the batch with `fromSeq`. Each batch is first checked
   * against the chain. Throws a sentence if it is damaged.
   */
  batches(fromSeq: Seq): Iterable<Batch>
  close(): void
}

export interface JournalWriter {
  readonly durability: Durability
  /** All records up to this seq are committed, with the guarantee of `durability`. */
  readonly durableSeq: Seq
  /**
   * Bytes that the next record may have now. With `wanted`, the result may be too low, but not
   * below `wanted`.
   */
  freeBytes(wanted?: number): number
  /** Adds a record, after the caller has checked the space. The next `send` publishes it. */
  append(seq: Seq, record: Uint8Array): void
  send(): void
  /** Ends a batch with the newest record, so that its seq has a checksum. Returns false if full. */
  cut(): boolean
  /** Commits the waiting records, then ends. */
  stop(): Promise<void>
}

/** Counts since the start. */
export interface JournalStats {
  batches: number
  records: number
}

/** One group commit as measured by its thread, and the checkpoint that ended before it, if any. */
export type OnCommit = (
  records: number,
  bytes: number,
  micros: number,
  checkpoint: EndedCheckpoint,
) => void

/** Microseconds of a checkpoint in its own thread, and of one between two commits; 0 = none. */
export interface EndedCheckpoint {
  readonly ownMicros: number
  readonly shortMicros: number
}

/** A journal with a thread of its own. */
export interface JournalThreadHandle extends JournalWriter {
  readonly stats: JournalStats
  readonly busyTimes: BusyTimes
  /** Appended bytes that the thread has not taken yet, for metrics. */
  readonly waitingBytes: number
  /** Requests a sign of life from the thread. */
  request(): void
  readonly isAnswered: boolean
  /** Starts the checkpoint thread in advance, because its start delays orders. */
  warm(): Promise<void>
  /** What this segment has leaves the journal. Returns false if it must be offered again. */
  addSegment(segment: Segment): boolean
  /** Ends the thread like a crash. */
  kill(): Promise<void>
}

export type { Durability }
