import type { Durability, JournalTail } from './journal-port.ts'

/** What the journal thread is born with. */
export interface JournalThreadData {
  readonly dataDir: string
  readonly durability: Durability
  readonly tail: JournalTail
  /** 0 = no quota. */
  readonly pagesMax: number
  /** Records from main; the tag is RECORD_TAG or STOP_TAG. */
  readonly incoming: SharedArrayBuffer
  /** { seq f64, records f64, micros f64 } for each commit. */
  readonly done: SharedArrayBuffer
}

export type JournalMessage = 'ready' | 'doorbell'

export const RECORD_TAG = 0
export const STOP_TAG = 1
export const SLEEP_MS = 1000
export const REPORT_F64S = 3
