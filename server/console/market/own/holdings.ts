// Shares of one market out of the positions of the visitor. It knows neither the page nor the
// exchange.

const RAW = 1_000_000

/** Shares of one outcome; amounts are raw. */
export interface Held {
  readonly outcome: 0 | 1
  readonly sharesRaw: number
  readonly costRaw: number
  readonly worthRaw: number
  /** Average cost of a share, 0 to 1. */
  readonly average: number
  readonly realisedRaw: number
  readonly unrealisedRaw: number
}

interface Side {
  readonly cost: string
  readonly fillPrice: string
  readonly marketValue: string
  readonly realisedPnl: string
  readonly unrealizedPnl: string
}

export interface Positions {
  readonly clob: readonly {
    readonly market: { readonly slug: string }
    readonly positions: { readonly yes: Side; readonly no: Side }
    readonly tokensBalance: { readonly yes: string; readonly no: string }
  }[]
  readonly amm: readonly {
    readonly market: { readonly slug: string }
    readonly outcomeIndex: 0 | 1
    readonly collateralAmount: string
    readonly outcomeTokenAmount: string
    readonly averageFillPrice: string
    readonly realizedPnl: string
    readonly unrealizedPnl: string
  }[]
}

function heldOf(outcome: 0 | 1, side: Side, balance: string): Held {
  return {
    outcome,
    sharesRaw: Number(balance),
    costRaw: Number(side.cost),
    worthRaw: Number(side.marketValue),
    average: Number(side.fillPrice) / RAW,
    realisedRaw: Number(side.realisedPnl),
    unrealisedRaw: Number(side.unrealizedPnl),
  }
}

/** The rows of one market; those of pools tell whole units. */
export function heldIn({ clob, amm }: Positions, slug: string): readonly Held[] {
  const own = clob.find(({ market }) => market.slug === slug)
  const ofBook =
    own === undefined
      ? []
      : [
          heldOf(0, own.positions.yes, own.tokensBalance.yes),
          heldOf(1, own.positions.no, own.tokensBalance.no),
        ]
  const raw = (units: string): number => Math.round(Number(units) * RAW)
  const ofPool = amm
    .filter(({ market }) => market.slug === slug)
    .map((row) => ({
      outcome: row.outcomeIndex,
      sharesRaw: raw(row.outcomeTokenAmount),
      costRaw: raw(row.collateralAmount),
      worthRaw: raw(row.collateralAmount) + raw(row.unrealizedPnl),
      average: Number(row.averageFillPrice),
      realisedRaw: raw(row.realizedPnl),
      unrealisedRaw: raw(row.unrealizedPnl),
    }))
  return [...ofBook, ...ofPool]
}
