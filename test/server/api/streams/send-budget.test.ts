import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type FrameCost, SendBudget, Share } from '../../../../server/edge/sockets/send-budget.ts'
import { freshSeed, Random } from '../../../support/random.ts'

const FREE = Number.POSITIVE_INFINITY

/** A stream of frames of one cost, which changes every millisecond. */
class Stream {
  readonly share = new Share()
  readonly cost: FrameCost
  frames = 0

  constructor(cost: FrameCost) {
    this.cost = cost
  }

  work(budget: SendBudget, nowMs: number): void {
    if (this.share.requestedMs === null) budget.request(this.share, this.cost, nowMs)
    if (!budget.allows(this.share, nowMs)) return
    budget.wrote(this.share, this.cost, nowMs)
    this.frames++
  }
}

/** Plays changes every millisecond. */
function play(budget: SendBudget, forMs: number, streams: readonly Stream[]): void {
  for (let nowMs = 0; nowMs < forMs; nowMs++) {
    for (const stream of streams) stream.work(budget, nowMs)
  }
}

/** Gives how many frames were made for so many readers. */
function framesIn(forMs: number, readers: number, perSecond: number): number {
  const stream = new Stream({ sends: readers, bytes: readers * 1000 })
  play(new SendBudget({ sendsPerSec: perSecond, bytesPerSec: FREE }), forMs, [stream])
  return stream.frames
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
  assert.equal(framesIn(1000, 1_000_000, FREE), 1000)
})

test('a rest saves no more than a burst', () => {
  const budget = new SendBudget({ sendsPerSec: 1000, bytesPerSec: FREE })
  const stream = new Stream({ sends: 1, bytes: 1 })
  for (let frame = 0; frame < 1000; frame++) stream.work(budget, 60_000)
  assert.equal(stream.frames, 21, 'those of 20 ms, and the one that goes over')
})

const MB = 1_000_000

test('a frame costs its bytes where these are worth more than its readers', () => {
  const budget = new SendBudget({ sendsPerSec: 25_000, bytesPerSec: 64 * MB })
  const ladder = new Stream({ sends: 2000, bytes: 2000 * 50_000 })
  play(budget, 20_000, [ladder])
  const bytes = ladder.frames * ladder.cost.bytes
  assert.ok(bytes <= 20 * 64 * MB, `${bytes} bytes in 20 seconds`)
  assert.ok(bytes >= 18 * 64 * MB, `${bytes} bytes in 20 seconds`)
})

test('costly frames of one book hold up no other book', () => {
  // A small book wants less than the equal part of all thirty.
  const rate = { sendsPerSec: FREE, bytesPerSec: 64 * MB }
  const budget = new SendBudget(rate)
  const ladders = Array.from({ length: 20 }, () => new Stream({ sends: 2000, bytes: 100 * MB }))
  const small = Array.from({ length: 10 }, () => new Stream({ sends: 1, bytes: 1000 }))
  const alone = Array.from({ length: 10 }, () => new Stream({ sends: 1, bytes: 1000 }))
  play(budget, 60_000, [...ladders, ...small])
  play(new SendBudget(rate), 60_000, alone)
  const least = Math.min(...small.map(({ frames }) => frames))
  const most = Math.max(...alone.map(({ frames }) => frames))
  assert.ok(least > 0.95 * most, `${least} frames beside ladders, ${most} without`)
  const costly = ladders.map(({ frames }) => frames)
  assert.ok(Math.max(...costly) - Math.min(...costly) <= 1, 'ladders of one length make as many')
})

test('streams that want more than the budget get equal parts of it, and never more in all', () => {
  const seed = freshSeed()
  const random = new Random(seed)
  for (let round = 0; round < 20; round++) {
    const streams = Array.from({ length: random.between(2, 30) }, () => {
      return new Stream({ sends: random.between(1, 500), bytes: random.between(1, 1000) * 50_000 })
    })
    const budget = new SendBudget({ sendsPerSec: 25_000, bytesPerSec: 64 * MB })
    const forMs = 30_000
    play(budget, forMs, streams)
    const costs = streams.map(({ frames, cost }) => frames * budget.costOf(cost))
    const bursts = 40 * streams.length
    const all = costs.reduce((sum, cost) => sum + cost, 0)
    assert.ok(all <= forMs + bursts, `seed ${seed}: ${all} ms of ${forMs}`)
    const fairMs = forMs / streams.length
    for (const [index, stream] of streams.entries()) {
      const wantsMs = Math.min(fairMs, forMs * budget.costOf(stream.cost))
      const least = wantsMs * 0.9 - budget.costOf(stream.cost)
      assert.ok(costs[index] >= least, `seed ${seed}: ${costs[index]} of ${wantsMs} ms`)
    }
  }
})

test('a request that is withdrawn costs nothing', () => {
  const budget = new SendBudget({ sendsPerSec: 1000, bytesPerSec: FREE })
  const [gone, stream] = [new Share(), new Stream({ sends: 100, bytes: 1 })]
  for (let nowMs = 0; nowMs < 10_000; nowMs++) {
    budget.request(gone, { sends: 1_000_000, bytes: 1 }, nowMs)
    stream.work(budget, nowMs)
    budget.withdraw(gone)
  }
  assert.ok(stream.frames >= 95, `${stream.frames} frames`)
})
