import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Client, OrderType, Side, TooEarlyError } from '@limitless-exchange/sdk'
import { exchange } from '../support/exchange.ts'

// The public client has no calls for modes and heartbeats. It has errors for them, and it can send
// any call.

test('the public client knows the refusals of a trading mode and sends heartbeats', async () => {
  const { live } = await exchange()
  const { slug, tokens } = await live.openMarket('rain')
  const { key, tokenId, secret } = await live.trader(1_000_000_000)
  const baseURL = `http://127.0.0.1:${live.port}`
  const client = new Client({ baseURL, hmacCredentials: { tokenId, secret } })
  const orders = client.newOrderClient(`0x${Buffer.from(key).toString('hex')}`)
  const bid = (postOnly: boolean) =>
    orders.createOrder({
      tokenId: tokens[0],
      side: Side.BUY,
      price: 0.4,
      size: 10,
      orderType: OrderType.GTC,
      marketSlug: slug,
      postOnly,
    })
  await live.admin('/admin/trading-modes', { mode: 'post_only' })
  await assert.rejects(bid(false), (error: unknown) => {
    assert.ok(error instanceof TooEarlyError)
    const { code, mode, resumeAt } = Object(error.data)
    assert.deepEqual([code, mode, resumeAt], ['post_only_mode', 'post_only', null])
    return true
  })
  const { order } = await bid(true)
  await live.admin('/admin/trading-modes', { mode: 'disabled' })
  await assert.rejects(orders.cancel(order.id), TooEarlyError)
  const status = await client.http.get<{ active: unknown[] }>('/maintenance/status')
  assert.equal(status.active.length, 2)
  const cancelAt = live.nowMs() + 60_000
  const armed = await client.http.post<{ cancelAt: number }>('/heartbeats', { cancelAt })
  assert.equal(armed.cancelAt, cancelAt)
  const disarmed = await client.http.post<{ cancelAt: null }>('/heartbeats', {})
  assert.equal(disarmed.cancelAt, null)
})
