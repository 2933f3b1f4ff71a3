import { assert } from '../domain/assert.ts'
import { LIMITS } from '../domain/limits.ts'

// The layout of journal records. Little-endian; the length of a record is a multiple of eight.
//
//   HEAD    0 bytes u32 │ 4 kind u8 │ 5 zero │ 6 book u16 │ 8 seq f64 │ 16 nowMs f64 │
//          24 market u32 │ 28 account u32
//   PLACE  32 slot u32 │ 36 generation u32 │ 40 side │ 41 outcome │ 42 type │ 43 flags │ 44 stp │
//          45 signatureType │ 46 priceTicks u16 │ 48 sizeRaw f64 │ 56 spendRaw f64 │
//          64 reserveRaw f64 │ 72 expirationSec f64 │ 80 feeBps u16 │ 82 signedFeeBps u16 │
//          84 clientOrderIdBytes u16 │ 86 takerDelayMs u16
//     flags: engine/domain/order-flags.ts
//     tail 88 orderHash 32 │ 120 salt 32 │ 152 maker 20 │ 172 signer 20 │ 192 signature 65 │
//          257 zero │ 258 orderGroup u48 │ 264 clientOrderId, UTF-8
//   REPLACE as PLACE, for an order that replaces another, with the part REPLACED at its end; a
//     market thread gets it after the head:
//          0 slot u32 │ 4 generation u32 │ 8 openRaw f64 │ 16 replacingRaw f64 │
//          24 priceTicks u16 │ 26 zero 6
//   RELEASE as the head of PLACE, without its tail; clientOrderIdBytes and takerDelayMs are 0
//   CANCEL 32 reason u8 │ 33..35 zero │ 36 count u32 │ 40 count × (slot u32, generation u32)
//   DECREASE 32 slot u32 │ 36 generation u32 │ 40 byRaw f64
//   CONTROL 32 msgpackBytes u32 │ 36 zero u32 │ 40 msgpack of the command without its stamp

export const KIND = {
  PLACE: 1,
  CANCEL: 2,
  CONTROL: 3,
  RELEASE: 4,
  DECREASE: 5,
  REPLACE: 6,
} as const

export const HEAD = {
  bytes: 0,
  kind: 4,
  /** For a PLACE, REPLACE or RELEASE; 0 in other records. */
  book: 6,
  seq: 8,
  nowMs: 16,
  market: 24,
  account: 28,
} as const
export const HEAD_BYTES = 32

export const PLACE = {
  slot: 32,
  generation: 36,
  side: 40,
  outcome: 41,
  orderType: 42,
  flags: 43,
  stp: 44,
  signatureType: 45,
  priceTicks: 46,
  sizeRaw: 48,
  spendRaw: 56,
  reserveRaw: 64,
  expirationSec: 72,
  feeBps: 80,
  signedFeeBps: 82,
  clientOrderIdBytes: 84,
  takerDelayMs: 86,
  orderHash: 88,
  salt: 120,
  maker: 152,
  signer: 172,
  signature: 192,
  orderGroup: 258,
  clientOrderId: 264,
} as const
/** The part of a PLACE record that a market thread needs. It is a complete RELEASE record. */
export const PLACE_HEAD_BYTES = PLACE.orderHash
export const PLACE_FIXED_BYTES = PLACE.clientOrderId
export const SIGNATURE_BYTES = 65

export const REPLACED = {
  slot: 0,
  generation: 4,
  openRaw: 8,
  replacingRaw: 16,
  priceTicks: 24,
} as const
export const REPLACED_BYTES = 32

export const DECREASE = { slot: 32, generation: 36, byRaw: 40 } as const
export const DECREASE_BYTES = 48

export const CANCEL = { reason: 32, count: 36, items: 40 } as const
export const CANCEL_ITEM_BYTES = 8

export const CONTROL = { msgpackBytes: 32, msgpack: 40 } as const

/** Whether a record of this kind begins an order. */
export function beginsOrder(kind: number): boolean {
  return kind === KIND.PLACE || kind === KIND.REPLACE
}

/** Pads a record, so that all f64s stay aligned in consecutive records. */
export function padTo8(bytes: number): number {
  return (bytes + 7) & ~7
}

assert(HEAD.account + 4 === HEAD_BYTES, 'the head ends with its last field')
assert(PLACE.slot === HEAD_BYTES && CANCEL.reason === HEAD_BYTES, 'bodies follow the head')
assert(DECREASE.slot === HEAD_BYTES, 'a decrease follows the head')
assert(CONTROL.msgpackBytes === HEAD_BYTES, 'a control body follows the head')
assert(PLACE.orderHash === PLACE.takerDelayMs + 2, 'the PLACE head ends with its last field')
assert(PLACE_HEAD_BYTES % 8 === 0, 'the PLACE head is a multiple of eight bytes')
assert(PLACE.sizeRaw % 8 === 0 && PLACE.expirationSec % 8 === 0, 'doubles are aligned')
assert(PLACE.salt === PLACE.orderHash + 32, 'salt follows the hash')
assert(PLACE.maker === PLACE.salt + 32, 'maker follows the salt')
assert(PLACE.signer === PLACE.maker + 20, 'signer follows the maker')
assert(PLACE.signature === PLACE.signer + 20, 'signature follows the signer')
assert(PLACE.orderGroup > PLACE.signature + SIGNATURE_BYTES - 1, 'the group follows the signature')
assert(PLACE.clientOrderId === padTo8(PLACE.orderGroup + 6), 'the id follows, aligned')
assert(CANCEL.items % 8 === 0 && CONTROL.msgpack % 8 === 0, 'variable parts are aligned')
assert(LIMITS.booksMax < 1 << 16, 'a book fits its field of a PLACE record')
assert(LIMITS.takerDelayMsMax < 1 << 16, 'a delay fits its field of a PLACE record')
assert(LIMITS.feeBpsMax < 1 << 16, 'a fee fits its field of a PLACE record')
assert(LIMITS.clientOrderIdBytesMax < 1 << 16, 'a client id fits its field of a PLACE record')
