import assert from 'node:assert/strict'
import { test } from 'node:test'
import { allMutations } from './all.ts'

test('every listed change still fits the sources, once, and changes them', () => {
  const all = allMutations()
  assert.ok(all.length >= 40, `${all.length} changes`)
  const named = new Set(all.map(({ file, rule }) => `${file}: ${rule}`))
  assert.equal(named.size, all.length)
  for (const { file, rule, source, broken } of all)
    assert.notEqual(broken, source, `${file}: ${rule}`)
})
