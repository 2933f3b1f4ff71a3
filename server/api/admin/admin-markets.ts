// The operator's calls on existing markets and groups, and the creation of groups.

import { LIMITS } from '../../../engine/domain/limits.ts'
import type { MarketAbout, MarketSpec } from '../../../engine/domain/markets/market.ts'
import {
  EDITED_SETTINGS,
  FIXED_SETTINGS,
  fieldOf,
  type MarketSetting,
  SERIES_SETTINGS,
  type SettingKind,
} from '../../../engine/domain/markets/market-settings.ts'
import { Reject } from '../../../engine/domain/reject-precedence.ts'
import { BPS } from '../../../engine/domain/units.ts'
import { admin } from '../../auth/auth-scheme.ts'
import { checksumAddress, isAddress } from '../../crypto/address.ts'
import { route } from '../../edge/http/route.ts'
import { address, rawAmount, slug } from '../../edge/http/schema/fields.ts'
import { WRONG_CHECKSUM } from '../../edge/http/schema/issue-text.ts'
import {
  boolean,
  firstShown,
  integer,
  line,
  lines,
  means,
  nullable,
  text,
} from '../../edge/http/schema/scalars.ts'
import {
  fieldsBy,
  type Infer,
  list,
  object,
  optional,
  type Schema,
} from '../../edge/http/schema/schema.ts'
import { marketView } from '../../exchange/read-model/market-view.ts'
import type { PublishedMarket } from '../../exchange/read-model/published.ts'
import {
  CHAIN_CHILDREN_MAX,
  type GroupAddresses,
} from '../../exchange/settlement/settlement-port.ts'
import { type Issue, invalid, refuse } from '../../messages/refusal.ts'
import { MARKET_EXAMPLE } from '../examples.ts'
import { ANYBODY } from '../markets/archived-markets.ts'
import {
  adapterOf,
  childIds,
  marketIds,
  negRiskIdOf,
  poolAddressOf,
  questionIdOf,
  wrappedOf,
} from '../markets/market-changes.ts'
import { filterValues } from '../pages/page-changes.ts'
import { groupMarket, market } from '../shapes.ts'
import type { AdminServices } from './services.ts'

// Builds market specs from an operator's description, or explains why that is impossible.

const DEFAULT_MIN_SIZE_RAW = 50_000_000
const DEFAULT_MAX_SPREAD = 0.035
/** The last instant whose ISO 8601 text has a four-digit year. Replies cannot print a later one. */
const LAST_DEADLINE_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

/** Unix ms of a deadline given as ISO text or Unix ms; null when absent, NaN for any other text. */
export function deadlineOf(given: number | string | null | undefined): number | null {
  if (given === undefined || given === null) return null
  return typeof given === 'number' ? given : Date.parse(given)
}

function isDeadline(deadlineMs: number | null, nowMs: number): boolean {
  return deadlineMs === null || (deadlineMs > nowMs && deadlineMs <= LAST_DEADLINE_MS)
}

/** The canonical spelling of an address. Approvals are keyed by this text. */
export const spelled = (given: string) => checksumAddress(given.toLowerCase())

/** Why no spec can be built from this body; null if one can. */
export function specIssue(
  given: {
    slug: string
    kind?: 'clob' | 'amm' | 'group'
    exchangeAddress?: string | undefined
    adapterAddress?: string | null | undefined
    rebateBps?: number | undefined
    markets?: readonly unknown[]
  },
  deadlineMs: number | null,
  services: AdminServices,
): Issue | null {
  const { settings, clock } = services
  if (settings.reservedSlugs.has(given.slug)) {
    return { field: 'slug', message: 'is reserved by the paths of this API; choose another' }
  }
  if (!isDeadline(deadlineMs, clock())) {
    return { field: 'deadline', message: 'must be a time in the future' }
  }
  for (const field of ['exchangeAddress', 'adapterAddress'] as const) {
    const text = given[field] ?? null
    if (text !== null && !isAddress(text)) {
      return { field, message: WRONG_CHECKSUM }
    }
  }
  return chainIssue(given, services) ?? rebateIssue(given, services)
}

