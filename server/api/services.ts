import type { ProfileId } from '../../engine/domain/ids.ts'
import type { AuthState } from '../auth/guard.ts'
import type { Registrations } from '../auth/registrations.ts'
import type { Signing } from '../auth/session.ts'
import type { CookieNaming } from '../auth/session-names.ts'
import type { DemoTrader } from '../demo/demo-client.ts'
import type { Pages } from '../docs/pages.ts'
import type { Buckets, Rates } from '../edge/http/access/rate-limit.ts'
import type { Pipeline } from '../exchange/pipeline.ts'
import type { MarketLists } from '../exchange/read-model/lists/market-lists.ts'
import type { CollateralToken } from '../exchange/read-model/market-view.ts'
import type { Tickers } from '../exchange/read-model/tickers.ts'
import type { Readiness } from '../ops/readiness.ts'
import type { WebFiles } from '../web/web-files.ts'
import type { AccountChanges } from './accounts/accounts.ts'
import type { OperatorChanges } from './accounts/operators.ts'
import type { PartnerAccounts } from './accounts/partner-accounts.ts'
import type { PoolTrades } from './amm/pool-trades.ts'
import type { Boards } from './boards/boards.ts'
import type { Feeds } from './feeds/feeds-service.ts'
import type { ArchivedMarkets } from './markets/archived-markets.ts'
import type { MarketChanges } from './markets/market-changes.ts'
import type { MarketHistory } from './markets/market-history-service.ts'
import type { SeriesChanges } from './markets/series-changes.ts'
import type { Timelines } from './markets/timelines-service.ts'
import type { McpHandle } from './mcp/mcp-handle.ts'
import type { CancelEverywhere } from './orders/cancel-everywhere.ts'
import type { CancelReplace } from './orders/cancel-replace-service.ts'
import type { Cancels } from './orders/cancels.ts'
import type { HeartbeatChanges } from './orders/heartbeat-changes.ts'
import type { OrderStatuses } from './orders/order-status-service.ts'
import type { Curation } from './packs/curation.ts'
import type { OpenOffers } from './packs/open-offers.ts'
import type { PackDesk } from './packs/packs.ts'
import type { MarketPages } from './pages/market-pages.ts'
import type { Moves } from './portfolio/moves-service.ts'
import type { Portfolio } from './portfolio/portfolio.ts'
import type { RewardViews } from './portfolio/rewards.ts'
import type { PrivateReads } from './reads/private-reads.ts'
import type { SlicedWork } from './reads/sliced-work.ts'
import type { Referrals } from './referrals/referrals-service.ts'
import type { BookmarkViews } from './social/bookmark-views.ts'
import type { SocialChanges } from './social/social-changes.ts'
import type { SocialConnections } from './social/social-connections.ts'
import type { SolvencyCounts } from './solvency/solvency-counts.ts'
import type { SportMatches } from './sports/matches.ts'
import type { TradingModeChanges } from './system/trading-modes.ts'

/** What handlers work with; main wires it once. */
export interface Services {
  readonly pipeline: Pipeline
  readonly cancels: Cancels
  readonly everywhere: CancelEverywhere
  readonly replaces: CancelReplace
  readonly reads: PrivateReads
  /** Long replies, and calls whose cost nobody shares: a few milliseconds in each turn of main. */
  readonly slices: SlicedWork
  readonly mcp: McpHandle
  readonly lists: MarketLists
  readonly tickers: Tickers
  readonly history: MarketHistory
  readonly statuses: OrderStatuses
  readonly accounts: AccountChanges
  readonly registrations: Registrations
  readonly partners: PartnerAccounts
  readonly social: SocialChanges
  readonly bookmarks: BookmarkViews
  readonly connections: SocialConnections
  readonly moves: Moves
  readonly pools: PoolTrades
  /** Calls of each profile on pools; null for no limit. */
  readonly poolCalls: Buckets<ProfileId> | null
  readonly packs: PackDesk
  readonly curation: Curation
  /** Offers that each profile makes: all listeners hear of each. Null for no limit. */
  readonly offerCalls: Buckets<ProfileId> | null
  /** Those of each address, and of each wider network of IPv6. Null for no limit. */
  readonly offerNetworks: readonly Buckets<string>[] | null
  readonly openOffers: OpenOffers
  readonly portfolio: Portfolio
  readonly rewards: RewardViews
  readonly solvency: SolvencyCounts
  readonly boards: Boards
  readonly feeds: Feeds
  readonly referrals: Referrals
  readonly markets: MarketChanges
  readonly series: SeriesChanges
  readonly timelines: Timelines
  readonly archive: ArchivedMarkets
  readonly marketPages: MarketPages
  readonly matches: SportMatches
  readonly modes: TradingModeChanges
  readonly operators: OperatorChanges
  readonly heartbeats: HeartbeatChanges
  readonly auth: AuthState
  readonly settings: {
    readonly headerPrefixes: readonly string[]
    readonly collateral: CollateralToken
    /** The venue of the markets that name none. */
    readonly exchangeAddress: string
    /** Words of paths, which no market may have as its slug. */
    readonly reservedSlugs: ReadonlySet<string>
    /** Whether browsers reach the exchange by TLS. */
    readonly isSecure: boolean
    readonly cookies: CookieNaming
    readonly chainId: number
    /** The name in the EIP-712 domain of orders. */
    readonly domainName: string
    /** Rates of the limits by address and by profile; null for none. */
    readonly rates: { readonly address: Rates; readonly profile: Rates } | null
    /** Least time from one block of trades to the next; null when trades are never mined. */
    readonly blockMs: number | null
    /** The part of fees for those who referred the takers, in basis points. */
    readonly referralBps: number
    /** Whether anybody may ask how often an account was right. */
    readonly accuracy: boolean
    readonly version: string
  }
  /** Makes the messages that wallets sign, and knows them again. */
  readonly signing: Signing
  /** Wall clock in Unix ms, which tests move. The time of a command is its own `nowMs`. */
  readonly clock: () => number
  readonly readiness: () => Readiness
  readonly metricsText: () => Promise<string>
  /** The OpenAPI document, encoded once. */
  readonly openApi: () => Uint8Array
  /** The AsyncAPI document of the sockets, for a caller that named this host. */
  readonly asyncApi: (host: string) => Uint8Array
  /** The same as a page. */
  readonly asyncApiPage: () => Uint8Array
  readonly pages: () => Pages
  /** The traders of the demo; null when the exchange is none. */
  readonly demoTraders: () => readonly DemoTrader[] | null
  /** The console's pages and files. */
  readonly web: () => WebFiles | Promise<WebFiles>
}
