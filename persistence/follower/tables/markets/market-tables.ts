// The follower's tables of markets: the markets, their series, the oracle, search words, and
// matches.

import type { Clearing } from '../../../../engine/core/clearing.ts'
import { marketsChangedBy } from '../../../../engine/core/markets/market-commands.ts'
import type { Command, ControlCommand } from '../../../../engine/domain/command.ts'
import { isOf } from '../../../../engine/domain/command-kinds.ts'
import type { Connection } from '../../../database.ts'
import type { Pace } from '../pace.ts'
import { MarketsTable } from './markets.ts'
import { MatchesTable } from './matches.ts'
import { OracleCandlesTable } from './oracle-candles.ts'
import { SearchTable } from './search.ts'
import { SeriesTables } from './series.ts'

/** Commands after which a market's row is written again, for reads by slug. */
const KEPT: ReadonlySet<ControlCommand['kind']> = new Set([
  'createMarket',
  'createGroup',
  'editMarket',
])

export class MarketTables {
  readonly #clearing: Clearing
  readonly #markets: MarketsTable
  readonly #series: SeriesTables
  readonly #oracleCandles: OracleCandlesTable
  readonly #search: SearchTable
  readonly #matches: MatchesTable

  constructor(connection: Connection, clearing: Clearing) {
    this.#clearing = clearing
    this.#markets = new MarketsTable(connection)
    this.#series = new SeriesTables(connection)
    this.#oracleCandles = new OracleCandlesTable(connection)
    this.#search = new SearchTable(connection, () => clearing.catalogue.all())
    this.#matches = new MatchesTable(connection)
  }

  /** Records what the command ends or begins, while the state is as before it. */
  applying(command: Command): void {
    this.#markets.applying(command, this.#clearing.catalogue)
    if (isOf('matches', command)) this.#matches.applying(command, this.#clearing.matches)
  }

  applied(command: ControlCommand): void {
    if (command.kind === 'createSeries') this.#series.created(command)
    else if (command.kind === 'reportPrice') this.#oracleCandles.reported(command)
    else this.#marketsChanged(command)
  }

  #marketsChanged(command: ControlCommand): void {
    for (const market of marketsChangedBy(command, this.#clearing.catalogue)) {
      if (KEPT.has(command.kind)) this.#markets.kept(market)
      if (command.kind !== 'postPayouts') this.#search.changed(market)
      this.#series.changed(market)
    }
  }

  /** Runs inside the chunk's transaction. */
  flush(pace: Pace): void {
    this.#markets.flush(pace)
    this.#series.flush(pace)
    this.#oracleCandles.flush(pace)
    this.#search.flush(pace)
    this.#matches.flush(pace)
  }
}
