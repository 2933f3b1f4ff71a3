// Transfers a recovered book, which the one-thread core built on main, to its market thread.

import { eachHeld, eachResting } from '../core/book/market.ts'
import type { OrderTable } from '../core/orders/order-table.ts'
import type { Book, Slot } from '../domain/ids.ts'
import { isBid } from '../domain/order.ts'
import { RESTORE_F64S, RESTORE_ORDERS_MAX } from './protocol.ts'
import type { ShardHandle } from './shard-handle.ts'

const pause = new Int32Array(new SharedArrayBuffer(4))

/**
 * Waits while the ring is full, because no client is served yet. Each level keeps its queue order.
 */
export function handOver(book: Book, orders: OrderTable, shard: ShardHandle): void {
  const chunk = new Float64Array(RESTORE_F64S * RESTORE_ORDERS_MAX)
  let length = 0
  const send = () => {
    while (length > 0 && !shard.restore(chunk.subarray(0, length))) Atomics.wait(pause, 0, 0, 1)
    length = 0
  }
  const give = (ticks: number, slot: Slot, owner: number, leftRaw: number) => {
    const bid = isBid(orders.sideOf(slot), orders.outcomeOf(slot)) ? 1 : 0
    const fields = [book, slot, orders.generationOf(slot), owner, bid, ticks, leftRaw]
    chunk.set(fields, length)
    length += RESTORE_F64S
    if (length === chunk.length) send()
  }
  eachResting(book, give)
  eachHeld(book, give)
  send()
}
