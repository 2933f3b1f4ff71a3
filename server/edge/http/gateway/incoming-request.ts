import type { Call, Caller } from '../../../messages/call.ts'
import type { Freshness } from '../../../messages/versions.ts'
import type { Seen } from '../route.ts'
import type { Found } from '../router.ts'
import type { Guest } from './bulkheads.ts'
import type { Entry } from './entry.ts'
import type { NativeResponse } from './native.ts'
import type { UnreadReply } from './replies/unread-replies.ts'

/** One request, from its first byte to its end, when it is passed to `observe`. */
export interface IncomingRequest<S> extends Seen, Guest {
  readonly response: NativeResponse
  readonly entry: Entry<S> | null
  readonly values: readonly string[]
  /** Methods that its path takes. */
  readonly allow: readonly string[]
  caller: Caller | null
  /** Present when edge threads may send its reply again. */
  freshness: Freshness | null
  status: number
  refusal: string | null
  endedMs: number
  /** Its reply while the reader has not taken all of it. */
  unread: UnreadReply | null
  aborted: boolean
  /** Nothing is read from its connection until its reply is written. */
  paused: boolean
  /** Its reply comes from the node that leads. */
  isForwarded: boolean
  /** Bytes of its reply may be out, so no other reply can be written. */
  written: boolean
  ended: boolean
  /** Its index in the body reader; 0 for none. */
  readingAt: number
}

export function begun<S>(
  response: NativeResponse,
  call: Call,
  found: Found<Entry<S>>,
  { from, address }: { readonly from: string; readonly address: string },
): IncomingRequest<S> {
  call.addressKey = address
  return {
    response,
    call,
    entry: found.target,
    route: found.target?.route ?? null,
    values: found.values,
    caller: null,
    freshness: null,
    status: 0,
    refusal: null,
    endedMs: 0,
    from,
    allow: found.allow,
    address,
    bulkhead: null,
    profileId: 0,
    unread: null,
    aborted: false,
    paused: false,
    isForwarded: false,
    written: false,
    ended: false,
    readingAt: 0,
  }
}
