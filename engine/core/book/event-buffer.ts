// Hot path. bench/book.bench.ts
// The records of domain/event.ts, preallocated. One market writes at a time; when the buffer is
// full, or a command is done, its owner takes the records and the buffer starts again.

import { EVENT_BYTES, EVENT_F64S, EVENT_WORDS } from '../../domain/event.ts'

const CAPACITY = 1024
const shared = new ArrayBuffer(CAPACITY * EVENT_BYTES)
const words = new Int32Array(shared)
const f64s = new Float64Array(shared)
export const eventWords = words
export const eventF64s = f64s
const WORDS = EVENT_WORDS
const F64S = EVENT_F64S

// In typed cells: a module's `let` is checked at every use, and boxes a seq past 2^31.
const COUNT = 0
const TAKER = 1
const MARKET = 2
const now = new Int32Array(3)
const nowSeq = new Float64Array(1)
let take: (count: number) => void = () => {}

/** `taker` receives the number of records each time they must be taken. */
export function onEventsReady(taker: (count: number) => void): void {
  take = taker
  now[COUNT] = 0
}

/** Every record of the command carries its seq and market; `takerSlot` names the arrival. */
export function beginEvents(ofSeq: number, ofMarketWord: number, takerSlot: number): void {
  nowSeq[0] = ofSeq
  now[MARKET] = ofMarketWord
  now[TAKER] = takerSlot
}

/** The last record of a command says which side the taker is on instead of its slot. */
export function closeEvents(takerIsBid: boolean): void {
  now[TAKER] = takerIsBid ? 1 : 0
}

export function emit(
  kindAndCode: number,
  ticks: number,
  slot: number,
  sizeRaw: number,
  leftRaw: number,
): void {
  if (now[COUNT] === CAPACITY) flushEvents()
  const count = now[COUNT]
  const at = count * WORDS
  const f64 = count * F64S
  words[at] = kindAndCode | (ticks << 16)
  words[at + 1] = slot
  f64s[f64 + 1] = sizeRaw
  f64s[f64 + 2] = leftRaw
  f64s[f64 + 3] = nowSeq[0]
  words[at + 8] = now[TAKER]
  words[at + 9] = now[MARKET]
  now[COUNT] = count + 1
}

export function flushEvents(): void {
  const ready = now[COUNT]
  if (ready === 0) return
  now[COUNT] = 0
  take(ready)
}
