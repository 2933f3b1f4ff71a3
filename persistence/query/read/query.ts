import type { Connection } from '../../database.ts'

/** One question that the read tables answer, on the query thread. */
export interface Query<Asked, Answer> {
  /** What names it between the threads. */
  readonly name: string
  /** Goes before all others: an order waits for the answer. */
  readonly isUrgent: boolean
  /** Prepares its statements once; what it gives answers questions, one after the other. */
  readonly open: (connection: Connection) => (asked: Asked) => Answer
}

interface Definition<Prepared, Asked, Answer> {
  readonly name: string
  readonly isUrgent?: boolean
  readonly prepare: (connection: Connection) => Prepared
  /** What was asked and what is answered cross a thread: plain values, and never `undefined`. */
  readonly run: (prepared: Prepared, asked: Asked) => Answer
}

export function query<Prepared, Asked, Answer>({
  name,
  isUrgent = false,
  prepare,
  run,
}: Definition<Prepared, Asked, Answer>): Query<Asked, Answer> {
  const open = (connection: Connection) => {
    const prepared = prepare(connection)
    return (asked: Asked) => run(prepared, asked)
  }
  return { name, isUrgent, open }
}
