import { assert } from '../../engine/domain/assert.ts'
import { LIMITS } from '../../engine/domain/limits.ts'

// Bytes between main and the intake threads; both sides import this file. Little-endian.
//
//   REQUEST  0 requestId u32 │ 4 bodyBytes u32 │ 8 nowMs f64 │ 16 method u16 │ 18 apiKey u16 │
//            20 timestamp u16 │ 22 signature u16 │ 24 target u32                (lengths, bytes)
//            28 form u16 │ 30 idempotencyKey u16 (bytes) │
//            32 onBehalfOf f64: of the header, 0 for none, NaN for no profile id
//            40 method, apiKey, timestamp, signature, idempotencyKey, target, body
//   CHANGE   JSON of one DirectoryChange
//
//   RESULT   0 requestId u32 │ 4 rejectNumber u16 │ 6 verdict u8 │ 7 zero │ 8 profileId u32 │
//            12 tokenNo u32 │ 16 ownerId f64 │ 24 timestampMs f64 │ 32 recvWindowMs u32 │
//            36 recordBytes u32 │ 40 textBytes u32 │ 44 index u8 │ 45 count u8 │
//            46 taskBytes u16
//            48 actorId u32 │ 52 zero
//            56 PLACE record, then text: the reply fields of an order, or JSON of its flaw; the
//            issues of a refusal, the slug of an unknown market, or JSON of additional fields;
//            then, in a group, JSON of the ReplaceTask of the order
//            index and count are 0 for a request of one order; a group that is refused as a whole
//            has one RESULT with the count WHOLE_GROUP
//            a request that broke has INTERNAL, and its text is the error
//   READY    nothing: the thread has loaded what it needs
//
// Besides the rings, in words (intake-request.ts):
//   WORKING  0 key (`openKey`) of the request that the thread works on, or AT_NOTHING: when the
//              thread dies, this request is to blame │ 1 not 0 when the thread must end

/** The kinds of request bodies, by their numbers on the wire. */
export const FORM = { ORDER: 0, ORDERS: 1, REPLACE: 2, REPLACES: 3 } as const
export const WHOLE_GROUP = 255

export const TO_INTAKE = { REQUEST: 1, CHANGE: 2 } as const
export const FROM_INTAKE = { RESULT: 1, READY: 2 } as const

export const REQUEST = {
  requestId: 0,
  bodyBytes: 4,
  nowMs: 8,
  methodBytes: 16,
  apiKeyBytes: 18,
  timestampBytes: 20,
  signatureBytes: 22,
  targetBytes: 24,
  form: 28,
  idempotencyKeyBytes: 30,
  onBehalfOf: 32,
  texts: 40,
} as const

export const RESULT = {
  requestId: 0,
  rejectNumber: 4,
  verdict: 6,
  profileId: 8,
  tokenNo: 12,
  ownerId: 16,
  timestampMs: 24,
  recvWindowMs: 32,
  recordBytes: 36,
  textBytes: 40,
  index: 44,
  count: 45,
  taskBytes: 46,
  actorId: 48,
  record: 56,
} as const

/** The findings of the intake; the sequencer decides whether they matter. */
export const VERDICT = {
  signatureOk: 1,
  signerIsMaker: 2,
  signerIsAccount: 4,
  makerIsAccount: 8,
} as const

/** Longer header texts cannot be valid, so they are cut before they are sent. */
export const HEADER_CHARACTERS_MAX = 128

assert(HEADER_CHARACTERS_MAX * 3 <= 0xffff, 'the length of a header fits its field')
assert(
  (LIMITS.clientOrderIdGivenCharactersMax + 1) * 3 <= 0xffff,
  'the length of an idempotency key fits its field',
)
assert(REQUEST.nowMs % 8 === 0 && REQUEST.texts % 8 === 0, 'a request is aligned')
assert(RESULT.ownerId % 8 === 0 && RESULT.record % 8 === 0, 'a result is aligned')

/** The key of a request among those of one thread. Single orders and groups have separate ids. */
export function openKey(requestId: number, isGroup: boolean): number {
  return requestId * 2 + (isGroup ? 1 : 0)
}
