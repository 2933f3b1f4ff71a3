import { assert } from '../../engine/domain/assert.ts'
import { fullSpeed } from './autocannon-load.ts'
import { callsOf, signOrders, type UnsentOrder } from './http-orders.ts'
import type { Target } from './http-servers.ts'

export const CONNECTIONS = 64

/** Every order of a bench is distinct: salts count on. */
let nextSalt = 1

export function freshOrders({ setting }: Target, count: number): UnsentOrder[] {
  const orders = signOrders(setting, count, nextSalt)
  nextSalt += count * 10
  return orders
}

/** The highest rate at which a server takes these orders. */
export async function ordersPerSecond(
  port: number,
  orders: readonly UnsentOrder[],
): Promise<number> {
  const calls = callsOf(orders)
  const { perSecond, refused } = await fullSpeed({ port, calls, connections: CONNECTIONS })
  // A refusal is cheaper than an order, so it would raise the figure.
  assert(refused === 0, 'every order of the load is accepted')
  return perSecond
}
