// The public view of a pool (rules §7.1): copied when a command changed it, and published once that
// command is durable (invariant 1).

import { reservesRaw } from '../../../engine/core/amm/pool-commands.ts'
import { poolValueRaw, yesPriceOf } from '../../../engine/core/amm/pool-price.ts'
import type { Clearing } from '../../../engine/core/clearing.ts'
import type { Market } from '../../../engine/core/markets/catalogue.ts'
import type { CommandOf } from '../../../engine/domain/command-kinds.ts'
import type { MarketId, Seq } from '../../../engine/domain/ids.ts'
import { kindOf } from '../../../engine/domain/markets/market.ts'
import type { BothRaw } from '../../../engine/domain/moves/move-command.ts'
import {
  type CollateralRaw,
  type GrowingSum,
  type PriceTicks,
  UNIT_RAW,
} from '../../../engine/domain/units.ts'

export interface PoolFigures {
  readonly reservesRaw: BothRaw
  /** Pairs outside the pool. */
  readonly openInterestRaw: CollateralRaw
}

/** The effect of a command on a pool. */
export interface PoolChange {
  readonly seq: Seq
  readonly marketId: MarketId
  readonly figures: PoolFigures
  /** Whether the pool itself moved, and with it perhaps its price. */
  readonly isMoved: boolean
  /** For a trade: its value, and the market's total volume with it. */
  readonly trade: {
    readonly valueRaw: CollateralRaw
    readonly yesTicks: PriceTicks
    readonly volume: GrowingSum
  } | null
}

/** Null for a market without a pool. */
export function poolFigures({ ledger }: Clearing, market: Market): PoolFigures | null {
  if (kindOf(market) !== 'amm') return null
  const reserves = reservesRaw(ledger, market.marketId)
  const openInterestRaw = market.conditionRaw - Math.min(...reserves)
  return { reservesRaw: reserves, openInterestRaw }
}

/** Null for a move that changes no market with a pool. */
export function poolChangeBy(command: CommandOf<'moves'>, clearing: Clearing): PoolChange | null {
  if (!('marketId' in command)) return null
  const { seq, marketId } = command
  const market = clearing.catalogue.existing(marketId)
  const figures = poolFigures(clearing, market)
  if (figures === null) return null
  switch (command.kind) {
    case 'approvePool':
      return null
    case 'fundPool':
    case 'drainPool':
      return { seq, marketId, figures, isMoved: true, trade: null }
    case 'buyFromPool':
    case 'sellToPool': {
      const { lastYesTicks: yesTicks, volume } = market
      const trade = { valueRaw: command.collateralRaw, yesTicks, volume: { ...volume } }
      return { seq, marketId, figures, isMoved: true, trade }
    }
    default:
      return { seq, marketId, figures, isMoved: false, trade: null }
  }
}

/** The YES price in millionths. */
export function poolYesE6(figures: PoolFigures): number {
  return yesPriceOf(figures.reservesRaw, UNIT_RAW)
}

/** The value of all shares of the pool at its price. */
export function poolLiquidityRaw(figures: PoolFigures): CollateralRaw {
  return poolValueRaw(figures.reservesRaw)
}