/** Trades of books settle on an EVM chain, by one contract (server/docs/chain.md). */
function chainIssue(
  { kind = 'clob', exchangeAddress, adapterAddress, markets = [] }: Parameters<typeof specIssue>[0],
  { settings, pipeline }: AdminServices,
): Issue | null {
  if (!settings.isOnChain) return null
  if (kind === 'amm') {
    const message = 'cannot settle on an EVM chain yet; create a market of kind clob, or a group'
    return { field: 'kind', message }
  }
  const contract = spelled(settings.exchangeAddress)
  if (exchangeAddress !== undefined && spelled(exchangeAddress) !== contract) {
    return { field: 'exchangeAddress', message: `must be ${contract}: trades settle there` }
  }
  if (markets.length > CHAIN_CHILDREN_MAX) {
    const message = `has ${markets.length} markets, and an EVM chain takes ${CHAIN_CHILDREN_MAX}`
    return { field: 'markets', message: `${message}; create more groups` }
  }
  const adapter = pipeline.mining?.port.groupAddresses?.adapter
  if (!adapterAddress || spelled(adapterAddress) === adapter) return null
  const message = adapter === undefined ? 'is unknown until the chain answers' : `is ${adapter}`
  return { field: 'adapterAddress', message: `of the chain ${message}; leave the field out` }
}

/** Null while the chain has not answered. */
function groupAddressesOf(
  adapterAddress: string | undefined,
  exchangeAddress: string,
  { settings, pipeline }: AdminServices,
): GroupAddresses | null {
  if (settings.isOnChain) return pipeline.mining?.port.groupAddresses ?? null
  const adapter = adapterAddress ? spelled(adapterAddress) : adapterOf(exchangeAddress)
  return { adapter, wrapped: wrappedOf(adapter, settings.collateral.address) }
}

/**
 * Makers and the taker's referrer together get at most the whole fee (rules §3.2). They are paid in
 * the ledger.
 */
export function rebateIssue(
  { rebateBps = 0 }: { rebateBps?: number | undefined },
  { settings: { referralBps, isOnChain } }: Pick<AdminServices, 'settings'>,
): Issue | null {
  if (isOnChain && rebateBps > 0) {
    const message = 'cannot be paid on an EVM chain yet; leave the field out'
    return { field: 'rebateBps', message }
  }
  if (rebateBps + referralBps <= BPS) return null
  const message =
    `is ${rebateBps}, and --referral-bps is ${referralBps}: together they may not exceed ${BPS}; ` +
    `choose ${BPS - referralBps} or less`
  return { field: 'rebateBps', message }
}

/** Fields that were given, without those that were not. */
function given<Fields extends object>(fields: Fields) {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries)
}

/** The fields of a body that an edit may also have. */
export function aboutOf(body: Omit<NamedBody, 'slug' | 'title'> & { title?: string | undefined }) {
  const kept = EDITED_SETTINGS.map((row) => {
    const value = body[row.name]
    // Kept as its opposite, so that a market without the field allows it.
    return [fieldOf(row), row.kind === 'allowed' && value !== undefined ? !value : value]
  })
  const about: Partial<MarketAbout> = given({ title: body.title, ...Object.fromEntries(kept) })
  return about
}

/** The fields that markets of all kinds share, without ids and deadline. */
export function commonOf(body: NamedBody, { settings }: AdminServices) {
  const { takerDelayMs } = body
  return {
    slug: body.slug,
    title: body.title,
    description: '',
    categories: [],
    tags: [],
    ...aboutOf(body),
    feeEnabled: body.fee ?? false,
    exchangeAddress: spelled(body.exchangeAddress ?? settings.exchangeAddress),
    minSizeRaw: body.minSizeRaw ?? DEFAULT_MIN_SIZE_RAW,
    maxSpread: DEFAULT_MAX_SPREAD,
    ...(takerDelayMs ? { takerDelayMs } : {}),
  }
}

