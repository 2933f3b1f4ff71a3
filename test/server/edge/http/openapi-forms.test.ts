import assert from 'node:assert/strict'
import { test } from 'node:test'
import { api } from '../../../../server/api/routes.ts'
import { openApi } from '../../../../server/edge/http/openapi.ts'
import { at } from '../../../support/json-path.ts'
import { isTree } from '../../../support/openapi-tree.ts'

// The forms that the document gives for texts: what a tool in another language makes of them, the
// exchange takes.

const described = { title: 'x', version: '1', headerPrefix: 'svc-', cookieName: 'session' }
const document: unknown = JSON.parse(JSON.stringify(openApi(api, described)))

function patternsIn(node: unknown): string[] {
  if (Array.isArray(node)) return node.flatMap(patternsIn)
  if (!isTree(node)) return []
  const own = typeof node.pattern === 'string' ? [node.pattern] : []
  return [...own, ...Object.values(node).flatMap(patternsIn)]
}

function parameter(path: string, method: string, name: string): unknown {
  const all = at(document, 'paths', path, method, 'parameters')
  assert.ok(Array.isArray(all))
  return all.find((each: unknown) => at(each, 'name') === name)
}

/** Whether a text has the form that a schema gives; code points count, as in JSON Schema. */
function fits(schema: unknown, text: string): boolean {
  const { pattern = '', minLength = 0, maxLength = Number.POSITIVE_INFINITY } = Object(schema)
  const size = [...text].length
  return new RegExp(pattern, 'u').test(text) && size >= minLength && size <= maxLength
}

test('every pattern can be read by regular expressions of other languages', () => {
  const patterns = new Set(patternsIn(document))
  assert.ok(patterns.size > 10)
  // No look-around, no classes of Unicode, and no half of a surrogate pair.
  const foreign = [...patterns].filter((each) => /\(\?[=!<]|\\p\{|\\u[dD][89a-fA-F]/.test(each))
  assert.deepEqual(foreign, [])
})

test('an id of a client, a name and the proof of a login are shown as not blank', () => {
  const order = at(document, 'components', 'schemas', 'OrderRequest', 'properties')
  const profile = at(document, 'components', 'schemas', 'PutProfilesBody', 'properties')
  const name = at(profile, 'displayName')
  for (const schema of [at(order, 'clientOrderId'), name]) {
    const longest = Number(at(schema, 'maxLength'))
    assert.deepEqual(
      ['', '  ', 'a', ' a b ', 'a'.repeat(longest), 'a'.repeat(longest + 1)].map((text) =>
        fits(schema, text),
      ),
      [false, false, true, true, true, false],
    )
  }
  assert.ok(!fits(name, 'two\nlines'))
  for (const header of ['x-signing-message', 'x-signature']) {
    const schema = at(parameter('/auth/login', 'post', header), 'schema')
    assert.deepEqual([fits(schema, ''), fits(schema, '0x12')], [false, true], header)
  }
})

test('lists of slugs and instants of queries are shown by their form', () => {
  const slugs = at(parameter('/markets/orderbooks', 'get', 'slugs'), 'schema')
  const many = Array.from({ length: 50 }, (_, index) => `m${index}`).join(',')
  assert.deepEqual(
    ['rain', 'rain,snow', many, `${many},m`, '', 'rain,', 'Rain', '-a'].map((text) =>
      fits(slugs, text),
    ),
    [true, true, true, false, false, false, false, false],
  )
  const from = at(parameter('/markets/{slug}/historical-price', 'get', 'from'), 'schema')
  assert.deepEqual(
    ['1767225600', '2026-01-01', '2026-01-01T00:00:00Z', '2026-01-01T00:00:00.5+02:00']
      .concat(['1767225600000', 'now', '', '2026-01'])
      .map((text) => fits(from, text)),
    [true, true, true, true, false, false, false, false],
  )
})
