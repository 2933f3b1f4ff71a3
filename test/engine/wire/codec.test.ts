import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { CancelOrders, ControlCommand, PlaceOrder } from '../../../engine/domain/command.ts'
import { flagsOf, type OrderFlag } from '../../../engine/domain/order-flags.ts'
import { ORDER_GROUP_LIMITS } from '../../../engine/domain/order-group-limits.ts'
import { encodeCancel } from '../../../engine/wire/cancel-codec.ts'
import { decodeCommand, eachRecord, encodeControl, recordSeq } from '../../../engine/wire/codec.ts'
import { encodeDecrease } from '../../../engine/wire/decrease-codec.ts'
import {
  blankPlace,
  decodePlaceTail,
  encodePlace,
  readPlaceHead,
  stampPlace,
} from '../../../engine/wire/place-codec.ts'
import { wholeWordsOf } from '../../../engine/wire/record-head.ts'
import { PLACE_HEAD_BYTES } from '../../../engine/wire/record-layout.ts'
import { profileFields } from '../../support/specs.ts'

const safe = fc.maxSafeNat()
const u32 = fc.nat(2 ** 32 - 1)
/** Gives every object its prototype, so that deep equality may be strict. */
const plain = { noNullPrototype: true } as const
const stamp = { seq: safe, nowMs: safe }
const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length })

const terms: fc.Arbitrary<Omit<PlaceOrder, OrderFlag>> = fc.record(
  {
    ...stamp,
    kind: fc.constant('placeOrder'),
    marketId: u32,
    book: fc.nat(0xffff),
    accountId: u32,
    slot: u32,
    generation: u32,
    side: fc.nat(1),
    outcome: fc.nat(1),
    orderType: fc.nat(2),
    marketForm: fc.boolean(),
    stp: fc.nat(2),
    priceTicks: fc.nat(999),
    sizeRaw: safe,
    spendRaw: safe,
    reserveRaw: safe,
    expirationSec: safe,
    feeBps: fc.nat(1000),
    takerDelayMs: fc.nat(60_000),
    hashHigh: u32,
    hashLow: u32,
    clientOrderId: fc.string({ unit: 'grapheme', maxLength: 128 }),
    orderGroup: fc.integer({ min: 0, max: ORDER_GROUP_LIMITS.idMax }),
    replacedSlot: fc.constant(0),
    replacedGeneration: fc.constant(0),
    replacedOpenRaw: fc.constant(0),
    replacedTicks: fc.constant(0),
    replacingRaw: fc.constant(0),
  },
  plain,
)

const place: fc.Arbitrary<PlaceOrder> = fc
  .tuple(terms, fc.nat(0xff))
  .map(([order, bits]) => ({ ...order, ...flagsOf(bits) }))

const replacement: fc.Arbitrary<PlaceOrder> = fc
  .tuple(place, place, fc.integer({ min: 1, max: 2 ** 32 - 1 }))
  .map(
    ([order, other, replacedSlot]): PlaceOrder => ({
      ...order,
      replacedSlot,
      replacedGeneration: other.generation,
      replacedOpenRaw: other.sizeRaw,
      replacedTicks: other.priceTicks,
      replacingRaw: order.sizeRaw,
    }),
  )

const tail = fc.record(
  {
    orderHash: bytes(32),
    salt: bytes(32),
    maker: bytes(20),
    signer: bytes(20),
    signature: bytes(65),
    signatureType: fc.nat(3),
    signedFeeBps: fc.nat(1000),
  },
  plain,
)

const cancel: fc.Arbitrary<CancelOrders> = fc
  .record({ ...stamp, marketId: u32, reason: fc.nat(3) })
  .chain((head) =>
    fc.array(fc.tuple(u32, u32), { maxLength: 1000 }).map((items) => ({
      ...head,
      kind: 'cancelOrders' as const,
      count: items.length,
      slots: Uint32Array.from(items, ([slot]) => slot),
      generations: Uint32Array.from(items, ([, generation]) => generation),
    })),
  )

