import { setPriority } from 'node:os'

/** Nice value: beside a busy thread of an order's way it gets a quarter of that thread's share. */
const BEHIND_ORDERS = 5

/**
 * Puts the calling thread behind the threads that an order passes: when cores are few, its work of
 * some milliseconds would hold an order up. Linux gives each thread a priority of its own; other
 * systems know that of the process alone, and nothing is done there.
 */
export function workBehindOrders(): void {
  if (process.platform === 'linux') setPriority(0, BEHIND_ORDERS)
}
