// The list of all routes. The gateway, the OpenAPI document and the contract tests read it.

import type { Route } from '../edge/http/route.ts'
import * as partners from './accounts/partners.ts'
import * as profiles from './accounts/profiles.ts'
import * as session from './accounts/session.ts'
import * as admin from './admin/admin.ts'
import * as adminAccess from './admin/admin-access.ts'
import * as adminLists from './admin/admin-lists.ts'
import * as adminMarkets from './admin/admin-markets.ts'
import * as adminPacks from './admin/admin-packs.ts'
import * as adminPages from './admin/admin-pages.ts'
import * as adminProfiles from './admin/admin-profiles.ts'
import * as adminSeries from './admin/admin-series.ts'
import * as cluster from './admin/cluster.ts'
import * as maintenance from './admin/maintenance.ts'
import * as pools from './amm/trades.ts'
import * as boards from './boards/leaderboard.ts'
import * as feeds from './feeds/feeds.ts'
import * as marketHistory from './markets/market-history.ts'
import * as markets from './markets/markets.ts'
import * as timelines from './markets/timelines.ts'
import * as mcp from './mcp/mcp.ts'
import * as amend from './orders/amend.ts'
import * as cancelReplace from './orders/cancel-replace.ts'
import * as orderGroups from './orders/order-groups.ts'
import * as orderStatus from './orders/order-status.ts'
import * as orders from './orders/orders.ts'
import * as queue from './orders/queue.ts'
import * as packLists from './packs/pack-lists.ts'
import * as packPurchases from './packs/pack-purchases.ts'
import * as packStakes from './packs/pack-stakes.ts'
import * as pages from './pages/pages.ts'
import * as fills from './portfolio/fills.ts'
import * as history from './portfolio/history.ts'
import * as moves from './portfolio/moves.ts'
import * as pnl from './portfolio/pnl.ts'
import * as positions from './portfolio/positions.ts'
import * as tradingState from './portfolio/trading-state.ts'
import * as referrals from './referrals/referrals.ts'
import type { Services } from './services.ts'
import * as bookmarks from './social/bookmarks.ts'
import * as social from './social/profiles.ts'
import * as solvency from './solvency/solvency.ts'
import * as adminSports from './sports/admin-sports.ts'
import * as sports from './sports/sports.ts'
import * as web from './system/console.ts'
import * as exchangeInfo from './system/exchange-info.ts'
import * as system from './system/system.ts'

type ExportOf<E> = E extends unknown ? E[keyof E] : never

/** The routes among what files export, those of a file in the order of their paths. */
function routesOf<E extends readonly object[]>(...files: E) {
  const isRoute = (value: unknown): value is Extract<ExportOf<E[number]>, Route<never>> =>
    typeof value === 'object' && value !== null && 'replyIssues' in value
  const sorted = (file: object) =>
    Object.values(file)
      .filter(isRoute)
      .sort((one, other) => (one.path < other.path ? -1 : Number(one.path > other.path)))
  return files.flatMap(sorted)
}

export const api: readonly Route<Services>[] = routesOf(
  web,
  system,
  exchangeInfo,
  session,
  profiles,
  partners,
  social,
  bookmarks,
  moves,
  pools,
  packStakes,
  packPurchases,
  packLists,
  positions,
  tradingState,
  fills,
  pnl,
  boards,
  history,
  feeds,
  referrals,
  solvency,
  markets,
  timelines,
  pages,
  marketHistory,
  sports,
  orders,
  orderStatus,
  queue,
  orderGroups,
  maintenance,
  cluster,
  amend,
  cancelReplace,
  mcp,
  admin,
  adminMarkets,
  adminSeries,
  adminProfiles,
  adminPacks,
  adminLists,
  adminAccess,
  adminPages,
  adminSports,
).filter((each) => each !== system.openMetrics)

const isOperators = ({ rateClass }: Route<Services>) => rateClass === 'admin'

/** The routes of the public listener when operators have a separate one. */
export const publicApi = api.filter((each) => !isOperators(each))
/** The routes of the operators' listener: their calls, and the health of the exchange. */
export const operatorApi: readonly Route<Services>[] = [
  system.health,
  system.ready,
  system.openMetrics,
  web.webFile,
  // Only operators open the address of that listener.
  { ...web.operatorPage, path: '/' },
  ...api.filter((each) => isOperators(each) && each !== system.metrics),
]

// Names that cannot be market slugs, because they have another meaning in a path.

/** The path parameters that hold a market's slug. */
const SLUG_NAMES: ReadonlySet<string> = new Set([':slug', ':addressOrSlug'])
/** Path segments that the API defines and this exchange does not serve yet. */
const NAMED_BY_API = ['active', 'search', 'timeline', 'stable', 'categories', 'tickers']

/** Every path segment at the place where another route has a slug. */
export function reservedSlugs(routes: readonly Pick<Route<never>, 'path'>[]): ReadonlySet<string> {
  const paths = routes.map(({ path }) => path.split('/'))
  const reserved = new Set(NAMED_BY_API)
  for (const path of paths) {
    for (const [at, part] of path.entries()) {
      if (!SLUG_NAMES.has(part)) continue
      for (const other of paths) {
        const word = other[at] ?? ''
        const isBeside = path.slice(0, at).every((each, index) => each === other[index])
        if (isBeside && word !== '' && !word.startsWith(':')) reserved.add(word)
      }
    }
  }
  return reserved
}
