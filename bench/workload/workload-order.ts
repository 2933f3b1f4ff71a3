import type { PlaceOrder } from '../../engine/domain/command.ts'
import { ladderTicks } from '../../engine/domain/order.ts'
import { blankPlace } from '../../engine/wire/place-codec.ts'
import type { Workload } from './workload.ts'

/**
 * The order of a PLACE row. `hash` differs for each order and gives both halves of the order's
 * hash.
 */
export function orderOf(work: Workload, row: number, hash: number): PlaceOrder {
  const outcome = work.outcome[row]
  return {
    ...blankPlace(),
    marketId: work.book[row],
    book: work.book[row],
    accountId: work.owner[row],
    side: work.side[row],
    outcome,
    orderType: work.orderType[row],
    postOnly: work.postOnly[row] === 1,
    stp: work.stp[row],
    priceTicks: ladderTicks(outcome, work.ticks[row]),
    sizeRaw: work.sizeRaw[row],
    expirationSec: work.expirationSec[row],
    hashHigh: hash,
    hashLow: hashLowOf(hash),
  }
}

export function hashLowOf(hashHigh: number): number {
  return Math.imul(hashHigh, 0x9e3779b1) >>> 0
}
