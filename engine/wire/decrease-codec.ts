// DECREASE records ↔ commands.

import { assert } from '../domain/assert.ts'
import type { DecreaseOrder } from '../domain/command.ts'
import { viewOf, writeHead } from './record-head.ts'
import { DECREASE, DECREASE_BYTES, HEAD, KIND } from './record-layout.ts'

export function encodeDecrease(decrease: DecreaseOrder): Uint8Array {
  const record = new Uint8Array(DECREASE_BYTES)
  const view = viewOf(record)
  writeHead(view, KIND.DECREASE, decrease)
  view.setUint32(HEAD.market, decrease.marketId, true)
  view.setUint32(DECREASE.slot, decrease.slot, true)
  view.setUint32(DECREASE.generation, decrease.generation, true)
  view.setFloat64(DECREASE.byRaw, decrease.byRaw, true)
  return record
}

export function decodeDecrease(record: Uint8Array): DecreaseOrder {
  assert(record.length === DECREASE_BYTES, 'a decrease has one length')
  return readDecrease(viewOf(record), 0)
}

/** Reads the DECREASE record at `at`. */
export function readDecrease(view: DataView, at: number): DecreaseOrder {
  return {
    kind: 'decreaseOrder',
    seq: view.getFloat64(at + HEAD.seq, true),
    nowMs: view.getFloat64(at + HEAD.nowMs, true),
    marketId: view.getUint32(at + HEAD.market, true),
    slot: view.getUint32(at + DECREASE.slot, true),
    generation: view.getUint32(at + DECREASE.generation, true),
    byRaw: view.getFloat64(at + DECREASE.byRaw, true),
  }
}
