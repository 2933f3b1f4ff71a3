import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countParts, eachPart, partsBytes, writeParts } from '../../../server/messages/parts.ts'

test('parts are read as they were written, and counted', () => {
  const texts = ['', 'a', '12345678', 'ö€', 'x'.repeat(1000)]
  const parts = texts.map((text, index) => (index % 2 === 0 ? text : Buffer.from(text)))
  const at = 16
  const end = at + partsBytes(parts)
  const buffer = Buffer.alloc(end + 8, 0xff)
  writeParts(buffer, parts, at)
  const read: string[] = []
  eachPart(buffer, at, end, (part) => read.push(part.toString()))
  assert.deepEqual(read, texts)
  assert.equal(countParts(buffer.subarray(at, end)), texts.length)
  assert.equal(countParts(Buffer.alloc(0)), 0)
  assert.equal(end % 8, 0)
  assert.ok(
    buffer.subarray(end).every((byte) => byte === 0xff),
    'nothing is written behind them',
  )
})
