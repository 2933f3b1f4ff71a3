import type { Catalogue, Market } from '../../../../engine/core/markets/catalogue.ts'
import type { Command } from '../../../../engine/domain/command.ts'
import type { MarketId } from '../../../../engine/domain/ids.ts'
import type { Connection, Statement } from '../../../database.ts'
import { eachPaced, type Pace } from '../pace.ts'
import { ResolutionsTable } from './resolutions.ts'

// One row for every market ever: as created or edited, and finally as archived. Its state in
// between is in memory. So slugs stay unique permanently, and archived markets can still be read.

const PUT = `
INSERT INTO markets (market_id, slug, is_archived, facts, group_id) VALUES (?, ?, ?, ?, ?)
ON CONFLICT DO UPDATE SET is_archived = excluded.is_archived, facts = excluded.facts`

type Row = [MarketId, slug: string, isArchived: number, events: string, group: MarketId | null]

export class MarketsTable {
  readonly #put: Statement<Row>
  readonly #resolutions: ResolutionsTable
  #rows: Row[] = []

  constructor(connection: Connection) {
    this.#put = connection.prepare(PUT)
    this.#resolutions = new ResolutionsTable(connection)
  }

  /** The market was created, or its definition changed. */
  kept(market: Market): void {
    this.#note(market, 0)
  }

  /** Called before the command, while its markets are unchanged. */
  applying(command: Command, catalogue: Catalogue): void {
    if (command.kind === 'resolveMarkets') this.#resolutions.applying(command, catalogue)
    if (command.kind === 'archiveMarket') this.#note(catalogue.existing(command.marketId), 1)
  }

  #note(market: Market, isArchived: number): void {
    const { marketId, slug, groupId = null } = market
    this.#rows.push([marketId, slug, isArchived, JSON.stringify(market), groupId])
  }

  /** Runs inside the chunk's transaction. */
  flush(pace: Pace): void {
    eachPaced(this.#rows, pace, (row) => this.#put.run(...row))
    this.#rows = []
    this.#resolutions.flush(pace)
  }
}
