import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { flagsOf } from '../../../../engine/domain/order-flags.ts'
import {
  blankPlace,
  decodePlaceInto,
  decodePlaceTail,
} from '../../../../engine/wire/place-codec.ts'
import { keccakReady } from '../../../../server/crypto/keccak.ts'
import { accountOf, type ClientOrder } from '../../../../server/edge/intake/order/client-order.ts'
import { VERDICT } from '../../../../server/messages/intake-layout.ts'
import { mirroredText } from '../../../support/mirrored.ts'
import * as kit from './order-kit.ts'
import { check, send } from './order-kit.ts'
import { seeded } from './seeded.ts'

before(() => keccakReady)

const ALL_OK =
  VERDICT.signatureOk | VERDICT.signerIsMaker | VERDICT.signerIsAccount | VERDICT.makerIsAccount

const ALL_FLAGS = flagsOf(0xff)

const goodBody = () => ({
  ...kit.orderBody(kit.signed({ ...kit.unsignedOrder(), price: 0.65, expiration: 1_800_000_000 })),
  clientOrderId: '  grüße 🙂 ',
  ...ALL_FLAGS,
  stpPolicy: 'cancel_both',
  timestamp: kit.NOW_MS - 5,
  recvWindow: 1000,
})

test('a valid order becomes a complete PLACE record, a verdict and an echo of its fields', () => {
  const body = goodBody()
  const result = send(body)
  assert.equal(result.name, 'NONE', result.text)
  assert.equal(result.verdict, ALL_OK)
  assert.equal(result.profileId, 7)
  assert.equal(result.ownerId, 7)
  assert.equal(result.timestampMs, kit.NOW_MS - 5)
  assert.equal(result.recvWindowMs, 1000)
  const order = blankPlace()
  decodePlaceInto(result.record, order)
  const { hashHigh, hashLow, ...rest } = order
  assert.ok(hashHigh !== 0 && hashLow !== 0)
  assert.deepEqual(rest, {
    kind: 'placeOrder',
    seq: 0,
    nowMs: 0,
    marketId: 42,
    accountId: 7,
    book: 7,
    slot: 0,
    generation: 0,
    side: 0,
    outcome: 0,
    orderType: 0,
    ...ALL_FLAGS,
    marketForm: false,
    takerDelayMs: 0,
    stp: 2,
    priceTicks: 650,
    sizeRaw: 10_000_000,
    spendRaw: 0,
    reserveRaw: 0,
    expirationSec: 1_800_000_000,
    feeBps: 0,
    clientOrderId: 'grüße 🙂',
    orderGroup: 0,
    replacedSlot: 0,
    replacedGeneration: 0,
    replacedOpenRaw: 0,
    replacedTicks: 0,
    replacingRaw: 0,
  })
  const tail = decodePlaceTail(result.record)
  assert.equal(tail.signedFeeBps, 300)
  assert.equal(`0x${Buffer.from(tail.signature).toString('hex')}`, body.order.signature)
  assert.equal(`0x${Buffer.from(tail.maker).toString('hex')}`, body.order.maker.toLowerCase())
  assert.deepEqual(tail.signer, tail.maker)
  assert.equal(BigInt(`0x${Buffer.from(tail.salt).toString('hex')}`), 1778155025318314n)
  assert.deepEqual(JSON.parse(`{${result.text}}`), {
    ...body.order,
    salt: '1778155025318314',
    makerAmount: 6_500_000,
    takerAmount: 10_000_000,
    expiration: '1800000000',
    orderType: 'GTC',
    type: 'GTC',
    ...ALL_FLAGS,
    price: 0.65,
    token: body.order.tokenId,
    outcome: 'YES',
    originalSize: '10000000',
  })
})

test('the example order of the rules keeps its hash in the record', () => {
  const tail = decodePlaceTail(send(kit.orderBody()).record)
  assert.equal(
    Buffer.from(tail.orderHash).toString('hex'),
    '1ed969c2051a28b3dfd953757ee1ca57b97052a7a102b15c6fb591b4c61f9a16',
  )
})

test('numbers and decimal strings mean the same order', () => {
  const order = kit.signed(kit.unsignedOrder())
  const asText = {
    ...order,
    salt: String(order.salt),
    makerAmount: String(order.makerAmount),
    takerAmount: String(order.takerAmount),
    nonce: '0',
    expiration: 0,
    maker: order.maker.toLowerCase(),
  }
  const first = send(kit.orderBody(order))
  const second = send(kit.orderBody(asText))
  assert.equal(second.verdict, ALL_OK)
  assert.deepEqual(second.record, first.record)
})

