import { audit } from './read/audit.ts'
import { boardPlace } from './read/boards/board-place.ts'
import { faces, leaderboard } from './read/boards/leaderboard.ts'
import { accuracy, tradedVolume } from './read/boards/owner-sums.ts'
import { tradedMarkets } from './read/boards/traded-markets.ts'
import { feed } from './read/feeds/feed.ts'
import { candlesAfter } from './read/history/candles.ts'
import { minedTrades } from './read/history/mined-trades.ts'
import { prices } from './read/history/prices.ts'
import { tape } from './read/history/tape.ts'
import {
  archivedBySlugs,
  archivedMarket,
  archivedMarkets,
  archivedOfGroup,
  isArchivedCondition,
  isSlugPrefixUsed,
  isSlugUsed,
} from './read/markets/markets.ts'
import { matches, matchNamed } from './read/markets/matches.ts'
import { nearMarkets } from './read/markets/near-markets.ts'
import { oracleCandles } from './read/markets/oracle-candles.ts'
import { searchMarkets } from './read/markets/search.ts'
import { timeline } from './read/markets/timeline.ts'
import { marketTerms } from './read/markets/traded-market.ts'
import { firstOrder } from './read/orders/first-order.ts'
import { knownInTables } from './read/orders/known-orders.ts'
import { matchOrders } from './read/orders/match-orders.ts'
import { missedEvents } from './read/orders/missed-events.ts'
import { missedFrames } from './read/orders/missed-frames.ts'
import { orderStatuses } from './read/orders/order-status.ts'
import { signedTrades } from './read/orders/signed-trades.ts'
import { openOrders, orderByClientId, orderBySlot, userOrders } from './read/orders/user-orders.ts'
import { curatedById, packPosition, packPositionsOf } from './read/packs/curated-packs.ts'
import { newestPacks, packById, packsOf } from './read/packs/packs.ts'
import { heldPositions } from './read/portfolio/held-positions.ts'
import { fills, history, moveBySeq } from './read/portfolio/history.ts'
import { moveLegs } from './read/portfolio/move-legs.ts'
import { poolTotals, poolTrades } from './read/portfolio/pool-trades.ts'
import { realised } from './read/portfolio/realised.ts'
import { rewards } from './read/portfolio/rewards.ts'
import { positions } from './read/positions.ts'
import { profiles } from './read/profiles.ts'
import type { Query } from './read/query.ts'
import { friendsBoard, referralBoard, referralsOf } from './read/referrals/referrals.ts'
import { rowBytes } from './read/row-bytes.ts'
import { newestTrades, settledTrade, tradeLegs, tradesAfter } from './read/settlements.ts'
import { following, publicProfile, socialProfiles } from './read/social/profile-lists.ts'
import { searchProfiles } from './read/social/search-profiles.ts'
import { tradeParts } from './read/trade-parts.ts'

/** All reads of the query thread. A read that is not listed here is unknown to the thread. */
export const READS: readonly Query<never, unknown>[] = [
  rowBytes,
  userOrders,
  openOrders,
  orderBySlot,
  orderByClientId,
  orderStatuses,
  profiles,
  positions,
  moveBySeq,
  moveLegs,
  marketTerms,
  heldPositions,
  rewards,
  history,
  fills,
  poolTrades,
  poolTotals,
  realised,
  packById,
  packsOf,
  newestPacks,
  curatedById,
  packPosition,
  packPositionsOf,
  leaderboard,
  boardPlace,
  faces,
  accuracy,
  tradedVolume,
  tradedMarkets,
  firstOrder,
  knownInTables,
  settledTrade,
  tradeLegs,
  signedTrades,
  tradesAfter,
  newestTrades,
  tradeParts,
  missedEvents,
  missedFrames,
  audit,
  archivedBySlugs,
  archivedMarket,
  archivedMarkets,
  archivedOfGroup,
  isSlugUsed,
  isSlugPrefixUsed,
  isArchivedCondition,
  timeline,
  oracleCandles,
  searchMarkets,
  nearMarkets,
  minedTrades,
  tape,
  prices,
  candlesAfter,
  matches,
  matchNamed,
  matchOrders,
  searchProfiles,
  socialProfiles,
  following,
  publicProfile,
  feed,
  referralBoard,
  friendsBoard,
  referralsOf,
]
