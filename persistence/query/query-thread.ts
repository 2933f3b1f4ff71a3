import type { BusyCells } from '../../engine/thread/busy-times.ts'
import type { Rests } from '../follower/tables/orders/backlog.ts'
import type { KeyedFolder } from '../keyed-folder.ts'

// Messages between main and the query thread. `Query` types a query's parameters and answer for the
// caller. Messages carry values of unknown type. The receiver knows their types from the query's
// name, and expresses that with `never`.

/** One request; `name` is the name of its query. */
export interface Question<Params = unknown> {
  readonly kind: 'ask'
  readonly id: number
  readonly name: string
  readonly params: Params
}

/** Messages from main to the query thread. */
export type QueryRequest<Params = unknown> = Question<Params> | { readonly kind: 'stop' }

/** Why a query failed. Trouble is not a fault: the query may be repeated. */
interface Failed {
  readonly reason: string
  readonly isTrouble: boolean
}

/** Messages from the query thread to main. */
export type QueryMessage<Answer = unknown> =
  | 'ready'
  | (Took & { readonly answer: Answer; readonly failed?: undefined })
  | (Took & { readonly failed: Failed })
  /** These rows are not in the tables yet, so the query must be repeated. */
  | (Took & { readonly late: Rests; readonly failed?: undefined })

interface Took {
  readonly id: number
  /** The thread's time for the query. */
  readonly tookMs: number
}

export interface QueryThreadData {
  readonly folder: KeyedFolder
  /** One shared word: the id plus one of the query that the thread works on; 0 = none. */
  readonly working: Int32Array
  readonly busyTimes: BusyCells
}
