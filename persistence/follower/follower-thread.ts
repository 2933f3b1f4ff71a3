import type { FilterUpdate } from '../../engine/core/orders/seen-filter.ts'
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
  /** A read waits for these rows; `written` of this id answers. */
  | { readonly kind: 'want'; readonly id: number; readonly rests: Rests }
  | { readonly kind: 'stop' }

/** Main sends it before the journal is durable up to `seq`. A batch ends at `seq`. */
export interface SnapshotOrder {
  readonly seq: Seq
  /** The digest of main's balances at `seq`. */
  readonly balances: string
}

export interface SavedSnapshot {
  readonly seq: Seq
  readonly bytes: number
  readonly tookMs: number
  /** Why the snapshot was not saved; null when it was saved. */
  readonly failure: string | null
}

/** Messages from the follower to main. `idle` means that the next `advance` may be sent. */
export type FollowerMessage =
  | 'ready'
  | {
      readonly kind: 'at'
      readonly readSeq: Seq
      readonly stateSeq: Seq
      readonly idle: boolean
      /** Rows of large commands that the tables do not show yet. */
      readonly backlogRows: number
      readonly filter: FilterUpdate
    }
  | { readonly kind: 'hash'; readonly id: number; readonly seq: Seq; readonly hash: string }
  | { readonly kind: 'written'; readonly ids: readonly number[] }
  /** The ordered snapshot is copied: commands are applied again. */
  | { readonly kind: 'taken' }
  | ({ readonly kind: 'saved' } & SavedSnapshot)
  | ({ readonly kind: 'scored' } & ScoredMinute)
  | ({ readonly kind: 'projected' } & Projected)

export interface FollowerThreadData {
  readonly busyTimes: BusyCells
  /** Microseconds of the commits of the read tables, in the buckets of MICROS. */
  readonly commits: SharedArrayBuffer
  /** One i32: how many reads wait for the tables. */
  readonly waiting: SharedArrayBuffer
  /** One i32 that counts up as rows are written, also within a transaction; it wraps. */
  readonly progress: SharedArrayBuffer
  readonly folder: KeyedFolder
  /** The end of the journal at the start; the thread goes there without a message. */
  readonly seq: Seq
}
