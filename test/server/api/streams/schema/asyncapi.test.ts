import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  asyncApi,
  COMMON_EVENTS,
  DOCUMENTED_CHANNELS,
} from '../../../../../server/api/streams/schema/asyncapi.ts'
import { compile } from '../../../../../server/edge/http/schema/schema.ts'
import { exchange } from '../../../../support/exchange.ts'
import { assertFrame } from '../../../../support/frame-contract.ts'
import { at } from '../../../../support/json-path.ts'
import { assertPropertiesSay, isTree } from '../../../../support/openapi-tree.ts'

// The document of the sockets: whole, with examples that hold, and a sentence for each property.

const described = {
  title: 'toys',
  version: '1.0.0',
  headerPrefix: 'svc-',
  cookieName: 'outcomex_session',
}
const document: unknown = JSON.parse(
  JSON.stringify(asyncApi({ ...described, host: 'localhost:3000', isSecure: false })),
)

test('every reference of the document resolves', () => {
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)]
  assert.ok(references.length > 20)
  for (const [, path] of references) assert.ok(isTree(at(document, ...path.split('/'))), path)
})

/** Every schema of the document. */
function schemasIn(node: unknown): Readonly<Record<string, unknown>>[] {
  if (Array.isArray(node)) return node.flatMap(schemasIn)
  if (!isTree(node)) return []
  const { examples: _examples, ...parts } = node
  return [node, ...Object.values(parts).flatMap(schemasIn)]
}

test('each payload is a schema of its own name, and so is each object in it', () => {
  const messages = at(document, 'components', 'messages')
  assert.ok(isTree(messages))
  const inline = Object.entries(messages).filter(([, message]) => {
    return !String(at(message, 'payload', '$ref')).startsWith('#/components/schemas/')
  })
  assert.deepEqual(
    inline.map(([name]) => name),
    [],
  )
  const schemas = at(document, 'components', 'schemas')
  assert.ok(isTree(schemas))
  for (const name of [
    'OrderEvent',
    'OrderLifecycleEvent',
    'OrderExecutionEvent',
    'OrderMatchedEvent',
    'OrderSettledEvent',
    'OrderbookUpdate',
    'Trade',
    'BookPositions',
    'PoolPositions',
    'SubscribeMarketPrices',
    'Offer',
  ]) {
    assert.ok(isTree(schemas[name]), name)
  }
  const nested = Object.values(schemas).flatMap((schema) => {
    return Object.values(Object(at(schema, 'properties'))).flatMap(schemasIn)
  })
  assert.ok(nested.every(({ properties }) => Object.keys(Object(properties)).length === 0))
})

test('an integer that may pass 2^31 has the format int64, and a const has a type', () => {
  const schemas = schemasIn(at(document, 'components', 'schemas'))
  const wrong = schemas.filter(({ type, const: only, maximum = only ?? Infinity, format }) => {
    return type === 'integer' && Number(maximum) > 2_147_483_647 && format !== 'int64'
  })
  assert.deepEqual(wrong, [])
  assert.deepEqual(
    schemas.filter((schema) => 'const' in schema && !('type' in schema)),
    [],
  )
})

test('every property at every depth says what it means', () => {
  assert.ok(assertPropertiesSay(document) > 20)
})

test('the examples hold by their schemas', () => {
  const events = [...COMMON_EVENTS, ...DOCUMENTED_CHANNELS.flatMap((each) => each.events)]
  for (const { name, example } of events) assertFrame(name, example)
  for (const { name, payload, example } of DOCUMENTED_CHANNELS) {
    assert.ok(compile(payload).holds(example), name)
  }
})

test('a frame that lacks a field, or has one too many, is noticed', () => {
  const [{ name, example }] = DOCUMENTED_CHANNELS[1].events
  assert.ok(isTree(example))
  const { price: _price, ...rest } = example
  assert.throws(() => assertFrame(name, rest), /price/)
  assert.throws(() => assertFrame(name, { ...example, odd: 1 }), /odd/)
  assert.throws(() => assertFrame('nothing', {}), /is an event of the document/)
})

test('the exchange gives the document, and takes every channel that it names', async () => {
  const { live } = await exchange()
  const { body } = await live.send('GET', '/asyncapi.json')
  assert.equal(at(body, 'asyncapi'), '3.0.0')
  const messages = at(body, 'channels', 'markets', 'messages')
  assert.ok(isTree(messages))
  for (const { name } of DOCUMENTED_CHANNELS) assert.ok(name in messages, name)
  assert.equal(at(body, 'operations', 'subscribe_trades', 'action'), 'receive')
  assert.equal(at(body, 'servers', 'exchange', 'host'), `127.0.0.1:${live.port}`)
})
