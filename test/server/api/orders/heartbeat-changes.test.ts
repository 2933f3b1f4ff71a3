import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { CANCEL_REASONS } from '../../../../engine/domain/event.ts'
import { REJECT, Reject } from '../../../../engine/domain/reject-precedence.ts'
import { openReadOnly } from '../../../../persistence/database.ts'
import { tokenSecretOf } from '../../../../persistence/seal.ts'
import { HeartbeatChanges } from '../../../../server/api/orders/services.ts'
import { TradingModeChanges } from '../../../../server/api/system/services.ts'
import type { RunningExchange } from '../../../../server/start/open.ts'
import { newFolder } from '../../../support/data-folder.ts'
import { buy, fill, makeMarket, openForTest } from '../../../support/open-pipeline.ts'
import { profileFields } from '../../../support/specs.ts'

// The test sets the time: the clock of the sequencer is an argument.

const START_MS = 1_800_000_000_000
const ORDER = { priceTicks: 500, sizeRaw: 1_000_000 }
const COST_RAW = 500_000
const DUE_MS = START_MS + 5000

async function opened(dataDir = newFolder(), clock = { nowMs: START_MS }) {
  const exchange = await openForTest(dataDir, clock)
  return { dataDir, clock, exchange, beats: new HeartbeatChanges(exchange.pipeline) }
}

async function filled(orders: number, markets = 1) {
  const world = await opened()
  await fill(world.exchange, (orders + 1) * COST_RAW)
  for (let marketId = 2; marketId <= markets; marketId++) {
    await makeMarket(world.exchange, marketId)
  }
  for (let each = 0; each < orders; each++) {
    const order = { ...ORDER, marketId: 1 + (each % markets) }
    assert.equal(buy(world.exchange, each + 1, order), null)
  }
  await world.exchange.pipeline.whenIdle()
  return world
}

const openCount = ({ pipeline }: RunningExchange) => pipeline.clearing.orders.live.all

test('a deadline 5 s ahead arms, the next one replaces it, and null disarms in time', async () => {
  const { clock, exchange, beats } = await filled(2)
  const { pipeline } = exchange
  assert.equal(await beats.beat(1, DUE_MS - 1), REJECT.VALIDATION)
  assert.deepEqual(await beats.beat(1, DUE_MS), { cancelAtMs: DUE_MS, nowMs: START_MS })
  const later = { cancelAtMs: DUE_MS + 1000, nowMs: START_MS }
  assert.deepEqual(await beats.beat(1, DUE_MS + 1000), later)
  clock.nowMs = DUE_MS + 999
  pipeline.tick()
  await pipeline.whenIdle()
  assert.equal(openCount(exchange), 2, 'the replaced deadline does nothing')
  assert.deepEqual(await beats.beat(1, null), { cancelAtMs: null, nowMs: DUE_MS + 999 })
  const seq = pipeline.clearing.lastSeq
  assert.deepEqual(await beats.beat(1, null), { cancelAtMs: null, nowMs: DUE_MS + 999 })
  assert.equal(pipeline.clearing.lastSeq, seq, 'nothing is armed, so no command is written')
  clock.nowMs = DUE_MS + 60_000
  pipeline.tick()
  await pipeline.whenIdle()
  assert.equal(openCount(exchange), 2)
  const dueMs = clock.nowMs + 5000
  await beats.beat(1, dueMs)
  clock.nowMs = dueMs
  // Both calls come at the instant of the deadline. It fires before either is decided, so neither
  // stops it.
  const answers = await Promise.all([beats.beat(1, dueMs + 9000), beats.beat(1, null)])
  assert.deepEqual(answers, [REJECT.HEARTBEAT_CANCELING, REJECT.HEARTBEAT_CANCELING])
  await pipeline.whenIdle()
  assert.equal(openCount(exchange), 0)
  assert.deepEqual(await beats.beat(1, null), { cancelAtMs: null, nowMs: dueMs })
})

test('a passed deadline cancels every resting order of the profile, and no later one', async () => {
  const { dataDir, clock, exchange, beats } = await filled(2300, 2)
  const { pipeline, seal } = exchange
  const profile = profileFields(2, { rank: null })
  const sealedSecret = seal.seal(new Uint8Array(32), tokenSecretOf('other', 2))
  const token = { tokenId: 'other', sealedSecret, label: null, scopes: ['trading'] as const }
  await pipeline.change(() => ({ kind: 'createProfile', profileId: 2, profile, token }))
  assert.ok(!((await beats.beat(1, DUE_MS)) instanceof Reject))
  assert.ok(typeof (await beats.beat(2, DUE_MS)) === 'object', 'a heartbeat needs no orders')
  const before = pipeline.clearing.lastSeq
  clock.nowMs = DUE_MS
  // The order comes at the instant of the deadline, but after it.
  assert.equal(buy(exchange, 9999, ORDER), null)
  // One command for both deadlines, one cancel per market and thousand orders, and the new order.
  assert.equal(pipeline.clearing.lastSeq, before + 1 + 4 + 1)
  assert.equal(await beats.beat(1, clock.nowMs + 9000), REJECT.HEARTBEAT_CANCELING)
  await pipeline.whenIdle()
  assert.equal(openCount(exchange), 1, 'the later order stays')
  assert.equal(pipeline.clearing.ledger.collateralReservedRaw[1], COST_RAW)
  assert.ok(typeof (await beats.beat(1, clock.nowMs + 9000)) === 'object', 'the cancels are done')
  await exchange.stop()
  const table = openReadOnly(join(dataDir, 'read.db'))
  const reasons = table
    .prepare('SELECT cancel_reason AS reason, count(*) AS count FROM orders GROUP BY 1 ORDER BY 1')
    .all()
  table.close()
  assert.deepEqual(reasons, [
    { reason: null, count: 1 },
    { reason: CANCEL_REASONS.indexOf('HEARTBEAT'), count: 2300 },
  ])
})

