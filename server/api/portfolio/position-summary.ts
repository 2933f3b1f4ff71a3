// The totals of all positions of a profile, in the form that the public client reads (rules §9.1).

import type { ProfileId } from '../../../engine/domain/ids.ts'
import { MOVE_LIMITS } from '../../../engine/domain/moves/move-limits.ts'
import { realised } from '../../../persistence/query/read/portfolio/realised.ts'
import { means } from '../../edge/http/schema/meaning.ts'
import { integer, number } from '../../edge/http/schema/scalars.ts'
import { type Infer, object } from '../../edge/http/schema/schema.ts'
import type { Requester } from '../reads/private-reads.ts'
import type { HeldSum } from './portfolio.ts'
import { allRewardsView } from './reward-fields.ts'
import type { ShownRewards } from './rewards.ts'
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
