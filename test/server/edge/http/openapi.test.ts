import assert from 'node:assert/strict'
import { test } from 'node:test'
import { api } from '../../../../server/api/routes.ts'
import { integer, means, nullable, pattern } from '../../../../server/edge/http/schema/scalars.ts'
import {
  compile,
  object,
  optional,
  type Schema,
} from '../../../../server/edge/http/schema/schema.ts'
import { at } from '../../../support/json-path.ts'
import {
  assertParametersSay,
  assertPropertiesSay,
  assertStatusesSay,
  documentOf,
  isTree,
  operations,
  responsesOf,
} from '../../../support/openapi-tree.ts'
import { TOY_ROUTES } from './gateway/toy-exchange.ts'

const document = documentOf(TOY_ROUTES)
const wholeDocument = documentOf(api)

test('the document has every route, with each path parameter described once', () => {
  assert.equal(operations(document).length, TOY_ROUTES.length)
  const ids = new Set<unknown>()
  for (const [path, method, operation] of operations(document)) {
    assert.match(method, /^(get|post|put|patch|delete)$/)
    ids.add(operation.operationId)
    const { parameters } = operation
    assert.ok(Array.isArray(parameters))
    const inPath = parameters.filter((one) => one.in === 'path')
    const names = [...path.matchAll(/\{([^}]+)\}/g)].map((match) => match[1])
    assert.deepEqual(
      inPath.map((one) => one.name),
      names,
    )
    assert.ok(inPath.every((one) => one.required === true))
    assert.ok(parameters.every((one) => isTree(one.schema)))
    const keys = new Set(parameters.map((one) => `${one.in} ${one.name}`))
    assert.equal(keys.size, parameters.length)
  }
  assert.equal(ids.size, TOY_ROUTES.length)
})

test('every reference and every security scheme resolves', () => {
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)]
  assert.ok(references.length > 0)
  for (const [, path] of references) assert.ok(isTree(at(document, ...path.split('/'))), path)
  for (const [, , operation] of operations(document)) {
    assert.ok(Array.isArray(operation.security))
    for (const one of operation.security) {
      const [name] = Object.keys(one)
      assert.ok(isTree(at(document, 'components', 'securitySchemes', name)), name)
    }
  }
})

test('every status has a description, and 429 and 503 have a Retry-After', () => {
  for (const [, , operation] of operations(document)) {
    assert.ok(isTree(operation.responses))
    for (const [status, response] of Object.entries(operation.responses)) {
      assert.match(status, /^[2-5][0-9][0-9]$/)
      assert.equal(typeof at(response, 'description'), 'string')
      const isLater = status === '429' || status === '503'
      assert.equal(isTree(at(response, 'headers', 'Retry-After')), isLater)
    }
    assert.ok(!('500' in operation.responses))
  }
  const place = responsesOf(document, '/orders/{lot}', 'post')
  assert.deepEqual(Object.keys(place), [
    '201',
    '400',
    '401',
    '403',
    '408',
    '413',
    '415',
    '425',
    '429',
    '503',
  ])
})

test('the examples are valid by their schemas', () => {
  for (const route of TOY_ROUTES) {
    assert.deepEqual(route.replyIssues(route.example.reply), [], route.path)
    const body: Schema | null = route.body
    if (body !== null) assert.ok(compile(body).holds(route.example.body ?? {}), route.path)
  }
})

test('a status has the meaning that its route gives, or all of its refusals', () => {
  const responses = responsesOf(document, '/orders/{lot}', 'post')
  assert.equal(at(responses, '201', 'description'), 'The note is kept.')
  assert.equal(
    at(responses, '425', 'description'),
    'trading_disabled: Trading is disabled; wait until `resumeAt`.',
    'a description has the code that a client reads, then the sentence',
  )
  assert.deepEqual(String(at(responses, '400', 'description')).split('\n'), [
    'VALIDATION: The request is not valid; `message` lists each field that is wrong.',
    'BODY_MALFORMED: The request body is not valid JSON; send one JSON value in UTF-8.',
    'FEE_RATE_MISMATCH: The signed feeRateBps is not the effective rate of the order owner; ' +
      'sign `expectedFeeRateBps`.',
  ])
  const login = responsesOf(document, '/auth/login', 'post')
  assert.equal(at(login, '207', 'description'), 'Both cookies are set.')
  assertStatusesSay(wholeDocument)
})

test('every property at every depth has a description of its own in its object', () => {
  assert.ok(assertPropertiesSay(wholeDocument) > api.length)
})

test('every parameter has a description, in its own place and in its schema', () => {
  assertParametersSay(wholeDocument)
})

test('a description changes neither the check of a value nor its refusal', () => {
  const plain = pattern('^[a-z]+$', 'Lower-case letters.')
  const reported = means(plain, 'Name of the pet.')
  const both = {
    name: reported,
    age: means(optional(nullable(integer(0, 30))), 'Its age in years.'),
  }
  assert.equal(at(reported, 'description'), 'Name of the pet. Lower-case letters.')
  const again = means(reported, 'Name of the cat.')
  assert.equal(at(again, 'description'), 'Name of the cat. Lower-case letters.')
  assert.equal(at(plain, 'description'), 'Lower-case letters.')
  const checker = compile(object(both))
  assert.ok(checker.holds({ name: 'kit' }), 'an optional field stays optional')
  assert.deepEqual(checker.issues({ name: 'Kit', age: 31 }), [
    { field: 'name', message: 'must have this form: Lower-case letters' },
    { field: 'age', message: 'must be at most 30' },
  ])
})
