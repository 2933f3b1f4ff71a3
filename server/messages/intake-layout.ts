import { assert } from '../../engine/domain/assert.ts'

// The result of a check of an order; edge threads write it and main reads it. Little-endian.
//
//   RESULT   0 rejectNumber u16 │ 2 verdict u8 │ 3 index u8 │ 4 count u8 │ 5 zero │ 6 taskBytes u16
//            8 profileId u32 │ 12 tokenNo u32 │ 16 ownerId f64 │ 24 timestampMs f64 │
//            32 recvWindowMs u32 │ 36 recordBytes u32 │ 40 textBytes u32 │ 44 actorId u32 │
//            48 PLACE record, then text: the reply fields of an order, or JSON of its flaw, or JSON
//            of flaw and reply fields while its wallet decides; the
//            issues of a refusal, the slug of an unknown market, the seconds to wait, or JSON of
//            additional fields;
//            then, in a batch, JSON of the task of the order; an amend without an order has no
//            record either
//            index and count are 0 for a request of one order; a batch that is refused as a whole
//            has one RESULT with the count WHOLE_BATCH
//            a request that broke has INTERNAL, and its text is the error

/** The kinds of request bodies, by their numbers on the wire. */
export const FORM = {
  ORDER: 0,
  ORDERS: 1,
  REPLACE: 2,
  REPLACES: 3,
  AMEND: 4,
  AMENDS: 5,
} as const
export const WHOLE_BATCH = 255

export const RESULT = {
  rejectNumber: 0,
  verdict: 2,
  index: 3,
  count: 4,
  taskBytes: 6,
  profileId: 8,
  tokenNo: 12,
  ownerId: 16,
  timestampMs: 24,
  recvWindowMs: 32,
  recordBytes: 36,
  textBytes: 40,
  actorId: 44,
  record: 48,
} as const

/** The findings of the intake; the sequencer decides whether they matter. */
export const VERDICT = {
  signatureOk: 1,
  signerIsMaker: 2,
  signerIsAccount: 4,
  makerIsAccount: 8,
  /** Its wallet decides about the signature: the core queries the chain, then clears this bit. */
  walletDecides: 16,
} as const

assert(RESULT.ownerId % 8 === 0 && RESULT.record % 8 === 0, 'a result is aligned')
