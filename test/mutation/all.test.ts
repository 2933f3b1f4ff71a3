import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { allMutations } from './all.ts'

const ROOT = new URL('../../', import.meta.url)

test('every listed change still fits the sources once, and changes them', () => {
  const all = allMutations()
  assert.ok(all.length >= 40, `${all.length} changes`)
  const named = new Set(all.map(({ file, rule }) => `${file}: ${rule}`))
  assert.equal(named.size, all.length)
  for (const { file, rule, source, broken } of all)
    assert.notEqual(broken, source, `${file}: ${rule}`)
})

test('every test that must notice a change exists', () => {
  for (const { file, rule, tests } of allMutations()) {
    assert.ok(tests.length > 0, `${file}: ${rule}`)
    for (const path of tests) {
      assert.ok(existsSync(fileURLToPath(new URL(path, ROOT))), `${file}: ${rule}: ${path}`)
    }
  }
})