const profileId = safe
const text = fc.string({ unit: 'grapheme' })
const token = fc.record({
  tokenId: text,
  sealedSecret: fc.constant(new Uint8Array([0, 255, 7])),
  label: fc.option(text),
  scopes: fc.constant(['trading', 'withdrawal'] as const),
})
const control: fc.Arbitrary<ControlCommand> = fc.oneof(
  fc.record({ ...stamp, kind: fc.constant('rules' as const), version: safe }),
  fc.record({ ...stamp, kind: fc.constant('setAdminToken' as const), tokenDigest: text }),
  fc.record({
    ...stamp,
    kind: fc.constant('createProfile' as const),
    profileId,
    profile: text.map((displayName) => profileFields(1, { displayName })),
    token: fc.option(token),
  }),
  fc.record({ ...stamp, kind: fc.constant('createToken' as const), profileId, token }),
  fc.record({ ...stamp, kind: fc.constant('logout' as const), sessionDigest: text }),
  fc.record({
    ...stamp,
    kind: fc.constant('freezeProfile' as const),
    profileId,
    reason: text,
    by: text,
  }),
  fc.record({ ...stamp, kind: fc.constant('logoutEverywhere' as const), profileId }),
  fc.record({
    ...stamp,
    kind: fc.constant('addWithdrawalAddress' as const),
    profileId,
    addressId: text,
    address: text,
    label: text,
  }),
  fc.record({
    ...stamp,
    kind: fc.constant('resolveMarkets' as const),
    resolutions: fc.array(
      fc.record({ marketId: u32, payoutNumerators: fc.tuple(safe, safe) }, plain),
    ),
  }),
  fc.record({
    ...stamp,
    kind: fc.constant('adjustBalance' as const),
    profileId,
    collateralRaw: fc.integer({ min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER }),
  }),
)

/** A record that does not start at the start of its buffer: decoding must heed its offset. */
function shifted(record: Uint8Array): Uint8Array {
  const buffer = new Uint8Array(record.length + 24)
  buffer.set(record, 16)
  return buffer.subarray(16, 16 + record.length)
}

test('an order is decoded as it was encoded, its tail too', () => {
  fc.assert(
    fc.property(place, tail, (order, parts) => {
      const record = shifted(encodePlace(order, parts))
      assert.equal(record.length % 8, 0)
      assert.deepEqual(decodeCommand(record), order)
      const hash = Buffer.from(parts.orderHash)
      hash.writeUInt32BE(order.hashHigh, 0)
      hash.writeUInt32BE(order.hashLow, 4)
      const decoded = decodePlaceTail(record)
      assert.deepEqual(decoded, { ...parts, orderHash: new Uint8Array(hash) })
    }),
  )
})

test('an order that replaces another is decoded as it was encoded', () => {
  fc.assert(
    fc.property(replacement, tail, (order, parts) => {
      const record = shifted(encodePlace(order, parts))
      assert.deepEqual(decodeCommand(record), order)
      assert.deepEqual(decodePlaceTail(record).salt, parts.salt)
    }),
  )
})

test('a decrease is decoded as it was encoded', () => {
  const decrease = { ...stamp, kind: fc.constant('decreaseOrder' as const), marketId: u32 }
  fc.assert(
    fc.property(
      fc.record({ ...decrease, slot: u32, generation: u32, byRaw: safe }, plain),
      (command) => {
        assert.deepEqual(decodeCommand(shifted(encodeDecrease(command))), command)
      },
    ),
  )
})

test('the head of an order is all that a market needs', () => {
  fc.assert(
    fc.property(place, (order) => {
      const head = encodePlace(order).subarray(0, PLACE_HEAD_BYTES)
      const into = blankPlace()
      readPlaceHead(new DataView(head.buffer, 0, PLACE_HEAD_BYTES), 0, into)
      assert.deepEqual(into, {
        ...order,
        hashHigh: 0,
        hashLow: 0,
        clientOrderId: '',
        orderGroup: 0,
      })
    }),
  )
})

