// Every route there is. The gateway, the document and the contract tests read this list.

import type { Route } from './http/route.ts'
import * as partners from './routes/accounts/partners.ts'
import * as profiles from './routes/accounts/profiles.ts'
import * as session from './routes/accounts/session.ts'
import * as tokens from './routes/accounts/tokens.ts'
import * as wallets from './routes/accounts/wallets.ts'
import * as admin from './routes/admin/admin.ts'
import * as adminAccess from './routes/admin/admin-access.ts'
import * as adminAudit from './routes/admin/admin-audit.ts'
import * as adminLists from './routes/admin/admin-lists.ts'
import * as adminPacks from './routes/admin/admin-packs.ts'
import * as adminProfiles from './routes/admin/admin-profiles.ts'
import * as adminRewards from './routes/admin/admin-rewards.ts'
import * as adminSettlement from './routes/admin/admin-settlement.ts'
import * as maintenance from './routes/admin/maintenance.ts'
import * as adminMarkets from './routes/admin/markets/admin-markets.ts'
import * as pagesAdmin from './routes/admin/markets/admin-pages.ts'
import * as adminSeries from './routes/admin/markets/admin-series.ts'
import * as adminPools from './routes/amm/admin-pools.ts'
import * as approvals from './routes/amm/approvals.ts'
import * as poolTrades from './routes/amm/trades.ts'
import { biggestPositions } from './routes/boards/biggest-positions.ts'
import { leaderboardPage } from './routes/boards/leaderboard.ts'
import * as ownerSums from './routes/boards/owner-sums.ts'
import * as feeds from './routes/feeds/feeds.ts'
import * as marketHistory from './routes/markets/market-history.ts'
import * as marketNumbers from './routes/markets/market-numbers.ts'
import * as markets from './routes/markets/markets.ts'
import * as search from './routes/markets/search.ts'
import * as timelines from './routes/markets/timelines.ts'
import { mcp } from './routes/mcp/mcp.ts'
import * as cancelReplace from './routes/orders/cancel-replace.ts'
import * as heartbeats from './routes/orders/heartbeats.ts'
import * as openOrders from './routes/orders/open-orders.ts'
import * as orderGroups from './routes/orders/order-groups.ts'
import * as orderStatus from './routes/orders/order-status.ts'
import * as orders from './routes/orders/orders.ts'
import * as curatedPacks from './routes/packs/curated-packs.ts'
import * as packLists from './routes/packs/pack-lists.ts'
import { acceptPackOffer, endPackOffer, offerPack, packOffers } from './routes/packs/pack-offers.ts'
import * as packPurchases from './routes/packs/pack-purchases.ts'
import { createPack, quotePack } from './routes/packs/pack-stakes.ts'
import * as pages from './routes/pages/pages.ts'
import { portfolioFills } from './routes/portfolio/fills.ts'
import * as history from './routes/portfolio/history.ts'
import * as moves from './routes/portfolio/moves.ts'
import * as pnl from './routes/portfolio/pnl.ts'
import { portfolioTrades } from './routes/portfolio/pool-trades.ts'
import * as positions from './routes/portfolio/positions.ts'
import * as tradingState from './routes/portfolio/trading-state.ts'
import * as referrals from './routes/referrals/referrals.ts'
import type { Services } from './routes/services.ts'
import * as bookmarks from './routes/social/bookmarks.ts'
import * as connection from './routes/social/connection.ts'
import * as follows from './routes/social/follows.ts'
import * as socialProfiles from './routes/social/profiles.ts'
import * as adminSolvency from './routes/solvency/admin-solvency.ts'
import * as solvency from './routes/solvency/solvency.ts'
import * as adminSports from './routes/sports/admin-sports.ts'
import * as matchOrders from './routes/sports/match-orders.ts'
import * as sports from './routes/sports/sports.ts'
import { consolePage, openApiPage, operatorPage, webFile } from './routes/system/console.ts'
import { demoTraders } from './routes/system/demo.ts'
import * as docs from './routes/system/docs.ts'
import { exchangeInfo } from './routes/system/exchange-info.ts'
import { fees } from './routes/system/fees.ts'
import { metrics, openMetrics } from './routes/system/metrics.ts'
import * as system from './routes/system/system.ts'

export const api: readonly Route<Services>[] = [
  consolePage,
  openApiPage,
  operatorPage,
  webFile,
  demoTraders,
  ...Object.values(docs),
  ...Object.values(system),
  exchangeInfo,
  fees,
  metrics,
  ...Object.values(session),
  ...Object.values(tokens),
  ...Object.values(profiles),
  ...Object.values(partners),
  ...Object.values(socialProfiles),
  ...Object.values(follows),
  ...Object.values(bookmarks),
  ...Object.values(connection),
  ...Object.values(wallets),
  ...Object.values(moves),
  ...Object.values(poolTrades),
  ...Object.values(approvals),
  quotePack,
  createPack,
  packOffers,
  offerPack,
  endPackOffer,
  acceptPackOffer,
  ...Object.values(curatedPacks),
  ...Object.values(packPurchases),
  ...Object.values(packLists),
  ...Object.values(positions),
  ...Object.values(tradingState),
  portfolioTrades,
  portfolioFills,
  ...Object.values(pnl),
  leaderboardPage,
  biggestPositions,
  ...Object.values(ownerSums),
  ...Object.values(history),
  ...Object.values(feeds),
  ...Object.values(referrals),
  ...Object.values(solvency),
  ...Object.values(markets),
  ...Object.values(timelines),
  ...Object.values(search),
  ...Object.values(pages),
  ...Object.values(marketHistory),
  ...Object.values(marketNumbers),
  ...Object.values(sports),
  ...Object.values(orders),
  ...Object.values(openOrders),
  ...Object.values(matchOrders),
  ...Object.values(orderStatus),
  ...Object.values(orderGroups),
  ...Object.values(heartbeats),
  ...Object.values(maintenance),
  ...Object.values(cancelReplace),
  mcp,
  ...Object.values(admin),
  ...Object.values(adminMarkets),
  ...Object.values(adminPools),
  ...Object.values(adminSeries),
  ...Object.values(adminSettlement),
  ...Object.values(adminProfiles),
  ...Object.values(adminRewards),
  ...Object.values(adminPacks),
  ...Object.values(adminLists),
  ...Object.values(adminAccess),
  ...Object.values(adminAudit),
  ...Object.values(adminSolvency),
  ...Object.values(pagesAdmin),
  ...Object.values(adminSports),
]

const isOperators = ({ lane }: Route<Services>) => lane === 'admin'

/** The routes of the public listener when operators have their own. */
export const publicApi = api.filter((each) => !isOperators(each))
/** The routes of the operators' listener: their calls, and the health of the exchange. */
export const operatorApi: readonly Route<Services>[] = [
  system.health,
  system.ready,
  openMetrics,
  webFile,
  // Who opens the address of that listener is an operator.
  { ...operatorPage, path: '/' },
  ...api.filter((each) => isOperators(each) && each !== metrics),
]
