import type { BusyCells } from '../../engine/thread/busy-times.ts'
import type { Rests } from '../follower/tables/orders/backlog.ts'

// Messages between main and the query thread. `Query` types a question and its answer for the
// caller. A message carries values of unknown type. The receiver knows their types from the name of
// the query, and says so with `never`.

/** One question; `name` names its query. */
export interface Question<Params = unknown> {
  readonly kind: 'ask'
  readonly id: number
  readonly name: string
  readonly params: Params
}

/** Messages from main to the query thread. */
export type QueryRequest<Params = unknown> = Question<Params> | { readonly kind: 'stop' }

/** Why a question failed. Trouble is not a fault: the question may be asked again. */
interface Failed {
  readonly reason: string
  readonly isTrouble: boolean
}

/** Messages from the query thread to main. */
export type QueryMessage<Answer = unknown> =
  | 'ready'
  | (Took & { readonly answer: Answer; readonly failed?: undefined })
  | (Took & { readonly failed: Failed })
  /** These rows are not in the tables yet: the question must be asked again. */
  | (Took & { readonly late: Rests; readonly failed?: undefined })

interface Took {
  readonly id: number
  /** How long the thread worked on the question. */
  readonly tookMs: number
}

export interface QueryThreadData {
  readonly dataDir: string
  /** One shared word: the id plus one of the question that the thread works on; 0 for none. */
  readonly working: Int32Array
  readonly busyTimes: BusyCells
}
