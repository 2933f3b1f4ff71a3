import type { FilterNews } from '../../engine/core/orders/seen-filter.ts'
import type { Seq } from '../../engine/domain/ids.ts'
import type { KeyedFolder } from '../keyed-folder.ts'

/** Main → follower. */
export type FollowerRequest =
  | { readonly kind: 'advance'; readonly seq: Seq }
  | { readonly kind: 'hash'; readonly id: number }
  | ({ readonly kind: 'snapshot' } & SnapshotOrder)
  | { readonly kind: 'stop' }

/** Comes before the journal is durable up to `seq`, which ends a batch. */
export interface SnapshotOrder {
  readonly seq: Seq
  /** Main's balances at `seq`, folded. */
  readonly balances: string
}

export interface SavedSnapshot {
  readonly seq: Seq
  readonly bytes: number
  readonly tookMs: number
  /** Why it was not saved; null when it was. */
  readonly failure: string | null
}

/** Follower → main. `idle` answers the last `advance`: the next one may be sent. */
export type FollowerMessage =
  | 'ready'
  | {
      readonly kind: 'at'
      readonly readSeq: Seq
      readonly stateSeq: Seq
      readonly idle: boolean
      readonly filter: FilterNews
    }
  | { readonly kind: 'hash'; readonly id: number; readonly seq: Seq; readonly hash: string }
  | ({ readonly kind: 'saved' } & SavedSnapshot)

export interface FollowerThreadData {
  readonly folder: KeyedFolder
  /** Where the journal ends at the start; the thread goes there unasked. */
  readonly seq: Seq
}
