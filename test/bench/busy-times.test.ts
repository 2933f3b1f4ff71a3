import assert from 'node:assert/strict'
import { test } from 'node:test'
import { busyTimesIn, p99Ms } from '../../bench/exchange/busy-times.ts'

/** The counts of two market threads and a follower: up to 0.1 ms, up to 0.5 ms, all. */
function metrics(first: number[], second: number[], follower: number[]): string {
  const lines = Object.entries({ 'market-0': first, 'market-1': second, follower })
  const text = lines.flatMap(([thread, counts]) =>
    ['0.0001', '0.0005', '+Inf'].map(
      (le, index) => `outcomex_busy_seconds_bucket{thread="${thread}",le="${le}"} ${counts[index]}`,
    ),
  )
  return `${text.join('\n')}\noutcomex_busy_seconds_count{thread="follower"} 7\n`
}

test('the p99 busy time is that of all threads of a kind, between two readings', () => {
  const before = busyTimesIn(metrics([5, 5, 9], [1, 1, 1], [3, 4, 4]))
  const after = busyTimesIn(metrics([55, 55, 59], [50, 50, 50], [3, 4, 4]))
  assert.deepEqual(p99Ms(before, after), [['market', 0.1]])
  const later = busyTimesIn(metrics([55, 56, 60], [50, 50, 50], [4, 50, 60]))
  assert.deepEqual(p99Ms(after, later), [
    ['market', 0.5],
    ['follower', Infinity],
  ])
})
