import type { Connection } from '../../database.ts'
import type { Rests } from '../../follower/tables/orders/backlog.ts'

/** One question that the read tables answer, on the query thread. */
export interface Query<Params, Answer> {
  /** Names the query between the threads. */
  readonly name: string
  /** An urgent question goes before all others, because an order waits for the answer. */
  readonly isUrgent: boolean
  /** Prepares the statements once, and gives the function that answers each question. */
  readonly open: (connection: Connection) => (params: Params) => Answer
  /** As `open`, with what each answer rests on; null for a read that rests on no late rows. */
  readonly openResting: ((connection: Connection) => (params: Params) => Resting<Answer>) | null
}

/** An answer whose rows are late is not given: the question is asked again once they are there. */
interface Resting<Answer> {
  readonly answer: Answer
  readonly rests: Rests
}

interface Definition<Prepared, Params, Answer> {
  readonly name: string
  readonly isUrgent?: boolean
  readonly prepare: (connection: Connection) => Prepared
  /** Question and answer cross a thread: they are plain values, and never `undefined`. */
  readonly run: (prepared: Prepared, params: Params) => Answer
  /** For reads of orders that ended, of events of orders, and of the makers of trades. */
  readonly rests?: ((params: Params, answer: Answer) => Rests) | null
}

export function query<Prepared, Params, Answer>({
  name,
  isUrgent = false,
  prepare,
  run,
  rests = null,
}: Definition<Prepared, Params, Answer>): Query<Params, Answer> {
  const open = (connection: Connection) => {
    const prepared = prepare(connection)
    return (params: Params) => run(prepared, params)
  }
  const openResting =
    rests === null
      ? null
      : (connection: Connection) => {
          const prepared = prepare(connection)
          return (params: Params) => {
            const answer = run(prepared, params)
            return { answer, rests: rests(params, answer) }
          }
        }
  return { name, isUrgent, open, openResting }
}
