import type { Market } from '../../../../engine/core/markets/catalogue.ts'
import type { MarketId } from '../../../../engine/domain/ids.ts'
import type { Connection, Statement } from '../../../database.ts'
import { eachPaced, type Pace } from '../pace.ts'

// One row for each market there ever was: as it was made or edited, and at last as it left memory.
// What happens in between is in memory. So a slug stays unique for ever, and an archived market is
// still read.

const PUT = `
INSERT INTO markets (market_id, slug, is_archived, facts, group_id) VALUES (?, ?, ?, ?, ?)
ON CONFLICT DO UPDATE SET is_archived = excluded.is_archived, facts = excluded.facts`

type Row = [MarketId, slug: string, isArchived: number, facts: string, group: MarketId | null]

export class MarketsTable {
  readonly #put: Statement<Row>
  #rows: Row[] = []

  constructor(connection: Connection) {
    this.#put = connection.prepare(PUT)
  }

  /** The market was made, or what is said of it changed. */
  kept(market: Market): void {
    this.#note(market, 0)
  }

  archived(market: Market): void {
    this.#note(market, 1)
  }

  #note(market: Market, isArchived: number): void {
    const { marketId, slug, groupId = null } = market
    this.#rows.push([marketId, slug, isArchived, JSON.stringify(market), groupId])
  }

  /** Runs inside the chunk's transaction. */
  flush(pace: Pace): void {
    eachPaced(this.#rows, pace, (row) => this.#put.run(...row))
    this.#rows = []
  }
}
