import type { MarketId, SeriesId } from '../ids.ts'
import type { CollateralRaw, FeeBps, SizeRaw, TimeMs } from '../units.ts'

/**
 * Market statuses (rules §12.3). DRAFT markets are in no list. CREATED markets are announced and
 * have no book. FUNDED and FUNDED_FLAGGED markets trade.
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

/** The allowed status changes. Other changes are refused. */
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

/** How shares are traded: in an order book, in the children of a group, or against a pool. */
export const MARKET_KINDS = ['clob', 'group', 'amm'] as const
export type MarketKind = (typeof MARKET_KINDS)[number]

/** What an operator may edit while the market lives. */
export interface MarketAbout {
  readonly title: string
  readonly description: string
  readonly categories: readonly string[]
  readonly tags: readonly string[]
  /** A shorter title for small layouts; absent = none. */
  readonly proxyTitle?: string
  readonly imageUrl?: string
  readonly logo?: string
  /** Collateral paid per day for orders resting near the middle; absent = none. */
  readonly dailyRewardRaw?: CollateralRaw
  /** Share of the takers' fees that makers receive (rules §3.2); absent = none. */
  readonly rebateBps?: FeeBps
  /** Owners cannot cancel orders held by the taker delay (rules §4.3). */
  readonly noDelayedCancel?: boolean
  /** Values by property slug; absent = none (rules §12.5). */
  readonly properties?: Readonly<Record<string, readonly string[]>>
  /**
   * Markets with the same key depend on each other, so no pack contains two of them (rules §8.1);
   * absent or '' = none.
   */
  readonly correlationKey?: string
}
export type MarketChange = Partial<MarketAbout>

/** A slot's position in its series (rules §10). The slot ends at its deadline. */
export interface SlotOf {
  readonly seriesId: SeriesId
  readonly startMs: TimeMs
}

/**
 * The definition of a market at its creation. Token ids are decimal uint256, addresses are EIP-55.
 * A group has no tokens, so its token ids are ''.
 */
export interface MarketSpec extends MarketAbout {
  readonly slug: string
  /** Absent = clob. */
  readonly kind?: MarketKind
  /** The group of a child, and the child's index in it. */
  readonly groupId?: MarketId
  readonly orderInGroup?: number
  /** For a group: its neg-risk market id. For a child: its question id (rules §6.3). */
  readonly negRiskId?: string
  /** For a group: the conversion fee. */
  readonly convertFeeBps?: FeeBps
  readonly slot?: SlotOf
  /** For a pool market: the address of the pool. */
  readonly poolAddress?: string
  /** The pool's fee; absent = the default (rules §7.1). */
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
  /** How long an order that would match on arrival is held (rules §4.3); absent = no hold. */
  readonly takerDelayMs?: number
}

export function kindOf({ kind }: Pick<MarketSpec, 'kind'>): MarketKind {
  return kind ?? 'clob'
}

/** The market's tokens. A group has none: it cannot be held. */
export function tokensOf({ yesTokenId, noTokenId }: MarketSpec): readonly string[] {
  return yesTokenId === '' ? [] : [yesTokenId, noTokenId]
}
