import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LIMITS } from '../../../../engine/domain/limits.ts'
import { exchange } from '../../../support/exchange.ts'
import { at, textAt } from '../../../support/json-path.ts'
import { orderBody } from '../../../support/live-orders.ts'
import { orderIdOf } from '../../../support/replies.ts'

// The expiration of an order: Unix seconds, at most ten years ahead, shown wherever the order is.

const { live, rain, bob } = await exchange({ markets: ['rain'], traders: { bob: 1_000_000_000 } })

const nowSec = () => Math.floor(live.nowMs() / 1000)

test('an expiration in milliseconds is refused, and the message names seconds', async () => {
  const inMs = Math.floor(live.nowMs()) + 600_000
  const reply = await live.place(bob, rain, { expirationSec: inMs })
  assert.equal(reply.status, 400, reply.text)
  assert.equal(at(reply.body, 'message', 0, 'field'), 'order.expiration')
  const message = textAt(reply.body, 'message', 0, 'message')
  assert.match(message, /seconds/)
  assert.match(
    message,
    new RegExp(`${inMs} looks like milliseconds: send ${Math.floor(inMs / 1000)}`),
  )
})

test('ten years ahead is the latest expiration', async () => {
  const lastSec = nowSec() + LIMITS.expirationAheadSecMax
  await live.placed(bob, rain, { expirationSec: lastSec - 60 })
  const late = await live.place(bob, rain, { expirationSec: lastSec + 3600 })
  assert.equal(late.status, 400, late.text)
  assert.match(textAt(late.body, 'message', 0, 'message'), /seconds/)
})

test('a late expiration refuses one order of a batch, and a whole cancel-replace', async () => {
  const far = orderBody(bob, rain, { expirationSec: Math.floor(live.nowMs()) })
  const batch = await live.call(bob, 'POST', '/orders/batch', {
    orders: [far, orderBody(bob, rain)],
  })
  assert.match(JSON.stringify(at(batch.body, 'results', 0)), /seconds/)
  const standing = textAt((await live.place(bob, rain)).body, 'order', 'id')
  const replaced = await live.call(bob, 'POST', '/orders/cancel-replace', {
    cancel: { orderId: standing },
    replacement: far,
    mode: 'ALLOW_FAILURE',
  })
  assert.equal(replaced.status, 400, replaced.text)
  assert.equal(at(replaced.body, 'message', 0, 'field'), 'replacement.order.expiration')
  const shown = await live.call(bob, 'GET', `/orders/${standing}`)
  assert.equal(at(shown.body, 'order', 'status'), 'LIVE')
})

test('every list of orders shows the expiration as text', async () => {
  const carol = await live.trader(1_000_000_000)
  const expiration = String(nowSec() + 600)
  const sent = await live.place(carol, rain, { expirationSec: Number(expiration) })
  const id = orderIdOf(sent)
  await live.place(carol, rain)
  const ofMarket = await live.call(carol, 'GET', '/markets/rain/user-orders')
  assert.deepEqual(
    [at(ofMarket.body, 1, 'expiration'), at(ofMarket.body, 0, 'expiration')],
    [expiration, '0'],
  )
  const ofAll = await live.call(carol, 'GET', '/orders')
  assert.equal(at(ofAll.body, 'data', 1, 'expiration'), expiration)
  const one = await live.call(carol, 'GET', `/orders/${id}`)
  assert.equal(at(one.body, 'order', 'expiration'), expiration)
})
