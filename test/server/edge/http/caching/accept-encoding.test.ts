import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AcceptedCodings } from '../../../../../server/edge/http/caching/compressed.ts'

const codings = new AcceptedCodings()

test('the coding is the one that the caller wants most, brotli before gzip', () => {
  const table: [text: string, coding: string | null][] = [
    ['', null],
    ['gzip', 'gzip'],
    ['br', 'br'],
    ['x-gzip', 'gzip'],
    ['GZIP', 'gzip'],
    ['gzip, deflate', 'gzip'],
    ['gzip, deflate, br, zstd', 'br'],
    ['br;q=0.5, gzip;q=0.6', 'gzip'],
    ['br ; q=0.5 , gzip;Q=0.5', 'br'],
    ['gzip;q=0', null],
    ['gzip;q=0.000, br;q=0.001', 'br'],
    ['*', 'br'],
    ['*;q=0', null],
    ['br;q=0, *', 'gzip'],
    ['*;q=0.3, gzip;q=0.2', 'br'],
    ['identity', null],
    ['identity, gzip', 'gzip'],
    ['identity, gzip;q=0.9', null],
    ['identity;q=0, gzip;q=0.1', 'gzip'],
    ['deflate', null],
    ['zstd', null],
  ]
  for (const [text, coding] of table) assert.equal(codings.of(text), coding, text)
})

test('a text that is no list of codings gets plain bytes', () => {
  const texts = [
    'gzip;q=2',
    'gzip;q=-1',
    'gzip;q=0.1234',
    'gzip;q=1.5',
    'gzip;q=',
    'gzip q=1',
    'g zip',
    ',',
    ';q=1',
    ';',
    '=',
    'brr',
    'gzip;q=NaN',
    '\u0000gzip',
    'gzip;level=9',
    'x'.repeat(5000),
    ','.repeat(5000),
    'gzip,'.repeat(2000),
    ' '.repeat(257),
  ]
  for (const text of texts) assert.equal(codings.of(text), null, text.slice(0, 40))
})

test('many distinct texts leave the answers right', () => {
  for (let count = 0; count < 10_000; count++) {
    assert.equal(codings.of(`gzip, x${count}`), 'gzip')
    assert.equal(codings.of(`gzip;q=0, x${count}`), null)
  }
})
