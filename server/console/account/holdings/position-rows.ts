// What the visitor holds, as rows of a table: one for each outcome of a market.

import type { BookPosition, HeldMarket, PoolPosition, Positions } from '../account-replies.ts'

export interface PositionRow {
  readonly slug: string
  readonly title: string
  readonly groupTitle: string | null
  readonly outcome: 'YES' | 'NO'
  readonly sharesRaw: number
  readonly priceRaw: number
  readonly costRaw: number
  readonly valueRaw: number
  readonly unrealisedRaw: number
  readonly realisedRaw: number
  readonly isResolved: boolean
  /** By which the shares of the market are redeemed; on its first row alone. */
  readonly redeemable: string | null
}

const OUTCOMES = ['YES', 'NO'] as const
const DECIMALS = 6

/** Whole units as decimal text in raw units, exactly. */
export function rawOfUnits(text: string): number {
  const [whole = '0', part = ''] = text.replace('-', '').split('.')
  const raw = Number(whole + part.padEnd(DECIMALS, '0').slice(0, DECIMALS))
  return text.startsWith('-') ? -raw : raw
}

function marketPart(market: HeldMarket) {
  return {
    slug: market.slug,
    title: market.title,
    groupTitle: market.group?.title ?? null,
    isResolved: market.closed,
    redeemable: null,
  }
}

function isPaid({ closed, winningOutcomeIndex, payoutNumerators }: HeldMarket): boolean {
  return closed && (winningOutcomeIndex !== null || payoutNumerators !== null)
}

function bookRows({ market, positions, tokensBalance }: BookPosition): PositionRow[] {
  return OUTCOMES.map((outcome) => {
    const key = outcome === 'YES' ? 'yes' : 'no'
    const side = positions[key]
    return {
      ...marketPart(market),
      outcome,
      sharesRaw: Number(tokensBalance[key]),
      priceRaw: Number(side.fillPrice),
      costRaw: Number(side.cost),
      valueRaw: Number(side.marketValue),
      unrealisedRaw: Number(side.unrealizedPnl),
      realisedRaw: Number(side.realisedPnl),
    }
  })
}

function poolRow(position: PoolPosition): PositionRow {
  const costRaw = rawOfUnits(position.collateralAmount)
  const unrealisedRaw = rawOfUnits(position.unrealizedPnl)
  return {
    ...marketPart(position.market),
    outcome: OUTCOMES[position.outcomeIndex === 0 ? 0 : 1],
    sharesRaw: rawOfUnits(position.outcomeTokenAmount),
    priceRaw: rawOfUnits(position.averageFillPrice),
    costRaw,
    valueRaw: costRaw + unrealisedRaw,
    unrealisedRaw,
    realisedRaw: rawOfUnits(position.realizedPnl),
  }
}

/** Rows of shares that are there; what is redeemed or sold has none. */
export function positionRows({ clob, amm }: Positions): PositionRow[] {
  const conditions = new Map<string, string>()
  for (const { market } of [...clob, ...amm]) {
    if (isPaid(market)) conditions.set(market.slug, market.conditionId)
  }
  const rows = [...clob.flatMap(bookRows), ...amm.map(poolRow)]
  return rows
    .filter(({ sharesRaw }) => sharesRaw !== 0)
    .map((row) => {
      const redeemable = conditions.get(row.slug) ?? null
      conditions.delete(row.slug)
      return { ...row, redeemable }
    })
}
