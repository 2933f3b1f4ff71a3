// Converts a whole state to plain values and typed arrays and back: the content of a snapshot. A
// capture runs between commands, so no order is in flight: every live order rests or is held.
// Invariant: a restored state has the same state hash as the captured one, and continues
// identically.

import { assert } from '../domain/assert.ts'
import type { Seq, Slot } from '../domain/ids.ts'
import { isBid, ladderTicks } from '../domain/order.ts'
import type { CollateralRaw, TimeMs } from '../domain/units.ts'
import type { CapturedAccounts, CapturedProfiles } from './accounts/accounts.ts'
import type { CapturedFrozen } from './accounts/frozen.ts'
import type { CapturedOperators } from './accounts/operators.ts'
import type { CapturedPools } from './amm/pools.ts'
import { eachHeld, eachResting, restoreInMarket } from './book/market.ts'
import type { Clearing } from './clearing.ts'
import { Exchange } from './exchange.ts'
import type { CapturedCatalogue } from './markets/catalogue.ts'
import type { CapturedHeartbeats } from './markets/heartbeats.ts'
import type { CapturedPages } from './markets/market-pages.ts'
import type { CapturedOracle } from './markets/oracle.ts'
import type { CapturedPropertyKeys } from './markets/property-keys.ts'
import type { CapturedSeriesTable } from './markets/series-table.ts'
import type { CapturedTradingModes } from './markets/trading-mode.ts'
import type { CapturedBlocks } from './money/blocks.ts'
import type { CapturedChainFunds } from './money/chain-funds.ts'
import type { CapturedTransactions } from './money/chain-transactions.ts'
import type { Ledger } from './money/ledger.ts'
import type { CapturedReversals } from './money/reversal.ts'
import type { CapturedUnmined } from './money/unmined.ts'
import type { CapturedCalls } from './moves/made-calls.ts'
import type { CapturedOrderGroups } from './orders/order-groups.ts'
import { type OrderTable, STATE } from './orders/order-table.ts'
import type { CapturedSeen } from './orders/seen-orders.ts'
import type { CapturedPacks } from './packs/packs.ts'
import type { CapturedRewards } from './rewards/rewards.ts'
import type { CapturedSocial } from './social/social.ts'
import type { CapturedMatches } from './sports/matches.ts'

// A new part of the state does not compile until it is listed here. Each field of the clearing and
// of the ledger is captured, or listed as derived from others. An order is captured as its full
// record. Accounts, markets and seen orders capture themselves.
type DataOf<T> = {
  [K in keyof T]: T[K] extends (...given: never[]) => unknown ? never : K
}[keyof T]
type Forgotten<T, Named> = Exclude<DataOf<T>, Named>
type InClearing =
  | keyof CapturedState
  | keyof CapturedState['clock']
  | keyof CapturedState['settlement']
  | 'lastFeeRaw'
  | 'openSizes'
  // No amend is in flight when a state is captured.
  | 'amending'
  // Captured with the orders.
  | 'orderGroups'
const nothingIsForgotten: Record<
  Forgotten<Clearing, InClearing> | Forgotten<Ledger, keyof CapturedLedger>,
  'forgotten'
> = {}
assert(Object.keys(nothingIsForgotten).length === 0, 'a snapshot contains the whole state')

export interface CapturedLedger {
  readonly collateralFreeRaw: Float64Array
  readonly collateralReservedRaw: Float64Array
  readonly systemRaw: readonly number[]
  readonly sharesFreeRaw: Float64Array
  readonly sharesReservedRaw: Float64Array
  readonly fundedRaw: CollateralRaw
  /** Account and market of each row, alternating. Row 0 is unused. */
  readonly rows: Uint32Array
}

export interface CapturedOrders {
  /** Generations of slots 0 to the highest one ever used. */
  readonly generations: Uint32Array
  /**
   * Slots of the live orders by market, tick and queue position. A market's held orders come last.
   * `records` and `clientIds` have the same order.
   */
  readonly slots: Uint32Array
  readonly records: Int32Array
  readonly clientIds: readonly string[]
  /** Slot, eligibleMs and self-trade policy of each held order. */
  readonly held: Float64Array
  /** Absent in snapshots of earlier versions. */
  readonly groups?: CapturedOrderGroups
}

