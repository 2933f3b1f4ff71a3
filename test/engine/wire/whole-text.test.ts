import assert from 'node:assert/strict'
import { test } from 'node:test'
import { writeWhole } from '../../../engine/wire/whole-text.ts'

test('a text is written whole to the last byte, or the write is a fault', () => {
  for (const text of ['', 'plain', 'é'.repeat(9), '🙂'.repeat(5), '\ud800'.repeat(4)]) {
    const bytes = Buffer.byteLength(text)
    const fitting = Buffer.alloc(7 + bytes)
    assert.equal(writeWhole(fitting, text, 7), bytes)
    assert.equal(fitting.toString('utf8', 7), Buffer.from(text).toString())
    if (bytes === 0) continue
    assert.throws(() => writeWhole(Buffer.alloc(6 + bytes), text, 7), /is not truncated/)
  }
})
