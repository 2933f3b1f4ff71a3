import assert from 'node:assert/strict'
import { test } from 'node:test'
import { api } from '../../../../server/api/routes.ts'
import { at } from '../../../support/json-path.ts'
import {
  documentOf,
  followed,
  isTree,
  operations,
  responsesOf,
  type Tree,
} from '../../../support/openapi-tree.ts'

// What generators need of the OpenAPI document to make good types, in many languages.

const document = documentOf(api)
const INT32_MAX = 2_147_483_647

/** Every schema of the document with its way, examples left out. */
function schemasIn(node: unknown, way = ''): [way: string, schema: Tree][] {
  if (Array.isArray(node)) return node.flatMap((each, index) => schemasIn(each, `${way}/${index}`))
  if (!isTree(node)) return []
  const parts = Object.entries(node).filter(([key]) => key !== 'example' && key !== 'examples')
  return [[way, node], ...parts.flatMap(([key, each]) => schemasIn(each, `${way}/${key}`))]
}

const schemas = schemasIn(document)
const calls = operations(document)
const waysOf = (isWrong: (schema: Tree, way: string) => boolean) =>
  schemas.filter(([way, schema]) => isWrong(schema, way)).map(([way]) => way)

test('an integer that may pass 2^31 has the format int64', () => {
  const wrong = waysOf(({ type, const: only, maximum = only ?? Infinity, format }) => {
    return type === 'integer' && Number(maximum) > INT32_MAX && format !== 'int64'
  })
  // Waits of Retry-After are small; the header has no bound.
  assert.deepEqual(
    wrong.filter((way) => !way.endsWith('/Retry-After/schema')),
    [],
  )
})

test('no schema takes several types at once, and each const has a type', () => {
  assert.deepEqual(
    waysOf(({ type }) => Array.isArray(type)),
    [],
  )
  assert.deepEqual(
    waysOf(
      (schema, way) => 'const' in schema && !('type' in schema) && !way.endsWith('properties'),
    ),
    [],
  )
})

/** The shapes of a choice beside null. */
function shapesOf({ anyOf, oneOf }: Tree): unknown[] {
  const all = [anyOf, oneOf].flatMap((each) => (Array.isArray(each) ? each : []))
  return all.filter((shape) => at(shape, 'type') !== 'null')
}

test('a number has the format double, without which Go takes 32 bits', () => {
  assert.deepEqual(
    waysOf(({ type, format }) => type === 'number' && format !== 'double'),
    [],
  )
})

test('no choice has a list, for which Java makes no type', () => {
  const wrong = waysOf((schema) => {
    const shapes = shapesOf(schema)
    return shapes.length > 1 && shapes.some((shape) => at(shape, 'type') === 'array')
  })
  assert.deepEqual(wrong, [])
})

test('a choice of shapes is oneOf in a component, as Rust merges those of anyOf', () => {
  const wrong = waysOf((schema, way) => {
    const isComponent = /^\/components\/schemas\/[A-Za-z0-9]+$/.test(way)
    return shapesOf(schema).length > 1 && !('oneOf' in schema && isComponent)
  })
  assert.deepEqual(wrong, [])
})

/** The values that a field may have, or null when it may have any. */
function valuesOf(field: unknown): readonly unknown[] | null {
  const only = at(field, 'const')
  const some = at(field, 'enum')
  return Array.isArray(some) ? some : only === undefined ? null : [only]
}

/** Whether a reader that knows no needed fields and takes any others distinguishes the two. */
function differ(one: unknown, other: unknown): boolean {
  if (at(one, 'type') !== at(other, 'type')) return true
  const fields = Object.entries(Object(at(one, 'properties')))
  return fields.some(([name, field]) => {
    const known = valuesOf(field)
    const others = valuesOf(at(other, 'properties', name))
    return known !== null && others !== null && !known.some((value) => others.includes(value))
  })
}