export interface CapturedState {
  readonly clock: { lastSeq: Seq; lastNowMs: TimeMs; rulesVersion: number }
  readonly accounts: CapturedAccounts
  readonly profiles: CapturedProfiles
  readonly catalogue: CapturedCatalogue
  readonly series: CapturedSeriesTable
  readonly oracle: CapturedOracle
  readonly ledger: CapturedLedger
  readonly orders: CapturedOrders
  readonly seen: CapturedSeen
  readonly settlement: {
    readonly blocks: CapturedBlocks
    readonly transactions: CapturedTransactions
    readonly chainFunds: CapturedChainFunds
    readonly reversals: CapturedReversals
    readonly unmined: CapturedUnmined
    readonly calls: CapturedCalls
    readonly pools: CapturedPools
    readonly rewards: CapturedRewards
    readonly packs: CapturedPacks
  }
  readonly modes: CapturedTradingModes
  readonly heartbeats: CapturedHeartbeats
  readonly frozen: CapturedFrozen
  readonly operators: CapturedOperators
  readonly pages: CapturedPages
  readonly properties: CapturedPropertyKeys
  readonly matches: CapturedMatches
  readonly social: CapturedSocial
}

export function capture({ clearing }: Exchange): CapturedState {
  const { lastSeq, lastNowMs, rulesVersion } = clearing
  return {
    clock: { lastSeq, lastNowMs, rulesVersion },
    accounts: clearing.accounts.capture(),
    profiles: clearing.accounts.captureProfiles(),
    catalogue: clearing.catalogue.capture(),
    series: clearing.series.capture(),
    oracle: clearing.oracle.capture(),
    ledger: captureLedger(clearing),
    orders: captureOrders(clearing),
    seen: clearing.seen.capture(),
    settlement: {
      blocks: clearing.blocks.capture(),
      transactions: clearing.transactions.capture(),
      chainFunds: clearing.chainFunds.capture(),
      reversals: clearing.reversals.capture(),
      unmined: clearing.unmined.capture(),
      calls: clearing.calls.capture(),
      pools: clearing.pools.capture(),
      rewards: clearing.rewards.capture(),
      packs: clearing.packs.capture(),
    },
    modes: clearing.modes.capture(),
    heartbeats: clearing.heartbeats.capture(),
    frozen: clearing.frozen.capture(),
    operators: clearing.operators.capture(),
    pages: clearing.pages.capture(),
    properties: clearing.properties.capture(),
    matches: clearing.matches.capture(),
    social: clearing.social.capture(),
  }
}

function captureLedger({ ledger, accounts }: Clearing): CapturedLedger {
  const rows = ledger.rows.capture()
  return {
    collateralFreeRaw: ledger.collateralFreeRaw.slice(0, accounts.count + 1),
    collateralReservedRaw: ledger.collateralReservedRaw.slice(0, accounts.count + 1),
    systemRaw: [...ledger.systemRaw],
    sharesFreeRaw: ledger.sharesFreeRaw.slice(0, rows.length),
    sharesReservedRaw: ledger.sharesReservedRaw.slice(0, rows.length),
    fundedRaw: ledger.fundedRaw,
    rows,
  }
}

function captureOrders(clearing: Clearing): CapturedOrders {
  const { orders, catalogue, orderGroups } = clearing
  const slots = new Uint32Array(orders.live.all)
  const held: number[] = []
  let count = 0
  for (const { book } of catalogue.all()) {
    if (book === 0) continue
    eachResting(book, (_ticks, slot, _owner, leftRaw) => {
      assert(leftRaw === orders.leftRawOf(slot), 'book and table agree on the size of an order')
      slots[count++] = slot
    })
    eachHeld(book, (_ticks, slot, _owner, wantRaw) => {
      assert(wantRaw === wantedRaw(orders, slot), 'book and table agree on the size of an order')
      slots[count++] = slot
      held.push(slot, orders.held.eligibleMsOf(slot), orders.held.stpOf(slot))
    })
  }
  assert(count === orders.live.all, 'every live order rests or is held between commands')
  return {
    generations: orders.generations(),
    slots,
    records: orders.recordsOf(slots),
    clientIds: Array.from(slots, (slot) => orders.clientIdOf(slot)),
    held: Float64Array.from(held),
    groups: orderGroups.capture(),
  }
}

