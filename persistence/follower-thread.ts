/** Main → follower. */
export type FollowerRequest =
  | { readonly kind: 'advance'; readonly seq: number }
  | { readonly kind: 'hash'; readonly id: number }
  | { readonly kind: 'stop' }

/** Follower → main. `idle` answers the last `advance`: the next one may be sent. */
export type FollowerMessage =
  | 'ready'
  | { readonly kind: 'at'; readonly readSeq: number; readonly stateSeq: number; idle: boolean }
  | { readonly kind: 'hash'; readonly id: number; readonly seq: number; readonly hash: string }

export interface FollowerThreadData {
  readonly dataDir: string
}
