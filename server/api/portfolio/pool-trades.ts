// A profile's trades with pools (rules §9.2).

import { poolTrades } from '../../../persistence/query/read/portfolio/pool-trades.ts'
import { eitherOf, hmac, sessionOrIdentity } from '../../auth/auth-scheme.ts'
import { route } from '../../edge/http/route.ts'
import { means } from '../../edge/http/schema/scalars.ts'
import { list, object } from '../../edge/http/schema/schema.ts'
import { refuse } from '../../messages/refusal.ts'
import { requesterOf } from '../reads/private-reads.ts'
import { entry, HISTORY_MARKET_EXAMPLE, viewOf } from './history-views.ts'
import type { PortfolioServices } from './services.ts'

const TRADES_MAX = 500

export const portfolioTrades = route({
  method: 'GET',
  path: '/portfolio/trades',
  auth: eitherOf(hmac(), sessionOrIdentity()).forSubAccounts(),
  rateClass: 'private',
  about: `Lists the caller's newest ${TRADES_MAX} pool trades; GET /portfolio/history has all.`,
  reply: object({ data: means(list(entry()), 'Trades with pools, newest first.') }),
  means: "The caller's trades with pools; book trades are in the history.",
  rejects: ['READ_TIMEOUT'],
  example: {
    reply: {
      data: [
        {
          blockTimestamp: 1_767_225_600,
          market: HISTORY_MARKET_EXAMPLE,
          transactionHash: null,
          collateralAmount: '10',
          outcomeIndex: 0,
          outcomeTokenAmount: '19.821776',
          outcomeTokenAmounts: ['19.821776', '0'],
          outcomeTokenPrice: 0.504496,
          strategy: 'Buy',
          operation: 'buy',
        },
      ],
    },
  },
  handle: async ({ owner, caller, call }, services: PortfolioServices) => {
    const requester = requesterOf({ caller, call })
    const rows = await services.reads.read(poolTrades, { owner, limit: TRADES_MAX }, requester)
    if (rows === undefined) return refuse('READ_TIMEOUT')
    const idOf = (row: (typeof rows)[number]) =>
      row.what === 'MOVE' ? row.move.marketId : row.part.marketId
    const markets = await services.archive.byIds(rows.map(idOf), requester)
    if (markets === undefined) return refuse('READ_TIMEOUT')
    const data = rows.flatMap((row) => {
      const market = markets.get(idOf(row))
      return market === undefined ? [] : [viewOf(row, market, services)]
    })
    return { data }
  },
})
