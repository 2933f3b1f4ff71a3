import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bookFrameText, orderbookBytes } from '../../../../server/exchange/read-model/book-views.ts'
import type { Depth, Level } from '../../../../server/exchange/read-model/depth.ts'
import { PublishedMarkets } from '../../../../server/exchange/read-model/published.ts'
import { fromEnv, Random } from '../../../support/random.ts'
import { marketOf } from '../../../support/specs.ts'

const NOW_MS = 1_800_000_000_000
/** Where the number of digits changes, and both sides of the billions that are written apart. */
const SIZES = [1, 9, 10, 99, 1e6, 999_999_999, 1e9, 1e9 + 1, 9_000_000_007, 1e15, 2 ** 53 - 1]

/** The levels as objects, which `JSON.stringify` writes. */
const levelsOf = (levels: readonly Level[], side: string) =>
  levels.map(({ ticks, sizeRaw }) => ({ price: ticks / 1000, size: sizeRaw, side }))

function fill(depth: Depth, random: Random): void {
  const spread = 1 + random.below(998)
  for (let ticks = 1; ticks < 1000; ticks++) {
    if (random.below(3) === 0) continue
    const sizeRaw =
      random.below(4) === 0 ? SIZES[random.below(SIZES.length)] : 1 + random.below(2 ** 31)
    depth.rested(ticks, sizeRaw, ticks < spread)
  }
}

test('the text of a book is that of its levels as objects', (t) => {
  const seed = fromEnv('SEED', Date.now() % 1e6)
  t.diagnostic(`SEED=${seed}`)
  const random = new Random(seed)
  const published = new PublishedMarkets()
  for (let round = 1; round <= 200; round++) {
    const shown = published.add(marketOf(round))
    if (round > 1) fill(shown.depth, random)
    const bids = levelsOf(shown.depth.bids(), 'BUY')
    const asks = levelsOf(shown.depth.asks(), 'SELL')
    const levels = `{"bids":${JSON.stringify(bids)},"asks":${JSON.stringify(asks)},`
    const reply = orderbookBytes(shown, NOW_MS).toString()
    assert.equal(reply.slice(0, levels.length), levels)
    const frame = bookFrameText(shown, NOW_MS)
    const before = frame.indexOf('{', 1)
    assert.equal(frame.slice(before, before + levels.length), levels)
    for (const text of [reply, frame]) assert.doesNotThrow(() => JSON.parse(text))
  }
})
