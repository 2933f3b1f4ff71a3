import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isRestricted, isTrading } from '../../../../../server/edge/http/access/regions.ts'

const HEADER = 'cf-ipcountry'

/** The header, and whether the call is refused when unknown countries are allowed, and when not. */
const ROWS: readonly (readonly [stated: string | null, allowing: boolean, refusing: boolean])[] = [
  ['CU', true, true],
  ['cu', true, true],
  [' Ir ', true, true],
  ['DE, CU', true, true],
  ['??, CU', true, true],
  ['DE', false, false],
  ['de, FR', false, false],
  ['DE,', false, true],
  ['DE, T1', false, true],
  ['CUB', false, true],
  ['C', false, true],
  ['XX', false, true],
  ['T1', false, true],
  ['', false, true],
  [null, false, true],
]

test('a blocked country is refused, and an unknown one if the operator says so', () => {
  const regions = { header: HEADER, blocked: new Set(['CU', 'IR']), refusesUnknown: false }
  for (const [stated, allowing, refusing] of ROWS) {
    const headers = new Map(stated === null ? [] : [[HEADER, stated]])
    assert.equal(isRestricted(regions, headers), allowing, `${stated}`)
    assert.equal(isRestricted({ ...regions, refusesUnknown: true }, headers), refusing, `${stated}`)
  }
})

test('only a call of the trade rate class that changes something is trading', () => {
  assert.ok(isTrading({ rateClass: 'trade', method: 'POST' }))
  assert.ok(isTrading({ rateClass: 'trade', method: 'DELETE' }))
  assert.ok(!isTrading({ rateClass: 'trade', method: 'GET' }))
  for (const rateClass of ['public', 'private', 'auth', 'admin'] as const) {
    assert.ok(!isTrading({ rateClass, method: 'POST' }))
  }
})
