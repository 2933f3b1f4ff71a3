import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ArchivedMarkets } from '../../../server/api/markets/archived-markets.ts'
import { Portfolio } from '../../../server/api/portfolio/portfolio.ts'
import { PrivateReads } from '../../../server/api/reads/private-reads.ts'
import { SlicedWork } from '../../../server/api/reads/sliced-work.ts'
import { EdgeFaults } from '../../../server/ops/faults.ts'
import { newFolder } from '../../support/data-folder.ts'
import { fill, makeMarket, openForTest } from '../../support/open-pipeline.ts'

const MARKETS = 12
const AMOUNT_RAW = 1_000_000
const SLICE_MS = 5

test('the worth of what a profile holds is summed in slices', async () => {
  const exchange = await openForTest(newFolder(), { nowMs: 1_800_000_000_000 }, 1)
  await fill(exchange, 1e12)
  const { pipeline, follower, query } = exchange
  for (let marketId = 1; marketId <= MARKETS; marketId++) {
    if (marketId > 1) await makeMarket(exchange, marketId)
    const split = { profileId: 1, marketId, amountRaw: AMOUNT_RAW }
    await pipeline.change(() => ({ kind: 'splitPosition', ...split }))
  }
  let nowMs = 0
  let rounds = 0
  const slices = new SlicedWork({
    // Each look at the clock is the end of a slice.
    clock: () => {
      nowMs += SLICE_MS
      return nowMs
    },
    later: (run) => {
      rounds++
      setImmediate(run)
    },
    sliceMs: SLICE_MS,
    jobsMax: 10,
  })
  const reads = new PrivateReads(pipeline, { follower, query, faults: new EdgeFaults(() => {}) })
  const portfolio = new Portfolio(pipeline, reads, new ArchivedMarkets(pipeline, reads), slices)
  const sums = await portfolio.sums(1, { profileId: 1 })
  assert.ok(sums !== undefined)
  const { books, pools, marketCount } = sums
  assert.deepEqual([books.count, pools.count, marketCount], [2 * MARKETS, 0, MARKETS])
  // Without a trade and with an empty book, shares count at their cost.
  assert.deepEqual([books.worthRaw, books.costRaw], [MARKETS * AMOUNT_RAW, MARKETS * AMOUNT_RAW])
  assert.ok(rounds >= 2 * MARKETS, `${rounds} event-loop ticks`)
})
