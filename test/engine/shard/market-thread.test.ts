import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LIMITS } from '../../../engine/domain/limits.ts'
import { handleFrame, sendEventsTo } from '../../../engine/shard/market-thread.ts'
import { FROM_SHARD, TO_SHARD } from '../../../engine/shard/protocol.ts'
import { Ring } from '../../../engine/thread/ring.ts'

// Answers of a market thread whose ring to main is full.

const FRAMES = 1000

test('a list of places waits for space in the ring, as events do', () => {
  const output = new Ring(Ring.allocate(LIMITS.shardRingBytes))
  let answers = 0
  let waits = 0
  const readAll = () => {
    output.send()
    while (output.next()) {
      assert.equal(output.tag, FROM_SHARD.AHEAD)
      answers++
    }
    output.free()
  }
  sendEventsTo(output, () => {
    waits++
    readAll()
  })
  const view = new DataView(new Uint32Array(LIMITS.placesMax * 2).fill(1).buffer)
  const payloadBytes = view.byteLength
  for (let frame = 0; frame < FRAMES; frame++) {
    handleFrame({ tag: TO_SHARD.AHEAD, view, byteOffset: 0, payloadBytes }, output)
  }
  readAll()
  assert.equal(answers, FRAMES)
  assert.ok(waits > 0, 'the ring was full')
})
