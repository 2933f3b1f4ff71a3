// The totals of all positions of a profile, in the form that the public client reads (rules §9.1).

import type { MarketId, ProfileId } from '../../../engine/domain/ids.ts'
import { MOVE_LIMITS } from '../../../engine/domain/moves/move-limits.ts'
import { realised } from '../../../persistence/query/read/portfolio/realised.ts'
import { slug } from '../../edge/http/schema/fields.ts'
import { defaulted, integer, means, number, pattern } from '../../edge/http/schema/scalars.ts'
import { type Infer, object, optional } from '../../edge/http/schema/schema.ts'
import type { Requester } from '../reads/private-reads.ts'
import { type HeldSum, NEWEST_ID } from './portfolio.ts'
import { allRewardsView, type ShownRewards } from './rewards.ts'
import type { PortfolioServices } from './services.ts'

export const SUMMARY_EXAMPLE = {
  totalValue: 33_060_000,
  totalCostBasis: 26_443_299,
  totalUnrealizedPnl: 6_616_701,
  totalRealizedPnl: 5_443_299,
  totalUnrealizedPnlPercent: 25.02,
  totalUnpaidRewards: 0,
  positionCount: 1,
  marketCount: 1,
  breakdown: {
    clob: { positions: 1, value: 33_060_000, pnl: 6_616_701 },
    amm: { positions: 0, value: 0, pnl: 0 },
  },
}

/** The owner's totals with the public client's types: raw collateral as numbers. */
export const summaryShape = () =>
  object({
    totalValue: means(integer(0), 'Value of all shares at their marks, in raw collateral.'),
    totalCostBasis: means(integer(), 'Cost of these shares, in raw collateral.'),
    totalUnrealizedPnl: means(integer(), 'Value minus cost, raw.'),
    totalRealizedPnl: means(integer(), 'All-time profit of shares sold, merged or redeemed, raw.'),
    totalUnrealizedPnlPercent: means(number(), 'Unrealised profit in percent of the cost.'),
    totalUnpaidRewards: means(integer(0), 'Raw rewards earned and not yet paid.'),
    positionCount: means(integer(0), 'Number of outcomes held.'),
    marketCount: means(
      integer(0, MOVE_LIMITS.heldMarketsMax),
      `Number of markets with shares; only the newest ${MOVE_LIMITS.heldMarketsMax} are counted.`,
    ),
    breakdown: means(
      object({
        clob: means(partShape(), 'Shares in markets with a book.'),
        amm: means(partShape(), 'Shares in markets with a pool.'),
      }),
      'The same by kind of market.',
    ),
  })

const partShape = () =>
  object({
    positions: means(integer(0), 'Number of outcomes held in markets of this kind.'),
    value: means(integer(0), 'Value of the shares at their marks, in raw collateral.'),
    pnl: means(integer(), 'Value minus cost, raw.'),
  })

export type Summary = Infer<ReturnType<typeof summaryShape>>

const PERCENT_DECIMALS = 100

function percentOf(partRaw: number, wholeRaw: number): number {
  if (wholeRaw === 0) return 0
  return Math.round((partRaw / wholeRaw) * 100 * PERCENT_DECIMALS) / PERCENT_DECIMALS
}

function partOf({ worthRaw, costRaw, count }: HeldSum) {
  return { positions: count, value: worthRaw, pnl: worthRaw - costRaw }
}

/** Undefined on a read timeout. */
export async function summaryOf(
  owner: ProfileId,
  earned: ShownRewards,
  requester: Requester,
  { portfolio, reads, clock }: PortfolioServices,
): Promise<Summary | undefined> {
  const sums = await portfolio.sums(owner, requester)
  const total = { owner, nowMs: clock(), stepHours: 1, steps: 1, pointsMax: 2, wantsMarkets: false }
  const gained = await reads.read(realised, total, requester)
  if (sums === undefined || gained === undefined) return undefined
  const { books, pools, marketCount } = sums
  const totalValue = books.worthRaw + pools.worthRaw
  const totalCostBasis = books.costRaw + pools.costRaw
  const totalUnrealizedPnl = totalValue - totalCostBasis
  return {
    totalValue,
    totalCostBasis,
    totalUnrealizedPnl,
    totalRealizedPnl: gained.points.at(-1)?.totalRaw ?? 0,
    totalUnrealizedPnlPercent: percentOf(totalUnrealizedPnl, totalCostBasis),
    totalUnpaidRewards: Number(allRewardsView(earned).totalUnpaidRewards),
    positionCount: books.count + pools.count,
    marketCount,
    breakdown: { clob: partOf(books), amm: partOf(pools) },
  }
}

// Pages of positions: newest markets first, by a cursor that holds the last market of its page.

const PAGE_MAX = MOVE_LIMITS.heldPageMax
const CURSOR_CHARACTERS_MAX = 40
const CURSOR = /^m([1-9][0-9]{0,15})$/

export const pageQuery = (pageMax: number = PAGE_MAX) => ({
  limit: means(defaulted(integer(1, pageMax), pageMax), 'Maximum markets per page.'),
  cursor: means(
    optional(pattern(`^[A-Za-z0-9_-]{0,${CURSOR_CHARACTERS_MAX}}$`, 'Base64url text.')),
    'nextCursor of the previous page; absent or empty for the first page.',
  ),
  market: means(optional(slug()), 'Slug of the one market to list; absent for all.'),
})

export function cursorOf(marketId: MarketId): string {
  return Buffer.from(`m${marketId}`).toString('base64url')
}

/** The market before which a page begins; null for a text that is not a cursor of positions. */
export function marketIn(cursor: string): MarketId | null {
  if (cursor === '') return NEWEST_ID
  const stated = CURSOR.exec(Buffer.from(cursor, 'base64url').toString())
  if (stated === null) return null
  const marketId = Number(stated[1])
  return cursorOf(marketId) === cursor ? marketId : null
}
