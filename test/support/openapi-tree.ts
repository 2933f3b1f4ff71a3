import assert from 'node:assert/strict'
import { openApi } from '../../server/edge/http/openapi.ts'
import { at } from './json-path.ts'

// The document of some routes, as a client gets it, and checks that each part says what it means.

export type Tree = Record<string, unknown>
type Routes = Parameters<typeof openApi>[0]

export function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function documentOf(routes: Routes): unknown {
  const described = {
    title: 'toys',
    version: '1.0.0',
    headerPrefix: 'svc-',
    cookieName: 'outcomex_session',
  }
  return JSON.parse(JSON.stringify(openApi(routes, described)))
}

/** What a reference of the document stands for; anything else is itself. */
export function followed(document: unknown, node: unknown): unknown {
  const reference = at(node, '$ref')
  if (typeof reference !== 'string') return node
  return at(document, ...reference.replace('#/', '').split('/'))
}

/** Each operation of the document, with its responses and their examples in place. */
export function operations(document: unknown): [path: string, method: string, operation: Tree][] {
  const paths = at(document, 'paths')
  assert.ok(isTree(paths))
  return Object.entries(paths).flatMap(([path, methods]) => {
    assert.ok(isTree(methods))
    return Object.entries(methods).map(([method, operation]): [string, string, Tree] => {
      assert.ok(isTree(operation) && isTree(operation.responses))
      const responses = Object.entries(operation.responses).map(([status, response]) => {
        return [status, followed(document, response)]
      })
      return [path, method, { ...operation, responses: Object.fromEntries(responses) }]
    })
  })
}

/** The responses of one operation, by status. */
export function responsesOf(document: unknown, path: string, method: string): Tree {
  const found = operations(document).find((each) => each[0] === path && each[1] === method)
  assert.ok(isTree(found?.[2].responses), `${method} ${path}`)
  return found[2].responses
}

function assertSentence(description: unknown, name: string): void {
  assert.ok(typeof description === 'string', `${name} says what it means`)
  assert.match(description, /^[^\s]+(\s[^\s]+){2,}[.]$/, name)
}

export function assertStatusesSay(document: unknown): void {
  for (const [path, method, { responses }] of operations(document)) {
    assert.ok(isTree(responses))
    for (const [status, response] of Object.entries(responses)) {
      assertSentence(at(response, 'description'), `${method} ${path} ${status}`)
    }
  }
}

/** Every object below a node that lists properties, with the path to it. */
function shapesIn(node: unknown, way: string): [way: string, properties: Tree][] {
  if (Array.isArray(node)) return node.flatMap((each, index) => shapesIn(each, `${way}/${index}`))
  if (!isTree(node)) return []
  const own = isTree(node.properties) ? [[way, node.properties] satisfies [string, Tree]] : []
  const below = Object.entries(node).filter(([key]) => key !== 'example' && key !== 'examples')
  // A property may be called `properties`: the names below this word are no words of a schema.
  const parts = below.flatMap(([key, each]): [string, unknown][] =>
    key === 'properties' && isTree(each)
      ? Object.entries(each).map(([name, property]) => [`${key}/${name}`, property])
      : [[key, each]],
  )
  return [...own, ...parts.flatMap(([key, each]) => shapesIn(each, `${way}/${key}`))]
}

/** Checks properties at every depth, each within its object; gives the number of objects. */
export function assertPropertiesSay(document: unknown): number {
  const shapes = shapesIn(document, '')
  for (const [way, properties] of shapes) {
    const stated = Object.entries(properties).map(([name, property]) => {
      const description = at(property, 'description')
      assertSentence(description, `${way}.${name}`)
      return description
    })
    assert.equal(new Set(stated).size, stated.length, `${way}: two properties say the same`)
  }
  return shapes.length
}

/** Checks parameters, in their own place and in their schema. */
export function assertParametersSay(document: unknown): void {
  for (const [path, method, { parameters }] of operations(document)) {
    assert.ok(Array.isArray(parameters))
    for (const parameter of parameters) {
      const name = `${method} ${path} ${parameter.name}`
      assertSentence(parameter.description, name)
      if (parameter.in === 'header') continue
      assert.equal(at(parameter, 'schema', 'description'), parameter.description, name)
    }
  }
}
