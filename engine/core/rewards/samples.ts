// A copy of the books for rewards (rules §11.3). Only the copy must be taken in one go; earnings
// are computed later, in slices.

import type { MarketId } from '../../domain/ids.ts'
import { takesOrders } from '../../domain/markets/market.ts'
import { isBid } from '../../domain/order.ts'
import type { FeeBps } from '../../domain/units.ts'
import { eachResting } from '../book/market.ts'
import type { Market } from '../markets/catalogue.ts'
import type { OrderTable } from '../orders/order-table.ts'
import { Middle } from './middle.ts'
import { type MarketSample, poolOfMinute, spreadHalfTicks } from './scores.ts'

const LOOK_ORDERS = 64

export interface Samples {
  readonly markets: readonly MarketSample[]
  /** Markets that give makers a part of their takers' fees. */
  readonly rebates: ReadonlyMap<MarketId, FeeBps>
}

/** Whether the market's orders earn rewards now. */
export function isRewarding({ dailyRewardRaw = 0, status, book }: Market): boolean {
  return dailyRewardRaw > 0 && takesOrders(status) && book !== 0
}

/**
 * By ascending market id, whatever the input order. `look` is called periodically to yield the
 * processor; the state must not change meanwhile.
 */
export function samplesOf(
  { rewarded, orders }: { rewarded: Iterable<Market>; orders: OrderTable },
  minute: number,
  look: () => void = () => {},
): Samples {
  const markets: MarketSample[] = []
  const rebates = new Map<MarketId, FeeBps>()
  for (const market of [...rewarded].sort((a, b) => a.marketId - b.marketId)) {
    if (isRewarding(market)) markets.push(sampleOf(market, orders, minute, look))
    look()
    if ((market.rebateBps ?? 0) > 0) rebates.set(market.marketId, market.rebateBps ?? 0)
  }
  return { markets, rebates }
}

/** Only orders of at least minSize earn. */
function sampleOf(
  market: Market,
  orders: OrderTable,
  minute: number,
  look: () => void,
): MarketSample {
  const { marketId, book, minSizeRaw, maxSpread, dailyRewardRaw = 0 } = market
  const signedTicks: number[] = []
  const owners: number[] = []
  const leftsRaw: number[] = []
  const middle = new Middle(minSizeRaw)
  eachResting(book, (ticks, slot, owner, leftRaw) => {
    const bids = isBid(orders.sideOf(slot), orders.outcomeOf(slot))
    if (!middle.rests(bids, ticks, leftRaw)) return
    signedTicks.push(bids ? ticks : -ticks)
    owners.push(owner)
    leftsRaw.push(leftRaw)
    if (owners.length % LOOK_ORDERS === 0) look()
  })
  return {
    marketId,
    poolRaw: poolOfMinute(dailyRewardRaw, minute),
    spreadHalfTicks: spreadHalfTicks(maxSpread),
    midHalfTicks: middle.halfTicks,
    signedTicks: Int32Array.from(signedTicks),
    owners: Int32Array.from(owners),
    leftsRaw: Float64Array.from(leftsRaw),
  }
}
