import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SeenOrders } from '../../../engine/core/seen-orders.ts'
import { freshSeed, Random } from '../../support/random.ts'

const random = new Random(freshSeed())

test('seen hashes equal a set, with removals that close gaps and growth in between', () => {
  const seen = new SeenOrders()
  const twin = new Map<string, [number, number]>()
  // Few low words and few high words: long runs of cells that follow each other and wrap.
  const lows = Array.from({ length: 20 }, () => random.next() * 2 ** 32)
  lows.push(0, 1, 4094, 4095, 4096, 8191, 2 ** 32 - 1, 2 ** 32 - 2)
  for (let step = 0; step < 40_000; step++) {
    const high = 1 + random.below(step < 20_000 ? 3 : 8)
    const low = random.chance(0.5) ? random.pick(lows) >>> 0 : random.below(2000)
    const key = `${high}:${low}`
    assert.equal(seen.hasHash(high, low), twin.has(key))
    if (twin.has(key)) {
      seen.removeHash(high, low)
      twin.delete(key)
    } else {
      seen.addHash(high, low)
      twin.set(key, [high, low])
    }
    assert.equal(seen.count, twin.size)
    if (step % 5_000 !== 0) continue
    for (const [h, l] of twin.values()) assert(seen.hasHash(h, l), 'a seen hash stays')
  }
})

test('a run of cells that wraps around the end of the table survives removals', () => {
  const seen = new SeenOrders()
  const end = 4095
  for (let high = 1; high <= 6; high++) seen.addHash(high, end)
  seen.addHash(7, 0)
  seen.addHash(8, 2)
  seen.removeHash(2, end)
  seen.removeHash(1, end)
  for (let high = 3; high <= 6; high++) assert(seen.hasHash(high, end))
  assert(seen.hasHash(7, 0))
  assert(seen.hasHash(8, 2))
  assert(!seen.hasHash(1, end) && !seen.hasHash(2, end))
  assert.equal(seen.count, 6)
})

test('a client order id is used once per account, living or dead, unless it left no trace', () => {
  const seen = new SeenOrders()
  seen.addClientId(1, 'a', 7)
  assert.equal(seen.liveSlot(1, 'a'), 7)
  assert(!seen.hasClientId(2, 'a'))
  assert(!seen.hasClientId(11, 'a'))
  seen.endClientId(1, 'a')
  assert.equal(seen.liveSlot(1, 'a'), 0)
  assert(seen.hasClientId(1, 'a'))
  seen.addClientId(1, '1:a', 8)
  assert(!seen.hasClientId(11, 'a'))
  seen.removeClientId(1, '1:a')
  assert(!seen.hasClientId(1, '1:a'))
})
