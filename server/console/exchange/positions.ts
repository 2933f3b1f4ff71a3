// What the visitor holds, as the exchange gives it and as rows: one for each outcome of a market.

export interface HeldMarket {
  readonly slug: string
  readonly title: string
  readonly status: string
  readonly closed: boolean
  readonly conditionId: string
  readonly winningOutcomeIndex: number | null
  readonly payoutNumerators: readonly number[] | null
  readonly group?: { readonly slug: string; readonly title: string }
}

/** Raw collateral as text. */
export interface HeldSide {
  readonly cost: string
  readonly fillPrice: string
  readonly marketValue: string
  readonly realisedPnl: string
  readonly unrealizedPnl: string
}

export interface BookPosition {
  readonly market: HeldMarket
  readonly positions: { readonly yes: HeldSide; readonly no: HeldSide }
  readonly tokensBalance: { readonly yes: string; readonly no: string }
}

/** Whole units as decimal text. */
export interface PoolPosition {
  readonly market: HeldMarket
  readonly outcomeIndex: number
  readonly collateralAmount: string
  readonly outcomeTokenAmount: string
  readonly averageFillPrice: string
  readonly realizedPnl: string
  readonly unrealizedPnl: string
}

export interface Positions {
  readonly clob: readonly BookPosition[]
  readonly amm: readonly PoolPosition[]
  readonly isWhole: boolean
}

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

export const OUTCOMES = ['YES', 'NO'] as const
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

/** A row for each outcome, also where all of its shares are sold. */
function allRows({ clob, amm }: Positions): PositionRow[] {
  return [...clob.flatMap(bookRows), ...amm.map(poolRow)]
}

/** The rows of one market. */
export function rowsIn(positions: Positions, slug: string): PositionRow[] {
  return allRows(positions).filter((row) => row.slug === slug)
}

/** Rows of shares that are there; what is redeemed or sold has none. */
export function positionRows(positions: Positions): PositionRow[] {
  const { clob, amm } = positions
  const conditions = new Map<string, string>()
  for (const { market } of [...clob, ...amm]) {
    if (isPaid(market)) conditions.set(market.slug, market.conditionId)
  }
  return allRows(positions)
    .filter(({ sharesRaw }) => sharesRaw !== 0)
    .map((row) => {
      const redeemable = conditions.get(row.slug) ?? null
      conditions.delete(row.slug)
      return { ...row, redeemable }
    })
}
