import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PositionRows } from '../../../../engine/core/money/position-rows.ts'
import { LIMITS } from '../../../../engine/domain/limits.ts'
import { freshSeed, Random } from '../../../support/random.ts'

const ACCOUNTS = 200

/** Pairs with the widest ids, out of few enough accounts to come again. */
function pairs(random: Random): () => [account: number, market: number] {
  const wide = Array.from({ length: ACCOUNTS }, () => random.below(1 << 23))
  const accounts = [0, 1, LIMITS.profilesMax, ...wide]
  return () => [random.pick(accounts), 1 + random.below(LIMITS.marketsEverMax)]
}

function assertSame(rows: PositionRows, model: ReadonlyMap<string, number>): void {
  assert.equal(rows.count, model.size)
  for (const [key, row] of model) {
    assert.equal(`${rows.accountOf(row)}:${rows.marketOf(row)}`, key)
    assert.equal(rows.find(rows.accountOf(row), rows.marketOf(row)), row)
  }
  const live = Array.from({ length: rows.end }, (_none, row) => row).filter((row) =>
    rows.isLive(row),
  )
  assert.equal(live.length, model.size, 'no other row is live')
}

test('rows that come and go equal a plain map, through growth and the widest ids', () => {
  const random = new Random(freshSeed())
  const rows = new PositionRows()
  const model = new Map<string, number>()
  const next = pairs(random)
  let most = 0
  for (let step = 0; step < 40_000; step++) {
    const [account, market] = next()
    const key = `${account}:${market}`
    const row = rows.find(account, market)
    assert.equal(row, model.get(key) ?? 0)
    const isFilling = step % 10_000 < 6000
    if (row === 0 && random.chance(isFilling ? 0.9 : 0.2)) {
      const added = rows.add(account, market)
      assert(![...(step % 500 === 0 ? model.values() : [])].includes(added), 'a new row is free')
      model.set(key, added)
    } else if (model.size > 0 && !random.chance(isFilling ? 0.9 : 0.2)) {
      const [gone, goneRow] = row === 0 ? [...model.entries()].slice(-1)[0] : [key, row]
      rows.remove(goneRow)
      model.delete(gone)
      assert.throws(() => rows.remove(goneRow), /a row is released once/)
    }
    most = Math.max(most, model.size)
    if (step % 4000 === 0) assertSame(rows, model)
  }
  assertSame(rows, model)
  assert.equal(rows.end, most + 1, 'a row that was given back is used again')
  const restored = new PositionRows()
  restored.restore(rows.capture())
  assertSame(restored, model)
  for (let left = most - model.size; left > 0; left--) restored.add(1 << 22, left)
  assert.equal(restored.end, rows.end, 'a restored state uses free rows too')
})
