// Hot path. bench/core.bench.ts
// Converts one fill into ledger moves (rules §2.2 to §2.5). The taker's fee is on its whole trade.
//
// Invariant 2 of design §1: no result of a market lowers a free balance, record by record:
//
//   FILL        An order pays from its own reserve, which falls by the payment or more (asserted in
//               the ledger). The rest of the decrease and a maker's proceeds become free. A
//               taker's proceeds are kept with its order.
//   STP_CANCEL, CANCELED   The whole reserve becomes free.
//   CANCELED of a replaced order   The new order takes what it needs beyond its own reserve from
//               that of the old one, and the rest becomes free. The market gave it no more shares
//               than both pay for.
//   DECREASED   The reserve of the shares that were taken off becomes free.
//   NOT_OPEN    Nothing moves.
//   DONE        A taker's proceeds less the fee become free. The fee never exceeds them:
//               bps ≤ 10,000 and min(c, n − c) ≤ c. An order that ends frees its reserve. A held
//               order keeps its whole reserve. A release of a canceled order moves nothing.
//
// Main decides a release (rules §4.3) from the results it has so far. A cancel may reach the market
// first; only the market knows the order. A release reserves nothing, because its order kept the
// reserve of its placement.
//
// Results never take a slot, a hash, a client id or open size; they only release them. So a gate
// without the latest results sees less capacity than there is, and its decisions remain valid when
// they arrive. test/engine/core/invariant-two.test.ts proves it.

import { assert } from '../../domain/assert.ts'
import { FEE_ACCOUNT, type Slot } from '../../domain/ids.ts'
import { isBid, ladderTicks, SIDE } from '../../domain/order.ts'
import { costCeilRaw, costFloorRaw } from '../../domain/units.ts'
import type { MarketFunds } from '../markets/catalogue.ts'
import type { OrderTable } from '../orders/order-table.ts'
import type { Ledger } from './ledger.ts'
import { buyFeeSharesRaw, sellFeeCollateralRaw } from './taker-fee.ts'

const { BUY, SELL } = SIDE
const FEES = FEE_ACCOUNT

/** The reserve of a leg's open size (rules §2.5). */
export function reserveOfLeft(orders: OrderTable, slot: Slot, leftRaw: number): number {
  if (orders.sideOf(slot) === SELL) return leftRaw
  return costFloorRaw(orders.priceTicksOf(slot), leftRaw)
}

/**
 * Moves the maker's side of a fill. `closed` frees the reserve of a remainder too small to trade.
 */
function settleMaker(
  ledger: Ledger,
  orders: OrderTable,
  maker: number,
  fill: { sharesRaw: number; collateralRaw: number; closed: boolean },
): void {
  const leftRaw = orders.leftRawOf(maker) - fill.sharesRaw
  assert(leftRaw >= 0, 'a maker is never overfilled')
  const keptRaw = fill.closed ? 0 : reserveOfLeft(orders, maker, leftRaw)
  const endedRaw = orders.reservedRawOf(maker) - keptRaw
  const row = orders.rowOf(maker)
  const outcome = orders.outcomeOf(maker)
  const account = orders.accountOf(maker)
  if (orders.sideOf(maker) === BUY) {
    ledger.spendReserve(account, endedRaw, fill.collateralRaw)
    ledger.creditShares(row, outcome, fill.sharesRaw)
  } else {
    ledger.deliverShares(row, outcome, endedRaw, fill.sharesRaw)
    ledger.creditCollateral(account, fill.collateralRaw)
  }
  orders.setOpen(maker, leftRaw, keptRaw)
  orders.addFilled(maker, fill.sharesRaw, fill.collateralRaw)
}

