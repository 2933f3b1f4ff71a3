import type { Seq } from '../../../../engine/domain/ids.ts'
import type { Guarded } from '../../../auth/auth-scheme.ts'
import type { OwnerOfCall } from '../../../auth/delegation.ts'
import type { Call, Caller } from '../../../messages/call.ts'
import type { Refusal } from '../../../messages/refusal.ts'
import type { Cors } from '../access/cors.ts'
import type { OwnCalls } from '../access/own-calls.ts'
import type { OwnHosts } from '../access/own-hosts.ts'
import type { RateLimiter } from '../access/rate-limit.ts'
import type { Regions } from '../access/regions.ts'
import type { ClusterCell } from '../forwarding/cluster-cell.ts'
import type { LeaderCalls } from '../forwarding/leader-calls.ts'
import type { Route, Seen } from '../route.ts'
import type { BulkheadSizes } from './bulkheads.ts'
import type { ConnectionBounds } from './connections.ts'
import type { Listener } from './native.ts'
import type { UnreadBounds } from './replies/unread-replies.ts'

/** Null for an unknown caller of an open route. */
type Proof = Caller | Refusal | null

export interface ClusterLink {
  readonly cell: ClusterCell
  readonly leader: LeaderCalls
  /** Resolves with false if the reads of this node do not show everything up to `seq` in time. */
  readonly whenShown: (seq: Seq) => Promise<boolean>
}

export interface GatewayOptions<S> {
  readonly routes: readonly Route<S>[]
  readonly services: S
  /** Authenticates the caller of every route that is neither open to all nor raw. */
  readonly authenticate: (call: Call, auth: Guarded) => Proof | Promise<Proof>
  /** Resolves the profile of a call that may act for a sub-account. */
  readonly ownerOfCall: OwnerOfCall
  /** Reports an exception while a call was read or its reply was built; returns the fault id. */
  readonly onFault: (error: unknown, edge: 'http' | 'reply') => string
  readonly addressLimiter?: RateLimiter<string> | null
  readonly profileLimiter?: RateLimiter<number> | null
  /** Marks the calls of this process itself; absent when it makes none. */
  readonly ownCalls?: OwnCalls | undefined
  /** Lower-case header in which a trusted proxy names the caller's address; absent for none. */
  readonly addressHeader?: string | undefined
  /** This node in its cluster; absent for an exchange of one node. */
  readonly cluster?: ClusterLink | undefined
  /** Where trading is refused; absent for nowhere. */
  readonly regions?: Regions | undefined
  /** The hosts whose calls are accepted; absent for all. */
  readonly hosts?: OwnHosts | undefined
  /** Pages of other hosts that may call; absent for none. */
  readonly cors?: Cors | undefined
  readonly observe?: (seen: Seen) => void
  /** Monotonic milliseconds. */
  readonly clock?: () => number
  /** Edge threads that have the connections; absent when this thread has them. */
  readonly listener?: Listener | undefined
  readonly tls?: { readonly certFile: string; readonly keyFile: string }
  readonly bodyFirstMs?: number
  readonly bodyDeadlineMs?: number
  readonly bodyBytesMax?: number
  readonly bulkheads?: BulkheadSizes
  readonly connections?: ConnectionBounds
  readonly unreadReplyBytes?: UnreadBounds
  /** For tests: an undeclared refusal is a fault, and so is a reply that violates its schema. */
  readonly verifyReplies?: boolean
}
