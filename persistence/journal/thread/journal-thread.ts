import type { BusyCells } from '../../../engine/thread/busy-times.ts'
import type { FileIdentity } from '../../file-identity.ts'
import type { KeyedFolder } from '../../keyed-folder.ts'
import type { Durability, JournalTail } from '../journal-port.ts'

/** The journal thread's startup data. */
export interface JournalThreadData {
  readonly folder: KeyedFolder
  readonly durability: Durability
  readonly tail: JournalTail
  /** The lock that excludes other processes. The thread ends if its file is gone. */
  readonly lock: FileIdentity | undefined
  /** 0 = no quota. */
  readonly pagesMax: number
  /** Records from main. The tag is RECORD_TAG, CUT_TAG, SEGMENT_TAG or STOP_TAG. */
  readonly incoming: SharedArrayBuffer
  /** Readers of other rings, which this thread wakes before each commit. */
  readonly wakeUps: SharedArrayBuffer
  /** One report (REPORT) per commit. */
  readonly done: SharedArrayBuffer
  /** Requests to the checkpoint thread. */
  readonly call: SharedArrayBuffer
  readonly busyTimes: BusyCells
}

/** The checkpoint thread's startup data. */
export interface CheckpointThreadData {
  /** The journal that the journal thread has open. */
  readonly file: FileIdentity
  readonly durability: Durability
  readonly call: SharedArrayBuffer
}

export type JournalMessage = 'ready' | 'wake-up'

export const RECORD_TAG = 0
export const STOP_TAG = 1
/** Ends the batch after the records so far. */
export const CUT_TAG = 2
/** A segment that main had made. The payload is that of `segmentBytes`. */
export const SEGMENT_TAG = 3
export const SLEEP_MS = 1000

/**
 * A commit: its durable seq, records, bytes and time. Then what ended before it: the time of a
 * checkpoint in its own thread, and of a short one between two commits; 0 = none.
 */
export const REPORT = {
  seq: 0,
  records: 1,
  bytes: 2,
  micros: 3,
  checkpointMicros: 4,
  shortMicros: 5,
} as const
export const REPORT_F64S = 6
