// Builds market specs from an operator's description, or explains why that is impossible.

import { LIMITS } from '../../../../engine/domain/limits.ts'
import type { MarketAbout, MarketSpec } from '../../../../engine/domain/markets/market.ts'
import {
  EDITED_SETTINGS,
  FIXED_SETTINGS,
  fieldOf,
  type MarketSetting,
  SERIES_SETTINGS,
  type SettingKind,
} from '../../../../engine/domain/markets/market-settings.ts'
import { BPS } from '../../../../engine/domain/units.ts'
import { checksumAddress, isAddress } from '../../../crypto/address.ts'
import { address, rawAmount, slug } from '../../../edge/http/schema/fields.ts'
import { WRONG_CHECKSUM } from '../../../edge/http/schema/issue-text.ts'
import {
  boolean,
  firstShown,
  integer,
  line,
  lines,
  means,
  nullable,
  text,
} from '../../../edge/http/schema/scalars.ts'
import {
  fieldsBy,
  type Infer,
  list,
  object,
  optional,
  type Schema,
} from '../../../edge/http/schema/schema.ts'
import type { Issue } from '../../../messages/refusal.ts'
import { marketIds, poolAddressOf } from '../../markets/market-ids.ts'
import { filterValues } from '../../pages/page-views.ts'
import type { AdminServices } from '../services.ts'

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
    exchangeAddress?: string | undefined
    adapterAddress?: string | null | undefined
    rebateBps?: number | undefined
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
  return rebateIssue(given, services)
}

/** Makers and the taker's referrer together get at most the whole fee (rules §3.2). */
export function rebateIssue(
  { rebateBps = 0 }: { rebateBps?: number | undefined },
  { settings: { referralBps } }: Pick<AdminServices, 'settings'>,
): Issue | null {
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