/** Takes the payment from the taker's reserve. Its proceeds stay with the order until DONE. */
function settleTaker(
  ledger: Ledger,
  orders: OrderTable,
  taker: number,
  fill: { sharesRaw: number; collateralRaw: number },
): void {
  orders.addFilled(taker, fill.sharesRaw, fill.collateralRaw)
  // A market buy spends collateral and has no share size to count down.
  const bySpend = orders.marketFormOf(taker) === 1 && orders.sideOf(taker) === BUY
  const leftRaw = bySpend ? 0 : orders.leftRawOf(taker) - fill.sharesRaw
  assert(leftRaw >= 0, 'a taker is never overfilled')
  const keptRaw = bySpend
    ? orders.reservedRawOf(taker) - fill.collateralRaw
    : reserveOfLeft(orders, taker, leftRaw)
  const endedRaw = orders.reservedRawOf(taker) - keptRaw
  if (orders.sideOf(taker) === BUY) {
    ledger.spendReserve(orders.accountOf(taker), endedRaw, fill.collateralRaw)
  } else {
    ledger.deliverShares(orders.rowOf(taker), orders.outcomeOf(taker), endedRaw, fill.sharesRaw)
  }
  orders.setOpen(taker, leftRaw, keptRaw)
}

/**
 * Collateral of the taker's leg of one fill at the maker's price; the taker bears dust (rules
 * §2.4).
 */
export function takerLegRaw(
  buys: boolean,
  outcome: number,
  yesTicks: number,
  sharesRaw: number,
): number {
  const ownTicks = ladderTicks(outcome, yesTicks)
  return buys ? costCeilRaw(ownTicks, sharesRaw) : costFloorRaw(ownTicks, sharesRaw)
}

/** Collateral of the maker's leg, which closes the sum exactly. */
export function makerLegRaw(takerRaw: number, sharesRaw: number, sameOutcome: boolean): number {
  return sameOutcome ? takerRaw : sharesRaw - takerRaw
}

const makerFill = { sharesRaw: 0, collateralRaw: 0, closed: false }
const takerFill = { sharesRaw: 0, collateralRaw: 0 }

/**
 * Settles one fill at the maker's ladder price and returns the collateral of the taker's leg. The
 * taker's leg rounds against the taker and the maker's leg closes the sum exactly, so dust never
 * violates a maker's limit (rules §2.4).
 */
export function settleFill(
  ledger: Ledger,
  orders: OrderTable,
  market: MarketFunds,
  legs: { taker: number; maker: number; ticks: number; sharesRaw: number; closed: boolean },
): number {
  const { taker, maker, sharesRaw } = legs
  const buys = orders.sideOf(taker) === BUY
  const valueRaw = takerLegRaw(buys, orders.outcomeOf(taker), legs.ticks, sharesRaw)
  const sameOutcome = orders.outcomeOf(taker) === orders.outcomeOf(maker)
  assert(
    isBid(orders.sideOf(taker), orders.outcomeOf(taker)) !==
      isBid(orders.sideOf(maker), orders.outcomeOf(maker)),
    'a fill joins a bid and an ask',
  )
  makerFill.sharesRaw = sharesRaw
  makerFill.collateralRaw = makerLegRaw(valueRaw, sharesRaw, sameOutcome)
  makerFill.closed = legs.closed
  takerFill.sharesRaw = sharesRaw
  takerFill.collateralRaw = valueRaw
  settleTaker(ledger, orders, taker, takerFill)
  settleMaker(ledger, orders, maker, makerFill)
  if (!sameOutcome) ledger.moveCondition(market, buys ? sharesRaw : -sharesRaw)
  return valueRaw
}

