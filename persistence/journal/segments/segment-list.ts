import type { Seq } from '../../../engine/domain/ids.ts'
import { type Connection, type Statement, schemaVersion } from '../../database.ts'
import { EMPTY_TAIL } from '../journal-chain.ts'
import type { JournalTail } from '../journal-port.ts'
import { SEGMENTS_VERSION } from '../migrations.ts'
import type { Segment } from './segment-folder.ts'

// The list of segments in journal.db. What it lists may still be in the journal too.

const COLUMNS = 'SELECT first_seq AS firstSeq, last_seq AS lastSeq, bytes, checksum FROM segments'
const INSERT = 'INSERT INTO segments (first_seq, last_seq, bytes, checksum) VALUES (?, ?, ?, ?)'

/** Removes the rows of segments, or some of them. */
export const REMOVE_THROUGH = 'DELETE FROM batches WHERE first_seq <= ?'

export class SegmentList {
  readonly #holding: Statement<[number], Segment> | null
  readonly #all: Statement<[], Segment> | null

  /** A file that an earlier version wrote has no list. */
  constructor(connection: Connection) {
    const isThere = schemaVersion(connection) >= SEGMENTS_VERSION
    const prepare = <P extends unknown[]>(clauses: string) =>
      isThere ? connection.prepare<P, Segment>(`${COLUMNS} ${clauses}`) : null
    this.#holding = prepare('WHERE first_seq <= ? ORDER BY first_seq DESC LIMIT 1')
    this.#all = prepare('ORDER BY first_seq')
  }

  /** Ascending. */
  all(): Segment[] {
    return this.#all?.all() ?? []
  }

  /** The segment with the batch of `seq`. */
  holding(seq: Seq): Segment | undefined {
    const found = this.#holding?.get(seq)
    return found === undefined || found.lastSeq < seq ? undefined : found
  }

  /** The end of the newest segment: the journal itself need not have more than follows it. */
  get end(): JournalTail {
    const last = this.#holding?.get(Number.MAX_SAFE_INTEGER)
    return last === undefined ? EMPTY_TAIL : { seq: last.lastSeq, checksum: last.checksum }
  }
}

/** The writer's side. */
export function listSegment(connection: Connection, segment: Segment): void {
  const { firstSeq, lastSeq, bytes, checksum } = segment
  connection
    .prepare<[number, number, number, Uint8Array]>(INSERT)
    .run(firstSeq, lastSeq, bytes, checksum)
}
