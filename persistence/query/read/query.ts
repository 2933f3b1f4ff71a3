import type { Connection } from '../../database.ts'

/** One question that the read tables answer, on the query thread. */
export interface Query<Asked, Answer> {
  /** Names the query between the threads. */
  readonly name: string
  /** An urgent question goes before all others, because an order waits for the answer. */
  readonly isUrgent: boolean
  /** Prepares the statements once, and gives the function that answers each question. */
  readonly open: (connection: Connection) => (asked: Asked) => Answer
}

interface Definition<Prepared, Asked, Answer> {
  readonly name: string
  readonly isUrgent?: boolean
  readonly prepare: (connection: Connection) => Prepared
  /** Question and answer cross a thread: they are plain values, and never `undefined`. */
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