test('a stamp changes the fields that the sequencer decides, and no others', () => {
  fc.assert(
    fc.property(place, place, tail, (order, other, parts) => {
      const { seq, nowMs, slot, generation, reserveRaw, feeBps } = other
      const decided = { ...order, seq, nowMs, slot, generation, reserveRaw, feeBps }
      const record = encodePlace(order, parts)
      stampPlace(record, decided)
      assert.deepEqual(record, encodePlace(decided, parts))
    }),
  )
})

test('a cancel is decoded as it was encoded', () => {
  fc.assert(
    fc.property(cancel, (command) => {
      assert.deepEqual(decodeCommand(shifted(encodeCancel(command))), command)
    }),
  )
})

test('a cancel that is longer or shorter than its items is a fault', () => {
  const command = { kind: 'cancelOrders' as const, seq: 1, nowMs: 1, marketId: 1, reason: 0 }
  const items = { count: 2, slots: Uint32Array.of(1, 2), generations: Uint32Array.of(1, 1) }
  const record = encodeCancel({ ...command, ...items })
  const longer = new Uint8Array(record.length + 8)
  longer.set(record)
  assert.throws(() => decodeCommand(longer), /a cancel ends with its last item/)
  assert.throws(() => decodeCommand(record.slice(0, -8)), /a cancel ends with its last item/)
})

test('a control command is decoded as it was encoded, and equal commands have equal bytes', () => {
  fc.assert(
    fc.property(control, (command) => {
      const record = encodeControl(command)
      assert.equal(record.length % 8, 0)
      const decoded = decodeCommand(shifted(record))
      assert.equal(JSON.stringify(sorted(decoded)), JSON.stringify(sorted(command)))
      assert.deepEqual(encodeControl(structuredClone(command)), record)
    }),
  )
})

/** msgpack gives Buffers back and may reorder keys, so only the content is compared. */
function sorted(value: unknown): unknown {
  if (value instanceof Uint8Array) return [...value]
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, each]) => [key, sorted(each)])
  return entries.sort(([a], [b]) => (String(a) < String(b) ? -1 : 1))
}

test('a batch is split into the records it was made of', () => {
  const hot = fc.oneof(
    place.map((order) => encodePlace(order)),
    cancel.map(encodeCancel),
  )
  fc.assert(
    fc.property(
      fc.array(fc.oneof(hot, control.map(encodeControl)), { maxLength: 20 }),
      (records) => {
        const found: Uint8Array[] = []
        eachRecord(Buffer.concat(records), (record) => found.push(new Uint8Array(record)))
        assert.deepEqual(found, records)
        assert.deepEqual(found.map(recordSeq), records.map(recordSeq))
      },
    ),
  )
})

test('a batch that ends in the middle of a record is a fault', () => {
  const record = encodePlace(blankPlace())
  assert.throws(() => eachRecord(record.subarray(0, record.length - 8), () => {}), /its batch/)
})

test('a record may lie in a buffer whose last bytes are not a whole word', () => {
  const bytes = new Uint8Array(new ArrayBuffer(13), 4, 8)
  new DataView(bytes.buffer).setInt32(4, -7, true)
  assert.equal(wholeWordsOf(bytes)[bytes.byteOffset >> 2], -7)
})

test('bytes of a decoded command do not keep its batch alive', () => {
  const sealedSecret = new Uint8Array(61).fill(7)
  const token = { tokenId: 'x', sealedSecret, label: null, scopes: ['trading'] as const }
  const record = encodeControl({ kind: 'createToken', profileId: 1, token, seq: 1, nowMs: 1 })
  const batch = new Uint8Array(1 << 20)
  batch.set(record, 4096)
  const command = decodeCommand(batch.subarray(4096, 4096 + record.length))
  assert(command.kind === 'createToken')
  assert.deepEqual(new Uint8Array(command.token.sealedSecret), sealedSecret)
  assert.equal(command.token.sealedSecret.buffer.byteLength, sealedSecret.length)
})
