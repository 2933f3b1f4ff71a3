import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { MarketLabels } from '../../../persistence/search/label-index.ts'
import { MarketVectors } from '../../../persistence/search/market-vectors.ts'
import { freshSeed, Random } from '../../support/random.ts'

// The nearest markets, against all markets sorted.

const SEED = freshSeed()
const DIMENSIONS = 4
const CATEGORIES = ['a', 'b', 'c']

interface Row {
  readonly marketId: number
  readonly steps: Int8Array
  readonly labels: MarketLabels
}

function rowOf(marketId: number, random: Random): Row {
  const steps = Int8Array.from({ length: DIMENSIONS }, () => random.between(-3, 3))
  const groupId = random.chance(0.3) ? random.between(1, 3) : null
  const categories = CATEGORIES.filter(() => random.chance(0.2))
  return { marketId, steps, labels: { groupId, categories } }
}

function slowly(rows: readonly Row[], own: Row, cosines: ReadonlyMap<number, number>): number[] {
  const worthOf = ({ marketId, labels }: Row) => {
    const isOfGroup = labels.groupId !== null && labels.groupId === own.labels.groupId
    const shares = labels.categories.some((each) => own.labels.categories.includes(each))
    return [Number(isOfGroup), Number(shares), cosines.get(marketId) ?? 0, marketId]
  }
  const others = rows.filter(({ marketId }) => marketId !== own.marketId)
  const all = others.map((row) => ({ row, worth: worthOf(row) }))
  all.sort((one, other) => {
    const at = one.worth.findIndex((each, index) => each !== other.worth[index])
    return other.worth[at] - one.worth[at]
  })
  return all.map(({ row }) => row.marketId)
}

test('the nearest markets are the first of all markets in order', () => {
  for (let life = 0; life < 200; life++) {
    const random = new Random(SEED + life)
    const vectors = new MarketVectors(DIMENSIONS)
    const before = Array.from({ length: random.below(60) }, (_, at) => rowOf(at + 1, random))
    for (const { marketId, steps, labels } of before) vectors.put(marketId, steps, labels)
    // Some leave, and others change their words and labels.
    const rows: Row[] = []
    for (const row of before) {
      const now = random.chance(0.3) ? rowOf(row.marketId, random) : row
      if (random.chance(0.3)) vectors.remove(row.marketId)
      else rows.push(now)
      if (now !== row && rows.at(-1) === now) vectors.put(now.marketId, now.steps, now.labels)
    }
    // A market that is over is not among the rows.
    const own = random.chance(0.5) ? rowOf(1000, random) : (rows[0] ?? rowOf(1000, random))
    const cosines = vectors.cosines(own.steps)
    const byId = new Map([...cosines].map((cosine, row) => [vectors.idAt(row), cosine]))
    const expected = slowly(rows, own, byId)
    for (const countMax of [1, 5, 50]) {
      const found = vectors.nearest(own, countMax)
      assert.deepEqual(found, expected.slice(0, countMax), `seed ${SEED}, life ${life}`)
    }
  }
})
