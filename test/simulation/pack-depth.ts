// The orders that may price a leg of a pack for a buyer, by a look at every order of the exchange
// and not by the chains of a book. What priced packs before is not known here.

import type { Clearing } from '../../engine/core/clearing.ts'
import { STATE } from '../../engine/core/orders/order-table.ts'
import type { AskLevel } from '../../engine/core/packs/pack-odds.ts'

const SHARE = 1_000_000
const NO = 1

export interface DepthModel {
  readonly asks: readonly AskLevel[]
  readonly bids: readonly AskLevel[]
}

export function depthOf(
  { orders, accounts }: Clearing,
  leg: { readonly marketId: number; readonly outcome: number },
  buyer: number,
): DepthModel {
  const familyOf = (profileId: number) => accounts.partners.byId(profileId)?.partnerId ?? profileId
  const rootOf = (profileId: number): number => {
    const above = familyOf(profileId)
    return above === profileId ? above : rootOf(above)
  }
  const sizes = { asks: new Map<number, number>(), bids: new Map<number, number>() }
  for (let slot = 1; slot <= orders.highSlot; slot++) {
    if (orders.stateOf(slot) !== STATE.OPEN || orders.marketOf(slot) !== leg.marketId) continue
    const leftRaw = orders.leftRawOf(slot)
    if (leftRaw < SHARE || rootOf(orders.accountOf(slot)) === rootOf(buyer)) continue
    const price = orders.priceTicksOf(slot)
    const isSame = orders.outcomeOf(slot) === leg.outcome
    // A bid for the other token is an ask for this one, and the other way round.
    const sells = isSame ? orders.sideOf(slot) === NO : orders.sideOf(slot) !== NO
    const ticks = isSame ? price : 1000 - price
    const side = sells ? sizes.asks : sizes.bids
    side.set(ticks, (side.get(ticks) ?? 0) + leftRaw)
  }
  const levels = (side: Map<number, number>) =>
    [...side].map(([ticks, sizeRaw]) => ({ ticks, sizeRaw }))
  return {
    asks: levels(sizes.asks).sort((a, b) => a.ticks - b.ticks),
    bids: levels(sizes.bids).sort((a, b) => b.ticks - a.ticks),
  }
}
