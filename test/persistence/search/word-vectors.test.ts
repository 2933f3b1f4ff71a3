import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { MarketVectors } from '../../../persistence/search/market-vectors.ts'
import { Recent } from '../../../persistence/search/recent.ts'
import {
  encodeWordVectors,
  quantised,
  scaleOf,
  WordVectors,
} from '../../../persistence/search/word-vectors.ts'
import { Random } from '../../support/random.ts'

const SEED = Number(process.env.SEED ?? 4711)
const FILE = new URL('../../../persistence/search/word-vectors.bin', import.meta.url)

function some(count: number, dimensions: number) {
  const random = new Random(SEED)
  const names = Array.from({ length: count }, (_each, at) => {
    return [...String(at).padStart(4, '0')].map((digit) => 'abcdefghij'[Number(digit)]).join('')
  })
  return names.map((word, at) => {
    const vector = Array.from({ length: dimensions }, () => random.next() - 0.5)
    return { word, rank: count - at, vector }
  })
}

test(`each word is found with its rank and its vector (SEED=${SEED})`, () => {
  const words = some(500, 20)
  const vectors = new WordVectors(encodeWordVectors(words, 20))
  assert.deepEqual([vectors.count, vectors.dimensions], [500, 20])
  for (const { word, rank, vector } of words) {
    const place = vectors.find(word)
    assert.equal(vectors.rankAt(place), rank)
    const sum = new Float64Array(20)
    vectors.addTo(sum, place, 1)
    const length = Math.hypot(...vector)
    for (const [at, each] of vector.entries()) assert.ok(Math.abs(sum[at] - each / length) < 0.01)
  }
  for (const word of ['', 'a', 'zzzz', 'aaaaa', 'aaa']) assert.equal(vectors.find(word), -1)
})

test('the same words give the same bytes, and other bytes are refused', () => {
  const file = encodeWordVectors(some(50, 10), 10)
  assert.deepEqual(encodeWordVectors(some(50, 10), 10), file)
  for (const at of [0, 9, 30, 60, file.length - 1]) {
    const damaged = Buffer.from(file)
    damaged[at] ^= 1
    assert.throws(() => new WordVectors(damaged), `byte ${at}`)
  }
  assert.throws(() => new WordVectors(file.subarray(0, 40)), /damaged/)
})

test('the file of this program is small and has the common words', () => {
  assert.ok(readFileSync(FILE).length < 5_000_000)
  const vectors = WordVectors.read()
  assert.equal(vectors.count, 40_000)
  for (const word of ['the', 'president', 'rain', 'football', 'aaa']) {
    assert.ok(vectors.find(word) >= 0, word)
  }
  assert.equal(vectors.find('ethereum'), -1)
})

test(`markets come and go, and each keeps its own vector (SEED=${SEED})`, () => {
  const random = new Random(SEED)
  const vectors = new MarketVectors(4)
  const expected = new Map<number, Int8Array>()
  const labels = { groupId: null, categories: [] }
  const sought = quantised([1, 2, 3, 4]).steps
  for (let step = 0; step < 5000; step++) {
    const marketId = random.below(200)
    if (random.below(3) === 0) {
      vectors.remove(marketId)
      expected.delete(marketId)
    } else {
      const steps = Int8Array.from({ length: 4 }, () => random.below(255) - 127)
      vectors.put(marketId, steps, labels)
      expected.set(marketId, steps)
    }
  }
  assert.equal(vectors.count, expected.size)
  const cosines = vectors.cosines(sought)
  for (const [marketId, steps] of expected) {
    const sum = steps.reduce((total, each, at) => total + each * sought[at], 0)
    const row = vectors.rowOf(marketId) ?? -1
    assert.deepEqual(vectors.stepsAt(row), steps)
    assert.equal(cosines[row], sum * scaleOf(sought) * scaleOf(steps))
  }
})

test('of a group first, then of a category, then the nearest, and never itself', () => {
  const vectors = new MarketVectors(2)
  const put = (marketId: number, steps: number[], groupId: number | null, ...of: string[]) =>
    vectors.put(marketId, Int8Array.from(steps), { groupId, categories: of })
  put(1, [127, 0], 9, 'a')
  put(2, [127, 1], null)
  put(3, [127, 2], null, 'a')
  put(4, [-127, 0], 9)
  put(5, [0, 127], null, 'b', 'a')
  put(6, [0, 127], 8)
  const own = { marketId: 1, steps: Int8Array.of(127, 0), labels: vectors.labelsAt(0) }
  assert.deepEqual(vectors.nearest(own, 5), [4, 3, 5, 2, 6])
  assert.deepEqual(vectors.nearest(own, 2), [4, 3])
})

test('many different questions are kept up to a bound, the newest', () => {
  const recent = new Recent<number>(3)
  for (let at = 0; at < 1000; at++) recent.put(`question ${at}`, at)
  assert.equal(recent.count, 3)
  assert.equal(recent.get('question 997'), 997)
  recent.put('another', 1)
  assert.equal(recent.get('question 998'), undefined, 'the oldest went')
  assert.equal(recent.get('question 997'), 997, 'one that was requested is new again')
})
