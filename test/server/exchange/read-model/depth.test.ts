import assert from 'node:assert/strict'
import { test } from 'node:test'
import { windowOf } from '../../../../engine/core/packs/pack-odds.ts'
import { PACK_LIMITS } from '../../../../engine/domain/packs/pack-limits.ts'
import { Depth } from '../../../../server/exchange/read-model/depth.ts'
import { freshSeed, Random } from '../../../support/random.ts'

const { priceMinTicks, priceMaxTicks, windowTicks } = PACK_LIMITS

test('the lowest ask within two prices is the first of the plain list', () => {
  const seed = freshSeed()
  const random = new Random(seed)
  for (let round = 0; round < 300; round++) {
    const depth = new Depth(1)
    const middle = random.between(1, 999)
    for (let level = random.below(6); level > 0; level--) {
      const ticks = random.between(1, 999)
      depth.rested(ticks, random.between(1, 100), ticks < middle)
    }
    const ofNo = depth.bids().map(({ ticks, sizeRaw }) => ({ ticks: 1000 - ticks, sizeRaw }))
    for (const [outcome, asks] of [depth.asks(), ofNo].entries()) {
      const first = windowOf(asks).at(0)?.ticks ?? null
      const found = depth.bestAskWithin(outcome, priceMinTicks, priceMaxTicks)
      assert.equal(found, first, `SEED=${seed}, round ${round}`)
    }
  }
})

test('the asks that price a leg are few, and give the same result as the whole book', () => {
  const seed = freshSeed()
  const random = new Random(seed)
  for (let round = 0; round < 500; round++) {
    const depth = new Depth(1)
    const middle = random.between(1, 999)
    const levels = random.chance(0.2) ? 900 : random.below(8)
    for (let level = levels; level > 0; level--) {
      const ticks = random.between(1, 999)
      depth.rested(ticks, random.between(1, 100), ticks < middle)
    }
    const ofNo = depth.bids().map(({ ticks, sizeRaw }) => ({ ticks: 1000 - ticks, sizeRaw }))
    for (const [outcome, all] of [depth.asks(), ofNo].entries()) {
      const range = { least: priceMinTicks, most: priceMaxTicks, span: windowTicks }
      const asks = depth.asksToPrice(outcome, range)
      const where = `SEED=${seed}, round ${round}`
      assert.deepEqual(windowOf(asks), windowOf(all), where)
      assert.ok(asks.length <= windowTicks + 2, where)
      if (windowOf(all).length > 0) continue
      for (const lies of [
        (ticks: number) => ticks < priceMinTicks,
        (ticks: number) => ticks > priceMaxTicks,
      ]) {
        const [inFew, inAll] = [asks, all].map((each) => each.some(({ ticks }) => lies(ticks)))
        assert.equal(inFew, inAll, where)
      }
    }
  }
})
