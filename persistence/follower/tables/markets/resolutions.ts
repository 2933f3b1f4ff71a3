import type { Catalogue } from '../../../../engine/core/markets/catalogue.ts'
import type { ControlCommand } from '../../../../engine/domain/command.ts'
import type { MarketId, Seq } from '../../../../engine/domain/ids.ts'
import type { TimeMs } from '../../../../engine/domain/units.ts'
import type { Connection, Statement } from '../../../database.ts'
import { eachPaced, type Pace } from '../pace.ts'

// One row for each resolved market, by age. Markets that were never public have none.

const PUT = 'INSERT OR REPLACE INTO resolutions (seq, market_id, resolved_ms) VALUES (?, ?, ?)'

type Row = [seq: Seq, marketId: MarketId, resolvedMs: TimeMs]
type ResolveMarkets = Extract<ControlCommand, { kind: 'resolveMarkets' }>

export class ResolutionsTable {
  readonly #put: Statement<Row>
  #rows: Row[] = []

  constructor(connection: Connection) {
    this.#put = connection.prepare(PUT)
  }

  /** Called before the markets change: afterwards it is unknown whether one was hidden. */
  applying({ seq, nowMs, resolutions }: ResolveMarkets, catalogue: Catalogue): void {
    for (const { marketId } of resolutions) {
      const isHidden = catalogue.existing(marketId).status === 'DRAFT'
      if (!isHidden) this.#rows.push([seq, marketId, nowMs])
    }
  }

  /** Runs inside the chunk's transaction. */
  flush(pace: Pace): void {
    eachPaced(this.#rows, pace, (row) => this.#put.run(...row))
    this.#rows = []
  }
}
