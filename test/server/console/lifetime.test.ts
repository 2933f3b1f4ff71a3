import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  expirationSecOf,
  lifetimeFault,
  UNTILS,
} from '../../../server/console/market/own/lifetime.ts'

// When an order of the ticket ends.

const NOON = new Date(2026, 5, 1, 12, 0, 0, 700)
const NOW_MS = NOON.getTime()
const NOW_SEC = Math.floor(NOW_MS / 1000)

test('an order has no end, or ends after an hour, a day, at midnight or when one says', () => {
  const own = '2026-06-02T09:30'
  const ends = UNTILS.map((until) => expirationSecOf({ until, at: own }, NOW_MS))
  assert.deepEqual(ends, [
    0,
    NOW_SEC + 3600,
    NOW_SEC + 86_400,
    new Date(2026, 5, 1, 23, 59, 59).getTime() / 1000,
    new Date(2026, 5, 2, 9, 30).getTime() / 1000,
  ])
})

test('an end of its own must be a time that comes', () => {
  const rows = [
    ['', null, ''],
    ['soon', null, 'Type a date and a time.'],
    ['2026-06-01T11:59', null, 'This time has passed.'],
    ['2026-06-01T12:00', NOW_SEC, ''],
  ] as const
  for (const [at, sec, fault] of rows) {
    const lifetime = { until: 'own', at } as const
    assert.equal(expirationSecOf(lifetime, NOW_MS), sec, at)
    assert.equal(lifetimeFault(lifetime, NOW_MS), fault, at)
  }
  assert.equal(lifetimeFault({ until: 'hour', at: 'soon' }, NOW_MS), '')
})
