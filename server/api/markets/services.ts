import type { MarketLists } from '../../exchange/read-model/lists/market-lists.ts'
import type { Tickers } from '../../exchange/read-model/tickers.ts'
import type { PageServices } from '../pages/services.ts'
import type { SharedServices } from '../shared-services.ts'
import type { MarketChanges } from './market-changes.ts'
import type { MarketHistory } from './market-history-service.ts'
import type { SeriesChanges } from './series-changes.ts'
import type { Timelines } from './timelines-service.ts'

/** What the routes of this folder need. */
export interface MarketServices extends SharedServices, Pick<PageServices, 'marketPages'> {
  readonly lists: MarketLists
  readonly tickers: Tickers
  readonly history: MarketHistory
  readonly markets: MarketChanges
  readonly series: SeriesChanges
  readonly timelines: Timelines
}
