import assert from 'node:assert/strict'
import { test } from 'node:test'
import { restore } from '../../../../engine/core/capture.ts'
import { Exchange } from '../../../../engine/core/exchange.ts'
import { modeAt, TradingModes } from '../../../../engine/core/markets/trading-mode.ts'
import { OrderTable } from '../../../../engine/core/orders/order-table.ts'
import type { TradingWindow } from '../../../../engine/domain/markets/trading-window.ts'
import { decodeCommand, encodeControl } from '../../../../engine/wire/codec.ts'
import type { ControlBody } from '../../../../server/exchange/sequencer/sequencer.ts'
import { packed, unpacked } from '../../../support/packed-state.ts'
import { rejectName } from '../../../support/reject-name.ts'

const NOON_MS = 1_800_000_000_000

function windowOf(changes: Partial<TradingWindow>): TradingWindow {
  const always = { startsAtMs: 0, endsAtMs: null, publicMessage: '' }
  return { windowId: 1, mode: 'disabled', ...always, ...changes }
}

const put = (window: TradingWindow, nowMs = NOON_MS) =>
  ({ kind: 'putTradingWindow', window, seq: 1, nowMs }) as const

test('each mode lets through its own kinds of request only (rules §4.6)', () => {
  const rows = [
    // mode, an order, a post-only order, a cancel
    ['post_only', 'POST_ONLY_MODE', 'NONE', 'NONE'],
    ['cancel_only', 'CANCEL_ONLY_MODE', 'CANCEL_ONLY_MODE', 'NONE'],
    ['disabled', 'TRADING_DISABLED', 'TRADING_DISABLED', 'TRADING_DISABLED'],
  ] as const
  for (const [mode, order, postOnly, cancel] of rows) {
    const modes = new TradingModes()
    modes.apply(put(windowOf({ mode })))
    assert.equal(rejectName(modes.orderReject(false, NOON_MS)), order)
    assert.equal(rejectName(modes.orderReject(true, NOON_MS)), postOnly)
    assert.equal(rejectName(modes.cancelReject(NOON_MS)), cancel)
  }
  const none = new TradingModes()
  assert.equal(none.orderReject(false, NOON_MS), null)
  assert.equal(none.cancelReject(NOON_MS), null)
})

test('a window holds from its start to just before its end; the strictest of several wins', () => {
  const windows = [
    windowOf({ mode: 'post_only', startsAtMs: 100, endsAtMs: 400 }),
    windowOf({ mode: 'disabled', startsAtMs: 200, endsAtMs: 300 }),
    windowOf({ mode: 'cancel_only', startsAtMs: 250, endsAtMs: 350 }),
  ]
  const modes = [99, 100, 199, 200, 299, 300, 349, 350, 399, 400].map((at) => modeAt(windows, at))
  const [free, post, cancel, none] = ['normal', 'post_only', 'cancel_only', 'disabled']
  const expected = [free, post, post, none, none, cancel, cancel, post, post, free]
  assert.deepEqual(modes, expected)
})

test('trading resumes at the end of the last window of the mode that has begun', () => {
  const modes = new TradingModes()
  const spans = [
    [1, 'disabled', 0, NOON_MS + 10],
    [2, 'disabled', 0, NOON_MS + 30],
    [3, 'disabled', NOON_MS + 20, NOON_MS + 90],
    [4, 'post_only', 0, null],
  ] as const
  for (const [windowId, mode, startsAtMs, endsAtMs] of spans) {
    modes.apply(put(windowOf({ windowId, mode, startsAtMs, endsAtMs })))
  }
  assert.equal(modes.resumesAtMs('disabled', NOON_MS), NOON_MS + 30)
  assert.equal(modes.resumesAtMs('disabled', NOON_MS + 20), NOON_MS + 90)
  assert.equal(modes.resumesAtMs('post_only', NOON_MS), null)
})

test('a new window drops windows that are over, and window ids never come again', () => {
  const modes = new TradingModes()
  modes.apply(put(windowOf({ windowId: 1, endsAtMs: NOON_MS + 1 })))
  modes.apply(put(windowOf({ windowId: 2 }), NOON_MS + 1))
  assert.deepEqual(
    modes.windows.map(({ windowId }) => windowId),
    [2],
  )
  modes.apply({ kind: 'endTradingWindow', windowId: 2, seq: 3, nowMs: NOON_MS + 2 })
  assert.equal(modes.count, 0)
  assert.throws(() => modes.apply(put(windowOf({ windowId: 2 }))), /window ids count from 1/)
})

/** Windows and heartbeats in every state they can have. */
const LIFE: readonly ControlBody[] = [
  { kind: 'putTradingWindow', window: windowOf({ windowId: 1, publicMessage: 'Soon back.' }) },
  { kind: 'putTradingWindow', window: windowOf({ windowId: 2, endsAtMs: NOON_MS + 500 }) },
  { kind: 'endTradingWindow', windowId: 1 },
  { kind: 'armHeartbeat', profileId: 9, cancelAtMs: NOON_MS + 90 },
  { kind: 'armHeartbeat', profileId: 3, cancelAtMs: NOON_MS + 30 },
  { kind: 'armHeartbeat', profileId: 7, cancelAtMs: NOON_MS + 70 },
  { kind: 'disarmHeartbeat', profileId: 9 },
  { kind: 'fireHeartbeat', profileId: 3 },
]

test('windows and heartbeats are state from the first one on, and are captured', () => {
  const exchange = new Exchange(new OrderTable(8))
  const hashes = new Set([exchange.stateHash()])
  for (const [index, body] of LIFE.entries()) {
    const record = encodeControl({ ...body, seq: index + 1, nowMs: NOON_MS + 30 })
    exchange.apply(decodeCommand(record))
    hashes.add(exchange.stateHash())
  }
  assert.equal(hashes.size, LIFE.length + 1, 'each command changes the hash')
  const hash = exchange.stateHash()
  const again = restore(unpacked(packed(exchange)), new OrderTable(8))
  assert.equal(again.stateHash(), hash)
  assert.deepEqual(again.clearing.heartbeats.all(), [
    { profileId: 3, cancelAtMs: NOON_MS + 30, firedSeq: 8 },
    { profileId: 7, cancelAtMs: NOON_MS + 70, firedSeq: 0 },
  ])
  assert.equal(again.clearing.modes.modeAt(NOON_MS), 'disabled')
})

test('a heartbeat fires at its deadline, never before, and once', () => {
  const exchange = new Exchange(new OrderTable(8))
  const { heartbeats } = exchange.clearing
  const body = { profileId: 1, seq: 1, nowMs: NOON_MS }
  heartbeats.apply({ kind: 'armHeartbeat', cancelAtMs: NOON_MS + 5000, ...body })
  const fire = (nowMs: number) => heartbeats.apply({ kind: 'fireHeartbeat', ...body, nowMs })
  assert.throws(() => fire(NOON_MS + 4999), /at its deadline/)
  fire(NOON_MS + 5000)
  assert.throws(() => fire(NOON_MS + 5000), /only an armed heartbeat/)
})
