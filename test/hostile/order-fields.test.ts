import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ORDER_FLAGS } from '../../engine/domain/order-flags.ts'
import { exchange } from '../support/exchange.ts'
import { at } from '../support/json-path.ts'
import { orderBody } from '../support/live-orders.ts'
import { accepted, assertRefused, type Reply } from '../support/replies.ts'

// Bodies of POST /orders that are no orders: each refusal names the fault, and nothing is reserved.

const START_RAW = 50_000_000
const {
  live,
  rain: market,
  alice,
} = await exchange({ markets: ['rain'], traders: { alice: START_RAW } })

function assertInvalid(reply: Reply, stated = reply.text): void {
  assertRefused(reply, 400, 'VALIDATION', stated)
  assert.equal(at(reply.body, 'error'), 'Bad Request')
  const message = at(reply.body, 'message')
  assert.ok(Array.isArray(message) && message.length > 0, stated)
  for (const issue of message) assert.deepEqual(Object.keys(issue), ['field', 'message'])
}

type Broken = readonly [field: string, values: readonly unknown[]]

const BIG = '115792089237316195423570985008687907853269984665640564039457584007913129639936'

const BROKEN_FIELDS: readonly Broken[] = [
  ['order', [null, [], 'order', 5]],
  ['ownerId', ['1', 0, -1, 1.5, 2 ** 53, 1e300, null]],
  ['orderType', ['gtc', 'IOC', 0, null, ['GTC']]],
  ['marketSlug', [7, null, ['rain']]],
  ['clientOrderId', ['', ' \t ', 'x'.repeat(129), '😀'.repeat(129), '\ud800', 5]],
  ...ORDER_FLAGS.map(({ name }) => [name, ['true', 1]] as const),
  ['stpPolicy', ['none', 0]],
  ['recvWindow', [0, -1, 10_001, 1.5, '5']],
  ['timestamp', [-1, 'now', 1.5]],
  ['onBehalfOf', [0, -1, 1.5, 2 ** 31, 'x']],
  ['__proto__', [1, {}]],
  ['constructor', [{}]],
  ['surprise', [1]],
]

const BROKEN_ORDER: readonly Broken[] = [
  ['salt', [0, -5, 1.5, 2 ** 53, 1e30, BIG, '0x10', '01', '', null, '٣']],
  ['maker', ['0x1234', 'alice', '', 5, null]],
  ['signer', ['0x1234', null]],
  ['taker', ['0x0000000000000000000000000000000000000001', '0x0', null]],
  ['tokenId', [5, '-5', '1e5', '', null]],
  ['makerAmount', [-1, 0.5, 2 ** 53, '9007199254740992', '99999999999999999999999999']],
  ['makerAmount', ['NaN', 'Infinity', true, [1], {}, null, '']],
  ['takerAmount', ['1.0', ' 1', '１', '+1', '1e3', '0x1', '-1']],
  ['expiration', [-1, '9007199254740992', 1.5, 'never']],
  ['nonce', [1, '7', -1]],
  ['feeRateBps', [1001, -1, '300', 0.5, null]],
  ['side', [2, -1, 'BUY', null]],
  ['signatureType', [4, -1, '0', null]],
  ['signature', ['0x', '', `0x${'11'.repeat(64)}`, `0x${'11'.repeat(66)}`, `0x${'gg'.repeat(65)}`]],
  ['price', ['0.5', true]],
  ['extra', [1]],
]

const without = (whole: object, name: string) =>
  Object.fromEntries(Object.entries(whole).filter(([each]) => each !== name))

/** The JSON text of `whole` with one field set, even `__proto__`, which no literal can set. */
function withField(whole: object, field: string, value: unknown): string {
  const head = `{${JSON.stringify(field)}:${JSON.stringify(value)},`
  return JSON.stringify(without(whole, field)).replace(/^\{/, () => head)
}

const wholeOrder = (body: Record<string, unknown>): object => {
  const { order } = body
  assert.ok(typeof order === 'object' && order !== null)
  return order
}

const post = (body: unknown) => live.call(alice, 'POST', '/orders', body)

test('a 400 names the field whose value is wrong', async () => {
  for (const [field, values] of BROKEN_FIELDS) {
    for (const value of values) {
      const reply = await post(withField(orderBody(alice, market), field, value))
      const stated = `${field} ${JSON.stringify(value)}: ${reply.text}`
      assertInvalid(reply, stated)
      assert.ok(reply.text.includes(field), stated)
    }
  }
  const lonely = await post({ ...orderBody(alice, market), recvWindow: 5 })
  assertInvalid(lonely)
})

test('a 400 names the field of the signed order whose value is wrong', async () => {
  for (const [field, values] of BROKEN_ORDER) {
    for (const value of values) {
      const body = orderBody(alice, market)
      const order = withField(wholeOrder(body), field, value)
      const reply = await post(
        `{"order":${order},${JSON.stringify(without(body, 'order')).slice(1)}`,
      )
      const stated = `${field} ${JSON.stringify(value)}: ${reply.text}`
      assertInvalid(reply, stated)
      assert.ok(reply.text.includes(`"order.${field}"`), stated)
    }
  }
})

test('null in an optional field means absent, and the order is taken', async () => {
  const body = orderBody(alice, market)
  const flags = ORDER_FLAGS.map(({ name }) => name)
  const optional = ['clientOrderId', 'stpPolicy', 'timestamp', 'onBehalfOf', ...flags]
  const nulls = Object.fromEntries(optional.map((field) => [field, null]))
  await accepted(post({ ...body, ...nulls, order: { ...wholeOrder(body), price: null } }), 201)
  await accepted(live.call(alice, 'DELETE', `/orders/all/${market.slug}`))
})

test('a 400 names the field that is missing', async () => {
  const body = orderBody(alice, market)
  for (const field of Object.keys(body)) {
    const reply = await post(without(body, field))
    assertInvalid(reply)
    assert.match(reply.text, new RegExp(`"field":"${field}"`))
  }
  const order = wholeOrder(body)
  for (const field of Object.keys(order)) {
    const reply = await post({ ...body, order: without(order, field) })
    assertInvalid(reply)
    assert.match(reply.text, new RegExp(`"field":"order.${field}"`))
  }
})

test('a body that is not an order of any form gets a short refusal', async () => {
  const bodies = [
    '',
    ' ',
    '{',
    'null',
    '[]',
    '"text"',
    '7',
    'NaN',
    '{"order":NaN}',
    '{}{}',
    "{'a':1}",
    '\ufeff{}',
    '{"order":{"salt":1e999}}',
    '{"a":1,}',
    '\u0000',
    '{"a":"\\ud800"}',
    `${'['.repeat(30_000)}${']'.repeat(30_000)}`,
    `{"order":${'{"a":'.repeat(9000)}1${'}'.repeat(9000)}}`,
    `{${Array.from({ length: 5000 }, (_, index) => `"f${index}":0`).join(',')}}`,
  ]
  for (const body of bodies) {
    const reply = await post(body)
    assert.equal(reply.status, 400, `${body.slice(0, 40)} ${reply.text}`)
    assert.match(String(at(reply.body, 'code')), /^(VALIDATION|BODY_MALFORMED)$/)
    assert.ok(reply.text.length < 8192)
  }
})

test('afterwards nothing is reserved and no request is open', () => {
  assert.deepEqual(live.balances(alice), { freeRaw: START_RAW, reservedRaw: 0 })
  assert.equal(live.gateway.inFlight, 0)
})
