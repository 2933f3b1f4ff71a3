// Connects the parts of a running exchange to the services that routes and guard use.

import type { Clearing } from '../../engine/core/clearing.ts'
import type { ProfileId } from '../../engine/domain/ids.ts'
import { LIMITS } from '../../engine/domain/limits.ts'
import { POOL_LIMITS } from '../../engine/domain/moves/move-limits.ts'
import { ROOT_OPERATOR } from '../../engine/domain/operator.ts'
import { PACK_LIMITS } from '../../engine/domain/packs/pack-limits.ts'
import { MS_PER_SEC } from '../../engine/domain/units.ts'
import { WORK_LIMITS } from '../../engine/domain/work-limits.ts'
import { tokenSecretOf } from '../../persistence/seal.ts'
import { AccountChanges, PartnerAccounts } from '../api/accounts/accounts.ts'
import { OperatorChanges } from '../api/accounts/services.ts'
import { PoolTrades } from '../api/amm/services.ts'
import { Boards, PageSelection } from '../api/boards/services.ts'
import { Feeds } from '../api/feeds/feeds.ts'
import { ArchivedMarkets } from '../api/markets/archived-markets.ts'
import { MarketChanges, SeriesChanges, slotSpecOf } from '../api/markets/market-changes.ts'
import { MarketHistory, Timelines } from '../api/markets/services.ts'
import { shownTools } from '../api/mcp/mcp.ts'
import { McpHandle } from '../api/mcp/services.ts'
import { Amends } from '../api/orders/amends.ts'
import { CancelEverywhere, Cancels, endedOrders } from '../api/orders/cancels.ts'
import { QueuePlaces } from '../api/orders/queue-places.ts'
import {
  CancelReplace,
  FirstOrders,
  HeartbeatChanges,
  OrderStatuses,
} from '../api/orders/services.ts'
import { PackDesk, PackQuotes, type PackTerms } from '../api/packs/packs.ts'
import { Curation, OpenOffers } from '../api/packs/services.ts'
import { PageChanges } from '../api/pages/page-changes.ts'
import { MarketPages } from '../api/pages/services.ts'
import { Portfolio } from '../api/portfolio/portfolio.ts'
import { RewardViews } from '../api/portfolio/rewards.ts'
import { firstMoveIn, Moves, MovesOnce } from '../api/portfolio/services.ts'
import { PrivateReads } from '../api/reads/private-reads.ts'
import { SlicedWork } from '../api/reads/sliced-work.ts'
import { Referrals } from '../api/referrals/referrals.ts'
import { api, reservedSlugs } from '../api/routes.ts'
import type { Services } from '../api/services.ts'
import {
  BookmarkViews,
  demoProvider,
  SocialChanges,
  SocialConnections,
  type SocialProvider,
} from '../api/social/services.ts'
import { SportMatches } from '../api/sports/services.ts'
import { openSockets } from '../api/streams/open.ts'
import { TradingModeChanges } from '../api/system/services.ts'
import type { AuthState, Guard, GuardOptions, ProvenBy, TokenState } from '../auth/guard.ts'
import { Registrations } from '../auth/registrations.ts'
import type { CookieNaming } from '../auth/session-names.ts'
import type { ServeConfig } from '../config.ts'
import { keccakReady } from '../crypto/keccak.ts'
import { demoTradersIn } from '../demo/demo-store.ts'
import { openPages } from '../docs/pages.ts'
import { Cors } from '../edge/http/access/cors.ts'
import { Buckets } from '../edge/http/access/rate-limit.ts'
import { MIN_SEQ } from '../edge/http/forwarding/cluster-cell.ts'
import type { Gateway } from '../edge/http/gateway/gateway.ts'
import type { GatewayOptions } from '../edge/http/gateway/gateway-options.ts'
import {
  type AllSocketBounds,
  SOCKET_BOUNDS,
  SOCKET_WAITS,
  type SocketGateway,
  type SocketWaits,
} from '../edge/sockets/socket-gateway.ts'
import type { Pipeline } from '../exchange/pipeline.ts'
import { Facets } from '../exchange/read-model/lists/facets.ts'
import { MarketLists } from '../exchange/read-model/lists/market-lists.ts'
import type { CollateralToken } from '../exchange/read-model/market-view.ts'
import { Tickers } from '../exchange/read-model/tickers.ts'
import { Refusal } from '../messages/refusal.ts'
import type { EdgeFaults } from '../ops/faults.ts'
import type { Readiness } from '../ops/readiness.ts'
import { VERSION } from '../version.ts'
import { openWebFiles } from '../web/web-files.ts'
import { apiDocuments } from './api-documents.ts'
import type { RunningExchange } from './open.ts'

