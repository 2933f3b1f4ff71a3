import type { Guarded } from '../../../auth/auth-scheme.ts'
import type { OwnerOfCall } from '../../../auth/delegation.ts'
import type { Call, Caller } from '../../../messages/call.ts'
import type { Refusal } from '../../../messages/refusal.ts'
import type { Cors } from '../access/cors.ts'
import type { OwnCalls } from '../access/own-calls.ts'
import type { OwnHosts } from '../access/own-hosts.ts'
import type { RateLimiter } from '../access/rate-limit.ts'
import type { Regions } from '../access/regions.ts'
import type { Route, Seen } from '../route.ts'
import type { BulkheadSizes } from './bulkheads.ts'
import type { ConnectionBounds } from './connections.ts'
import type { UnreadBounds } from './replies/unread-replies.ts'

/** Null for a caller that an open route does not know. */
type Proof = Caller | Refusal | null

export interface GatewayOptions<S> {
  readonly routes: readonly Route<S>[]
  readonly services: S
  /** Proves the caller of every route that is neither open to all nor raw. */
  readonly authenticate: (call: Call, auth: Guarded) => Proof | Promise<Proof>
  /** Names the profile of a call that may be for a sub-account. */
  readonly ownerOfCall: OwnerOfCall
  /** Reports what was thrown while a call was taken or its reply was made; gives the fault id. */
  readonly onFault: (error: unknown, edge: 'http' | 'reply') => string
  readonly addressLimiter?: RateLimiter<string> | null
  readonly profileLimiter?: RateLimiter<number> | null
  /** Marks the calls of this process itself; absent: it makes none. */
  readonly ownCalls?: OwnCalls | undefined
  /** Lower-case header in which a trusted proxy names the caller's address; absent: no proxy. */
  readonly addressHeader?: string | undefined
  /** Where trading is refused; absent: nowhere. */
  readonly regions?: Regions | undefined
  /** Of which hosts calls are answered; absent: of all. */
  readonly hosts?: OwnHosts | undefined
  /** Pages of other hosts that may call; absent: none. */
  readonly cors?: Cors | undefined
  readonly observe?: (seen: Seen) => void
  /** Monotonic milliseconds. */
  readonly clock?: () => number
  readonly tls?: { readonly certFile: string; readonly keyFile: string }
  readonly bodyFirstMs?: number
  readonly bodyDeadlineMs?: number
  readonly bodyBytesMax?: number
  readonly bulkheads?: BulkheadSizes
  readonly connections?: ConnectionBounds
  readonly unreadReplyBytes?: UnreadBounds
  /**
   * For tests: a reply that breaks its route's schema is a fault, and so is an unnamed refusal.
   */
  readonly verifyReplies?: boolean
}
