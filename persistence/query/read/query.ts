import type { Connection } from '../../database.ts'
import type { Rests } from '../../follower/tables/orders/backlog.ts'
import type { Records } from '../../journal/journal-records.ts'

/** A query on the read tables, run by the query thread. */
export interface Query<Params, Answer> {
  /** The query's name between the threads. */
  readonly name: string
  /** An urgent query goes before all others, because an order waits for it. */
  readonly isUrgent: boolean
  /** Prepares the statements once, and returns the function that runs the query. */
  readonly open: (connection: Connection, records?: Records) => (params: Params) => Answer
  /**
   * As `open`, with the rows that each answer needs; null for a read that never needs late rows.
   */
  readonly openResting:
    | ((connection: Connection, records: Records) => (params: Params) => Resting<Answer>)
    | null
}

/** An answer with late rows is not returned: the query is repeated once they are written. */
interface Resting<Answer> {
  readonly answer: Answer
  readonly rests: Rests
}

interface Definition<Prepared, Params, Answer> {
  readonly name: string
  readonly isUrgent?: boolean
  readonly prepare: (connection: Connection, records: Records) => Prepared
  /** Parameters and answers cross a thread, so they are plain values and never `undefined`. */
  readonly run: (prepared: Prepared, params: Params) => Answer
  /** For reads of ended orders, of order events, and of the makers of trades. */
  readonly rests?: ((params: Params, answer: Answer) => Rests) | null
}

/** Orders are read without their signed terms. */
const NO_RECORDS: Records = { at: () => null }

export function query<Prepared, Params, Answer>({
  name,
  isUrgent = false,
  prepare,
  run,
  rests = null,
}: Definition<Prepared, Params, Answer>): Query<Params, Answer> {
  const open = (connection: Connection, records = NO_RECORDS) => {
    const prepared = prepare(connection, records)
    return (params: Params) => run(prepared, params)
  }
  const openResting =
    rests === null
      ? null
      : (connection: Connection, records: Records) => {
          const prepared = prepare(connection, records)
          return (params: Params) => {
            const answer = run(prepared, params)
            return { answer, rests: rests(params, answer) }
          }
        }
  return { name, isUrgent, open, openResting }
}
