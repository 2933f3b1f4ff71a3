import assert from 'node:assert/strict'
import { test } from 'node:test'
import { StampTimes } from '../../../../server/exchange/sequencer/stamp-times.ts'
import { freshSeed, fromEnv, Random } from '../../../support/random.ts'

const SEC = 1000

test('what was stamped before the start counts from the start', () => {
  const times = new StampTimes()
  assert.equal(times.seqAt(Number.MAX_SAFE_INTEGER), 0, 'nothing is known before it')
  times.begin(100, 5000)
  assert.deepEqual([times.seqAt(4999), times.seqAt(5000)], [0, 100])
})

test('a quiet exchange knows its last command exactly', () => {
  const times = new StampTimes()
  times.begin(0, 0)
  times.note(1, 10)
  times.note(2, 400)
  times.note(3, 90 * SEC)
  assert.deepEqual([times.seqAt(399), times.seqAt(400), times.seqAt(89 * SEC)], [0, 2, 2])
  assert.equal(times.seqAt(90 * SEC), 3)
})

test('no command counts as older than it is, and each counts a second later', () => {
  const seed = fromEnv('SEED', freshSeed())
  const random = new Random(seed)
  const times = new StampTimes()
  const stamps: number[] = [0]
  times.begin(0, 0)
  let nowMs = 0
  for (let seq = 1; seq <= 20_000; seq++) {
    nowMs += random.chance(0.02) ? random.below(5000) : random.below(40)
    times.note(seq, nowMs)
    stamps.push(nowMs)
    if (seq % 97 !== 0) continue
    const atMs = nowMs - random.below(60 * SEC)
    const known = times.seqAt(atMs)
    assert.ok(known === 0 || stamps[known] <= atMs, `SEED=${seed}: ${known} at ${atMs}`)
    const late = stamps.findLastIndex((each) => each <= atMs - SEC)
    assert.ok(known >= late, `SEED=${seed}: ${known} is before ${late}`)
  }
})
