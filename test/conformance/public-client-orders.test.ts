import assert from 'node:assert/strict'
import { test } from 'node:test'
import { APIError, CancelReplaceMode, Client, OrderType, Side } from '@limitless-exchange/sdk'
import { exchange } from '../support/exchange.ts'

// Order methods of the public client, unmodified from npm, over cancel-replace and status.

const SHARE = 1_000_000
const {
  live,
  rain: market,
  trader,
} = await exchange({ markets: { rain: { fee: true } }, traders: { trader: 10 * SHARE } })

const client = new Client({
  baseURL: `http://127.0.0.1:${live.port}`,
  hmacCredentials: { tokenId: trader.tokenId, secret: trader.secret },
})
const orders = client.newOrderClient(`0x${Buffer.from(trader.key).toString('hex')}`)

const bid = (price: number, size: number, clientOrderId?: string) => ({
  tokenId: market.tokens[0],
  side: Side.BUY,
  price,
  size,
  marketSlug: market.slug,
  orderType: OrderType.GTC as const,
  ...(clientOrderId === undefined ? {} : { clientOrderId }),
})

test('cancelReplace funds the new quote with the money of the old quote', async () => {
  const first = await orders.createOrder(bid(0.5, 20))
  assert.equal(live.balances(trader).freeRaw, 0)
  const moved = await orders.cancelReplace({
    cancel: { orderId: first.order.id },
    replacement: bid(0.4, 25, 'moved'),
    mode: CancelReplaceMode.STOP_ON_FAILURE,
  })
  const untouched = { filledSize: '0', remainingSize: String(20 * SHARE), averagePrice: null }
  assert.deepEqual(moved.cancel, { status: 'SUCCESS', orderId: first.order.id })
  const { canceledOrder } = Object(moved)
  assert.deepEqual(canceledOrder, { orderId: first.order.id, ...untouched })
  assert.equal(moved.replacement.status, 'SUCCESS')
  assert.equal(moved.replacement.data?.execution.clientOrderId, 'moved')
  assert.equal(moved.replacement.data?.execution.settlementStatus, 'UNMATCHED')
  assert.equal(live.balances(trader).freeRaw, 0)
})

test('cancelReplace returns a 409 as the same typed body', async () => {
  const stopped = await orders.cancelReplace({
    cancel: { clientOrderId: 'nothing' },
    replacement: bid(0.3, 5),
    mode: CancelReplaceMode.STOP_ON_FAILURE,
  })
  assert.equal(stopped.cancel.error?.code, 'ORDER_NOT_FOUND')
  assert.deepEqual(stopped.replacement, { status: 'NOT_ATTEMPTED' })
  const went = await orders.cancelReplace({
    cancel: { clientOrderId: 'nothing' },
    replacement: bid(0.3, 5),
    mode: CancelReplaceMode.ALLOW_FAILURE,
  })
  assert.equal(went.replacement.status, 'FAILURE')
  assert.equal(went.replacement.error?.code, 'INSUFFICIENT_COLLATERAL')
})

test('cancelReplaceBatch answers every operation in its order', async () => {
  const { results } = await orders.cancelReplaceBatch({
    operations: [
      {
        cancel: { clientOrderId: 'moved' },
        replacement: bid(0.25, 40, 'again'),
        mode: CancelReplaceMode.STOP_ON_FAILURE,
      },
      {
        cancel: { clientOrderId: 'moved' },
        replacement: bid(0.2, 50),
        mode: CancelReplaceMode.STOP_ON_FAILURE,
      },
    ],
  })
  assert.deepEqual(
    results.map(({ index, cancel, replacement }) => [index, cancel.status, replacement.status]),
    [
      [0, 'SUCCESS', 'SUCCESS'],
      [1, 'FAILURE', 'NOT_ATTEMPTED'],
    ],
  )
  const reported: unknown = await client.http.post('/orders/status/batch', {
    items: [{ clientOrderId: 'again' }],
  })
  const data = results[0].replacement.data
  const item = { index: 0, status: 'found', orderId: data?.order.id, clientOrderId: 'again' }
  assert.deepEqual(reported, { results: [{ ...item, data }] })
})

test('cancel ends an order, and a second cancel is an APIError', async () => {
  const [live] = await (await client.markets.getMarket(market.slug)).getUserOrders()
  const { message } = await orders.cancel(live.id)
  assert.equal(message, 'Order canceled successfully')
  await assert.rejects(orders.cancel(live.id), (error: unknown) => {
    return error instanceof APIError && error.status === 400
  })
})
