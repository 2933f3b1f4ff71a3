import type { HttpResponse } from 'uWebSockets.js'
import type { Caller } from '../call.ts'
import type { Seen } from '../route.ts'
import type { Entry } from './entry.ts'
import type { Guest } from './rooms.ts'
import type { UnreadReply } from './unread-replies.ts'

/** One request on its way: from its first byte to its end, when it is also what was seen. */
export interface Turn<S> extends Seen, Guest {
  readonly response: HttpResponse
  readonly entry: Entry<S> | null
  readonly values: readonly string[]
  /** Methods its path takes. */
  readonly allow: readonly string[]
  caller: Caller | null
  status: number
  refusal: string | null
  endedMs: number
  /** Of its reply, what its reader has not taken. */
  unread: UnreadReply | null
  aborted: boolean
  /** Bytes of its reply may be out: there is no other one. */
  written: boolean
  ended: boolean
  /** Among those whose body is on its way; 0 for none. */
  readingAt: number
}
