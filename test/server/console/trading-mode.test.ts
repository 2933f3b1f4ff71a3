import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  isModeRefusal,
  type Mode,
  restrictionOf,
} from '../../../server/console/exchange/trading-mode.ts'

// What the page shows of restrictions of trading.

const windowOf = (mode: Mode, publicMessage: string) => ({
  publicMessage,
  endsAt: null,
  effects: [{ mode }],
})

test('without an active window trading is normal', () => {
  assert.equal(restrictionOf({ active: [] }), null)
})

test('of windows that overlap the strictest is shown', () => {
  const active = [
    windowOf('cancel_only', 'an update'),
    windowOf('disabled', 'a fault'),
    windowOf('post_only', 'an auction'),
  ]
  assert.deepEqual(restrictionOf({ active }), {
    mode: 'disabled',
    message: 'a fault',
    endsAt: null,
  })
})

test('the refusals of the three modes are known, and others are none', () => {
  const codes = ['post_only_mode', 'cancel_only_mode', 'trading_disabled', 'MARKET_NOT_TRADABLE']
  assert.deepEqual(codes.map(isModeRefusal), [true, true, true, false])
})