/** The open amount of a held order in its market: collateral for a market buy, otherwise shares. */
function wantedRaw(orders: OrderTable, slot: Slot): number {
  return orders.buysBySpend(slot) ? orders.reservedRawOf(slot) : orders.leftRawOf(slot)
}

/** Builds an exchange from a captured state. Clears the previous exchange of this thread. */
export function restore(captured: CapturedState, orders?: OrderTable): Exchange {
  const exchange = new Exchange(orders)
  const { clearing } = exchange
  clearing.lastSeq = captured.clock.lastSeq
  clearing.lastNowMs = captured.clock.lastNowMs
  clearing.rulesVersion = captured.clock.rulesVersion
  clearing.accounts.restore(captured.accounts, captured.profiles)
  clearing.catalogue.restore(captured.catalogue)
  clearing.series.restore(captured.series)
  clearing.oracle.restore(captured.oracle)
  restoreLedger(captured.ledger, clearing)
  restoreOrders(captured.orders, clearing)
  clearing.seen.restore(captured.seen)
  clearing.blocks.restore(captured.settlement.blocks)
  clearing.transactions.restore(captured.settlement.transactions)
  clearing.chainFunds.restore(captured.settlement.chainFunds)
  clearing.reversals.restore(captured.settlement.reversals)
  clearing.unmined.restore(captured.settlement.unmined, clearing.blocks)
  clearing.calls.restore(captured.settlement.calls)
  clearing.pools.restore(captured.settlement.pools)
  clearing.rewards.restore(captured.settlement.rewards)
  clearing.packs.restore(captured.settlement.packs, clearing.catalogue)
  clearing.modes.restore(captured.modes)
  clearing.heartbeats.restore(captured.heartbeats)
  clearing.frozen.restore(captured.frozen)
  clearing.operators.restore(captured.operators)
  clearing.pages.restore(captured.pages)
  clearing.properties.restore(captured.properties)
  clearing.matches.restore(captured.matches)
  clearing.social.restore(captured.social)
  return exchange
}

function restoreLedger(captured: CapturedLedger, { ledger, accounts }: Clearing): void {
  for (let account = 1; account <= accounts.count; account++) ledger.openAccount(account)
  // A later version may have more system accounts.
  ledger.systemRaw.splice(0, captured.systemRaw.length, ...captured.systemRaw)
  ledger.restoreRows(captured.rows)
  ledger.collateralFreeRaw.set(captured.collateralFreeRaw)
  ledger.collateralReservedRaw.set(captured.collateralReservedRaw)
  ledger.sharesFreeRaw.set(captured.sharesFreeRaw)
  ledger.sharesReservedRaw.set(captured.sharesReservedRaw)
  ledger.fundedRaw = captured.fundedRaw
}

function restoreOrders(captured: CapturedOrders, clearing: Clearing): void {
  const { openSizes, orders } = clearing
  // The sum of each market is part of its capture.
  const sum = { openSizeRaw: 0 }
  const { slots } = captured
  orders.restoreSlots(captured.generations)
  orders.restoreOpen(slots, captured.records)
  for (const [index, clientId] of captured.clientIds.entries()) {
    if (clientId !== '') orders.restoreClientId(slots[index], clientId)
  }
  const { held } = captured
  for (let at = 0; at < held.length; at += 3)
    orders.held.admit(held[at], held[at + 1], held[at + 2])
  clearing.orderGroups.restore(captured.groups ?? [])
  for (const slot of slots) {
    const outcome = orders.outcomeOf(slot)
    const isHeld = orders.stateOf(slot) === STATE.HELD
    openSizes.opened(orders, slot, sum)
    restoreInMarket({
      book: orders.bookOf(slot),
      slot,
      generation: orders.generationOf(slot),
      accountId: orders.accountOf(slot),
      isBid: isBid(orders.sideOf(slot), outcome),
      ticks: isHeld ? 0 : ladderTicks(outcome, orders.priceTicksOf(slot)),
      leftRaw: isHeld ? wantedRaw(orders, slot) : orders.leftRawOf(slot),
    })
  }
}