/** Credits the taker's proceeds less the fee, and returns the fee. Called once, at DONE. */
export function settleProceeds(
  ledger: Ledger,
  orders: OrderTable,
  market: MarketFunds,
  taker: number,
): number {
  const sharesRaw = orders.filledSharesRawOf(taker)
  if (sharesRaw === 0) return 0
  const collateralRaw = orders.filledCollateralRawOf(taker)
  const feeBps = orders.feeBpsOf(taker)
  const outcome = orders.outcomeOf(taker)
  if (orders.sideOf(taker) === BUY) {
    const feeRaw = buyFeeSharesRaw(feeBps, collateralRaw, sharesRaw)
    ledger.creditShares(orders.rowOf(taker), outcome, sharesRaw - feeRaw)
    if (feeRaw > 0) {
      const fees = ledger.rowFor(FEES, market)
      ledger.creditShares(fees, outcome, feeRaw)
      // The row is empty if main processed the reversal first.
      ledger.freeRowIfEmpty(fees, market)
    }
    return feeRaw
  }
  const feeRaw = sellFeeCollateralRaw(feeBps, collateralRaw, sharesRaw)
  ledger.creditCollateral(orders.accountOf(taker), collateralRaw - feeRaw)
  ledger.creditSystem(FEES, feeRaw)
  return feeRaw
}

/**
 * A maker's gain from an unmined fill: the collateral of a sale, or what bought shares may pay
 * beyond their cost (unmined.ts). `valueRaw` is the collateral of the taker's leg.
 */
export function makerGainRaw(
  orders: OrderTable,
  { taker, maker, sharesRaw }: { taker: number; maker: number; sharesRaw: number },
  valueRaw: number,
): number {
  const sameOutcome = orders.outcomeOf(taker) === orders.outcomeOf(maker)
  const collateralRaw = makerLegRaw(valueRaw, sharesRaw, sameOutcome)
  return orders.sideOf(maker) === BUY ? sharesRaw - collateralRaw : collateralRaw
}

/** The taker's gain from its whole trade after settlement; 0 if it did not trade. */
export function takerGainRaw(orders: OrderTable, taker: number, feeRaw: number): number {
  const sharesRaw = orders.filledSharesRawOf(taker)
  const collateralRaw = orders.filledCollateralRawOf(taker)
  const isBuy = orders.sideOf(taker) === BUY
  return (isBuy ? sharesRaw - collateralRaw : collateralRaw) - feeRaw
}

/**
 * Gives the new order what `leftRaw` shares of it need beyond its reserve, from that of the order
 * that it replaces. It does not become free in between: a free balance may be negative.
 */
export function handReserve(orders: OrderTable, replaced: Slot, slot: Slot, leftRaw: number): void {
  const ownRaw = orders.reservedRawOf(slot)
  const moreRaw = Math.max(0, reserveOfLeft(orders, slot, leftRaw) - ownRaw)
  const givenRaw = orders.reservedRawOf(replaced)
  assert(moreRaw <= givenRaw, 'both reserves pay for a replacement')
  orders.setOpen(replaced, orders.leftRawOf(replaced), givenRaw - moreRaw)
  orders.setOpen(slot, orders.leftRawOf(slot), ownRaw + moreRaw)
}

/** Frees what an order reserves beyond the need of its open shares. */
export function freeBeyond(ledger: Ledger, orders: OrderTable, slot: Slot): void {
  keepReserve(ledger, orders, slot, reserveOfLeft(orders, slot, orders.leftRawOf(slot)))
}

/** Frees everything that an ending order still reserves. */
export function freeReserve(ledger: Ledger, orders: OrderTable, slot: Slot): void {
  keepReserve(ledger, orders, slot, 0)
}

function keepReserve(ledger: Ledger, orders: OrderTable, slot: Slot, keptRaw: number): void {
  const freedRaw = orders.reservedRawOf(slot) - keptRaw
  assert(freedRaw >= 0, 'an order keeps no more than it reserves')
  if (freedRaw === 0) return
  if (orders.sideOf(slot) === BUY) ledger.spendReserve(orders.accountOf(slot), freedRaw, 0)
  else ledger.deliverShares(orders.rowOf(slot), orders.outcomeOf(slot), freedRaw, 0)
  orders.setOpen(slot, orders.leftRawOf(slot), keptRaw)
}
