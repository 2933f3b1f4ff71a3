// Hot path. bench/pipeline.bench.ts
// The market side of a shard: reads command frames, runs core/book/market.ts, writes event frames.
// It runs in a worker, or on main if the exchange has no market threads.

import { eventWords, flushEvents, onEventsReady } from '../core/book/event-buffer.ts'
import {
  aheadInMarket,
  cancelInMarket,
  decreaseInMarket,
  placeInMarket,
  releaseInMarket,
  restoreInMarket,
} from '../core/book/market.ts'
import { bookDigest } from '../core/state/state-hash.ts'
import { fault } from '../domain/assert.ts'
import { EVENT_WORDS } from '../domain/event.ts'
import { LIMITS } from '../domain/limits.ts'
import { nativeSha256 } from '../thread/native-sha256.ts'
import type { Ring } from '../thread/ring.ts'
import { blankCancel, readCancel } from '../wire/cancel-codec.ts'
import { readDecrease } from '../wire/decrease-codec.ts'
import { blankPlace, doesReplace, readPlaceHead, readReplaced } from '../wire/place-codec.ts'
import { REPLACED_BYTES } from '../wire/record-layout.ts'
import { FROM_SHARD, RESTORE_F64S, TO_SHARD } from './protocol.ts'

const order = blankPlace()
const cancel = blankCancel(LIMITS.cancelItemsMax)
const events = eventWords

let waitForSpace: () => void = () => {}

/** Sends each chunk of events to `output`. Calls `whenFull` while `output` is full. */
export function sendEventsTo(output: Ring, whenFull: () => void): void {
  waitForSpace = whenFull
  onEventsReady((count) => {
    while (!output.pushWords(FROM_SHARD.EVENTS, events, 0, count * EVENT_WORDS)) waitForSpace()
  })
}

function answer(output: Ring, tag: number, bytes: Uint8Array): void {
  while (!output.push(tag, bytes)) waitForSpace()
}

export interface Frame {
  readonly tag: number
  /** A view of the buffer, in which the payload starts at `byteOffset`. */
  readonly view: DataView
  readonly byteOffset: number
  readonly payloadBytes: number
}

/** Processes one frame. Returns false for the last one. */
export function handleFrame(frame: Frame, output: Ring): boolean {
  const { tag, view, byteOffset: at } = frame
  switch (tag) {
    case TO_SHARD.PLACE:
      readPlaceHead(view, at, order)
      if (doesReplace(view, at)) {
        readReplaced(view, at + frame.payloadBytes - REPLACED_BYTES, order)
      }
      placeInMarket(order)
      flushEvents()
      return true
    case TO_SHARD.RELEASE:
      readPlaceHead(view, at, order)
      releaseInMarket(order)
      flushEvents()
      return true
    case TO_SHARD.CANCEL:
      readCancel(view, at, frame.payloadBytes, cancel)
      cancelInMarket(cancel)
      flushEvents()
      return true
    case TO_SHARD.DECREASE:
      decreaseInMarket(readDecrease(view, at))
      flushEvents()
      return true
    case TO_SHARD.DIGEST:
      answer(output, FROM_SHARD.DIGEST, bookDigest(view.getUint32(at, true), nativeSha256))
      return true
    case TO_SHARD.AHEAD:
      answer(output, FROM_SHARD.AHEAD, aheadOf(frame))
      return true
    case TO_SHARD.RESTORE:
      restore(frame)
      return true
    case TO_SHARD.STOP:
      return false
    default:
      return fault('every frame to a shard has a known tag')
  }
}

function aheadOf({ view, byteOffset: at, payloadBytes }: Frame): Uint8Array {
  const found = new Float64Array(payloadBytes >> 2)
  let budget: number = LIMITS.aheadCountedInAllMax
  for (let index = 0; index < found.length; index += 2) {
    const slot = view.getUint32(at + index * 4, true)
    const generation = view.getUint32(at + index * 4 + 4, true)
    const ahead = aheadInMarket(slot, generation, Math.min(LIMITS.aheadCountedMax, budget))
    budget -= Math.max(0, ahead.orders)
    found[index] = ahead.orders
    found[index + 1] = ahead.sharesRaw
  }
  return new Uint8Array(found.buffer)
}

function restore({ view, byteOffset, payloadBytes }: Frame): void {
  for (let at = byteOffset; at < byteOffset + payloadBytes; at += RESTORE_F64S * 8) {
    const field = (index: number) => view.getFloat64(at + index * 8, true)
    restoreInMarket({
      book: field(0),
      slot: field(1),
      generation: field(2),
      accountId: field(3),
      isBid: field(4) === 1,
      ticks: field(5),
      leftRaw: field(6),
    })
  }
}
