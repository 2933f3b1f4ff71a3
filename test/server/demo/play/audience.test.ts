import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Audience } from '../../../../server/demo/play/audience.ts'
import { startRounds } from '../../../../server/demo/play/rounds.ts'

const MINUTE_MS = 60_000

function stage() {
  const world = { nowMs: 0, calls: 0, sockets: 0 }
  const audience = new Audience(
    () => world,
    () => world.nowMs,
  )
  after(() => audience.stop())
  audience.whole()
  return { world, audience }
}

test('nobody looks a minute after the last call, unless a socket is open', () => {
  const { world, audience } = stage()
  assert.equal(audience.isThere, true, 'whoever started it')
  world.nowMs = MINUTE_MS
  audience.look()
  assert.equal(audience.isThere, false)
  world.calls = 1
  audience.look()
  assert.equal(audience.isThere, true)
  world.nowMs += MINUTE_MS - 1
  audience.look()
  assert.equal(audience.isThere, true, 'a minute is not over')
  world.nowMs += 1
  audience.look()
  assert.equal(audience.isThere, false, 'the same number of calls is nobody')
  world.sockets = 1
  audience.look()
  world.nowMs += 10 * MINUTE_MS
  audience.look()
  assert.equal(audience.isThere, true)
})

test('somebody looks until the demo is whole, for a quarter of an hour at most', () => {
  const world = { nowMs: 0, calls: 0, sockets: 0 }
  const audience = new Audience(
    () => world,
    () => world.nowMs,
  )
  after(() => audience.stop())
  world.nowMs = 15 * MINUTE_MS
  assert.equal(audience.isThere, true)
  world.nowMs += 1
  assert.equal(audience.isThere, false)
})

test('a bot that waits goes on when somebody comes', async () => {
  const { world, audience } = stage()
  world.nowMs = MINUTE_MS
  let rounds = 0
  let next = () => {}
  const once = async () => {
    rounds++
    next()
  }
  const played = () => new Promise<void>((resolve) => (next = resolve))
  const first = played()
  const bot = startRounds({
    name: 'a bot',
    warn: assert.fail,
    audience,
    first: async () => {},
    round: once,
    pauseMs: () => 1,
    awayMs: () => 1e9,
  })
  await new Promise(setImmediate)
  assert.equal(rounds, 0)
  world.calls = 1
  audience.look()
  await first
  await played()
  assert.ok(rounds >= 2, 'and on')
  await bot.stop()
})