/** The choices of replies, wherever they stand in them. */
function choicesIn(node: unknown, seen: Set<unknown>): Tree[] {
  const whole = followed(document, node)
  if (seen.has(whole)) return []
  seen.add(whole)
  if (Array.isArray(whole)) return whole.flatMap((each) => choicesIn(each, seen))
  if (!isTree(whole)) return []
  const parts = Object.entries(whole).filter(([key]) => key !== 'example' && key !== 'examples')
  const below = parts.flatMap(([, each]) => choicesIn(each, seen))
  return 'oneOf' in whole ? [whole, ...below] : below
}

test('each shape of a reply has a value of its own, as Java takes all that could fit', () => {
  const seen = new Set()
  const choices = calls.flatMap(([, , { responses }]) => choicesIn(responses, seen))
  assert.ok(choices.length > 50, 'refusals are choices')
  const alike = choices.flatMap(({ oneOf }) => {
    const shapes = Array.isArray(oneOf) ? oneOf : []
    return shapes.flatMap((one, index) =>
      shapes.slice(index + 1).flatMap((other) => {
        const isPlain = differ(followed(document, one), followed(document, other))
        return isPlain ? [] : [[at(one, '$ref'), at(other, '$ref')]]
      }),
    )
  })
  assert.deepEqual(alike, [])
})

test('no choice has a discriminator, by which Rust expects refusals without their code', () => {
  assert.deepEqual(
    waysOf((schema) => 'discriminator' in schema),
    [],
  )
})

test('the name of a component says which codes or which call it is of', () => {
  const refusals = at(document, 'components', 'schemas')
  assert.ok(isTree(at(refusals, 'PostOrders400Refusal')))
  assert.ok(isTree(at(refusals, 'HeldByWalletsOrDuplicateCallOrIdempotencyKeyTakenRefusal')))
  const responses = Object(at(document, 'components', 'responses'))
  assert.ok('MarketNotFound' in responses && !('PostOrders404' in responses))
})

