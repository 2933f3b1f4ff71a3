import assert from 'node:assert/strict'
import { test } from 'node:test'
import { api } from '../../../../server/api/routes.ts'
import { readingOf, readQuery } from '../../../../server/edge/http/request-text.ts'
import { compile, compileFields } from '../../../../server/edge/http/schema/schema.ts'
import { invalid } from '../../../../server/messages/refusal.ts'

// The refusal of a field: which field it is, and the bound that it passed.

test('the field of an issue is never empty', () => {
  const { message } = JSON.parse(invalid({ field: '', message: 'must be an object' }).body)
  assert.deepEqual(message, [{ field: 'body', message: 'must be an object' }])
  for (const { path, body } of api) {
    if (body === null) continue
    for (const wrong of [7, null, [], 'text', {}]) {
      const issues = compile(body).issues(wrong)
      const stated: { field: string }[] =
        issues.length === 0 ? [] : JSON.parse(invalid(...issues).body).message
      for (const { field } of stated) assert.notEqual(field, '', path)
    }
  }
})

test('a number of a query above its bound is refused with the bound, however long it is', () => {
  let checked = 0
  for (const { path, query } of api) {
    for (const [name, schema] of Object.entries(query)) {
      const type: unknown = Reflect.get(schema, 'type')
      const most: unknown = Reflect.get(schema, 'maximum')
      if (type !== 'integer') continue
      assert.equal(typeof most, 'number', `${path} ${name}`)
      for (const text of [String(Number(most) + 1), '9'.repeat(17), '9'.repeat(30)]) {
        const { values, issues } = readQuery(readingOf({ [name]: schema }), `${name}=${text}`)
        assert.deepEqual(issues, [], `${path} ${name}=${text}`)
        const stated = compileFields({ [name]: schema }).issues(values)
        assert.deepEqual(stated, [{ field: name, message: `must be at most ${most}` }], path)
      }
      checked++
    }
  }
  assert.ok(checked > 50, String(checked))
})
