import type { Seq } from '../../../engine/domain/ids.ts'
import type { CurationBody } from '../../../engine/domain/packs/pack-command.ts'
import type { TimeMs } from '../../../engine/domain/units.ts'
import type { Connection, Statement } from '../../database.ts'
import { eachPaced, type Pace } from '../tables/pace.ts'

// One row for each pack ever on the operators' list, so that its name and legs stay available to
// its buyers.

const PUT = 'INSERT INTO curated_packs (pack_id, name, legs, made_ms) VALUES (?, ?, ?, ?)'

type Row = [Seq, name: string, legs: string, TimeMs]
type Curation = CurationBody & { readonly seq: Seq; readonly nowMs: TimeMs }

export class CuratedPacksTable {
  readonly #put: Statement<Row>
  /** Since the last flush. */
  #rows: Row[] = []

  constructor(connection: Connection) {
    this.#put = connection.prepare(PUT)
  }

  applied(command: Curation): void {
    if (command.kind !== 'curatePack') return
    const { seq, name, legs, nowMs } = command
    const pairs = legs.map(({ marketId, outcome }) => [marketId, outcome])
    this.#rows.push([seq, name, JSON.stringify(pairs), nowMs])
  }

  /** Runs inside the chunk's transaction. */
  flush(pace: Pace): void {
    eachPaced(this.#rows, pace, (row) => this.#put.run(...row))
    this.#rows = []
  }
}
