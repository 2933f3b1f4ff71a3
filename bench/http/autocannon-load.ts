// Sends orders with autocannon as fast as replies come. Each connection sends its own share of the
// orders, one at a time. It measures no latency: an order that waits for the one before begins
// late, and its wait would be left out.

import autocannon from 'autocannon'
import { assert } from '../../engine/domain/assert.ts'
import type { SignedCall } from './http-orders.ts'

export interface FullSpeedPlan {
  readonly port: number
  readonly calls: readonly SignedCall[]
  readonly connections: number
}

export interface FullSpeedResult {
  readonly perSecond: number
  /** Replies other than 201. */
  readonly refused: number
}

export async function fullSpeed({ port, calls, connections }: FullSpeedPlan) {
  const share = Math.floor(calls.length / connections)
  assert(share > 0, 'each connection has an order to send')
  let connected = 0
  let answered = 0
  let refused = 0
  let startMs = 0
  let endMs = 0
  const onResponse = (status: number) => {
    answered++
    if (status !== 201) refused++
    endMs = performance.now()
  }
  const end = autocannon({
    url: `http://127.0.0.1:${port}/orders`,
    connections,
    amount: share * connections,
    timeout: 60,
    sampleInt: 100,
    setupClient: (client) => {
      const from = share * connected++
      const requests = calls.slice(from, from + share).map(({ headers, body }) => ({
        method: 'POST' as const,
        headers: { ...headers },
        body,
      }))
      client.setRequests(requests)
      client.on('response', onResponse)
    },
  })
  // All clients exist by now, and none has sent a byte: sockets connect after this turn of the
  // loop.
  assert(connected === connections, 'autocannon makes all its clients at once')
  startMs = performance.now()
  await end
  assert(answered === share * connections, 'every order is answered')
  const result: FullSpeedResult = { perSecond: (answered * 1000) / (endMs - startMs), refused }
  return result
}
