import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LIMITS } from '../../../../engine/domain/limits.ts'
import { OUTCOME, SIDE } from '../../../../engine/domain/order.ts'
import { newFolder } from '../../../support/data-folder.ts'
import { addProfile, buy, fill, makeMarket, openForTest } from '../../../support/open-pipeline.ts'

// When markets leave memory, and what waiting for it costs.

const SHARE = 1_000_000
const START_MS = 1_800_000_000_000
const BLOCK_MS = 3_600_000

async function opened() {
  const clock = { nowMs: START_MS }
  const exchange = await openForTest(newFolder(), clock, 2, { blockMs: BLOCK_MS })
  await fill(exchange, 100 * SHARE)
  const { pipeline } = exchange
  await addProfile(exchange, 2, 100 * SHARE)
  return { clock, exchange, pipeline }
}

type Opened = Awaited<ReturnType<typeof opened>>

/** Two profiles make a pair in the market and unmake it. */
async function traded({ exchange, pipeline }: Opened, marketId: number): Promise<void> {
  for (const side of [SIDE.BUY, SIDE.SELL]) {
    for (const [accountId, outcome] of [[1, OUTCOME.YES] as const, [2, OUTCOME.NO] as const]) {
      const hash = pipeline.clearing.lastSeq + 1000
      const order = { marketId, accountId, outcome, side, priceTicks: 500, sizeRaw: SHARE }
      assert.equal(buy(exchange, hash, order), null)
      await pipeline.whenIdle()
    }
  }
}

async function resolve({ pipeline }: Opened, marketId: number): Promise<void> {
  const resolutions = [{ marketId, payoutNumerators: [1, 0] as const }]
  await pipeline.change(() => ({ kind: 'resolveMarkets', resolutions }))
}

/** Moves the clock and lets what is due happen. */
async function pass({ clock, pipeline }: Opened, ms: number): Promise<void> {
  clock.nowMs += ms
  pipeline.tick()
  await pipeline.whenIdle()
}

test('a market that waits for its block wakes nobody, and leaves behind the block', async () => {
  const world = await opened()
  const { pipeline } = world
  await traded(world, 1)
  await resolve(world, 1)
  await pass(world, LIMITS.archiveEveryMs)
  const { mining, clearing, published } = pipeline
  assert(mining !== null)
  assert.equal(mining.nextDueMs, START_MS + BLOCK_MS, 'only the block is due')
  await pass(world, BLOCK_MS)
  assert.equal(clearing.blocks.height, 1)
  // The first look sees that it is over, the next that all of it is published.
  for (let look = 0; look < 2; look++) await pass(world, LIMITS.archiveEveryMs)
  assert.deepEqual([clearing.catalogue.count, published.all().length], [0, 0])
  assert.equal(mining.nextDueMs, Number.POSITIVE_INFINITY)
})

test('many markets leave a bounded number at a time', async () => {
  const world = await opened()
  const { pipeline, exchange } = world
  const markets = LIMITS.archiveAtOnceMax + 10
  for (let marketId = 2; marketId <= markets; marketId++) await makeMarket(exchange, marketId)
  for (let marketId = 1; marketId <= markets; marketId++) await resolve(world, marketId)
  const { catalogue } = pipeline.clearing
  const counts: number[] = []
  for (let look = 0; look < 4; look++) {
    await pass(world, LIMITS.archiveEveryMs)
    counts.push(catalogue.count)
  }
  assert.deepEqual(counts, [markets, 10, 0, 0])
})
