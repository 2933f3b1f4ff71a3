import type { SizeRaw, TimeMs } from './units.ts'

/** Market statuses (rules §12.3). CREATED, FUNDED and FUNDED_FLAGGED trade. */
export const MARKET_STATUSES = [
  'CREATED',
  'FUNDED',
  'FUNDED_FLAGGED',
  'LOCKED',
  'RESOLVED',
] as const
export type MarketStatus = (typeof MARKET_STATUSES)[number]

/** The allowed status changes. Any other change is refused. */
export const STATUS_CHANGES: Readonly<Record<MarketStatus, readonly MarketStatus[]>> = {
  CREATED: ['FUNDED', 'FUNDED_FLAGGED', 'LOCKED', 'RESOLVED'],
  FUNDED: ['FUNDED_FLAGGED', 'LOCKED', 'RESOLVED'],
  FUNDED_FLAGGED: ['FUNDED', 'LOCKED', 'RESOLVED'],
  LOCKED: ['FUNDED', 'RESOLVED'],
  RESOLVED: [],
}

export function takesOrders(status: MarketStatus): boolean {
  return status === 'CREATED' || status === 'FUNDED' || status === 'FUNDED_FLAGGED'
}

/**
 * All that is fixed when a CLOB market is created. Token ids are decimal uint256; addresses are
 * EIP-55.
 */
export interface MarketSpec {
  readonly slug: string
  readonly title: string
  readonly description: string
  readonly deadlineMs: TimeMs | null
  readonly feeEnabled: boolean
  readonly categories: readonly string[]
  readonly tags: readonly string[]
  readonly conditionId: string
  readonly yesTokenId: string
  readonly noTokenId: string
  readonly exchangeAddress: string
  readonly adapterAddress: string | null
  readonly minSizeRaw: SizeRaw
  readonly maxSpread: number
  /** How long an order that would take on arrival is held (rules §4.3); absent = not at all. */
  readonly takerDelayMs?: number
  /** Values by the slug of their property; absent = none (rules §12.5). */
  readonly properties?: Readonly<Record<string, readonly string[]>>
}
