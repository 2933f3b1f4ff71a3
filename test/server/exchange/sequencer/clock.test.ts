import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ClockState, SteadyClock } from '../../../../server/exchange/sequencer/clock.ts'
import { freshSeed, Random } from '../../../support/random.ts'

const NOON_MS = 1_800_014_400_000

const DAY_MS = 86_400_000

/** A clock over a wall clock and a monotonic clock, which the test moves. */
function setUp(isLeapAccepted = false) {
  const at = { wallMs: NOON_MS, monotonicMs: 7.25 }
  const stated: string[] = []
  const clock = new SteadyClock({
    wall: () => Math.floor(at.wallMs),
    monotonic: () => at.monotonicMs,
    onChange: (sentence) => stated.push(sentence),
    isLeapAccepted,
  })
  const pass = (ms: number) => {
    at.wallMs += ms
    at.monotonicMs += ms
  }
  return { at, stated, clock, pass }
}

test('the server time goes on with the wall clock while both agree', () => {
  const { clock, pass, stated } = setUp()
  assert.equal(clock.nowMs(), NOON_MS)
  pass(1500)
  assert.equal(clock.nowMs(), NOON_MS + 1500)
  assert.deepEqual(stated, [])
  assert.equal(clock.state, 'steady')
})

test('when the wall clock steps back, time goes on more slowly until they meet', () => {
  const { at, clock, pass, stated } = setUp()
  at.wallMs -= 10_000
  const hour = 3_600_000
  pass(1000)
  assert.equal(clock.nowMs(), NOON_MS + 900)
  assert.equal(clock.state, 'slowed')
  assert.match(stated[0], /behind/)
  pass(90_000)
  assert.equal(clock.nowMs(), NOON_MS + 900 + 81_000)
  pass(hour)
  assert.equal(clock.nowMs(), Math.floor(at.wallMs) + 1, 'both clocks agree again')
  pass(10)
  assert.equal(clock.nowMs(), Math.floor(at.wallMs) + 1)
  assert.equal(clock.state, 'steady')
  assert.equal(clock.behindCount, 1)
})

test('a wall clock up to two seconds ahead is followed at once', () => {
  const { at, clock, stated } = setUp()
  at.wallMs += 2000
  assert.equal(clock.nowMs(), NOON_MS + 2000)
  assert.deepEqual(stated, [])
})

test('a wall clock further ahead is followed after it has stayed there for a minute', () => {
  const { at, clock, pass, stated } = setUp()
  at.wallMs += 2001
  assert.equal(clock.nowMs(), NOON_MS)
  pass(59_999)
  assert.equal(clock.nowMs(), NOON_MS + 59_999)
  assert.equal(clock.state, 'waiting')
  pass(1)
  assert.equal(clock.nowMs(), NOON_MS + 62_001)
  assert.equal(clock.state, 'steady')
  assert.equal(stated.length, 2)
  assert.equal(clock.aheadCount, 1)
})

test('a wall clock that jumps ahead and comes back within a minute moves nothing', () => {
  const { at, clock, pass } = setUp()
  at.wallMs += 3_600_000
  assert.equal(clock.nowMs(), NOON_MS)
  pass(30_000)
  assert.equal(clock.nowMs(), NOON_MS + 30_000)
  at.wallMs -= 3_600_000
  pass(30_000)
  assert.equal(clock.nowMs(), NOON_MS + 60_000)
  // The minute of a second jump begins again.
  at.wallMs += 3_600_000
  pass(59_000)
  assert.equal(clock.nowMs(), NOON_MS + 119_000)
})

test('a start takes the wall clock, but never a time before the last command', () => {
  const early = setUp()
  early.clock.resume(NOON_MS - 5000)
  assert.equal(early.clock.nowMs(), NOON_MS)
  const late = setUp()
  late.clock.resume(NOON_MS + 5000)
  late.pass(1000)
  assert.equal(late.clock.nowMs(), NOON_MS + 5900, 'time goes on until they meet')
  assert.equal(late.clock.state, 'slowed')
})

test('a start forgets a wall clock that nobody has read', () => {
  const hourMs = 3_600_000
  const { at, clock } = setUp()
  at.wallMs -= hourMs
  clock.resume(NOON_MS - 2 * hourMs)
  assert.equal(clock.nowMs(), NOON_MS - hourMs)
  const read = setUp()
  assert.equal(read.clock.nowMs(), NOON_MS)
  read.at.wallMs -= hourMs
  read.clock.resume(NOON_MS - 2 * hourMs)
  assert.ok(read.clock.nowMs() >= NOON_MS)
})

