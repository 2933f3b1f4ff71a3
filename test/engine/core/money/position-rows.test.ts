import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PositionRows } from '../../../../engine/core/money/position-rows.ts'
import { LIMITS } from '../../../../engine/domain/limits.ts'
import { freshSeed, Random } from '../../../support/random.ts'

test('rows equal a plain map through random pairs, the widest ids and growth', () => {
  const random = new Random(freshSeed())
  const rows = new PositionRows()
  const twin = new Map<string, number>()
  const accounts = [
    0,
    1,
    LIMITS.profilesMax,
    ...Array.from({ length: 200 }, () => random.below(1 << 23)),
  ]
  for (let step = 0; step < 30_000; step++) {
    const account = accounts[random.below(accounts.length)]
    const market = 1 + random.below(LIMITS.marketsMax)
    const key = `${account}:${market}`
    const row = rows.find(account, market)
    assert.equal(row, twin.get(key) ?? 0)
    if (row === 0) twin.set(key, rows.add(account, market))
  }
  assert.equal(rows.end, twin.size + 1)
  for (const [key, row] of twin) {
    assert.equal(`${rows.accountOf(row)}:${rows.marketOf(row)}`, key)
    assert.equal(rows.find(rows.accountOf(row), rows.marketOf(row)), row)
  }
})
