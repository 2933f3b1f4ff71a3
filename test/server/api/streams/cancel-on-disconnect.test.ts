import assert from 'node:assert/strict'
import { Socket } from 'node:net'
import { test } from 'node:test'
import { ON_DISCONNECT } from '../../../../server/api/streams/account/cancel-on-disconnect.ts'
import { exchange } from '../../../support/exchange.ts'
import { listening } from '../../../support/frame-story.ts'
import { at } from '../../../support/json-path.ts'
import type { Trader } from '../../../support/live-exchange.ts'
import type { SocketClient } from '../../../support/socket-client.ts'
import { until } from '../../../support/until.ts'

// The channel cancel_on_disconnect (rules §4.12).

const CHANNEL = 'cancel_on_disconnect'
const { renewMs } = ON_DISCONNECT
const AFTER_MS = 5000
const SHARE = 1_000_000
const { live, rain, alice, bob } = await exchange({ markets: ['rain'], traders: ['alice', 'bob'] })

const cancelAtMs = ({ profileId }: Trader) => {
  const beat = live.exchange.pipeline.clearing.heartbeats.of(profileId)
  return beat?.firedSeq === 0 ? beat.cancelAtMs : null
}
const isLive = async (trader: Trader, id: string) => {
  const { body } = await live.call(trader, 'GET', `/orders/${id}`)
  return at(body, 'order', 'status') === 'LIVE'
}

async function bound(trader: Trader, payload: object = {}): Promise<SocketClient> {
  const client = await listening(live, trader, [])
  client.socket.emit(CHANNEL, payload)
  await client.take('system', 1)
  return client
}

/** Runs `work`, which must set a deadline that lies so far ahead; waits for it. */
async function sets(trader: Trader, aheadMs: number, work: () => unknown): Promise<void> {
  const fromMs = live.nowMs()
  await work()
  await until(() => {
    const setMs = (cancelAtMs(trader) ?? 0) - aheadMs
    return Promise.resolve(setMs >= fromMs && setMs <= live.nowMs())
  })
}

test('orders outlive their last socket by afterMs, and a new one keeps them', async () => {
  const id = await live.ordered(alice, rain)
  const sockets: SocketClient[] = []
  const open = async (payload: object = {}) => sockets.push(await bound(alice, payload))
  await sets(alice, AFTER_MS + renewMs, () => open())
  // The shortest of two counts, until its socket is gone.
  await sets(alice, AFTER_MS + renewMs, () => open({ afterMs: 60_000 }))
  await sets(alice, 60_000 + renewMs, () => sockets[0].close())
  await sets(alice, 60_000, () => sockets[1].close())
  await live.pass(55_000)
  assert.equal(await isLive(alice, id), true)
  await sets(alice, AFTER_MS + renewMs, () => open())
  await sets(alice, AFTER_MS, () => sockets[2].close())
  await live.pass(AFTER_MS)
  await until(async () => !(await isLive(alice, id)))
})

test('an unsubscribe takes the deadline back', async () => {
  const client = await bound(bob)
  assert.notEqual(cancelAtMs(bob), null)
  client.socket.emit('unsubscribe', { channel: CHANNEL })
  await until(() => Promise.resolve(cancelAtMs(bob) === null))
  client.close()
})

test('the deadline is kept over a restart', async () => {
  const id = await live.ordered(alice, rain)
  const client = await bound(alice, { afterMs: 600_000 })
  await sets(alice, 600_000, () => client.close())
  const deadlineMs = cancelAtMs(alice)
  await live.restart()
  assert.equal(cancelAtMs(alice), deadlineMs)
  assert.equal(await isLive(alice, id), true)
  await live.pass(600_000)
  await until(async () => !(await isLive(alice, id)))
})

test('a stop of the exchange leaves the deadline of its sockets', async () => {
  await live.ordered(alice, rain)
  await bound(alice, { afterMs: 600_000 })
  await live.restart()
  const leftMs = (cancelAtMs(alice) ?? 0) - live.nowMs()
  assert.ok(leftMs > 0 && leftMs <= 600_000 + renewMs, `${leftMs}`)
})

/** Ends the reading of a client, so that it answers no ping. */
function silence({ socket }: SocketClient): void {
  const link: unknown = at(socket, 'io', 'engine', 'transport', 'ws', '_socket')
  assert.ok(link instanceof Socket)
  link.pause()
}

test('a client that answers no ping renews nothing, though its connection is open', async () => {
  const silent = await bound(alice)
  const client = await bound(bob)
  silence(silent)
  // Renewals of Bob since the last one of Alice.
  for (let renewals = 0, atMs = cancelAtMs(alice), bobsMs = cancelAtMs(bob); renewals < 3; ) {
    await until(() => Promise.resolve(cancelAtMs(bob) !== bobsMs))
    bobsMs = cancelAtMs(bob)
    renewals = cancelAtMs(alice) === atMs ? renewals + 1 : 0
    atMs = cancelAtMs(alice)
  }
  silent.close()
  client.close()
})

test('a socket of a revoked token neither renews nor clears the deadline', async () => {
  const dora = await live.trader(SHARE)
  const member = await bound(dora, { afterMs: 60_000 })
  const unbound = await listening(live, dora, [])
  const path = `/auth/api-tokens/${dora.tokenId}`
  assert.equal((await live.call(dora, 'DELETE', path)).status, 200)
  await sets(dora, 60_000, () => {
    unbound.socket.emit(CHANNEL)
    return until(() => Promise.resolve([member, unbound].every(({ ends }) => ends.length > 0)))
  })
})

test('who may not cancel may not bind, and nonsense is refused', async () => {
  const anonymous = await listening(live, alice, [])
  for (const payload of [{ afterMs: 4999 }, { afterMs: 600_001 }, { afterMs: 'soon' }]) {
    anonymous.socket.emit(CHANNEL, payload)
  }
  const refused = await anonymous.take('exception', 3)
  for (const each of refused) assert.equal(at(each, 'code'), 'VALIDATION')
  for (let each = 0; each < ON_DISCONNECT.rate.burst * 2; each++) anonymous.socket.emit(CHANNEL)
  await anonymous.until(() =>
    anonymous.of('exception').some((each) => at(each, 'code') === 'RATE_LIMITED'),
  )
  anonymous.close()
})
