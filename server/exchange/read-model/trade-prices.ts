import { OUTCOME } from '../../../engine/domain/order.ts'
import { PRICE_ONE_TICKS, UNIT_RAW } from '../../../engine/domain/units.ts'

// The price of a trade: the size-weighted average of its fills, in YES, rounded half up to six
// decimals. Sockets, tape, events and feed all use this, so one trade has one price.

/** The size traded at one price of YES. */
export interface PriceFill {
  readonly ticks: number
  readonly sizeRaw: number
}

/** Parses the fills of a trade from the tables. */
export function fillsIn(text: string): PriceFill[] {
  return text.split(',').map((each) => {
    const [ticks, sizeRaw] = each.split(':')
    return { ticks: Number(ticks), sizeRaw: Number(sizeRaw) }
  })
}

/** Sizes are weighed in shares, so no product leaves the safe integers. */
export function averageYesPrice(fills: readonly PriceFill[]): number {
  let shares = 0
  let weighted = 0
  for (const { ticks, sizeRaw } of fills) {
    shares += sizeRaw / UNIT_RAW
    weighted += (sizeRaw / UNIT_RAW) * ticks
  }
  return rounded(weighted / shares / PRICE_ONE_TICKS)
}

/** The fills in a reply or a frame, with prices of YES. */
export function yesFills(fills: readonly PriceFill[]): { price: number; size: number }[] {
  return fills.map(({ ticks, sizeRaw }) => ({ price: ticks / PRICE_ONE_TICKS, size: sizeRaw }))
}

/** The same trade in the token of this outcome: a price of NO is one minus that of YES. */
export function ofOutcome(outcome: number, yesPrice: number): number {
  return outcome === OUTCOME.YES ? yesPrice : rounded(1 - yesPrice)
}

function rounded(price: number): number {
  return Math.round(price * UNIT_RAW) / UNIT_RAW
}
