import assert from 'node:assert/strict'
import { test } from 'node:test'
import { api } from '../../../../../server/api/routes.ts'
import { line, lines } from '../../../../../server/edge/http/schema/scalars.ts'
import { compile, object } from '../../../../../server/edge/http/schema/schema.ts'

// Text that others see: no caller and no operator can put in what steers a terminal, breaks a line
// or reverses the direction of the text around it.

const UNSEEN = ['\u0000', '\u001b[2J', '\u007f', '\u009b', '\u2028', '\u202e', '\u2066', '\ud800']

test('a line takes no control characters, lines take newlines and tabs', () => {
  const one = compile(object({ name: line(10, 1) }))
  const some = compile(object({ name: lines(10) }))
  for (const name of ['Regen?', 'été', '雨', 'مطر', '👍🏽', 'a b']) {
    assert.equal(one.holds({ name }), true, name)
    assert.equal(some.holds({ name }), true, name)
  }
  for (const unseen of UNSEEN) {
    assert.equal(one.holds({ name: `a${unseen}` }), false, JSON.stringify(unseen))
    assert.equal(some.holds({ name: `a${unseen}` }), false, JSON.stringify(unseen))
  }
  for (const name of ['a\nb', 'a\tb']) {
    assert.equal(one.holds({ name }), false)
    assert.equal(some.holds({ name }), true)
  }
  assert.equal(some.holds({ name: 'a\rb' }), false)
  assert.equal(one.holds({ name: '' }), false)
  assert.equal(one.holds({ name: '👍'.repeat(10) }), true, 'code points are counted')
  assert.equal(one.holds({ name: 'a'.repeat(11) }), false)
  assert.match(one.issues({ name: 'a\u001b' })[0].message, /line without control characters/)
})

/** Fields of bodies that name something of the exchange or of the call: nobody else sees them. */
const NAMES = [
  'r',
  'code',
  'idempotencyKey',
  'market',
  'marketSlug',
  'clientOrderId',
  'clientOrderIds',
  'orderId',
  'startsAt',
  'endsAt',
  'deadline',
  'id',
  'method',
  'parentId',
  'slug',
  'eventId',
]

function* freeTexts(schema: unknown, name: string): Iterable<string> {
  if (typeof schema !== 'object' || schema === null) return
  const at = (keyword: string): unknown => Reflect.get(schema, keyword)
  const isFree = ['enum', 'const', 'pattern'].every((keyword) => at(keyword) === undefined)
  if (at('type') === 'string' && isFree) yield name
  for (const shape of [at('anyOf') ?? []].flat()) yield* freeTexts(shape, name)
  yield* freeTexts(at('items'), name)
  yield* freeTexts(at('additionalProperties'), name)
  for (const [field, value] of Object.entries(Object(at('properties') ?? {}))) {
    yield* freeTexts(value, field)
  }
}

test('every text of a body that others see is a line or lines', () => {
  const free = new Map<string, string>()
  for (const { method, path, body } of api) {
    for (const name of freeTexts(body, '')) free.set(name, `${method} ${path}`)
  }
  const others = [...free].filter(([name]) => !NAMES.includes(name))
  assert.deepEqual(others, [])
  for (const name of NAMES) assert.ok(free.has(name), `${name} is still a free text`)
})
