// What a market says of one command: zero or more records, then exactly one DONE.
//
//   word 0 (i32)   kind | code << 8 | ladderTicks << 16; ticks 0 of a CANCELED: it was held
//   word 1 (i32)   slot: the maker's for FILL, STP_CANCEL; the order's for CANCELED, NOT_OPEN;
//                  the taker's for DONE
//   f64 1          sizeRaw: filled now (FILL), filled in all (DONE), else 0
//   f64 2          leftRaw: what the order still has (FILL, DONE) or gave back (cancels); of a
//                  market buy that is collateral
//   f64 3          seq of the command
//   word 8 (i32)   taker's slot (FILL, STP_CANCEL); 1 when the taker is a bid (DONE); else 0
//   word 9 (i32)   market id | 1 << 16 when the taker trades NO | 1 << 17 when it sells
//
// A record is 40 bytes, so a buffer of them can be copied between threads as it is.

export const EVENT_BYTES = 40
export const EVENT_WORDS = 10
export const EVENT_F64S = 5
export const MARKET_MASK = 0xffff
export const TAKER_NO = 1 << 16
export const TAKER_SELLS = 1 << 17

export const EVENT = { FILL: 1, STP_CANCEL: 2, CANCELED: 3, NOT_OPEN: 4, DONE: 5 } as const

/** `code` of a FILL: what became of the maker. */
export const MAKER = { OPEN: 0, CLOSED: 1 } as const

/**
 * `code` of a DONE. WOULD_CROSS leaves no trace. RESTED, HELD (domain §4.3) leave the order open,
 * GONE is a release that found it canceled, its slot 0; the other codes are ends of a stored order.
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
} as const

/** Why a command cancels; the number is stored in the journal. */
export const CANCEL_REASONS = [
  'USER',
  'EXPIRED',
  'MARKET_LOCKED',
  'MARKET_RESOLVED',
  'HEARTBEAT',
  'PROFILE_FROZEN',
] as const
export type CancelReason = (typeof CANCEL_REASONS)[number]