test('a wall clock more than a day ahead is not followed, and the exchange is not ready', () => {
  const { at, clock, pass, stated } = setUp()
  at.wallMs += DAY_MS + 1
  assert.equal(clock.nowMs(), NOON_MS)
  assert.equal(clock.state, 'tooFarAhead')
  assert.equal(
    clock.trouble,
    "the wall clock is 24 hours ahead of the server's time, which does not follow it",
  )
  pass(10 * DAY_MS)
  assert.equal(clock.nowMs(), NOON_MS + 10 * DAY_MS, 'time runs on')
  assert.match(stated.join(), /not ready; compare .* restart the exchange with --accept-clock$/)
  // Within a day it is followed, but only when it has stayed there for a minute.
  at.wallMs -= 1
  assert.equal(clock.nowMs(), NOON_MS + 10 * DAY_MS)
  assert.deepEqual([clock.state, clock.trouble], ['waiting', null])
  pass(60_000)
  assert.equal(clock.nowMs(), NOON_MS + 11 * DAY_MS + 60_000)
  assert.equal(clock.state, 'steady')
  assert.equal(clock.aheadCount, 1)
})

test('a wall clock more than a minute behind makes the exchange not ready until it is near', () => {
  const { at, clock, pass, stated } = setUp()
  at.wallMs -= 60_000
  clock.nowMs()
  assert.deepEqual([clock.state, clock.trouble], ['slowed', null])
  at.wallMs -= 1
  clock.nowMs()
  assert.equal(clock.state, 'tooFarBehind')
  assert.equal(clock.trouble, "the wall clock is 60 seconds behind the server's time")
  assert.match(
    stated[1],
    /^the wall clock is 60 seconds behind: .* not ready while the gap is over/,
  )
  pass(20)
  clock.nowMs()
  pass(20)
  clock.nowMs()
  assert.deepEqual([clock.state, clock.trouble], ['slowed', null])
  assert.equal(clock.behindCount, 1)
  at.wallMs -= 10 * DAY_MS
  clock.nowMs()
  assert.equal(clock.trouble, "the wall clock is 10 days behind the server's time")
})

test('a start more than a day after the last command needs consent', () => {
  const { clock } = setUp()
  assert.equal(clock.refusal(NOON_MS - DAY_MS), null)
  assert.equal(clock.refusal(NOON_MS + 100 * DAY_MS), null)
  const why = clock.refusal(NOON_MS - DAY_MS - 1) ?? ''
  assert.match(why, /reads 2027-01-15T12:00:00.000Z, 24 hours after .*2027-01-14T11:59:59.999Z/)
  assert.match(why, /`date -u`.* set it and start again; .* start it once with --accept-clock\.$/)
})

test('a start says what consent did: the leap, or that it is not needed', () => {
  const long = setUp(true)
  assert.equal(long.clock.refusal(NOON_MS - 10 * DAY_MS), null)
  long.clock.resume(NOON_MS - 10 * DAY_MS)
  assert.equal(long.clock.nowMs(), NOON_MS)
  assert.match(long.stated[0], /the server's time leaps 10 days, to 2027-01-15T12:00:00.000Z/)
  for (const lastMs of [0, NOON_MS - DAY_MS, NOON_MS + 5000]) {
    const short = setUp(true)
    short.clock.resume(lastMs)
    assert.match(short.stated[0], /^--accept-clock is not needed; remove it/)
  }
  // It holds for the start alone: a later leap is not followed.
  long.at.wallMs += 2 * DAY_MS
  assert.equal(long.clock.nowMs(), NOON_MS)
  assert.equal(long.clock.state, 'tooFarAhead')
})

test('with any wall clock, time never goes back and never runs faster than its rules', () => {
  const random = new Random(freshSeed())
  for (let round = 0; round < 50; round++) {
    const { at, clock, pass } = setUp()
    let last = clock.nowMs()
    const seen = new Set<ClockState>()
    for (let step = 0; step < 400; step++) {
      const passed = random.below(2000)
      pass(passed)
      if (random.below(10) === 0) at.wallMs += random.below(200_000) - 100_000
      const now = clock.nowMs()
      assert.ok(Number.isSafeInteger(now))
      assert.ok(now >= last, 'time never goes back')
      const isLeap = now - last > passed + 2001
      assert.ok(!isLeap || now === Math.floor(at.wallMs), 'a leap ends at the wall clock')
      assert.ok(now - last >= Math.floor(passed * 0.9) - 1, 'time never stands still')
      last = now
      seen.add(clock.state)
    }
    assert.ok(seen.size > 0)
  }
})
