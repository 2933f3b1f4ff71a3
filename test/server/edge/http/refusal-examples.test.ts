import assert from 'node:assert/strict'
import { test } from 'node:test'
import { api } from '../../../../server/api/routes.ts'
import { SchemaChecks } from '../../../support/document-client.ts'
import { at } from '../../../support/json-path.ts'
import { documentOf, followed, operations } from '../../../support/openapi-tree.ts'

// The examples of refusals in the OpenAPI document.

test('each example of a refusal fits the schema of its status, in every call', () => {
  const document = documentOf(api)
  const checks = new SchemaChecks(document)
  const seen = new Set<string>()
  for (const [path, method, { responses }] of operations(document)) {
    for (const [status, response] of Object.entries(Object(responses))) {
      const media = at(response, 'content', 'application/json')
      for (const [name, example] of Object.entries(Object(at(media, 'examples')))) {
        const value = at(followed(document, example), 'value')
        assert.equal(at(value, 'statusCode'), Number(status), name)
        checks.assertHolds(at(media, 'schema'), value, `${method} ${path} ${status} ${name}`)
        seen.add(name)
      }
    }
  }
  assert.ok(seen.size > 100, 'examples are found')
})