/** All operators; the list is rebuilt when an operator changes. */
function operatorsOf({ accounts, operators }: Clearing): () => readonly ProvenBy[] {
  let from = { tokenDigest: '', named: operators.all }
  let all: readonly ProvenBy[] = []
  return () => {
    const { adminTokenDigest: tokenDigest } = accounts
    const named = operators.all
    if (from.tokenDigest === tokenDigest && from.named === named && all.length > 0) return all
    from = { tokenDigest, named }
    const root = { name: ROOT_OPERATOR, role: 'root' as const, tokenDigest }
    all = [root, ...named].map(({ name, role, tokenDigest: digest }, index) => {
      return { name, role, rateKey: -index, digest: Buffer.from(digest, 'latin1') }
    })
    return all
  }
}

/** The state that the guard reads. Decrypted secrets are cached for signed calls. */
function authState({ pipeline, seal }: RunningExchange): AuthState {
  const { accounts } = pipeline.clearing
  const opened = new Map<string, TokenState>()
  return {
    tokenById(tokenId) {
      const token = accounts.tokenById(tokenId)
      if (token === undefined) {
        opened.delete(tokenId)
        return undefined
      }
      const known = opened.get(tokenId)
      if (known !== undefined) return known
      const { profileId, scopes } = token
      const account = accounts.accountOf(profileId) ?? ''
      const secret = seal.open(token.sealedSecret, tokenSecretOf(tokenId, profileId))
      const state = { profileId, account, scopes, secret }
      // A secret whose revoked token is never used again is dropped here, with all others.
      if (opened.size >= LIMITS.openedTokensMax) opened.clear()
      opened.set(tokenId, state)
      return state
    },
    sessionByDigest: (digest) => accounts.sessionByDigest(digest),
    accountOf: (profileId) => accounts.accountOf(profileId),
    profileByAddress: (address) => accounts.byAddress(address),
    operators: operatorsOf(pipeline.clearing),
  }
}

/** The public host and port, as far as configured. */
function publicHostOf({ publicUrl, host, port }: ServeConfig): string {
  if (publicUrl !== undefined) return new URL(publicUrl).host
  const name = host.includes(':') ? `[${host}]` : host
  return port === 0 ? name : `${name}:${port}`
}

/** The lists of markets and what selects from them: pages, boards, bookmarks, matches. */
function marketReads(
  { pipeline, boards: rounds }: RunningExchange,
  collateral: CollateralToken,
  { reads, archive, clock }: Pick<Services, 'reads' | 'archive' | 'clock'>,
) {
  const { published, clearing } = pipeline
  const changes = new PageChanges(pipeline)
  const wordsVersion = () => changes.keysVersion
  const facets = new Facets(published.active, {
    categoryIdOf: (name) => clearing.catalogue.categories.idOf(name),
    version: wordsVersion,
    above: (key, value) => changes.above(key, value),
  })
  const lists = new MarketLists(published, collateral, clock, facets)
  const matches = new SportMatches(pipeline, reads)
  const bookmarks = new BookmarkViews({ pipeline, lists, archive, collateral, clock })
  const selection = new PageSelection({ reads, archive, facets, published, wordsVersion })
  const boards = new Boards({ rounds, selection, archive, reads, clock })
  return { lists, marketPages: new MarketPages(changes, lists), matches, bookmarks, boards }
}

/** Services that move money outside books, and those that report the holdings of profiles. */
function moneyMoves(
  { pipeline, seal }: RunningExchange,
  reads: PrivateReads,
  archive: ArchivedMarkets,
  { terms, slices }: { terms: PackTerms; slices: SlicedWork },
) {
  const once = new MovesOnce(pipeline, firstMoveIn(reads))
  const packs = new PackDesk(pipeline, new PackQuotes(seal.derive('quotes')), terms)
  return {
    moves: new Moves(pipeline, once),
    pools: new PoolTrades(pipeline, once),
    packs,
    curation: new Curation(pipeline, packs, terms.closeMs),
    openOffers: new OpenOffers(pipeline, reads),
    portfolio: new Portfolio(pipeline, reads, archive, slices),
    rewards: new RewardViews(pipeline, reads),
  }
}

function packTermsOf({ packRestSec, packCloseSec }: ServeConfig): PackTerms {
  return { restMs: packRestSec * MS_PER_SEC, closeMs: packCloseSec * MS_PER_SEC }
}

/** The folder of the built program, where its data is. */
const BESIDE = new URL('./', import.meta.url)

