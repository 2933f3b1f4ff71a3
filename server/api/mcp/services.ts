import type { MarketLists } from '../../exchange/read-model/lists/market-lists.ts'
import type { Tickers } from '../../exchange/read-model/tickers.ts'
import type { MarketChanges } from '../markets/market-changes.ts'
import type { MarketHistory } from '../markets/market-history-service.ts'
import type { SeriesChanges } from '../markets/series-changes.ts'
import type { Timelines } from '../markets/timelines-service.ts'
import type { CancelEverywhere } from '../orders/cancel-everywhere.ts'
import type { CancelReplace } from '../orders/cancel-replace-service.ts'
import type { Cancels } from '../orders/cancels.ts'
import type { HeartbeatChanges } from '../orders/heartbeat-changes.ts'
import type { OrderStatuses } from '../orders/order-status-service.ts'
import type { MarketPages } from '../pages/market-pages.ts'
import type { Moves } from '../portfolio/moves-service.ts'
import type { Portfolio } from '../portfolio/portfolio.ts'
import type { RewardViews } from '../portfolio/rewards.ts'
import type { SharedServices } from '../shared-services.ts'
import type { McpHandle } from './mcp-handle.ts'

/** What the routes of this folder need. */
export interface McpServices extends SharedServices {
  readonly mcp: McpHandle
  readonly cancels: Cancels
  readonly everywhere: CancelEverywhere
  readonly heartbeats: HeartbeatChanges
  readonly history: MarketHistory
  readonly lists: MarketLists
  readonly marketPages: MarketPages
  readonly markets: MarketChanges
  readonly moves: Moves
  readonly portfolio: Portfolio
  readonly replaces: CancelReplace
  readonly rewards: RewardViews
  readonly series: SeriesChanges
  readonly statuses: OrderStatuses
  readonly tickers: Tickers
  readonly timelines: Timelines
}
