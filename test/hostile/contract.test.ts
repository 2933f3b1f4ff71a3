import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ORDER_REQUEST_EXAMPLE } from '../../server/api/orders/order-shapes.ts'
import { api } from '../../server/api/routes.ts'
import { openApi } from '../../server/edge/http/openapi.ts'
import { compile, compileFields } from '../../server/edge/http/schema/schema.ts'
import { isOrderBody, shapeIssues } from '../../server/edge/intake/order/order-body.ts'
import { at } from '../support/json-path.ts'

// The routes do what they declare, and the document of their declarations is OpenAPI 3.1.

test("every route's example is valid by its own schemas", () => {
  for (const route of api) {
    const name = `${route.method} ${route.path}`
    const { params = {}, query, body, reply } = route.example
    assert.deepEqual(compileFields(route.params).issues(params), [], name)
    if (query) assert.deepEqual(compileFields(route.query).issues(query), [], name)
    assert.deepEqual(route.replyIssues(reply), [], name)
    if (route.body !== null) assert.deepEqual(compile(route.body).issues(body), [], name)
  }
})

test('the intake reads the order that the document shows', () => {
  assert.deepEqual(shapeIssues(ORDER_REQUEST_EXAMPLE), [])
  const route = api.find(({ method, path }) => method === 'POST' && path === '/orders')
  assert.ok(route?.body)
  const documented = compile(route.body)
  const { order, ...rest } = ORDER_REQUEST_EXAMPLE
  const names = [...Object.keys(order).map((name) => ['order', name]), ...Object.keys(rest)]
  for (const name of names.flat()) {
    const without = (whole: object) =>
      Object.fromEntries(Object.entries(whole).filter(([each]) => each !== name))
    const body = { ...without(rest), ...(name === 'order' ? {} : { order: without(order) }) }
    assert.equal(documented.holds(body), isOrderBody(body), `without ${name}`)
  }
})

const document: unknown = JSON.parse(
  JSON.stringify(
    openApi(api, {
      title: 'outcomex',
      version: '1.0.0',
      headerPrefix: 'svc-',
      cookieName: 'outcomex_session',
    }),
  ),
)

function entries(value: unknown): [string, unknown][] {
  assert.ok(typeof value === 'object' && value !== null, 'the value is an object')
  return Object.entries(value)
}

test('the document lists every route once and nothing else', () => {
  const listed = entries(at(document, 'paths')).flatMap(([path, item]) =>
    entries(item).map(([method]) => `${method.toUpperCase()} ${path}`),
  )
  const routes = api.map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`)
  assert.deepEqual(listed.sort(), routes.sort())
})

test('the document has the form of OpenAPI 3.1', () => {
  assert.match(String(at(document, 'openapi')), /^3\.1\.\d+$/)
  for (const field of ['title', 'version']) {
    assert.equal(typeof at(document, 'info', field), 'string')
  }
  const top = entries(document).map(([name]) => name)
  const known = ['openapi', 'info', 'servers', 'paths', 'components', 'security', 'tags']
  assert.deepEqual(
    top.filter((name) => !known.includes(name)),
    [],
  )
  for (const [path, item] of entries(at(document, 'paths'))) {
    assert.match(path, /^\//)
    for (const [method, operation] of entries(item)) checkOperation(path, method, operation)
  }
})

function checkOperation(path: string, method: string, operation: unknown): void {
  const name = `${method} ${path}`
  assert.match(method, /^(get|post|put|patch|delete)$/, name)
  const allowed = ['operationId', 'summary', 'description', 'tags', 'parameters', 'requestBody']
  for (const [field] of entries(operation)) {
    assert.ok([...allowed, 'responses', 'security'].includes(field), `${name} ${field}`)
  }
  const placed: string[] = []
  for (const [, parameter] of entries(at(operation, 'parameters') ?? {})) {
    const where = String(at(parameter, 'in'))
    assert.match(where, /^(path|query|header|cookie)$/, name)
    if (where === 'path') placed.push(String(at(parameter, 'name')))
    if (where === 'path') assert.equal(at(parameter, 'required'), true, name)
    assert.equal(typeof at(parameter, 'schema'), 'object', name)
  }
  assert.deepEqual(
    placed,
    [...path.matchAll(/\{(\w+)\}/g)].map(([, each]) => each),
    name,
  )
  const responses = entries(at(operation, 'responses'))
  assert.ok(
    responses.some(([status]) => status.startsWith('2')),
    name,
  )
  for (const [status, response] of responses) {
    assert.match(status, /^([1-5]\d\d|default)$/, name)
    const whole = resolved(response)
    assert.equal(typeof at(whole, 'description'), 'string', `${name} ${status}`)
    for (const [type, media] of entries(at(whole, 'content') ?? {})) {
      assert.match(type, /^[a-z]+\/[a-z.+-]+/, name)
      assert.notEqual(at(media, 'schema'), undefined, name)
    }
  }
  for (const [, need] of entries(at(operation, 'security') ?? {})) {
    for (const [scheme] of entries(need)) {
      const made = at(document, 'components', 'securitySchemes', scheme)
      assert.notEqual(made, undefined, `${name} ${scheme}`)
    }
  }
}

function resolved(value: unknown): unknown {
  const reference = at(value, '$ref')
  if (typeof reference !== 'string') return value
  const found = at(document, ...reference.slice(2).split('/'))
  assert.notEqual(found, undefined, reference)
  return found
}

test('the document has each success, 401 for a proof, 415 for a cookie with a body', () => {
  for (const route of api) {
    const path = route.path.replace(/:(\w+)/g, '{$1}')
    const operation = at(document, 'paths', path, route.method.toLowerCase())
    const responses = entries(at(operation, 'responses')).map(([status]) => status)
    assert.ok(responses.includes(String(route.status)), path)
    const { accepts, welcomes = [] } = route.auth
    if (accepts.length + welcomes.length > 0) assert.ok(responses.includes('401'), path)
    const takesCookie = [...accepts, ...welcomes].some(({ scheme }) => scheme === 'session')
    if (takesCookie && route.method !== 'GET') assert.ok(responses.includes('415'), path)
  }
})