test('patterns are such as every language reads', () => {
  assert.deepEqual(
    waysOf(({ pattern }) => typeof pattern === 'string' && /\\[pP]\{|\(\?[<!=]/.test(pattern)),
    [],
  )
})

test('instants have the format date-time', () => {
  const wrong = waysOf(({ pattern, format }) => {
    return String(pattern).startsWith('^[0-9]{4}-[0-9]{2}-[0-9]{2}T') && format !== 'date-time'
  })
  assert.deepEqual(wrong, [])
})

test('what every client meets is a schema of its own name', () => {
  const names = [
    'Market',
    'Group',
    'ChildMarket',
    'Order',
    'UserOrder',
    'Orderbook',
    'OrderRequest',
    'PlacedOrderReply',
    'Execution',
    'MakerMatch',
    'Profile',
    'Fill',
    'Trade',
    'MarketEvent',
    'Position',
    'ClobPosition',
    'AmmPosition',
    'HistoryEntry',
    'Pack',
    'PackPosition',
    'Offer',
  ]
  for (const name of [...names, 'FeeRateMismatchRefusal', 'ValidationRefusal', 'SignedOrder']) {
    assert.ok(isTree(at(document, 'components', 'schemas', name, 'properties')), name)
  }
  const inline = calls.flatMap(([path, method, { responses, requestBody }]) => {
    const contents = [...Object.values(isTree(responses) ? responses : {}), requestBody]
    const shapes = contents.map((each) => at(each, 'content', 'application/json', 'schema'))
    const isInline = shapes.some((each) => Object.keys(Object(at(each, 'properties'))).length > 0)
    return isInline ? [`${method} ${path}`] : []
  })
  assert.deepEqual(inline, [])
  const each = JSON.stringify(document).length / calls.length
  assert.ok(each < 5800, `${each} characters for each call: nothing stands in it a hundred times`)
})

test('the document has a licence, a server, and a sentence for each tag', () => {
  assert.equal(at(document, 'info', 'license', 'identifier'), 'MIT')
  assert.equal(typeof at(document, 'servers', 0, 'url'), 'string')
  const tags = at(document, 'tags')
  assert.ok(Array.isArray(tags))
  const known = new Set(tags.map((tag) => at(tag, 'name')))
  for (const tag of tags) {
    assert.doesNotMatch(String(at(tag, 'description')), /^Calls below /, String(at(tag, 'name')))
  }
  for (const [path, , operation] of calls) {
    assert.ok(known.has(at(operation, 'tags', 0)), path)
  }
})

test('a refusal has its own fields, and its code identifies it among those of its status', () => {
  const refusal = at(document, 'components', 'schemas', 'FeeRateMismatchRefusal', 'properties')
  assert.deepEqual(at(refusal, 'code', 'const'), 'FEE_RATE_MISMATCH')
  assert.equal(at(refusal, 'expectedFeeRateBps', 'type'), 'integer')
  for (const [code, field] of [
    ['TradingDisabled', 'resumeAt'],
    ['PostOnlyMode', 'mode'],
    ['ScopeMissing', 'scope'],
    ['DuplicateOrder', 'orderId'],
    ['OrdersNotFound', 'failed'],
    ['NotMinedYet', 'withdrawable'],
    ['PackNotEligible', 'ineligibleReasons'],
    ['AllowanceRetryTooSoon', 'retryAfterSeconds'],
  ]) {
    // Where only some calls have the field, their refusal is a second schema.
    const found = [`${code}Refusal`, `${code}Refusal2`].some((name) =>
      isTree(at(document, 'components', 'schemas', name, 'properties', field)),
    )
    assert.ok(found, `${code} ${field}`)
  }
  for (const [path, method, { responses }] of calls) {
    for (const [status, response] of Object.entries(Object(responses))) {
      const schema = at(response, 'content', 'application/json', 'schema')
      // Some replies have such a status too.
      if (!/^[45]/.test(status) || String(at(schema, '$ref')).endsWith('Reply')) continue
      const choice = at(followed(document, schema), 'oneOf')
      const each = Array.isArray(choice) ? choice : [schema]
      const codes = each.map((one) => at(followed(document, one), 'properties', 'code', 'const'))
      const isReported = codes.every((code) => typeof code === 'string')
      assert.ok(codes.length > 0 && isReported, `${method} ${path} ${status}`)
      assert.equal(new Set(codes).size, codes.length, `${method} ${path} ${status}`)
    }
  }
})

test('each example of a refusal fits its schema', () => {
  const examples = at(document, 'components', 'examples')
  assert.ok(isTree(examples))
  const scope = at(examples, 'SCOPE_MISSING_TRADING', 'value')
  assert.equal(at(scope, 'scope'), 'trading')
  assert.equal(at(examples, 'FEE_RATE_MISMATCH', 'value', 'expectedFeeRateBps'), 300)
})

/** The schema that a JSON pointer into a reply names. */
function schemaAt(schema: unknown, pointer: string): unknown {
  return pointer
    .split('/')
    .slice(1)
    .reduce((node, step) => at(followed(document, node), 'properties', step), schema)
}

interface Linked {
  readonly call: string
  readonly reply: unknown
  readonly link: unknown
}

function linksOf(): Linked[] {
  return calls.flatMap(([path, method, { responses }]) =>
    Object.values(Object(responses)).flatMap((response) => {
      const reply = at(response, 'content', 'application/json', 'schema')
      const links = Object.values(Object(at(response, 'links')))
      return links.map((link) => ({ call: `${method} ${path}`, reply, link }))
    }),
  )
}

const isUuid = (schema: unknown) => String(at(schema, 'pattern')).startsWith('^[0-9a-fA-F]{8}-')

/** The schema of a parameter, by the name that every call of the path gives it. */
function parameterOf(path: string, name: string): unknown {
  const found = calls.find(([each]) => each === path)?.[2].parameters
  assert.ok(Array.isArray(found))
  return at(
    found.find((each) => at(each, 'name') === name),
    'schema',
  )
}

test('links lead from what makes a thing to calls that take its name', () => {
  const paths = new Map(calls.map(([path, , { operationId }]) => [operationId, path]))
  const found = linksOf()
  for (const { call, reply, link } of found) {
    const target = paths.get(at(link, 'operationId'))
    assert.ok(target !== undefined, call)
    const named = Object.entries(Object(at(link, 'parameters')))
    const inPath = [...target.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
    assert.deepEqual(
      named.map(([name]) => name),
      inPath,
    )
    for (const [name, value] of named) {
      const pointer = String(value).replace('$response.body#', '')
      const schema = schemaAt(reply, pointer)
      assert.ok(isTree(schema), `${call} ${pointer}`)
      assert.equal(isUuid(schema), isUuid(parameterOf(target, name)), `${call} ${target}`)
    }
  }
  const linked = new Set(found.map(({ call }) => call))
  const makes = ['post /orders', 'post /auth/api-tokens/derive', 'post /profiles/partner-accounts']
  for (const call of [
    ...makes,
    'post /parlay/create',
    'post /parlay/offers',
    'post /admin/markets',
    'post /orders/cancel-replace',
    'post /parlay/partner/buy',
    'post /admin/packs',
    'post /admin/operators',
    'put /admin/sports/matches/{slug}',
  ]) {
    assert.ok(linked.has(call), call)
  }
})

test('a proof by HMAC is three headers, and a login needs its own three', () => {
  const [, , place] = calls.find(([path, method]) => {
    return path === '/orders' && method === 'post'
  }) ?? ['', '', {}]
  assert.deepEqual(place.security, [{ hmac: [], hmacTimestamp: [], hmacSignature: [] }])
  const [, , login] = calls.find(([path]) => path === '/auth/login') ?? ['', '', {}]
  assert.ok(Array.isArray(login.parameters))
  const required = login.parameters.filter((each) => at(each, 'required') === true)
  assert.deepEqual(
    required.map((each) => at(each, 'name')),
    ['x-account', 'x-signing-message', 'x-signature'],
  )
  const onBehalf = schemas.find(([, { name }]) => name === 'x-on-behalf-of')?.[1]
  assert.equal(at(onBehalf, 'schema', 'type'), 'integer')
})

test('rules between fields are in the schemas', () => {
  const bodyOf = (path: string) => {
    const body = at(document, 'paths', path, 'post', 'requestBody')
    return { body, schema: followed(document, at(body, 'content', 'application/json', 'schema')) }
  }
  for (const path of ['/orders/cancel', '/orders/batch-cancel', '/admin/settlement/faults']) {
    const { body, schema } = bodyOf(path)
    assert.ok(Array.isArray(at(schema, 'oneOf')), path)
    assert.equal(at(body, 'required'), true, path)
  }
  const order = bodyOf('/orders').schema
  assert.deepEqual(at(order, 'dependentRequired'), { recvWindow: ['timestamp'] })
  const signed = at(document, 'components', 'schemas', 'SignedOrder', 'properties')
  assert.equal(at(signed, 'nonce', 'const'), '0')
  assert.doesNotMatch('0', new RegExp(String(at(signed, 'makerAmount', 'pattern'))))
  assert.equal(at(signed, 'taker', 'const'), `0x${'0'.repeat(40)}`)
  assert.equal(at(bodyOf('/auth/login').body, 'required'), false)
  assert.equal(at(responsesOf(document, '/mcp', 'post'), '202', 'content'), undefined)
  const events = at(bodyOf('/admin/sports/scores').schema, 'properties', 'events', 'items')
  const sports = ['Football', 'Tennis', 'Cricket', 'Esports'].map((sport) => `${sport}ScoreEvent`)
  assert.deepEqual(
    Object.values(Object(at(followed(document, events), 'oneOf'))).map((shape) =>
      at(shape, '$ref'),
    ),
    sports.map((name) => `#/components/schemas/${name}`),
  )
  const esports = at(document, 'components', 'schemas', 'EsportsScoreEvent')
  assert.match(JSON.stringify(at(esports, 'required')), /matchScore/)
  assert.equal(at(esports, 'properties', 'homeRuns'), undefined)
  const legs = at(bodyOf('/parlay/offers').schema, 'properties', 'legs')
  assert.equal(at(legs, 'minItems'), 2)
})