type OwnMarketBody = NamedBody & {
  readonly kind: 'clob' | 'amm'
  readonly adapterAddress?: string | null | undefined
  readonly poolFeeBps?: number | undefined
}

/** A single market, with a book or with a pool. */
export function marketOf(
  body: OwnMarketBody,
  deadlineMs: number | null,
  services: AdminServices,
): MarketSpec {
  const common = commonOf(body, services)
  const ids = marketIds(body.slug, common.exchangeAddress, services.settings.collateral.address)
  return {
    ...common,
    ...ids,
    deadlineMs,
    adapterAddress: body.adapterAddress ? spelled(body.adapterAddress) : null,
    ...(body.kind === 'amm' ? poolOf(body, ids.conditionId) : {}),
  }
}

function poolOf({ poolFeeBps }: OwnMarketBody, conditionId: string) {
  const poolAddress = poolAddressOf(conditionId)
  return { kind: 'amm' as const, poolAddress, ...given({ poolFeeBps }) }
}

// The operator's description of a market, a group or a series.

const labels = () => list(line(64, 1), 0, 32)
const propertyValues = () => filterValues(LIMITS.marketPropertiesMax, LIMITS.propertyValuesMax)
export const title = () => line(LIMITS.titleCharactersMax, 1)

const stated = <S extends Schema>(schema: S, row: MarketSetting) =>
  means(optional(schema), row.means)

/** The field of a setting by its kind. */
const FIELD = {
  line: (row: MarketSetting) => stated(line(row.max, 1), row),
  lines: (row: MarketSetting) => stated(lines(row.max), row),
  link: (row: MarketSetting) => stated(line(row.max, 1), row),
  key: (row: MarketSetting) => stated(line(row.max), row),
  labels: (row: MarketSetting) => stated(labels(), row),
  values: (row: MarketSetting) => stated(propertyValues(), row),
  collateral: (row: MarketSetting) => stated(rawAmount(), row),
  shares: (row: MarketSetting) => stated(rawAmount(), row),
  bps: (row: MarketSetting) => stated(integer(0, row.max), row),
  ms: (row: MarketSetting) => stated(integer(0, row.max), row),
  yes: (row: MarketSetting) => stated(boolean(), row),
  allowed: (row: MarketSetting) => stated(boolean(), row),
  address: (row: MarketSetting) => stated(address(), row),
} as const satisfies Readonly<Record<SettingKind, (row: MarketSetting) => Schema>>

/** What may also be changed later. */
export const aboutFields = fieldsBy(EDITED_SETTINGS, FIELD)

export const seriesFields = fieldsBy(SERIES_SETTINGS, FIELD)

export const venueFields = fieldsBy(FIXED_SETTINGS, FIELD)

export const deadline = () =>
  means(
    optional(nullable(firstShown(text(40), integer(0)))),
    'When trading ends, in Unix milliseconds or ISO 8601, in the future; null or absent for never.',
  )

const namedBody = object({ slug: slug(), title: title(), ...aboutFields, ...venueFields })
type NamedBody = Infer<typeof namedBody>

type Changed = Promise<PublishedMarket | Reject>

/** Changes the market of a slug and returns it. */
async function changed(
  marketSlug: string,
  services: AdminServices,
  change: (published: PublishedMarket) => Changed,
) {
  const found = await services.archive.bySlug(marketSlug, ANYBODY)
  if (found === undefined) return refuse('READ_TIMEOUT')
  if (found === null) return refuse('MARKET_NOT_FOUND')
  return shown(await change(found), services)
}

function shown(made: PublishedMarket | Reject, { settings, clock }: AdminServices) {
  if (made instanceof Reject) return refuse(made)
  return marketView(made, settings.collateral, clock())
}

const EXAMPLE = { params: { slug: 'rain-tomorrow' }, reply: MARKET_EXAMPLE }

