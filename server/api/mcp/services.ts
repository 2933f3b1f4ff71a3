import type { MarketServices } from '../markets/services.ts'
import type { OrderServices } from '../orders/services.ts'
import type { PageServices } from '../pages/services.ts'
import type { PortfolioServices } from '../portfolio/services.ts'
import type { SharedServices } from '../shared-services.ts'
import type { McpHandle } from './mcp-handle.ts'

/** What the routes of this folder need. */
export interface McpServices
  extends SharedServices,
    Pick<MarketServices, 'history' | 'lists' | 'markets' | 'series' | 'tickers' | 'timelines'>,
    Pick<OrderServices, 'cancels' | 'everywhere' | 'heartbeats' | 'replaces' | 'statuses'>,
    Pick<PageServices, 'marketPages'>,
    Pick<PortfolioServices, 'moves' | 'portfolio' | 'rewards'> {
  readonly mcp: McpHandle
}
