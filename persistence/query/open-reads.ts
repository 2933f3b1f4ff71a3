import { assert } from '../../engine/domain/assert.ts'
import { type Connection, openReadOnly } from '../database.ts'
import { speaking } from '../folder-error.ts'
import { readPath } from '../follower/read-database.ts'
import type { Rests } from '../follower/tables/orders/backlog.ts'
import { JournalRecords, type Records } from '../journal/journal-records.ts'
import type { KeyedFolder } from '../keyed-folder.ts'
import { LateRows } from './late-rows.ts'
import type { Query } from './read/query.ts'

/** An answer, or the rows it must wait for. */
type Reply<Answer = unknown> = { readonly answer: Answer } | { readonly late: Rests }
type Open = (params: never) => Reply

export interface OpenReads {
  /** The functions of all reads by name. */
  readonly answers: ReadonlyMap<string, Open>
  readonly close: () => void
}

/** Throws a DataFolderError. */
export function openReads(folder: KeyedFolder, reads: readonly Query<never, unknown>[]): OpenReads {
  const path = readPath(folder.dataDir)
  const connection = speaking(path, () => openReadOnly(path))
  const records = new JournalRecords(folder)
  const answers = speaking(path, () => answersOf(connection, records, reads))
  assert(answers.size === reads.length, 'read names are unique')
  const close = () => {
    records.close()
    connection.close()
  }
  return { answers, close }
}

/** A read in a thread of its own; undefined while its rows are late. Throws a DataFolderError. */
export function openRead<Params, Answer>(
  folder: KeyedFolder,
  { openResting }: Query<Params, Answer>,
): (params: Params) => Answer | undefined {
  assert(openResting !== null, 'this read may need late rows')
  const path = readPath(folder.dataDir)
  const connection = speaking(path, () => openReadOnly(path))
  const resting = openResting(connection, new JournalRecords(folder))
  const read = unlessLate(connection, new LateRows(connection), resting)
  return (params) => {
    const reply = read(params)
    return 'late' in reply ? undefined : reply.answer
  }
}

/** Answers of one state of the tables, or the rows that are late in it. */
function unlessLate<Params, Answer>(
  connection: Connection,
  late: LateRows,
  resting: (params: Params) => { readonly answer: Answer; readonly rests: Rests },
) {
  return connection.transaction((params: Params): Reply<Answer> => {
    const { answer, rests } = resting(params)
    return late.has(rests) ? { late: rests } : { answer }
  })
}

function answersOf(
  connection: Connection,
  records: Records,
  reads: readonly Query<never, unknown>[],
): ReadonlyMap<string, Open> {
  const late = new LateRows(connection)
  const openOne = ({ open, openResting }: Query<never, unknown>): Open => {
    if (openResting === null) {
      const answer = open(connection, records)
      return (params) => ({ answer: answer(params) })
    }
    return unlessLate(connection, late, openResting(connection, records))
  }
  return new Map(reads.map((read) => [read.name, openOne(read)]))
}