export const editMarket = route({
  method: 'PATCH',
  path: '/admin/markets/:slug',
  auth: admin('root'),
  rateClass: 'admin',
  about: 'Edits the description of a market. Absent fields stay.',
  params: { slug: slug() },
  body: object({
    title: means(optional(title()), 'The question of the market.'),
    ...aboutFields,
  }),
  reply: market(),
  means: 'The market is changed.',
  rejects: [
    ...(['OVERLOADED', 'VALIDATION', 'CATEGORY_LIMIT', 'MARKET_NOT_FOUND'] as const),
    ...(['MARKET_RESOLVED', 'READ_TIMEOUT'] as const),
  ],
  example: { ...EXAMPLE, body: { tags: ['daily'] } },
  handle: async ({ params, body, caller }, services: AdminServices) => {
    const issue = rebateIssue(body, services)
    if (issue !== null) return invalid(issue)
    return changed(params.slug, services, (found) => {
      return services.markets.edit(found, aboutOf(body), caller.operator.name)
    })
  },
})

export const lockMarket = route({
  method: 'POST',
  path: '/admin/markets/:slug/lock',
  auth: admin('money'),
  rateClass: 'admin',
  about: 'Stops trading in a market; its open orders are canceled.',
  params: { slug: slug() },
  reply: market(),
  means: 'The market is locked.',
  rejects: ['OVERLOADED', 'MARKET_NOT_FOUND', 'MARKET_RESOLVED', 'MARKET_STATUS', 'READ_TIMEOUT'],
  example: { ...EXAMPLE, reply: { ...MARKET_EXAMPLE, status: 'LOCKED' } },
  handle: ({ params, caller }, services: AdminServices) =>
    changed(params.slug, services, (found) => services.markets.lock(found, caller.operator.name)),
})

export const unlockMarket = route({
  method: 'POST',
  path: '/admin/markets/:slug/unlock',
  auth: admin('money'),
  rateClass: 'admin',
  about: 'Reopens a locked market before its deadline.',
  params: { slug: slug() },
  reply: market(),
  means: 'The market accepts orders again.',
  rejects: ['OVERLOADED', 'MARKET_NOT_FOUND', 'MARKET_RESOLVED', 'MARKET_STATUS', 'READ_TIMEOUT'],
  example: EXAMPLE,
  handle: ({ params, caller }, services: AdminServices) =>
    changed(params.slug, services, (found) => services.markets.unlock(found, caller.operator.name)),
})

export const flagMarket = route({
  method: 'PUT',
  path: '/admin/markets/:slug/flag',
  auth: admin('money'),
  rateClass: 'admin',
  about: 'Flags or unflags a market: a flagged market trades but shows no book.',
  params: { slug: slug() },
  body: object({ isFlagged: means(boolean(), 'Whether the market is flagged.') }),
  reply: market(),
  means: 'The flag is set.',
  rejects: ['OVERLOADED', 'MARKET_NOT_FOUND', 'MARKET_RESOLVED', 'MARKET_STATUS', 'READ_TIMEOUT'],
  example: {
    ...EXAMPLE,
    body: { isFlagged: true },
    reply: { ...MARKET_EXAMPLE, status: 'FUNDED_FLAGGED' },
  },
  handle: ({ params, body, caller }, services: AdminServices) =>
    changed(params.slug, services, (found) => {
      return services.markets.flag(found, body.isFlagged, caller.operator.name)
    }),
})

