import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { rejectName } from '../../../engine/domain/reject.ts'
import { blankPlace, decodePlaceInto, decodePlaceTail } from '../../../engine/wire/codec.ts'
import { accountOf, type ClientOrder } from '../../../server/auth/client-order.ts'
import { Intake } from '../../../server/auth/intake.ts'
import { RESULT, VERDICT } from '../../../server/auth/intake-layout.ts'
import { keccakReady } from '../../../server/auth/keccak.ts'
import * as kit from './order-kit.ts'
import { seeded } from './seeded.ts'

before(() => keccakReady)

function check(request: ReturnType<typeof kit.request>) {
  const result = Buffer.from(new Intake(kit.directory()).check(request))
  const recordEnd = RESULT.record + result.readUInt32LE(RESULT.recordBytes)
  return {
    name: rejectName(result.readUInt16LE(RESULT.rejectCode)),
    requestId: result.readUInt32LE(RESULT.requestId),
    verdict: result[RESULT.verdict],
    profileId: result.readUInt32LE(RESULT.profileId),
    ownerId: result.readDoubleLE(RESULT.ownerId),
    timestampMs: result.readDoubleLE(RESULT.timestampMs),
    recvWindowMs: result.readUInt32LE(RESULT.recvWindowMs),
    record: new Uint8Array(result.subarray(RESULT.record, recordEnd)),
    text: result.toString('utf8', recordEnd),
  }
}

function send(body: unknown, overrides = {}) {
  return check(kit.request(JSON.stringify(body), overrides))
}

/** The fields a refused body is blamed for. */
function blamed(body: unknown): string[] {
  const result = send(body)
  assert.equal(result.name, 'VALIDATION', result.text)
  const issues: { field: string; message: string }[] = JSON.parse(result.text)
  return issues.map((issue) => issue.field)
}

const ALL_OK =
  VERDICT.signatureOk | VERDICT.signerIsMaker | VERDICT.signerIsAccount | VERDICT.makerIsAccount

test('a good order becomes a whole PLACE record, a verdict and the echo of its fields', () => {
  const body = {
    ...kit.orderBody(
      kit.signed({ ...kit.unsignedOrder(), price: 0.65, expiration: 1_800_000_000 }),
    ),
    clientOrderId: '  grüße 🙂 ',
    postOnly: true,
    stpPolicy: 'cancel_both',
    timestamp: kit.NOW_MS - 5,
    recvWindow: 1000,
  }
  const result = send(body)
  assert.equal(result.name, 'NONE', result.text)
  assert.equal(result.requestId, 5)
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
    slot: 0,
    generation: 0,
    side: 0,
    outcome: 0,
    orderType: 0,
    postOnly: true,
    marketForm: false,
    stp: 2,
    priceTicks: 650,
    sizeRaw: 10_000_000,
    spendRaw: 0,
    reserveRaw: 0,
    expirationSec: 1_800_000_000,
    feeBps: 0,
    clientOrderId: 'grüße 🙂',
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
    makerAmount: '6500000',
    takerAmount: '10000000',
    expiration: '1800000000',
    orderType: 'GTC',
    price: '0.65',
  })
})

