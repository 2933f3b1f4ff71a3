// The list of all routes. The gateway, the OpenAPI document and the contract tests read it.

import type { Route } from '../edge/http/route.ts'
import * as partners from './accounts/partners.ts'
import * as profiles from './accounts/profiles.ts'
import * as session from './accounts/session.ts'
import * as tokens from './accounts/tokens.ts'
import * as wallets from './accounts/wallets.ts'
import * as admin from './admin/admin.ts'
import * as adminAccess from './admin/admin-access.ts'
import * as adminAudit from './admin/admin-audit.ts'
import * as adminLists from './admin/admin-lists.ts'
import * as adminPacks from './admin/admin-packs.ts'
import * as adminProfiles from './admin/admin-profiles.ts'
import * as adminRewards from './admin/admin-rewards.ts'
import * as adminSettlement from './admin/admin-settlement.ts'
import * as maintenance from './admin/maintenance.ts'
import * as adminMarkets from './admin/markets/admin-markets.ts'
import * as pagesAdmin from './admin/markets/admin-pages.ts'
import * as adminSeries from './admin/markets/admin-series.ts'
import * as adminPools from './amm/admin-pools.ts'
import * as approvals from './amm/approvals.ts'
import * as poolTrades from './amm/trades.ts'
import { biggestPositions } from './boards/biggest-positions.ts'
import { leaderboardPage } from './boards/leaderboard.ts'
import * as ownerSums from './boards/owner-sums.ts'
import * as feeds from './feeds/feeds.ts'
import * as marketHistory from './markets/market-history.ts'
import * as marketNumbers from './markets/market-numbers.ts'
import * as markets from './markets/markets.ts'
import * as search from './markets/search.ts'
import * as timelines from './markets/timelines.ts'
import { mcp } from './mcp/mcp.ts'
import * as cancelReplace from './orders/cancel-replace.ts'
import * as heartbeats from './orders/heartbeats.ts'
import * as openOrders from './orders/open-orders.ts'
import * as orderGroups from './orders/order-groups.ts'
import * as orderStatus from './orders/order-status.ts'
import * as orders from './orders/orders.ts'
import * as curatedPacks from './packs/curated-packs.ts'
import * as packLists from './packs/pack-lists.ts'
import { acceptPackOffer, endPackOffer, offerPack, packOffers } from './packs/pack-offers.ts'
import * as packPurchases from './packs/pack-purchases.ts'
import { createPack, quotePack } from './packs/pack-stakes.ts'
import * as pages from './pages/pages.ts'
import { portfolioFills } from './portfolio/fills.ts'
import * as history from './portfolio/history.ts'
import * as moves from './portfolio/moves.ts'
import * as pnl from './portfolio/pnl.ts'
import { portfolioTrades } from './portfolio/pool-trades.ts'
import * as positions from './portfolio/positions.ts'
import * as tradingState from './portfolio/trading-state.ts'
import * as referrals from './referrals/referrals.ts'
import type { Services } from './services.ts'
import * as bookmarks from './social/bookmarks.ts'
import * as connection from './social/connection.ts'
import * as follows from './social/follows.ts'
import * as socialProfiles from './social/profiles.ts'
import * as adminSolvency from './solvency/admin-solvency.ts'
import * as solvency from './solvency/solvency.ts'
import * as adminSports from './sports/admin-sports.ts'
import * as matchOrders from './sports/match-orders.ts'
import * as sports from './sports/sports.ts'
import { consolePage, openApiPage, operatorPage, webFile } from './system/console.ts'
import { demoTraders } from './system/demo.ts'
import * as docs from './system/docs.ts'
import { exchangeInfo } from './system/exchange-info.ts'
import { fees } from './system/fees.ts'
import { metrics, openMetrics } from './system/metrics.ts'
import * as system from './system/system.ts'

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

const isOperators = ({ rateClass }: Route<Services>) => rateClass === 'admin'

/** The routes of the public listener when operators have a separate one. */
export const publicApi = api.filter((each) => !isOperators(each))
/** The routes of the operators' listener: their calls, and the health of the exchange. */
export const operatorApi: readonly Route<Services>[] = [
  system.health,
  system.ready,
  openMetrics,
  webFile,
  // Only operators open the address of that listener.
  { ...operatorPage, path: '/' },
  ...api.filter((each) => isOperators(each) && each !== metrics),
]
