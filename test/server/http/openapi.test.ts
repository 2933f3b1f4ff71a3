import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openApi } from '../../../server/http/openapi.ts'
import { compile, type Schema } from '../../../server/http/schema/schema.ts'
import { TOY_ROUTES } from './gateway/toy-exchange.ts'

type Tree = Record<string, unknown>

function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function at(value: unknown, ...path: string[]): unknown {
  return path.reduce((node: unknown, key) => (isTree(node) ? node[key] : undefined), value)
}

const described = { title: 'toys', version: '1.0.0', headerPrefix: 'svc-' }
/** As a client gets it. */
const document: unknown = JSON.parse(JSON.stringify(openApi(TOY_ROUTES, described)))

function operations(): [path: string, method: string, operation: Tree][] {
  const paths = at(document, 'paths')
  assert.ok(isTree(paths))
  return Object.entries(paths).flatMap(([path, methods]) => {
    assert.ok(isTree(methods))
    return Object.entries(methods).map(([method, operation]): [string, string, Tree] => {
      assert.ok(isTree(operation))
      return [path, method, operation]
    })
  })
}

test('every route stands in the document, with each path parameter described once', () => {
  assert.equal(operations().length, TOY_ROUTES.length)
  const ids = new Set<unknown>()
  for (const [path, method, operation] of operations()) {
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
  for (const [, , operation] of operations()) {
    assert.ok(Array.isArray(operation.security))
    for (const one of operation.security) {
      const [name] = Object.keys(one)
      assert.ok(isTree(at(document, 'components', 'securitySchemes', name)), name)
    }
  }
})

test('every status has a description, and those to wait for a Retry-After', () => {
  for (const [, , operation] of operations()) {
    assert.ok(isTree(operation.responses))
    for (const [status, response] of Object.entries(operation.responses)) {
      assert.match(status, /^[2-5][0-9][0-9]$/)
      assert.equal(typeof at(response, 'description'), 'string')
      const isLater = status === '429' || status === '503'
      assert.equal(isTree(at(response, 'headers', 'Retry-After')), isLater)
    }
    assert.ok(!('500' in operation.responses))
  }
  const place = at(document, 'paths', '/orders/{lot}', 'post', 'responses')
  assert.ok(isTree(place))
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

test('the examples are what the schemas allow', () => {
  for (const route of TOY_ROUTES) {
    assert.deepEqual(route.replyIssues(route.example.reply), [], route.path)
    const body: Schema | null = route.body
    if (body !== null) assert.ok(compile(body).holds(route.example.body ?? {}), route.path)
  }
})
