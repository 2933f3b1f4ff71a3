// Orders of a workload.

import { ASK_TABLES, type PlaceRequest } from '../../engine/core/decide/decide.ts'
import type { PlaceOrder } from '../../engine/domain/command.ts'
import { ladderTicks } from '../../engine/domain/order.ts'
import { blankPlace } from '../../engine/wire/place-codec.ts'
import type { Sequencer } from '../../server/exchange/sequencer/sequencer.ts'
import { ownRequest } from '../../test/support/specs.ts'
import { FEE_BPS, START_MS } from './setting.ts'
import type { Workload } from './workload.ts'

/** Puts the terms of a PLACE row into `order`, without expiry and hash. */
export function fillOrder(order: PlaceOrder, work: Workload, row: number): void {
  order.marketId = work.book[row]
  order.book = work.book[row]
  order.accountId = work.owner[row]
  order.side = work.side[row]
  order.outcome = work.outcome[row]
  order.orderType = work.orderType[row]
  order.postOnly = work.postOnly[row] === 1
  order.stp = work.stp[row]
  order.priceTicks = ladderTicks(order.outcome, work.ticks[row])
  order.sizeRaw = work.sizeRaw[row]
}

/**
 * The order of a PLACE row. `hash` differs for each order; both halves of its hash derive from it.
 */
export function orderOf(work: Workload, row: number, hash: number): PlaceOrder {
  const order = blankPlace()
  fillOrder(order, work, row)
  order.expirationSec = work.expirationSec[row]
  order.hashHigh = hash
  order.hashLow = hashLowOf(hash)
  return order
}

export function hashLowOf(hashHigh: number): number {
  return Math.imul(hashHigh, 0x9e3779b1) >>> 0
}

/** Places an order that is known to be new, whatever the filter of seen orders finds. */
export function placeNew(
  sequencer: Sequencer,
  request: PlaceRequest,
  record: Uint8Array,
): ReturnType<Sequencer['place']> {
  const first = sequencer.place(request, record)
  if (first !== ASK_TABLES) return first
  const inTables = { seq: Number.POSITIVE_INFINITY, hash: false, clientId: false }
  return sequencer.place({ ...request, inTables }, record)
}

/** A request that passes every gate, for an order to be filled in. */
export function requestOf(order: PlaceOrder): PlaceRequest {
  const request = { ...ownRequest(order, 0), signedFeeBps: FEE_BPS, inTables: undefined }
  return { ...request, timestampMs: START_MS, wallMs: START_MS }
}
