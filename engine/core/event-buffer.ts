// Hot path. bench/book.bench.ts
// The records of domain/event.ts, preallocated. One market writes at a time; when the buffer is
// full, or a command is done, its owner takes the records and the buffer starts again.

import { EVENT_BYTES, EVENT_F64S, EVENT_WORDS } from '../domain/event.ts'

const CAPACITY = 1024
const shared = new ArrayBuffer(CAPACITY * EVENT_BYTES)
export const eventWords = new Int32Array(shared)
export const eventF64s = new Float64Array(shared)
export const eventBytes = new Uint8Array(shared)

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
  const word = count * EVENT_WORDS
  const f64 = count * EVENT_F64S
  eventWords[word] = kindAndCode | (ticks << 16)
  eventWords[word + 1] = slot
  eventF64s[f64 + 1] = sizeRaw
  eventF64s[f64 + 2] = leftRaw
  eventF64s[f64 + 3] = seq
  eventWords[word + 8] = takerWord
  eventWords[word + 9] = marketWord
  count++
}

export function flushEvents(): void {
  if (count === 0) return
  const ready = count
  count = 0
  take(ready)
}
