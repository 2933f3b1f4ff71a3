import assert from 'node:assert/strict'
import { test } from 'node:test'
import { text } from '../../../../../server/edge/http/schema/scalars.ts'
import { compile, object, optional } from '../../../../../server/edge/http/schema/schema.ts'

const checker = compile(
  object({ a: optional(text()), in: optional(object({ b: optional(text()) })) }),
)

const message = 'is not a known field'
const fieldsOf = (value: unknown) => checker.issues(value).map((issue) => issue.field)
const many = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`k/${index}~`, 1]))

test('unknown fields are named, however many there are', () => {
  assert.deepEqual(checker.issues({ more: 1 }), [{ field: 'more', message }])
  for (const count of [1, 7, 8, 9, 3000]) {
    const named = Object.keys(many(count)).slice(0, 8)
    assert.deepEqual(fieldsOf(many(count)), named)
    assert.deepEqual(
      fieldsOf({ in: many(count) }),
      named.map((name) => `in.${name}`),
    )
    for (const issue of checker.issues(many(count))) assert.equal(issue.message, message)
  }
})
