// Hot path. bench/book.bench.ts
// The records of domain/event.ts, preallocated. One market writes at a time; when the buffer is
// full, or a command is done, its owner takes the records and the buffer starts again.

import { EVENT_BYTES, EVENT_F64S, EVENT_WORDS } from '../domain/event.ts'

const CAPACITY = 1024
const shared = new ArrayBuffer(CAPACITY * EVENT_BYTES)
const words = new Int32Array(shared)
const f64s = new Float64Array(shared)
export const eventWords = words
export const eventF64s = f64s
const WORDS = EVENT_WORDS
const F64S = EVENT_F64S

let count = 0
let seq = 0
let takerWord = 0
let marketWord = 0
let take: (count: number) => void = () => {}

/** `taker` receives the number of records each time they must be taken. */
export function onEventsReady(taker: (count: number) => void): void {
  take = taker
  count = 0
}

/** Every record of the command carries its seq and market; `takerSlot` names the arrival. */
export function beginEvents(ofSeq: number, ofMarketWord: number, takerSlot: number): void {
  seq = ofSeq
  marketWord = ofMarketWord
  takerWord = takerSlot
}

/** The last record of a command says which side the taker is on instead of its slot. */
export function closeEvents(takerIsBid: boolean): void {
  takerWord = takerIsBid ? 1 : 0
}

export function emit(
  kindAndCode: number,
  ticks: number,
  slot: number,
  sizeRaw: number,
  leftRaw: number,
): void {
  if (count === CAPACITY) flushEvents()
  const at = count * WORDS
  const f64 = count * F64S
  words[at] = kindAndCode | (ticks << 16)
  words[at + 1] = slot
  f64s[f64 + 1] = sizeRaw
  f64s[f64 + 2] = leftRaw
  f64s[f64 + 3] = seq
  words[at + 8] = takerWord
  words[at + 9] = marketWord
  count++
}

export function flushEvents(): void {
  if (count === 0) return
  const ready = count
  count = 0
  take(ready)
}
