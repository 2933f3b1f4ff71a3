// The highest rate at which a server takes orders. autocannon sends them as fast as replies come:
// each connection sends its own share of the orders, one at a time. It measures no latency: an
// order that waits for the previous reply starts late, so its wait would be missing.

import autocannon from 'autocannon'
import { assert } from '../../engine/domain/assert.ts'
import { callsOf, signOrders, type UnsentOrder } from './orders.ts'
import type { Target } from './servers.ts'

export const CONNECTIONS = 64

/** Every order of a bench is distinct: salts count on. */
let nextSalt = 1

export function freshOrders({ setting }: Pick<Target, 'setting'>, count: number): UnsentOrder[] {
  const orders = signOrders(setting, count, nextSalt)
  nextSalt += count * 10
  return orders
}

export async function ordersPerSecond(
  port: number,
  orders: readonly UnsentOrder[],
): Promise<number> {
  const calls = callsOf(orders).map((call) => ({
    ...call,
    method: 'POST' as const,
    headers: { ...call.headers },
  }))
  const share = Math.floor(calls.length / CONNECTIONS)
  assert(share > 0, 'each connection has an order to send')
  let connected = 0
  let replies = 0
  let endMs = 0
  const end = autocannon({
    url: `http://127.0.0.1:${port}/orders`,
    connections: CONNECTIONS,
    amount: share * CONNECTIONS,
    timeout: 60,
    sampleInt: 100,
    setupClient: (client) => {
      const from = share * connected++
      client.setRequests(calls.slice(from, from + share))
      client.on('response', (status) => {
        // A refusal is cheaper than an order, so it would raise the figure.
        assert(status === 201, 'every order of the load is accepted')
        replies++
        endMs = performance.now()
      })
    },
  })
  // All clients exist now, and none has sent a byte: sockets connect after this tick.
  assert(connected === CONNECTIONS, 'autocannon makes all its clients at once')
  const startMs = performance.now()
  await end
  assert(replies === share * CONNECTIONS, 'every order gets a reply')
  return (replies * 1000) / (endMs - startMs)
}
