import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LIMITS } from '../../../../engine/domain/limits.ts'
import { keccakReady } from '../../../../server/crypto/keccak.ts'
import { Directory, RecalledMarkets } from '../../../../server/edge/intake/directory.ts'
import * as kit from './order-kit.ts'

test('recalled markets have a bound, and the least recently used one is dropped', async () => {
  await keccakReady
  const directory = new Directory({ name: 'Test', chainId: 1 })
  let known = 0
  const recalled = new RecalledMarkets({
    addMarket(market) {
      if (directory.market(market.slug) === undefined) known++
      directory.apply({ kind: 'market', ...market })
    },
    archiveMarket(slug) {
      assert.notEqual(directory.market(slug), undefined)
      known--
      directory.apply({ kind: 'archive', slug })
    },
  })
  const recall = (number: number) => recalled.recall({ ...kit.MARKET, slug: `old-${number}` })
  const isKnown = (number: number) => directory.market(`old-${number}`) !== undefined
  const max = LIMITS.recalledMarketsMax
  for (let number = 1; number <= max; number++) recall(number)
  recall(1)
  assert.deepEqual([known, isKnown(1), isKnown(2)], [max, true, true])
  recall(max + 1)
  assert.deepEqual([known, isKnown(1), isKnown(2), isKnown(max + 1)], [max, true, false, true])
})
