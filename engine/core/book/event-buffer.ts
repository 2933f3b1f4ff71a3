// Hot path. bench/book.bench.ts
// A preallocated buffer for the records of domain/event.ts. One market writes at a time. When the
// buffer is full or is flushed, its owner takes the records, and the buffer restarts.

import { EVENT_BYTES, EVENT_F64, EVENT_WORD, EVENT_WORDS, TICKS_SHIFT } from '../../domain/event.ts'
import type { Seq, Slot } from '../../domain/ids.ts'

const CAPACITY = 1024
const shared = new ArrayBuffer(CAPACITY * EVENT_BYTES)
const words = new Int32Array(shared)
const f64s = new Float64Array(shared)
export const eventWords = words
export const eventF64s = f64s
const WORDS = EVENT_WORDS
const END = CAPACITY * EVENT_WORDS
const { SLOT, TAKER, MARKET } = EVENT_WORD
const { SIZE, LEFT, SEQ } = EVENT_F64
const TICKS = TICKS_SHIFT

// The start of the next record, in words, and the fields shared by all records of the command. They
// are typed cells because V8 checks a module's `let` at each use and boxes a seq above 2^31.
const nextEvent = new Int32Array(1)
const nowTaker = new Int32Array(1)
const nowMarket = new Int32Array(1)
const nowSeq = new Float64Array(1)
let take: (count: number) => void = () => {}

/** Registers `taker`, which is called with the number of records when it must take them. */
export function onEventsReady(taker: (count: number) => void): void {
  take = taker
  nextEvent[0] = 0
}

/** All records of the command carry its seq and market. `takerSlot` is the slot of the arrival. */
export function beginEvents(ofSeq: Seq, ofMarketWord: number, takerSlot: Slot): void {
  nowSeq[0] = ofSeq
  nowMarket[0] = ofMarketWord
  nowTaker[0] = takerSlot
}

/** The last record of a command has the taker's side instead of its slot. */
export function closeEvents(takerIsBid: boolean): void {
  nowTaker[0] = takerIsBid ? 1 : 0
}

export function emit(
  kindAndCode: number,
  ticks: number,
  slot: Slot,
  sizeRaw: number,
  leftRaw: number,
): void {
  if (nextEvent[0] === END) flushEvents()
  const event = nextEvent[0]
  const f64 = event >> 1
  words[event] = kindAndCode | (ticks << TICKS)
  words[event + SLOT] = slot
  f64s[f64 + SIZE] = sizeRaw
  f64s[f64 + LEFT] = leftRaw
  f64s[f64 + SEQ] = nowSeq[0]
  words[event + TAKER] = nowTaker[0]
  words[event + MARKET] = nowMarket[0]
  nextEvent[0] = event + WORDS
}

/** Hands the records of all commands since the last flush to the taker. */
export function flushEvents(): void {
  const end = nextEvent[0]
  if (end === 0) return
  nextEvent[0] = 0
  take(end / WORDS)
}
