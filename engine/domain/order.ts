// Sides, outcomes, order types and self-trade policies, with their numbers on the wire.

export const SIDE = { BUY: 0, SELL: 1 } as const
export const OUTCOME = { YES: 0, NO: 1 } as const

/** Index = number on the wire. */
export const ORDER_TYPES = ['GTC', 'FAK', 'FOK'] as const
export type OrderType = (typeof ORDER_TYPES)[number]

/**
 * Policies of the order types. `rests`: the remainder stays in the book. `whole`: it fills
 * completely or not at all. Post-only is a separate flag: such an order rests and never takes
 * (rules §4.2).
 */
export const POLICY_OF_TYPE = [
  { type: 'GTC', rests: true, whole: false },
  { type: 'FAK', rests: false, whole: false },
  { type: 'FOK', rests: false, whole: true },
] as const

/** Index = number on the wire (rules §4.1). */
export const STP_POLICIES = ['cancel_maker', 'cancel_taker', 'cancel_both'] as const
export const STP = { CANCEL_MAKER: 0, CANCEL_TAKER: 1, CANCEL_BOTH: 2 } as const

/** BUY YES and SELL NO are bids on the YES ladder; SELL YES and BUY NO are asks (rules §2.1). */
export function isBid(side: number, outcome: number): boolean {
  return side === outcome
}

/** Maps a price of the order's own token to the YES ladder. The mapping is its own inverse. */
export function ladderTicks(outcome: number, priceTicks: number): number {
  return outcome === OUTCOME.YES ? priceTicks : 1000 - priceTicks
}

/** Statuses of a stored order (rules §5.1). */
export const ORDER_STATUSES = ['LIVE', 'MATCHED', 'CANCELED', 'UNMATCHED'] as const
export type OrderStatus = (typeof ORDER_STATUSES)[number]

/** Whether the order is a market buy, which is measured in collateral instead of shares. */
export function buysBySpend(marketForm: boolean, side: number): boolean {
  return marketForm && side === SIDE.BUY
}
