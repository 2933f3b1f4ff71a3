import type { FiltersUpdate, OrderMemory } from '../../engine/core/orders/seen-filters.ts'
import type { Seq } from '../../engine/domain/ids.ts'
import type { BusyCells } from '../../engine/thread/busy-times.ts'
import type { KeyedFolder } from '../keyed-folder.ts'
import type { ProjectionParams } from './boards/projection.ts'
import type { Projected } from './boards/projector.ts'
import type { ScoredMinute } from './rewards/reward-scorer.ts'
import type { Rests } from './tables/orders/backlog.ts'

/** Messages from main to the follower. */
export type FollowerRequest =
  | { readonly kind: 'advance'; readonly seq: Seq }
  | { readonly kind: 'hash'; readonly id: number }
  | ({ readonly kind: 'project'; readonly id: number } & ProjectionParams)
  | ({ readonly kind: 'snapshot' } & SnapshotOrder)
  /** A read waits for these rows. `written` with this id answers it. */
  | { readonly kind: 'want'; readonly id: number; readonly rests: Rests }
  | { readonly kind: 'stop' }

/** Sent by main before the journal is durable up to `seq`. A batch ends at `seq`. */
export interface SnapshotOrder {
  readonly seq: Seq
  /** The digest of main's balances at `seq`. */
  readonly balances: string
}

export interface SavedSnapshot {
  readonly seq: Seq
  readonly bytes: number
  readonly tookMs: number
  /** Why the snapshot was not saved; null if it was saved. */
  readonly failure: string | null
}

/** Messages from the follower to main. After `idle`, the next `advance` may be sent. */
export type FollowerMessage =
  | 'ready'
  | {
      readonly kind: 'at'
      readonly readSeq: Seq
      readonly stateSeq: Seq
      readonly idle: boolean
      /** Rows of large commands that are not in the tables yet. */
      readonly backlogRows: number
      /** Rows of commands up to this seq may be gone. */
      readonly prunedSeq: Seq
      readonly filters: FiltersUpdate
    }
  | { readonly kind: 'hash'; readonly id: number; readonly seq: Seq; readonly hash: string }
  /** The state at the end of the first batch of a minute. */
  | { readonly kind: 'minute'; readonly seq: Seq; readonly hash: string }
  | { readonly kind: 'written'; readonly ids: readonly number[] }
  /** The ordered snapshot is copied, and commands are applied again. */
  | { readonly kind: 'taken' }
  | ({ readonly kind: 'saved' } & SavedSnapshot)
  | ({ readonly kind: 'scored' } & ScoredMinute)
  | ({ readonly kind: 'projected' } & Projected)

export interface FollowerThreadData {
  readonly busyTimes: BusyCells
  /** Microseconds of the read tables' commits, in the buckets of MICROS. */
  readonly commits: SharedArrayBuffer
  /** One i32: the number of reads that wait for the tables. */
  readonly waiting: SharedArrayBuffer
  /** One i32 that increases as rows are written, also within a transaction; it wraps around. */
  readonly progress: SharedArrayBuffer
  /** The rows written to each table (tables/written-rows.ts). */
  readonly rows: SharedArrayBuffer
  readonly folder: KeyedFolder
  /** For the keys of orders; absent for the default. */
  readonly memory: OrderMemory | undefined
  /** How long the history stays in the tables; absent for ever. */
  readonly historyMs: number | undefined
  /** The end of the journal at the start. The thread proceeds to it without a message. */
  readonly seq: Seq
  /** Whether main gets the hash of the state once a minute. */
  readonly hashesMinutes: boolean
}