const { callsMax, callsSec } = POOL_LIMITS
/** A burst of `callsMax`, refilled over `callsSec`. */
const POOL_CALLS = { perSecond: callsMax / callsSec, burst: callsMax }
const { offersPerSecMax, offersBurstMax } = PACK_LIMITS
const OFFER_CALLS = { perSecond: offersPerSecMax, burst: offersBurstMax }
const ADDRESS_OFFERS = {
  perSecond: PACK_LIMITS.addressOffersPerSecMax,
  burst: PACK_LIMITS.addressOffersBurstMax,
}
const SITE_OFFERS = { perSecond: ADDRESS_OFFERS.perSecond * 2, burst: ADDRESS_OFFERS.burst * 2 }
/** For an address, and for the first 56 and 48 bits of an IPv6 address. */
const NETWORK_OFFERS = [ADDRESS_OFFERS, ADDRESS_OFFERS, SITE_OFFERS]

/** The rates of single routes; null for no limit. */
function ownRates(isLimited: boolean) {
  return {
    poolCalls: isLimited ? new Buckets<ProfileId>(POOL_CALLS) : null,
    offerCalls: isLimited ? new Buckets<ProfileId>(OFFER_CALLS) : null,
    offerNetworks: isLimited ? NETWORK_OFFERS.map((rate) => new Buckets<string>(rate)) : null,
  }
}

function documentsOf(config: ServeConfig, host: string) {
  const { headerPrefixes, publicUrl } = config
  const [headerPrefix] = headerPrefixes
  return apiDocuments({ headerPrefix, naming: namingOf(config), publicUrl, host })
}

function providerOf({ socialProvider }: ServeConfig): SocialProvider | null {
  return socialProvider === 'demo' ? demoProvider : null
}

function isSecureOf({ tls, publicUrl }: ServeConfig): boolean {
  return tls !== undefined || publicUrl?.startsWith('https:') === true
}

function namingOf(config: ServeConfig): CookieNaming {
  return { isSecure: isSecureOf(config), names: config.sessionCookies }
}

function settingsOf(config: ServeConfig, collateral: CollateralToken): Services['settings'] {
  return {
    headerPrefixes: config.headerPrefixes,
    collateral,
    exchangeAddress: config.exchangeAddress,
    isOnChain: config.chain !== undefined,
    confirmations: config.chain?.confirmations,
    explorerUrl: config.chain?.explorerUrl,
    reservedSlugs: reservedSlugs(api),
    isSecure: isSecureOf(config),
    cookies: namingOf(config),
    chainId: config.domain.chainId,
    domainName: config.domain.name,
    rates: config.rateLimit ? config.rates : null,
    blockMs: config.blockMs ?? null,
    orderMemoryDays: config.orderMemoryDays,
    referralBps: config.referralBps,
    accuracy: config.accuracy,
    version: VERSION,
  }
}

/** Services that keep long work from blocking main. */
function longWork(): Pick<Services, 'mcp' | 'slices'> {
  const { sliceMs, slicedJobsMax: jobsMax } = WORK_LIMITS
  return {
    mcp: new McpHandle(() => ({ version: VERSION, tools: shownTools().tools })),
    slices: new SlicedWork({ sliceMs, jobsMax }),
  }
}

/** From now on, the refusal of a previously accepted order names that order. */
function nameFirstOrders(pipeline: Pipeline, reads: PrivateReads, archive: ArchivedMarkets): void {
  const firsts = new FirstOrders(pipeline, reads, archive)
  pipeline.orders.nameFirst((order, replays) => firsts.find(order, replays))
}

