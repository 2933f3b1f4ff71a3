import type { FileIdentity } from '../file-identity.ts'
import type { KeyedFolder } from '../keyed-folder.ts'
import type { Durability, JournalTail } from './journal-port.ts'

/** What the journal thread is born with. */
export interface JournalThreadData {
  readonly folder: KeyedFolder
  readonly durability: Durability
  readonly tail: JournalTail
  /** What keeps a second process out; the thread ends when it is gone. */
  readonly lock: FileIdentity | undefined
  /** 0 = no quota. */
  readonly pagesMax: number
  /** Records from main; the tag is RECORD_TAG, CUT_TAG or STOP_TAG. */
  readonly incoming: SharedArrayBuffer
  /** REPORT f64s for each commit. */
  readonly done: SharedArrayBuffer
}

export type JournalMessage = 'ready' | 'doorbell'

export const RECORD_TAG = 0
export const STOP_TAG = 1
/** What came so far is a batch of its own. */
export const CUT_TAG = 2
export const SLEEP_MS = 1000

/** Durable seq, records and bytes of the commit, its time, and that of the checkpoint before it. */
export const REPORT = { seq: 0, records: 1, bytes: 2, micros: 3, checkpointMicros: 4 } as const
export const REPORT_F64S = 5
