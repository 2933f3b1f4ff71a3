import assert from 'node:assert/strict'
import { at, textAt } from './json-path.ts'
import type { LiveExchange, Trader } from './live-exchange.ts'

// An order as its owner reads it. GET user-orders and POST /orders/status/batch must agree.

export interface SeenOrder {
  readonly status: string
  readonly settlementStatus: string
  readonly remainingSize: number
}

const EVERY_STATUS = ['LIVE', 'MATCHED', 'CANCELED', 'UNMATCHED']
  .map((status) => `statuses=${status}`)
  .join('&')

async function listed(live: LiveExchange, trader: Trader, path: string): Promise<unknown[]> {
  const { status, body, text } = await live.call(trader, 'GET', path)
  assert.equal(status, 200, text)
  assert(Array.isArray(body))
  return body
}

export async function seenOrder(
  live: LiveExchange,
  trader: Trader,
  slug: string,
  orderId: string,
): Promise<SeenOrder> {
  const path = `/markets/${slug}/user-orders`
  const all = await listed(live, trader, `${path}?${EVERY_STATUS}`)
  const order = all.find((each) => at(each, 'id') === orderId)
  assert(order !== undefined, 'the list of every status has the order')
  const status = textAt(order, 'status')
  const alike = await listed(live, trader, `${path}?statuses=${status}`)
  assert.deepEqual(
    alike.find((each) => at(each, 'id') === orderId),
    order,
    'the list of its status has the order',
  )
  const items = [{ orderId }]
  const batch = await live.call(trader, 'POST', '/orders/status/batch', { items })
  assert.equal(batch.status, 200, batch.text)
  assert.equal(textAt(batch.body, 'results', 0, 'data', 'order', 'status'), status)
  return {
    status,
    settlementStatus: textAt(batch.body, 'results', 0, 'data', 'execution', 'settlementStatus'),
    remainingSize: Number(textAt(order, 'remainingSize')),
  }
}
