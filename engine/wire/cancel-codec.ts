// Hot path. bench/pipeline.bench.ts
// CANCEL records ↔ commands. Hot functions write to one buffer and fill a given object.

import { assert } from '../domain/assert.ts'
import type { CancelOrders } from '../domain/command.ts'
import { LIMITS } from '../domain/limits.ts'
import { viewOf, writeHead } from './record-head.ts'
import { CANCEL, CANCEL_ITEM_BYTES, HEAD, KIND } from './record-layout.ts'

const cancelBytes = new Uint8Array(CANCEL.items + LIMITS.cancelItemsMax * CANCEL_ITEM_BYTES)
const cancelView = viewOf(cancelBytes)

export function encodeCancel(cancel: CancelOrders): Uint8Array {
  return scratchCancel(cancel).slice()
}

/** Encodes a CANCEL record. It is valid until the next call. */
export function scratchCancel(cancel: CancelOrders): Uint8Array {
  assert(cancel.count <= LIMITS.cancelItemsMax, 'a cancel has a bounded number of orders')
  const bytes = CANCEL.items + cancel.count * CANCEL_ITEM_BYTES
  const view = cancelView
  writeHead(view, KIND.CANCEL, cancel)
  view.setUint32(HEAD.bytes, bytes, true)
  view.setUint32(HEAD.market, cancel.marketId, true)
  view.setUint8(CANCEL.reason, cancel.reason)
  view.setUint32(CANCEL.count, cancel.count, true)
  for (let index = 0; index < cancel.count; index++) {
    const at = CANCEL.items + index * CANCEL_ITEM_BYTES
    view.setUint32(at, cancel.slots[index], true)
    view.setUint32(at + 4, cancel.generations[index], true)
  }
  return cancelBytes.subarray(0, bytes)
}

export function decodeCancel(record: Uint8Array): CancelOrders {
  const cancel = blankCancel(Math.floor((record.length - CANCEL.items) / CANCEL_ITEM_BYTES))
  readCancel(viewOf(record), 0, record.length, cancel)
  return cancel
}

/** A cancel with capacity for `itemsMax` orders. */
export function blankCancel(itemsMax: number): CancelOrders {
  const slots = new Uint32Array(itemsMax)
  const generations = new Uint32Array(itemsMax)
  return {
    kind: 'cancelOrders',
    seq: 0,
    nowMs: 0,
    marketId: 0,
    reason: 0,
    count: 0,
    slots,
    generations,
  }
}

/** Reads the CANCEL record at `at` into `cancel`, which has capacity for all items. */
export function readCancel(view: DataView, at: number, bytes: number, cancel: CancelOrders): void {
  const count = view.getUint32(at + CANCEL.count, true)
  assert(CANCEL.items + count * CANCEL_ITEM_BYTES === bytes, 'a cancel ends with its last item')
  assert(count <= cancel.slots.length, 'a cancel has a bounded number of orders')
  cancel.seq = view.getFloat64(at + HEAD.seq, true)
  cancel.nowMs = view.getFloat64(at + HEAD.nowMs, true)
  cancel.marketId = view.getUint32(at + HEAD.market, true)
  cancel.reason = view.getUint8(at + CANCEL.reason)
  cancel.count = count
  for (let index = 0; index < count; index++) {
    const item = at + CANCEL.items + index * CANCEL_ITEM_BYTES
    cancel.slots[index] = view.getUint32(item, true)
    cancel.generations[index] = view.getUint32(item + 4, true)
  }
}