export async function wire(
  exchange: RunningExchange,
  config: ServeConfig,
  parts: {
    faults: EdgeFaults
    metricsText: () => Promise<string>
    clock: () => number
    readiness: () => Readiness
    cluster: Services['cluster']
  },
): Promise<Services> {
  await keccakReady
  const { pipeline, seal, intake, shards, follower, query } = exchange
  const reads = new PrivateReads(pipeline, { follower, query, faults: parts.faults })
  const cancels = new Cancels(pipeline, endedOrders(reads, { durable: () => pipeline.durable() }))
  const archive = new ArchivedMarkets(pipeline, reads)
  const accounts = new AccountChanges(pipeline, seal, intake)
  nameFirstOrders(pipeline, reads, archive)
  const work = longWork()
  const host = publicHostOf(config)
  const collateral = { address: config.collateralAddress, decimals: 6, symbol: 'USDC' }
  return {
    pipeline,
    reads,
    ...marketReads(exchange, collateral, { reads, archive, clock: parts.clock }),
    tickers: new Tickers(pipeline.published, parts.clock),
    history: new MarketHistory(archive, reads, parts.clock),
    statuses: new OrderStatuses(pipeline, reads, archive, work.slices),
    cancels,
    everywhere: new CancelEverywhere(pipeline, cancels),
    replaces: new CancelReplace(pipeline, cancels),
    amends: new Amends(pipeline, cancels),
    places: new QueuePlaces(pipeline, cancels),
    accounts,
    connections: new SocialConnections(accounts, reads, providerOf(config)),
    registrations: new Registrations(config.registration),
    partners: new PartnerAccounts(exchange, config.exchangeAddress),
    ...work,
    ...moneyMoves(exchange, reads, archive, { terms: packTermsOf(config), slices: work.slices }),
    social: new SocialChanges(pipeline),
    ...ownRates(config.rateLimit),
    solvency: exchange.solvency,
    feeds: new Feeds(archive, reads),
    referrals: new Referrals(reads),
    archive,
    markets: new MarketChanges(pipeline, shards, (slug) => archive.isUsed(slug)),
    series: new SeriesChanges(pipeline, slotSpecOf(config.collateralAddress), archive),
    timelines: new Timelines(reads, () => pipeline.sequencer.nowMs()),
    modes: new TradingModeChanges(pipeline),
    operators: new OperatorChanges(pipeline),
    heartbeats: new HeartbeatChanges(pipeline),
    auth: authState(exchange),
    settings: settingsOf(config, collateral),
    signing: { key: seal.derive('login'), host, chainId: config.domain.chainId },
    clock: parts.clock,
    remembered: exchange.lookups,
    readiness: parts.readiness,
    cluster: parts.cluster,
    metricsText: parts.metricsText,
    ...documentsOf(config, host),
    pages: openPages(),
    demoTraders: config.demo ? demoTradersIn(config.dataDir) : () => null,
    web: openWebFiles(BESIDE, async () => (await import('../build/web.ts')).makeWeb('soon')),
  }
}

/**
 * Refusals of ended credentials. They are sent when the ending command is durable (invariant 1).
 */
const ENDED: ReadonlySet<string> = new Set([
  'SESSION_INVALID',
  'API_KEY_INVALID',
  'ADMIN_TOKEN_INVALID',
])

/** Creates the function by which the gateway authenticates callers. */
export function prover(
  guard: Guard,
  { clock, pipeline }: Services,
): GatewayOptions<Services>['authenticate'] {
  return (call, auth) => {
    const isOpen = auth.accepts.length === 0
    const proof = isOpen
      ? guard.welcome(call, auth, clock())
      : guard.authenticate(call, auth, clock())
    if (proof === null || proof instanceof Promise) return proof
    if (proof instanceof Refusal) {
      return ENDED.has(proof.name) ? pipeline.durable().then(() => proof) : proof
    }
    // Only API tokens have a `tokenId` here; identity tokens returned a promise above.
    if (proof.tokenId !== null) {
      pipeline.tokenUses.note(pipeline.clearing.accounts.tokenById(proof.tokenId))
    }
    return proof
  }
}

/** Credential and condition headers of pages; routes declare their other headers. */
const PAGE_HEADERS = ['content-type', 'authorization', 'identity', 'if-none-match', MIN_SEQ]

/** The pages of other hosts that may call; undefined for none. */
export function corsOf({ corsOrigins, headerPrefixes }: ServeConfig): Cors | undefined {
  if (corsOrigins === undefined) return undefined
  const signed = headerPrefixes.flatMap((prefix) => [
    `${prefix}api-key`,
    `${prefix}timestamp`,
    `${prefix}signature`,
  ])
  const ofRoutes = api.flatMap(({ headers }) => Object.keys(headers))
  return new Cors(corsOrigins, [...PAGE_HEADERS, ...signed, ...ofRoutes])
}

/** The settings of the guard. Pages of any origin (`*`) may not use a cookie. */
export function guardOptions(config: ServeConfig, state: AuthState): GuardOptions {
  const { headerPrefixes, publicUrl, sessionCookies, corsOrigins = [] } = config
  const trustedOrigins = corsOrigins === '*' ? [] : corsOrigins
  const isSecure = isSecureOf(config)
  return { state, headerPrefixes, publicUrl, isSecure, sessionCookies, trustedOrigins }
}

export interface SocketRequest {
  readonly onFault: (error: unknown, edge: 'socket' | 'frame') => string
  readonly waits?: SocketWaits | undefined
  readonly bounds?: AllSocketBounds | undefined
}

/** Opens the gateway's port for sockets; call it before the gateway listens. */
export function wireSockets(
  { auth, clock, pipeline, reads, archive }: Services,
  gateway: Gateway<Services>,
  guard: Guard,
  { onFault, waits = SOCKET_WAITS, bounds = SOCKET_BOUNDS }: SocketRequest,
): SocketGateway {
  const port = gateway.sockets(bounds)
  return openSockets({ port, guard, auth, clock, pipeline, reads, archive, onFault, waits, bounds })
}