test('two amounts give the price and the size by the rules', () => {
  const rows: [number, string, number, number, string | [number, number, number]][] = [
    // side, type, makerAmount, takerAmount, refusal or [ticks, size, spend]
    [0, 'GTC', 6_500_000, 10_000_000, [650, 10_000_000, 0]],
    [0, 'GTC', 8_428_863, 22_123_000, [381, 22_123_000, 0]],
    [1, 'GTC', 5_000_000, 3_750_000, [750, 5_000_000, 0]],
    [1, 'FAK', 1_234_000, 470_154, [381, 1_234_000, 0]],
    [0, 'FOK', 6_500_000, 10_000_000, [650, 10_000_000, 0]],
    [0, 'FOK', 6_500_001, 1, [0, 0, 6_500_001]],
    [1, 'FOK', 1, 1, [0, 1, 0]],
    [0, 'GTC', 1, 1000, [1, 1000, 0]],
    [0, 'GTC', 999, 1000, [999, 1000, 0]],
    [0, 'GTC', 6_500_000_000_000, 10_000_000_000_000, [650, 10_000_000_000_000, 0]],
    [0, 'GTC', 8_406_892, 22_123_400, 'AMOUNTS_INVALID'],
    [0, 'GTC', 1000, 1000, 'AMOUNTS_INVALID'],
    [0, 'GTC', 0, 1000, 'AMOUNTS_INVALID'],
    [0, 'GTC', 1000, 0, 'AMOUNTS_INVALID'],
    [0, 'GTC', 6_500_000, 1, 'AMOUNTS_INVALID'],
    [0, 'FAK', 6_500_000, 1, 'AMOUNTS_INVALID'],
    [0, 'GTC', 6_500_001, 10_000_000, 'AMOUNTS_INVALID'],
    [1, 'GTC', 5_000_000, 5_000_000, 'AMOUNTS_INVALID'],
    [0, 'GTC', 6_500_000_000_650, 10_000_000_001_000, 'AMOUNTS_INVALID'],
    [0, 'FOK', 10_000_000_000_001, 1, 'AMOUNTS_INVALID'],
    [0, 'FOK', 0, 1, 'AMOUNTS_INVALID'],
    [0, 'GTC', Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER, 'AMOUNTS_INVALID'],
  ]
  for (const [side, orderType, makerAmount, takerAmount, expected] of rows) {
    const order = kit.signed({ ...kit.unsignedOrder(), side, makerAmount, takerAmount })
    const result = send({ ...kit.orderBody(order), orderType })
    const label = `${side} ${orderType} ${makerAmount} ${takerAmount}`
    if (typeof expected === 'string') {
      assert.equal(result.name, expected, label)
      continue
    }
    assert.equal(result.verdict, ALL_OK, label)
    const place = blankPlace()
    decodePlaceInto(result.record, place)
    assert.deepEqual([place.priceTicks, place.sizeRaw, place.spendRaw], expected, label)
    assert.equal(place.marketForm, expected[0] === 0, label)
  }
})

test('of several faults of an order the one that stands highest is answered', () => {
  const good = kit.orderBody()
  const mismatch = { ...good, order: { ...good.order, price: 0.64 } }
  const amounts = { ...mismatch, order: { ...mismatch.order, makerAmount: 6_500_001 } }
  const foreign = { ...amounts, order: { ...amounts.order, tokenId: '5' } }
  const unknown = { ...foreign, marketSlug: 'snow' }
  const invalid = { ...unknown, ownerId: 'seven' }
  const rows: [string, string, object][] = [
    ['NONE', JSON.stringify(good), {}],
    ['PRICE_MISMATCH', JSON.stringify(mismatch), {}],
    ['AMOUNTS_INVALID', JSON.stringify(amounts), {}],
    ['TOKEN_NOT_IN_MARKET', JSON.stringify(foreign), {}],
    ['MARKET_NOT_FOUND', JSON.stringify(unknown), {}],
    ['VALIDATION', JSON.stringify(invalid), {}],
    ['BODY_MALFORMED', '{"order":', {}],
    ['SCOPE_MISSING_TRADING', '{"order":', { apiKey: 'reader' }],
    ['HMAC_INVALID', '{"order":', { apiKey: 'reader', signature: 'AAAA' }],
    ['TIMESTAMP_INVALID', '{', { apiKey: 'reader', signature: '', nowMs: kit.NOW_MS + 30_001 }],
    ['API_KEY_INVALID', '{', { apiKey: 'nobody', signature: '', nowMs: 0 }],
    ['UNAUTHENTICATED', '{', { apiKey: '', signature: '', nowMs: 0 }],
  ]
  for (const [expected, body, overrides] of rows) {
    const result = check(kit.request(body, overrides))
    assert.equal(result.name, expected)
    const isProven = ['NONE', 'BODY_MALFORMED', 'VALIDATION'].includes(expected)
    if (isProven) assert.equal(result.profileId, 7)
    if (expected === 'UNAUTHENTICATED') assert.equal(result.profileId, 0)
  }
})

