import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SendBudget } from '../../../../server/sockets/shared/send-budget.ts'

/** Plays changes every millisecond: gives how many frames were made for so many readers. */
function framesIn(forMs: number, readers: number, perSecond: number): number {
  const budget = new SendBudget(perSecond)
  let frames = 0
  for (let nowMs = 0; nowMs < forMs; nowMs++) {
    if (!budget.hasRoom(nowMs)) continue
    budget.spend(readers, nowMs)
    frames++
  }
  return frames
}

test('books with many readers make as many frames as the budget pays for', () => {
  // [readers, frames in ten seconds at 25,000 frames to readers a second]
  for (const [readers, most] of [
    [1000, 250],
    [5000, 50],
    [100, 2500],
  ] as const) {
    const frames = framesIn(10_000, readers, 25_000)
    assert.ok(frames >= most && frames <= most * 1.02 + 1, `${readers} readers: ${frames} frames`)
  }
})

test('a budget that nobody reaches holds nothing up', () => {
  assert.equal(framesIn(1000, 10, 25_000), 1000)
  assert.equal(framesIn(1000, 1_000_000, Number.POSITIVE_INFINITY), 1000)
})

test('a rest saves no more than a burst', () => {
  const budget = new SendBudget(1000)
  budget.spend(10, 0)
  let early = 0
  for (let frame = 0; frame < 1000 && budget.hasRoom(60_000); frame++) {
    budget.spend(1, 60_000)
    early++
  }
  assert.equal(early, 21, 'those of 20 ms, and the one that goes over')
})