test('the order of the rules keeps its hash on the way', () => {
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

test('the two amounts give price and size as the rules have them', () => {
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

test('of several wrong things the one that stands higher is answered', () => {
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
    ['SCOPE_MISSING', '{"order":', { apiKey: 'reader' }],
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

test('a price that is named equals the price of the amounts', () => {
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

test('a wrong field is refused by its name', () => {
  const long = 'é'.repeat(128)
  const rows: [string, unknown][] = [
    ['order.salt', 0],
    ['order.salt', '0'],
    ['order.salt', -1],
    ['order.salt', 1.5],
    ['order.salt', 2 ** 53],
    ['order.salt', String(2n ** 256n)],
    ['order.salt', '9'.repeat(10_000)],
    ['order.salt', '0x10'],
    ['order.salt', '007'],
    ['order.salt', null],
    ['order.salt', true],
    ['order.salt', [1]],
    ['order.maker', accountOf(kit.KEY).replace('E7E376', 'e7E376')],
    ['order.maker', 'alice'],
    ['order.signer', accountOf(kit.OTHER_KEY).toUpperCase().replace('0X', '0x')],
    ['order.taker', accountOf(kit.OTHER_KEY)],
    ['order.tokenId', 123456789],
    ['order.tokenId', '-1'],
    ['order.makerAmount', -6_500_000],
    ['order.makerAmount', 0.5],
    ['order.makerAmount', 'NaN'],
    ['order.makerAmount', ''],
    ['order.makerAmount', '9007199254740992'],
    ['order.takerAmount', 9007199254740992],
    ['order.takerAmount', '10000000 '],
    ['order.expiration', -1],
    ['order.expiration', '1.5'],
    ['order.expiration', '9999999999999999'],
    ['order.nonce', 1],
    ['order.nonce', '1'],
    ['order.feeRateBps', 1001],
    ['order.feeRateBps', -1],
    ['order.feeRateBps', '300'],
    ['order.side', 2],
    ['order.side', 'BUY'],
    ['order.signatureType', 1],
    ['order.signatureType', 3],
    ['order.signatureType', 4],
    ['order.signature', '0x'],
    ['order.signature', `0x${'1'.repeat(128)}`],
    ['order.signature', `0x${'1'.repeat(132)}`],
    ['order.signature', `0x${'g'.repeat(130)}`],
    ['order.price', '0.65'],
    ['order.price', null],
    ['order.extra', 1],
    ['ownerId', 0],
    ['ownerId', 1.5],
    ['ownerId', '7'],
    ['ownerId', 2 ** 53],
    ['orderType', 'IOC'],
    ['orderType', 'gtc'],
    ['marketSlug', 5],
    ['clientOrderId', ''],
    ['clientOrderId', ' \t\n\u00a0'],
    ['clientOrderId', `${long}é`],
    ['clientOrderId', '🙂'.repeat(129)],
    ['clientOrderId', '\ud800'],
    ['clientOrderId', 5],
    ['postOnly', 'true'],
    ['stpPolicy', 'cancel_all'],
    ['timestamp', -1],
    ['timestamp', '1'],
    ['recvWindow', 0],
    ['recvWindow', 10_001],
    ['onBehalfOf', 8],
    ['surprise', 1],
  ]
  for (const [field, value] of rows) {
    const body: Record<string, unknown> = { ...kit.orderBody(), timestamp: kit.NOW_MS }
    const [outer, inner] = field.split('.')
    if (inner === undefined) body[outer] = value
    else body.order = { ...kit.orderBody().order, [inner]: value }
    assert.deepEqual(blamed(body), [field], `${field} ${String(value).slice(0, 40)}`)
  }
})

test('a missing field, a wrong pairing and a body that is no object are refused by their names', () => {
  const { salt: _salt, ...order } = kit.orderBody().order
  assert.deepEqual(blamed({ ...kit.orderBody(), order }), ['order.salt'])
  assert.deepEqual(blamed({}), ['order', 'ownerId', 'orderType', 'marketSlug'])
  assert.deepEqual(blamed({ ...kit.orderBody(), recvWindow: 5 }), ['timestamp'])
  assert.deepEqual(blamed({ ...kit.orderBody(), orderType: 'FAK', postOnly: true }), ['postOnly'])
  assert.deepEqual(blamed({ ...kit.orderBody(), orderType: 'FOK', postOnly: true }), ['postOnly'])
  for (const body of [null, [], 5, 'x', true]) assert.deepEqual(blamed(body), [''])
})

test('client order ids of 128 code points pass in any script', () => {
  for (const clientOrderId of ['x'.repeat(128), '🙂'.repeat(128), ` ${'é'.repeat(128)} `]) {
    const result = send({ ...kit.orderBody(), clientOrderId })
    assert.equal(result.name, 'NONE')
    const order = blankPlace()
    decodePlaceInto(result.record, order)
    assert.equal(order.clientOrderId, clientOrderId.trim())
    assert.equal(result.record.length % 8, 0)
  }
})

test('hostile bodies are refused, and nothing of Object leaks', () => {
  const good = JSON.stringify(kit.orderBody())
  const rows: [string, string | Uint8Array][] = [
    ['BODY_MALFORMED', ''],
    ['BODY_MALFORMED', ' '],
    ['BODY_MALFORMED', '['.repeat(60_000)],
    ['BODY_MALFORMED', good.replace('6500000', 'NaN')],
    ['BODY_MALFORMED', good.replace('6500000', '06500000')],
    ['BODY_MALFORMED', `${good}x`],
    ['BODY_MALFORMED', Buffer.from([0x7b, 0xff, 0x7d])],
    ['BODY_MALFORMED', Buffer.from(`\ufeff${good}`)],
    ['BODY_MALFORMED', `{"x":"${'y'.repeat(70_000)}"}`],
    ['VALIDATION', '['.repeat(30_000) + ']'.repeat(30_000)],
    ['VALIDATION', good.replace('6500000', '1e999')],
    ['VALIDATION', good.replace('6500000', '9'.repeat(400))],
    ['VALIDATION', good.replace('{', '{"__proto__":{"ownerId":7},')],
    ['VALIDATION', good.replace('"order":{', '"order":{"__proto__":{"salt":1},')],
    ['VALIDATION', good.replace('{', '{"constructor":1,')],
    ['VALIDATION', `{${Array.from({ length: 5000 }, (_, i) => `"k${i}":1`).join()}}`],
    ['MARKET_NOT_FOUND', good.replace('"rain"', '"__proto__"')],
    ['MARKET_NOT_FOUND', good.replace('"rain"', '"constructor"')],
    ['MARKET_NOT_FOUND', good.replace('"rain"', `"${'🙂'.repeat(10_000)}"`)],
    ['NONE', good.replace('6500000', '6500000.0')],
    ['NONE', good.replace('6500000', '6.5e6')],
    ['NONE', ` \n${good}\n`],
  ]
  for (const [expected, body] of rows) {
    const result = check(kit.request(body))
    assert.equal(result.name, expected, Buffer.from(body).toString().slice(0, 80))
    assert.ok(result.text.length < 10_000)
  }
  const key = '\u0001"'.repeat(5000)
  const issues = send({ ...kit.orderBody(), [key]: 1 })
  assert.equal(issues.name, 'VALIDATION')
  assert.ok(issues.text.length < 2000)
})

test('a signature that is not of the signer for this market is told by the verdict alone', () => {
  const plain = kit.unsignedOrder()
  const { signerIsMaker, signerIsAccount, makerIsAccount } = VERDICT
  const honest = signerIsMaker | signerIsAccount | makerIsAccount
  const good = kit.signed(plain)
  const bytes = Buffer.from(good.signature.slice(2), 'hex')
  const groupOrder = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
  const highS = groupOrder - BigInt(`0x${bytes.subarray(32, 64).toString('hex')}`)
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
    [
      'high s',
      honest,
      { ...good, signature: `0x${r}${highS.toString(16).padStart(64, '0')}${flippedV}` },
    ],
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
