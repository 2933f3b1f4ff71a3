import type { HttpResponse } from 'uWebSockets.js'
import type { Caller } from '../call.ts'
import type { Seen } from '../route.ts'
import type { Entry } from './entry.ts'
import type { Guest } from './rooms.ts'
import type { UnreadReply } from './unread-replies.ts'

/** One request from its first byte to its end; `observe` gets it then. */
export interface Turn<S> extends Seen, Guest {
  readonly response: HttpResponse
  readonly entry: Entry<S> | null
  readonly values: readonly string[]
  /** Methods that its path takes. */
  readonly allow: readonly string[]
  caller: Caller | null
  status: number
  refusal: string | null
  endedMs: number
  /** Its reply while the reader has not taken all of it. */
  unread: UnreadReply | null
  aborted: boolean
  /** Bytes of its reply may be out, so no other reply can be written. */
  written: boolean
  ended: boolean
  /** Its slot in the body reader; 0 for none. */
  readingAt: number
}
