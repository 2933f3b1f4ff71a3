import type { SettledTrade } from '../../engine/core/money/reversal.ts'
import type { ExchangeDriver, Placed, Wanted } from './exchange-driver.ts'

/** The trade of an order that was just placed, as the read tables would show it. */
export function tradeOf(driver: ExchangeDriver, wanted: Wanted, placed: Placed): SettledTrade {
  const { orders } = driver.clearing
  return {
    marketId: wanted.marketId,
    takerId: wanted.account,
    side: wanted.side,
    outcome: wanted.outcome,
    feeRaw: placed.feeRaw,
    // A freed slot keeps the columns of its order, as no order was placed since.
    fills: placed.makers.map(({ slot, account, sizeRaw, ticks }) => ({
      makerId: account,
      makerOutcome: orders.outcomeOf(slot),
      makerSide: orders.sideOf(slot),
      sharesRaw: sizeRaw,
      yesTicks: ticks,
    })),
  }
}
