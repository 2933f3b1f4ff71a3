import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  beginEvents,
  closeEvents,
  emit,
  eventF64s,
  eventWords,
  flushEvents,
  onEventsReady,
} from '../../../engine/core/book/event-buffer.ts'
import {
  EVENT,
  EVENT_BYTES,
  EVENT_WORDS,
  eventAt,
  eventCode,
  eventIsBid,
  eventKind,
  eventLeftRaw,
  eventMarketId,
  eventSeq,
  eventSizeRaw,
  eventSlot,
  eventTakerIsNo,
  eventTakerSells,
  eventTakerSlot,
  eventTicks,
  kindAndCode,
  MAKER,
  RESULT,
  TAKER_NO,
  TAKER_SELLS,
} from '../../../engine/domain/event.ts'

const SEQ = 2 ** 40 + 7
const SIZE_RAW = 2 ** 50 + 1
const LEFT_RAW = 2 ** 51 + 3
const SLOT = 2_097_151
const TAKER = 1_234_567
const MARKET = 2 ** 24 - 1

/** The bytes of two records: a fill by a seller of NO, then the end of a bid. */
function twoRecords(): ArrayBuffer {
  let bytes = new ArrayBuffer(0)
  onEventsReady((count) => {
    bytes = eventWords.slice(0, count * EVENT_WORDS).buffer
  })
  beginEvents(SEQ, MARKET | TAKER_NO | TAKER_SELLS, TAKER)
  emit(kindAndCode(EVENT.FILL, MAKER.CLOSED), 999, SLOT, SIZE_RAW, LEFT_RAW)
  closeEvents(true)
  emit(kindAndCode(EVENT.DONE, RESULT.GONE), 1, 0, 0, 5)
  flushEvents()
  return bytes
}

test('an event record holds its fields at the documented bytes', () => {
  const bytes = twoRecords()
  const view = new DataView(bytes)
  assert.equal(bytes.byteLength, 2 * EVENT_BYTES)
  assert.equal(EVENT_BYTES, 40)
  const words = [0, 4, 32, 36].map((byte) => view.getInt32(byte, true))
  assert.deepEqual(words, [1 | (1 << 8) | (999 << 16), SLOT, TAKER, MARKET | (3 << 24)])
  const f64s = [8, 16, 24].map((byte) => view.getFloat64(byte, true))
  assert.deepEqual(f64s, [SIZE_RAW, LEFT_RAW, SEQ])
  assert.equal(view.getInt32(40, true), 5 | (8 << 8) | (1 << 16))
  assert.equal(view.getInt32(72, true), 1)
})

test('a written record is read back by name, wherever its frame starts', () => {
  const record = twoRecords()
  for (const at of [0, 8, 48]) {
    const bytes = new Uint8Array(at + record.byteLength)
    bytes.set(new Uint8Array(record), at)
    const [words, f64s] = [new Int32Array(bytes.buffer), new Float64Array(bytes.buffer)]
    const fill = eventAt(at, 0)
    const head = [eventKind, eventCode, eventTicks, eventSlot].map((of) => of(words, fill))
    assert.deepEqual(head, [EVENT.FILL, MAKER.CLOSED, 999, SLOT])
    assert.equal(eventTakerSlot(words, fill), TAKER)
    assert.equal(eventMarketId(words, fill), MARKET)
    assert.ok(eventTakerIsNo(words, fill) && eventTakerSells(words, fill))
    const sizes = [eventSizeRaw, eventLeftRaw, eventSeq].map((of) => of(f64s, fill))
    assert.deepEqual(sizes, [SIZE_RAW, LEFT_RAW, SEQ])
    const done = eventAt(at, 1)
    assert.equal(eventKind(words, done), EVENT.DONE)
    assert.equal(eventCode(words, done), RESULT.GONE)
    assert.equal(eventIsBid(words, done), true)
    assert.equal(eventLeftRaw(f64s, done), 5)
  }
})

test('a taker that buys YES sets neither mark, and an ask is not a bid', () => {
  onEventsReady(() => {})
  beginEvents(1, 1, 0)
  closeEvents(false)
  emit(kindAndCode(EVENT.DONE, RESULT.RESTED), 500, 1, 0, 1)
  assert.ok(!eventTakerIsNo(eventWords, 0) && !eventTakerSells(eventWords, 0))
  assert.equal(eventIsBid(eventWords, 0), false)
  assert.equal(eventSeq(eventF64s, 0), 1)
  flushEvents()
})
