import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { integer, nullable } from '../../../../server/edge/http/schema/scalars.ts'
import { compile, openObject } from '../../../../server/edge/http/schema/schema.ts'
import { exchange } from '../../../support/exchange.ts'
import { shaped } from '../../../support/exchange-client.ts'
import { at } from '../../../support/json-path.ts'
import type { Trader } from '../../../support/live-exchange.ts'
import { accepted, assertRefused, type Reply } from '../../../support/replies.ts'

// Every row of rules §4.9, over HTTP.

const beatShape = compile(openObject({ cancelAt: nullable(integer(0)), serverTime: integer(0) }))
const { live, rain, snow, alice, bob } = await exchange({
  markets: ['rain', 'snow'],
  fundsRaw: 1_000_000_000,
  traders: ['alice', 'bob'],
})

afterEach(async () => {
  assert.equal((await beat({})).status, 200)
  for (const { slug } of [rain, snow]) {
    for (const trader of [alice, bob]) await live.call(trader, 'DELETE', `/orders/all/${slug}`)
  }
  assert.equal(live.balances(alice).reservedRaw, 0)
})

function beat(body: object, trader = alice): Promise<Reply> {
  return live.call(trader, 'POST', '/heartbeats', body)
}

async function armed(cancelAt: number): Promise<void> {
  const reply = await accepted(beat({ cancelAt }))
  const reported = shaped(beatShape, reply.body)
  assert.equal(reported.cancelAt, cancelAt)
  assert.ok(Math.abs(reported.serverTime - live.nowMs()) < 5000)
}

/** The number of live orders in each market. */
async function resting(trader: Trader): Promise<number[]> {
  const counts = [rain, snow].map(async ({ slug }) => {
    const { body } = await live.call(trader, 'GET', `/markets/${slug}/user-orders`)
    assert.ok(Array.isArray(body))
    return body.length
  })
  return Promise.all(counts)
}

test('a deadline less than 5 s ahead, or not in Unix ms, is 400', async () => {
  for (const cancelAt of [
    0,
    live.nowMs() - 1,
    live.nowMs() + 4_999,
    Math.ceil(live.nowMs() / 1000),
  ]) {
    const reply = await beat({ cancelAt })
    assert.equal(reply.status, 400, `${cancelAt}`)
    assert.equal(at(reply.body, 'message', 0, 'field'), 'cancelAt')
  }
  const soon = live.nowMs() + 60_000
  for (const body of [{ cancelAt: `${soon}` }, { cancelAt: soon + 0.5 }]) {
    assert.equal((await beat(body)).status, 400, JSON.stringify(body))
  }
  assert.equal((await beat({ cancelAt: soon, again: true })).status, 400)
})

test('a token without the scope is 403, and a call without a proof is 401', async () => {
  const reader = await live.trader(0, { apiToken: { scopes: ['account_creation'] } })
  assert.equal((await beat({}, reader)).status, 403)
  assert.equal((await live.send('POST', '/heartbeats', { body: '{}' })).status, 401)
})

test('none or armed, cancelAt: armed; it replaces the earlier deadline', async () => {
  await live.placed(alice, rain)
  await armed(live.nowMs() + 6_000)
  await armed(live.nowMs() + 60_000)
  live.shiftClock(30_000)
  await live.placed(alice, snow)
  assert.deepEqual(await resting(alice), [1, 1])
})

test('armed, {}: disarmed, and nothing is canceled; none armed, {}: the same reply', async () => {
  await live.placed(alice, rain)
  await armed(live.nowMs() + 6_000)
  for (let times = 0; times < 2; times++) {
    const reply = await beat({})
    assert.equal(shaped(beatShape, reply.body).cancelAt, null)
  }
  live.shiftClock(30_000)
  await live.placed(alice, snow)
  assert.deepEqual(await resting(alice), [1, 1])
})

test('armed, the deadline passes: all resting orders are canceled, no later order', async () => {
  for (const market of [rain, rain, snow]) await live.placed(alice, market)
  await live.placed(bob, rain)
  await armed(live.nowMs() + 6_000)
  live.shiftClock(30_000)
  // The first call after the deadline finds the cancels done.
  await live.placed(alice, snow)
  assert.deepEqual(await resting(alice), [0, 1])
  assert.deepEqual(await resting(bob), [1, 0])
  const path = '/markets/rain/user-orders?statuses=CANCELED'
  const { body } = await live.call(alice, 'GET', path)
  assert.ok(Array.isArray(body) && body.length >= 2, 'the orders are listed as CANCELED')
  live.shiftClock(3_600_000)
  await live.placed(alice, rain)
  assert.deepEqual(await resting(alice), [1, 1], 'a deadline passes once')
})

test('canceling: renewing and disarming are 409 and stop no cancel; then it ends', async () => {
  for (const body of [{ cancelAt: live.nowMs() + 3_600_000 }, {}]) {
    let reply: Reply
    do {
      // The cancels may be done and durable before the call is read; then the test tries again.
      await live.placed(alice, rain)
      await armed(live.nowMs() + 6_000)
      const called = beat(body)
      live.shiftClock(10_000)
      reply = await called
    } while (reply.status === 200)
    assertRefused(reply, 409, 'HEARTBEAT_CANCELING')
    await live.placed(alice, snow)
    const [inRain] = await resting(alice)
    assert.equal(inRain, 0)
    await armed(live.nowMs() + 3_600_000)
  }
})

test('a due heartbeat is carried out while trading is disabled', async () => {
  await live.placed(alice, rain)
  await armed(live.nowMs() + 6_000)
  const made = await live.admin('/admin/trading-modes', {
    mode: 'disabled',
    endsAt: live.nowMs() + 40_000,
  })
  assert.equal(made.status, 201, made.text)
  const refused = await live.call(alice, 'DELETE', '/orders/all/rain')
  assert.equal(refused.status, 425)
  live.shiftClock(10_000)
  assert.equal((await live.place(alice, rain)).status, 425, 'the window is still open')
  assert.deepEqual(await resting(alice), [0, 0])
  live.shiftClock(40_000)
})