test('after a crash between a deadline and its cancels the next start cancels', async () => {
  const { dataDir, clock, exchange, beats } = await filled(3)
  await beats.beat(1, DUE_MS)
  // Writes only the deadline and an order after it, as in a journal that was cut before the
  // cancels.
  clock.nowMs = DUE_MS
  exchange.pipeline.sequencer.heartbeats.pop()
  await exchange.pipeline.change(() => ({ kind: 'fireHeartbeats', profileIds: [1] }))
  assert.equal(buy(exchange, 99, ORDER), null)
  await exchange.pipeline.whenIdle()
  await exchange.stop()
  const second = await opened(dataDir, clock)
  assert.equal(openCount(second.exchange), 4)
  const answers = await Promise.all([
    second.beats.beat(1, clock.nowMs + 9000),
    second.beats.beat(1, null),
  ])
  assert.deepEqual(answers, [REJECT.HEARTBEAT_CANCELING, REJECT.HEARTBEAT_CANCELING])
  await second.exchange.pipeline.whenIdle()
  assert.equal(openCount(second.exchange), 1, 'only the order that came later stays')
  assert.ok(!((await second.beats.beat(1, clock.nowMs + 9000)) instanceof Reject))
})

test('a restart keeps windows and deadlines, even a deadline that has passed', async () => {
  const { dataDir, clock, exchange, beats } = await filled(2)
  const modes = new TradingModeChanges(exchange.pipeline)
  const wanted = {
    mode: 'disabled' as const,
    publicMessage: 'Updating.',
    startsAtMs: START_MS + 100,
  }
  assert.equal(await modes.put({ ...wanted, endsAtMs: START_MS + 100 }), REJECT.VALIDATION)
  assert.ok(!((await modes.put({ ...wanted, endsAtMs: DUE_MS + 100 })) instanceof Reject))
  assert.equal(buy(exchange, 50, ORDER), null, 'the window has not begun')
  await beats.beat(1, DUE_MS)
  clock.nowMs = START_MS + 100
  assert.equal(buy(exchange, 51, { ...ORDER, postOnly: true }), REJECT.TRADING_DISABLED)
  const live = exchange.pipeline.cancels.live(1, 1)
  assert.equal(await exchange.pipeline.cancels.cancel(1, live), REJECT.TRADING_DISABLED)
  const last = await exchange.stop()
  clock.nowMs = DUE_MS - 1
  const second = await opened(dataDir, clock)
  assert.equal(second.exchange.recovered.stateHash, last.stateHash)
  second.exchange.pipeline.tick()
  await second.exchange.pipeline.whenIdle()
  assert.equal(openCount(second.exchange), 3, 'the deadline lies ahead')
  assert.equal(buy(second.exchange, 51, ORDER), REJECT.TRADING_DISABLED)
  await second.exchange.stop()
  clock.nowMs = DUE_MS + 1
  const third = await opened(dataDir, clock)
  // Trading is still disabled, but the exchange itself may cancel.
  third.exchange.pipeline.tick()
  await third.exchange.pipeline.whenIdle()
  assert.equal(openCount(third.exchange), 0)
  assert.equal(buy(third.exchange, 51, ORDER), REJECT.TRADING_DISABLED)
  assert.ok(!((await third.beats.beat(1, clock.nowMs + 9000)) instanceof Reject))
  clock.nowMs = DUE_MS + 100
  assert.equal(buy(third.exchange, 51, ORDER), null, 'the window is over')
  await third.exchange.pipeline.whenIdle()
})

test('a window is shown once it is durable, even if a later call is refused', async () => {
  const { exchange } = await filled(0)
  const { sequencer } = exchange.pipeline
  const modes = new TradingModeChanges(exchange.pipeline)
  const wanted = { mode: 'disabled', publicMessage: '', startsAtMs: null, endsAtMs: null } as const
  const first = modes.put(wanted)
  // The event loop never ticks here and the disk is slower than this, so the journal's ring fills.
  const profile = profileFields(1, { displayName: 'x'.repeat(100_000) })
  const wide = { kind: 'editProfile' as const, profileId: 1, profile, token: null }
  while (sequencer.change(() => wide).reject === null) {}
  assert.equal(await modes.put(wanted), REJECT.OVERLOADED)
  assert.equal(modes.mode, 'normal')
  assert.deepEqual(modes.windows, [])
  const window = await first
  assert.deepEqual(modes.windows, [window])
  assert.equal(modes.mode, 'disabled')
})