export const createGroup = route({
  method: 'POST',
  path: '/admin/groups',
  auth: admin('root'),
  rateClass: 'admin',
  about: 'Creates a group and its markets, exactly one of which wins.',
  body: object({
    slug: slug(),
    title: means(title(), 'The question of the group.'),
    ...aboutFields,
    ...venueFields,
    deadline: deadline(),
    adapterAddress: means(
      optional(address()),
      'Adapter contract of the group; when absent, derived from its exchange, or that of an EVM ' +
        'chain.',
    ),
    convertFeeBps: means(
      optional(integer(0, 10_000)),
      'Fee of a conversion in basis points; 0 by default.',
    ),
    markets: means(
      list(
        object({
          slug: slug(),
          title: means(title(), 'The question of this market.'),
          ...aboutFields,
        }),
        2,
        LIMITS.groupChildrenMax,
      ),
      'The markets of the group, in order.',
    ),
  }),
  status: 201,
  reply: groupMarket(),
  means: 'The group is created, and its markets accept orders.',
  links: {
    read: {
      to: 'GET /markets/:addressOrSlug',
      about: 'Reads the group.',
      params: { addressOrSlug: '/slug' },
    },
    resolve: {
      to: 'POST /admin/groups/:slug/resolve',
      about: 'Resolves the group.',
      params: { slug: '/slug' },
    },
  },
  rejects: [
    'OVERLOADED',
    'VALIDATION',
    'SLUG_TAKEN',
    'MARKET_LIMIT',
    'VENUE_LIMIT',
    'CATEGORY_LIMIT',
    'MARKET_NOT_FOUND',
    'READ_TIMEOUT',
    'CHAIN_SILENT',
  ],
  example: {
    body: {
      slug: 'cup-winner',
      title: 'Who wins the cup?',
      markets: [
        { slug: 'reds-win', title: 'Do the Reds win?', proxyTitle: 'Reds' },
        { slug: 'blues-win', title: 'Do the Blues win?', proxyTitle: 'Blues' },
      ],
    },
    reply: { ...MARKET_EXAMPLE, slug: 'cup-winner', tradeType: 'group', marketType: 'group' },
  },
  handle: async ({ body, caller }, services: AdminServices) => {
    const { markets: children, adapterAddress, convertFeeBps = 0, ...own } = body
    const deadlineMs = deadlineOf(body.deadline)
    for (const each of [{ ...body, kind: 'group' as const }, ...children]) {
      const issue = specIssue(each, deadlineMs, services)
      if (issue !== null) return invalid(issue)
    }
    const common = commonOf(own, services)
    const addresses = groupAddressesOf(adapterAddress, common.exchangeAddress, services)
    if (addresses === null) return refuse('CHAIN_SILENT')
    const { adapter } = addresses
    const negRiskId = negRiskIdOf(adapter, convertFeeBps, body.slug)
    const shared = { deadlineMs, adapterAddress: adapter }
    const noIds = { conditionId: '', yesTokenId: '', noTokenId: '' }
    const group = {
      ...common,
      ...shared,
      ...noIds,
      negRiskId,
      kind: 'group' as const,
      ...(convertFeeBps > 0 ? { convertFeeBps } : {}),
    }
    const { fee, takerDelayMs, exchangeAddress, minSizeRaw, categories, tags } = body
    const inherited = { categories, tags, delayedCancel: body.delayedCancel }
    const venue = { fee, takerDelayMs, exchangeAddress, minSizeRaw }
    const specs = children.map((child, orderInGroup) => {
      const questionId = questionIdOf(negRiskId, orderInGroup)
      const ids = childIds(addresses, questionId)
      const ofChild = commonOf({ ...inherited, ...child, ...venue }, services)
      return { ...ofChild, ...shared, ...ids, orderInGroup, negRiskId: questionId }
    })
    return shown(await services.markets.createGroup(group, specs, caller.operator.name), services)
  },
})

export const resolveGroup = route({
  method: 'POST',
  path: '/admin/groups/:slug/resolve',
  auth: admin('root'),
  rateClass: 'admin',
  about: 'Resolves a group: one market wins, the others lose. Open orders are canceled.',
  params: { slug: slug() },
  body: object({ winner: means(slug(), 'Slug of the market that wins.') }),
  reply: groupMarket(),
  means: 'The group and all its markets are resolved.',
  rejects: [
    'OVERLOADED',
    'MARKET_NOT_FOUND',
    'MARKET_NOT_GROUP',
    'MARKET_RESOLVED',
    'WINNER_NOT_IN_GROUP',
    'READ_TIMEOUT',
  ],
  example: {
    params: { slug: 'cup-winner' },
    body: { winner: 'reds-win' },
    reply: { ...MARKET_EXAMPLE, slug: 'cup-winner', status: 'RESOLVED' },
  },
  handle: ({ params, body, caller }, services: AdminServices) =>
    changed(params.slug, services, (found) => {
      return services.markets.resolveGroup(found, body.winner, caller.operator.name)
    }),
})
