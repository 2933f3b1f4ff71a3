// Hot path. bench/pipeline.bench.ts
// The market side of a shard: takes command frames, runs core/market.ts, gives event frames.
// It runs in a worker, or on main when the exchange is told to use no market threads.

import { eventBytes, onEventsReady } from '../core/event-buffer.ts'
import { cancelInMarket, placeInMarket, restoreInMarket } from '../core/market.ts'
import { bookDigest } from '../core/state-hash.ts'
import { assert, fault } from '../domain/assert.ts'
import { EVENT_BYTES } from '../domain/event.ts'
import { decodeCancel } from '../wire/codec.ts'
import { blankPlace, readPlaceHead } from '../wire/place-codec.ts'
import { wholeViewOf } from '../wire/record-head.ts'
import type { Ring } from '../wire/ring.ts'
import { FROM_SHARD, RESTORE_F64S, TO_SHARD } from './protocol.ts'

const order = blankPlace()

/** Sends every chunk of events to `output`, waiting by `waitForSpace` when it is full. */
export function sendEventsTo(output: Ring, waitForSpace: () => void): void {
  onEventsReady((count) => {
    const bytes = eventBytes.subarray(0, count * EVENT_BYTES)
    while (!output.push(FROM_SHARD.EVENTS, bytes)) waitForSpace()
  })
}

/** Carries out one frame; false when it was the last. */
export function handleFrame(tag: number, bytes: Uint8Array, output: Ring): boolean {
  const view = wholeViewOf(bytes)
  const at = bytes.byteOffset
  switch (tag) {
    case TO_SHARD.PLACE:
      readPlaceHead(view, at, order)
      placeInMarket(order)
      return true
    case TO_SHARD.CANCEL:
      cancelInMarket(decodeCancel(bytes))
      return true
    case TO_SHARD.DIGEST:
      assert(output.push(FROM_SHARD.DIGEST, bookDigest(view.getUint32(at, true))), 'a digest fits')
      return true
    case TO_SHARD.RESTORE:
      restore(bytes)
      return true
    case TO_SHARD.STOP:
      return false
    default:
      return fault('a shard knows every frame it is sent')
  }
}

function restore(bytes: Uint8Array): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (let at = 0; at < view.byteLength; at += RESTORE_F64S * 8) {
    const field = (index: number) => view.getFloat64(at + index * 8, true)
    restoreInMarket({
      marketId: field(0),
      slot: field(1),
      generation: field(2),
      accountId: field(3),
      isBid: field(4) === 1,
      ticks: field(5),
      leftRaw: field(6),
    })
  }
}