test('a price in the order must equal the price of its amounts', () => {
  const at = (price: number, more = {}) => {
    const order = kit.signed(kit.unsignedOrder())
    return send({ ...kit.orderBody({ ...order, price }), ...more }).name
  }
  assert.equal(at(0.65), 'NONE')
  assert.equal(at(1 - 0.35), 'NONE')
  assert.equal(at(0.651), 'PRICE_MISMATCH')
  assert.equal(at(-0.65), 'PRICE_MISMATCH')
  assert.equal(at(65), 'PRICE_MISMATCH')
  const order = kit.signed({ ...kit.unsignedOrder(), takerAmount: 1, price: 0.65 })
  assert.equal(send({ ...kit.orderBody(order), orderType: 'FOK' }).name, 'PRICE_MISMATCH')
})

test("only the verdict states that a signature is not the signer's for this market", () => {
  const plain = kit.unsignedOrder()
  const { signerIsMaker, signerIsAccount, makerIsAccount } = VERDICT
  const honest = signerIsMaker | signerIsAccount | makerIsAccount
  const good = kit.signed(plain)
  const bytes = Buffer.from(good.signature.slice(2), 'hex')
  const flippedV = bytes[64] === 27 ? '1c' : '1b'
  const r = bytes.subarray(0, 32).toString('hex')
  const s = bytes.subarray(32, 64).toString('hex')
  const other = accountOf(kit.OTHER_KEY)
  const rows: [string, number, ClientOrder][] = [
    ['good', honest | VERDICT.signatureOk, good],
    ['another key', honest, kit.signed(plain, kit.OTHER_KEY)],
    ['another contract', honest, kit.signed(plain, kit.KEY, accountOf(kit.KEY))],
    ['another chain', honest, kit.signed(plain, kit.KEY, kit.EXCHANGE, 1)],
    ['edited amount', honest, { ...good, makerAmount: 6_400_000 }],
    ['edited salt', honest, { ...good, salt: 5 }],
    ['edited fee', honest, { ...good, feeRateBps: 0 }],
    ['edited expiration', honest, { ...good, expiration: 1_900_000_000 }],
    ['edited side', honest, { ...good, side: 1, makerAmount: 10_000_000, takerAmount: 6_500_000 }],
    ['edited token', honest, { ...good, tokenId: kit.NO }],
    ['high s', honest, { ...good, signature: mirroredText(good.signature) }],
    ['other v', honest, { ...good, signature: `0x${r}${s}${flippedV}` }],
    ['v 0', honest, { ...good, signature: `0x${r}${s}00` }],
    ['zeros', honest, { ...good, signature: `0x${'0'.repeat(130)}` }],
    [
      'foreign maker',
      signerIsAccount | VERDICT.signatureOk,
      kit.signed({ ...plain, maker: other }),
    ],
    ['foreign signer', makerIsAccount, kit.signed({ ...plain, signer: other }, kit.OTHER_KEY)],
    [
      'foreign order',
      signerIsMaker,
      kit.signed({ ...plain, maker: other, signer: other }, kit.OTHER_KEY),
    ],
  ]
  for (const [label, verdict, order] of rows) {
    const result = send(kit.orderBody(order))
    assert.equal(result.name, 'NONE', label)
    assert.equal(result.verdict, verdict, label)
  }
})

test('one changed byte of the call breaks its HMAC', () => {
  const random = seeded()
  const body = Buffer.from(JSON.stringify(kit.orderBody()))
  for (let round = 0; round < 200; round++) {
    const broken = Buffer.from(body)
    broken[random.below(broken.length)] ^= 1 << random.below(8)
    assert.equal(check(kit.request(body, { body: broken })).name, 'HMAC_INVALID')
  }
  for (const overrides of [
    { method: 'PUT' },
    { pathWithQuery: '/orders?' },
    { pathWithQuery: '/Orders' },
    { timestamp: '2026-01-01T00:00:00.001Z' },
    { body: Buffer.concat([body, Buffer.from(' ')]) },
  ]) {
    assert.equal(check(kit.request(body, overrides)).name, 'HMAC_INVALID')
  }
})
