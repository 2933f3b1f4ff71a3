// A market answers one command with zero or more records, followed by exactly one DONE. This file
// owns the record layout; all writers and readers use its names. A record is 40 bytes, so buffers
// are copied between threads unchanged. Records are read both as i32 words and as f64s:
//
//   byte   0      4      8         16        24        32      36
//          ┌──────┬──────┬─────────┬─────────┬─────────┬───────┬────────┐
//          │ head │ slot │ sizeRaw │ leftRaw │   seq   │ taker │ market │
//          └──────┴──────┴─────────┴─────────┴─────────┴───────┴────────┘
//   word   0      1                                    8       9
//   f64                  1         2         3
//
//   head     bits 0 to 7 kind, 8 to 15 code, 16 to 31 ladder ticks
//   market   bits 0 to 23 market id, 24 the taker trades NO, 25 it sells
//   seq      of the command
//
//              FILL            STP_CANCEL      CANCELED        NOT_OPEN    DONE
//   code       MAKER           0               0               0           RESULT
//   ticks      of the trade    of its level    the same, 0     0           worst it takes, 0
//                                              when held                   for cancels and GONE
//   slot       the maker       the maker       the order       the order   the taker; 0 if
//                                                                          there is none
//   sizeRaw    filled now      0               what replaces   0           filled in total; for
//                                              it                          cancels, their count
//   leftRaw    what the        returned        returned        0           what the order
//              maker has left                                              has left
//   taker      its slot        its slot        the same, or 0  the same    1 for a bid, else 0
//
// DECREASED (rules §4.10) is as CANCELED, but sizeRaw is what was taken off the order, and leftRaw
// what it has left. In a CANCELED with a taker, the order in that slot replaces the canceled one.
//
// The remainder of a market buy is collateral; all other sizes are shares. A CLOSED maker returns
// its remainder.
//
// Readers address a record by the index of its head word (`eventAt`). Its f64s start at half that
// index, because records are aligned to 8 bytes. The accessors are small enough (27 bytes of
// bytecode) for V8 to inline at every call. They use unexported constants: V8 folds these, but
// loads an exported constant from its cell.
//
// To add a kind of event:
//   1. name it in EVENT, and add its column above;
//   2. emit it in core/book/book.ts or core/book/market.ts;
//   3. handle it where `tsc` fails: core/clearing.ts moves the money,
//      publisher/durable-publisher.ts makes the reply, read-model/published.ts the depth,
//      read-model/order-event-feed.ts the owner's frames, follower/follower.ts the rows to read;
//   4. explain in core/money/fill-money.ts why invariant 2 (design §1) holds;
//   5. add its effect on the depth to test/simulation/watch.ts, and record one in test/golden.
// So seven files change: this file, the file that emits, and the five files of step 3.

import type { MarketId, Seq, Slot } from './ids.ts'

/** Offsets from the head word of a record, in words. */
export const EVENT_WORD = { SLOT: 1, TAKER: 8, MARKET: 9 } as const
/** Offsets from the first f64 of a record, in f64s. */
export const EVENT_F64 = { SIZE: 1, LEFT: 2, SEQ: 3 } as const
const { SLOT, TAKER, MARKET } = EVENT_WORD
const { SIZE, LEFT, SEQ } = EVENT_F64

const WORDS = 10
export const EVENT_WORDS = WORDS
export const EVENT_BYTES = WORDS * 4

const BYTE = 0xff
const CODE_SHIFT = 8
const TICKS = 16
export const TICKS_SHIFT = TICKS

const MARKET_MASK = 0xff_ffff
const NO_BIT = 1 << 24
const SELLS_BIT = 1 << 25
export const TAKER_NO = NO_BIT
export const TAKER_SELLS = SELLS_BIT

export const EVENT = {
  FILL: 1,
  STP_CANCEL: 2,
  CANCELED: 3,
  NOT_OPEN: 4,
  DONE: 5,
  DECREASED: 6,
} as const
export type EventKind = (typeof EVENT)[keyof typeof EVENT]

/** `code` of a FILL: the state of the maker after it. */
export const MAKER = { OPEN: 0, CLOSED: 1 } as const

/**
 * `code` of a DONE. WOULD_CROSS leaves no trace, nor does NOT_PLACED: the order that it would
 * replace was gone, or its fills left nothing to place (rules §4.10). RESTED and HELD (rules §4.3)
 * leave the order live. GONE answers the release of a canceled order; its slot is 0. The other
 * codes end a stored order.
 */
export const RESULT = {
  RESTED: 1,
  FILLED: 2,
  KILLED: 3,
  STP_STOPPED: 4,
  WOULD_CROSS: 5,
  CANCELS_DONE: 6,
  HELD: 7,
  GONE: 8,
  NOT_PLACED: 9,
} as const

/** Why a command cancels. The index is stored in the journal. */
export const CANCEL_REASONS = [
  'USER',
  'EXPIRED',
  'MARKET_LOCKED',
  'MARKET_RESOLVED',
  'HEARTBEAT',
  'PROFILE_FROZEN',
  'FUNDS_MOVED',
  'REPLACED',
  'ORDER_GROUP',
] as const
export type CancelReason = (typeof CANCEL_REASONS)[number]

/** The lower half of a head word. The upper half holds the ticks. */
export function kindAndCode(kind: EventKind, code: number): number {
  return kind | (code << CODE_SHIFT)
}

/** The head word of record `index`, counted from the record at byte `at`. */
export function eventAt(at: number, index: number): number {
  return (at >> 2) + index * WORDS
}

/** Markets write only these kinds, so a `switch` over them is complete. */
export function eventKind(words: Int32Array, event: number): EventKind {
  return (words[event] & BYTE) as EventKind
}

export function eventCode(words: Int32Array, event: number): number {
  return (words[event] >>> CODE_SHIFT) & BYTE
}

export function eventTicks(words: Int32Array, event: number): number {
  return words[event] >>> TICKS
}

export function eventSlot(words: Int32Array, event: number): Slot {
  return words[event + SLOT]
}

/** Valid for FILL and STP_CANCEL; for CANCELED, the order that replaces it, or 0. */
export function eventTakerSlot(words: Int32Array, event: number): Slot {
  return words[event + TAKER]
}

/** Valid for DONE: whether its order is, or was, a bid. */
export function eventIsBid(words: Int32Array, event: number): boolean {
  return words[event + TAKER] === 1
}

export function eventMarketId(words: Int32Array, event: number): MarketId {
  return words[event + MARKET] & MARKET_MASK
}

export function eventTakerIsNo(words: Int32Array, event: number): boolean {
  return (words[event + MARKET] & NO_BIT) !== 0
}

export function eventTakerSells(words: Int32Array, event: number): boolean {
  return (words[event + MARKET] & SELLS_BIT) !== 0
}

export function eventSizeRaw(f64s: Float64Array, event: number): number {
  return f64s[(event >> 1) + SIZE]
}

export function eventLeftRaw(f64s: Float64Array, event: number): number {
  return f64s[(event >> 1) + LEFT]
}

export function eventSeq(f64s: Float64Array, event: number): Seq {
  return f64s[(event >> 1) + SEQ]
}
