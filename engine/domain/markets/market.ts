import type { MarketId, SeriesId } from '../ids.ts'
import type { CollateralRaw, FeeBps, SizeRaw, TimeMs } from '../units.ts'

/**
 * Market statuses (rules §12.3). DRAFT is on no list. CREATED is announced and has no book yet.
 * FUNDED and FUNDED_FLAGGED trade.
 */
export const MARKET_STATUSES = [
  'DRAFT',
  'CREATED',
  'FUNDED',
  'FUNDED_FLAGGED',
  'LOCKED',
  'RESOLVED',
] as const
export type MarketStatus = (typeof MARKET_STATUSES)[number]

/** The allowed status changes. Any other change is refused. */
export const STATUS_CHANGES: Readonly<Record<MarketStatus, readonly MarketStatus[]>> = {
  DRAFT: ['FUNDED', 'RESOLVED'],
  CREATED: ['FUNDED', 'RESOLVED'],
  FUNDED: ['FUNDED_FLAGGED', 'LOCKED', 'RESOLVED'],
  FUNDED_FLAGGED: ['FUNDED', 'LOCKED', 'RESOLVED'],
  LOCKED: ['FUNDED', 'RESOLVED'],
  RESOLVED: [],
}

export function takesOrders(status: MarketStatus): boolean {
  return status === 'FUNDED' || status === 'FUNDED_FLAGGED'
}

/** How shares are traded: by an order book, in the children of a group, or against a pool. */
export const MARKET_KINDS = ['clob', 'group', 'amm'] as const
export type MarketKind = (typeof MARKET_KINDS)[number]

/** What an operator may change while the market lives. */
export interface MarketAbout {
  readonly title: string
  readonly description: string
  readonly categories: readonly string[]
  readonly tags: readonly string[]
  /** Another title for small places; absent = none. */
  readonly proxyTitle?: string
  readonly imageUrl?: string
  readonly logo?: string
  /** Collateral a day for those whose orders rest near the middle; absent = none. */
  readonly dailyRewardRaw?: CollateralRaw
  /** Part of the takers' fees that makers get back (rules §3.2); absent = none. */
  readonly rebateBps?: FeeBps
  /** An order that the taker delay holds cannot be canceled by its owner (rules §4.3). */
  readonly noDelayedCancel?: boolean
  /** Values by the slug of their property; absent = none (rules §12.5). */
  readonly properties?: Readonly<Record<string, readonly string[]>>
  /**
   * Markets with one key depend on each other, so no pack has two of them (rules §8.1); absent or
   * '' = none.
   */
  readonly correlationKey?: string
}
export type MarketChange = Partial<MarketAbout>

/** The place of a market among the slots of its series (rules §10). It ends at its deadline. */
export interface SlotOf {
  readonly seriesId: SeriesId
  readonly startMs: TimeMs
}

/**
 * All that is said of a market when it is created. Token ids are decimal uint256, addresses are
 * EIP-55. A group has no tokens: its ids are ''.
 */
export interface MarketSpec extends MarketAbout {
  readonly slug: string
  /** Absent = clob. */
  readonly kind?: MarketKind
  /** The group that a child belongs to, and its place there from 0. */
  readonly groupId?: MarketId
  readonly orderInGroup?: number
  /** Of a group: the id of its neg-risk market; of a child: that of its question (rules §6.3). */
  readonly negRiskId?: string
  /** Of a group: the fee of a conversion. */
  readonly convertFeeBps?: FeeBps
  readonly slot?: SlotOf
  /** Of a market that is traded against a pool: where the pool is. */
  readonly poolAddress?: string
  /** The fee of that pool; absent = the default (rules §7.1). */
  readonly poolFeeBps?: FeeBps
  readonly deadlineMs: TimeMs | null
  readonly feeEnabled: boolean
  readonly conditionId: string
  readonly yesTokenId: string
  readonly noTokenId: string
  readonly exchangeAddress: string
  readonly adapterAddress: string | null
  readonly minSizeRaw: SizeRaw
  readonly maxSpread: number
  /** How long an order that would take on arrival is held (rules §4.3); absent = not at all. */
  readonly takerDelayMs?: number
}

export function kindOf({ kind }: Pick<MarketSpec, 'kind'>): MarketKind {
  return kind ?? 'clob'
}

/** Its tokens; none of a group, which nobody can hold. */
export function tokensOf({ yesTokenId, noTokenId }: MarketSpec): readonly string[] {
  return yesTokenId === '' ? [] : [yesTokenId, noTokenId]
}
