import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ORDER_TYPES } from '../../../../../engine/domain/order.ts'
import { ORDER_FLAGS } from '../../../../../engine/domain/order-flags.ts'
import { blankPlace, decodePlaceInto } from '../../../../../engine/wire/place-codec.ts'
import { keccakReady } from '../../../../../server/crypto/keccak.ts'
import { accountOf } from '../../../../../server/edge/intake/order/client-order.ts'
import * as kit from '../order-kit.ts'
import { blamed, check, send } from '../order-kit.ts'

await keccakReady

const LONG = 'é'.repeat(128)
const WRONG_FIELDS: readonly (readonly [string, unknown])[] = [
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
  ['order.signatureType', 4],
  ['order.signature', '0x'],
  ['order.signature', `0x${'1'.repeat(128)}`],
  ['order.signature', `0x${'1'.repeat(132)}`],
  ['order.signature', `0x${'g'.repeat(130)}`],
  ['order.price', '0.65'],
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
  ['clientOrderId', `${LONG}é`],
  ['clientOrderId', '🙂'.repeat(129)],
  ['clientOrderId', '\ud800'],
  ['clientOrderId', 5],
  ...ORDER_FLAGS.map(({ name }) => [name, 'true'] as const),
  ['stpPolicy', 'cancel_all'],
  ['timestamp', -1],
  ['timestamp', '1'],
  ['recvWindow', 0],
  ['recvWindow', 10_001],
  ['onBehalfOf', 0],
  ['onBehalfOf', 2 ** 31],
  ['onBehalfOf', '8'],
  ['surprise', 1],
]

test('a refusal names the wrong field', () => {
  for (const [field, value] of WRONG_FIELDS) {
    const body: Record<string, unknown> = { ...kit.orderBody(), timestamp: kit.NOW_MS }
    const [outer, inner] = field.split('.')
    if (inner === undefined) body[outer] = value
    else body.order = { ...kit.orderBody().order, [inner]: value }
    assert.deepEqual(blamed(body), [field], `${field} ${String(value).slice(0, 40)}`)
  }
})

test('the refusal of a wrong field says the form that it must have', () => {
  const order = { ...kit.orderBody().order, makerAmount: '9'.repeat(78), maker: 'alice' }
  assert.deepEqual(JSON.parse(send({ ...kit.orderBody(), order }).text), [
    {
      field: 'order.maker',
      message:
        'must have this form: 0x and 40 hex digits: the account whose balance trades, ' +
        'EIP-55 or lower case',
    },
    {
      field: 'order.makerAmount',
      message:
        'must have this form: Text of at most 16 digits, or an integer: ' +
        'raw units given, collateral for a buy, shares for a sell',
    },
  ])
})

test('a missing field, a wrong pair of fields and a body that is no object are named', () => {
  const { salt: _salt, ...order } = kit.orderBody().order
  assert.deepEqual(blamed({ ...kit.orderBody(), order }), ['order.salt'])
  assert.deepEqual(blamed({}), ['order', 'orderType', 'marketSlug'])
  const { ownerId: _owner, ...ownerless } = kit.orderBody()
  assert.deepEqual(blamed(ownerless), ['ownerId'])
  assert.deepEqual(blamed({ ...kit.orderBody(), recvWindow: 5 }), ['timestamp'])
  for (const { name, needs } of ORDER_FLAGS) {
    for (const orderType of ORDER_TYPES.filter((each) => needs !== null && each !== needs)) {
      assert.deepEqual(blamed({ ...kit.orderBody(), orderType, [name]: true }), [name])
    }
  }
  for (const body of [null, [], 5, 'x', true]) assert.deepEqual(blamed(body), [''])
})

test('client order ids of up to 128 code points pass in any script', () => {
  for (const clientOrderId of ['x'.repeat(128), '🙂'.repeat(128), ` ${'é'.repeat(128)} `]) {
    const result = send({ ...kit.orderBody(), clientOrderId })
    assert.equal(result.name, 'NONE')
    const order = blankPlace()
    decodePlaceInto(result.record, order)
    assert.equal(order.clientOrderId, clientOrderId.trim())
    assert.equal(result.record.length % 8, 0)
  }
})

test('hostile bodies are refused, and no key of Object.prototype is taken for data', () => {
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
