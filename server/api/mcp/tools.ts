// The tools of POST /mcp. Each one is a route with another name. The route defines its parameters,
// its requirements and its refusals.

import type { Route } from '../../edge/http/route.ts'
import { historicalPrice, marketTrades } from '../markets/market-history.ts'
import { activeMarkets, marketDetail, marketOrderbook } from '../markets/markets.ts'
import { searchMarkets } from '../markets/search.ts'
import { openOrders } from '../orders/open-orders.ts'
import { orderById } from '../orders/order-status.ts'
import { cancelAll, cancelEverywhere, cancelOne, placeOrder } from '../orders/orders.ts'
import { portfolioBalance, portfolioPositions } from '../portfolio/positions.ts'
import type { McpServices } from './services.ts'

export interface Tool {
  readonly name: string
  readonly route: Route<McpServices>
  /** Text for programs beyond the route's own description; '' for none. */
  readonly hint: string
}

const SIZES = 'Sizes are raw: 1 share is 1000000. Prices are between 0 and 1.'
const RAW = 'Amounts are raw: 1 share and 1 unit of collateral are 1000000 each.'
const SIDES =
  'A buy gives makerAmount of collateral for takerAmount of shares, a sell shares for collateral.'

function tool(name: string, route: Route<McpServices>, hint = ''): Tool {
  return { name, route, hint }
}

export const TOOLS: readonly Tool[] = [
  tool('search_markets', searchMarkets),
  tool('list_markets', activeMarkets),
  tool('get_market', marketDetail, 'Returns the YES and NO token ids that an order needs.'),
  tool('get_order_book', marketOrderbook, SIZES),
  tool('get_market_price_history', historicalPrice),
  tool('get_market_trades', marketTrades),
  tool('get_my_balance', portfolioBalance, RAW),
  tool('get_my_positions', portfolioPositions, RAW),
  tool('get_my_orders', openOrders, SIZES),
  tool('get_my_order', orderById, SIZES),
  tool('place_order', placeOrder, `${RAW} ${SIDES}`),
  tool('cancel_order', cancelOne, 'Pass exactly one of the two ids.'),
  tool('cancel_market_orders', cancelAll),
  tool('cancel_all_orders', cancelEverywhere),
]
