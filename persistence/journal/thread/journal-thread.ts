import type { BusyCells } from '../../../engine/thread/busy-times.ts'
import type { FileIdentity } from '../../file-identity.ts'
import type { KeyedFolder } from '../../keyed-folder.ts'
import type { Durability, JournalTail } from '../journal-port.ts'

/** What the journal thread receives at its start. */
export interface JournalThreadData {
  readonly folder: KeyedFolder
  readonly durability: Durability
  readonly tail: JournalTail
  /** The lock that keeps a second process out; the thread ends when its file is gone. */
  readonly lock: FileIdentity | undefined
  /** 0 means no quota. */
  readonly pagesMax: number
  /** Records from main; the tag is RECORD_TAG, CUT_TAG or STOP_TAG. */
  readonly incoming: SharedArrayBuffer
  /** Readers of other rings, which this thread wakes before each commit. */
  readonly wakeUps: SharedArrayBuffer
  /** One report (REPORT) for each commit. */
  readonly done: SharedArrayBuffer
  /** Asks the checkpoint thread for its work. */
  readonly call: SharedArrayBuffer
  readonly busyTimes: BusyCells
}

/** What the checkpoint thread receives at its start. */
export interface CheckpointThreadData {
  /** The journal that the journal's thread has open. */
  readonly file: FileIdentity
  readonly durability: Durability
  readonly call: SharedArrayBuffer
}

export type JournalMessage = 'ready' | 'doorbell'

export const RECORD_TAG = 0
export const STOP_TAG = 1
/** The records so far become a batch of their own. */
export const CUT_TAG = 2
export const SLEEP_MS = 1000

/**
 * A commit: its durable seq, records, bytes and time. And what ended before it: the time of a
 * checkpoint in its own thread, and of a short one between two commits; 0 for none.
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
