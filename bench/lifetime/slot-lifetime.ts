// The life of the slots of two series of five minutes, one after another, as a task of a process of
// its own: each is created ahead, opens with the oracle's value, is resolved by it, paid out, and
// leaves memory. Nothing sleeps: the clock is set.

import { assert } from '../../engine/domain/assert.ts'
import { LIMITS } from '../../engine/domain/limits.ts'
import { slotMsOf } from '../../engine/domain/markets/series.ts'
import type { RunningExchange } from '../../server/start/open.ts'
import { openToKill, type TestClock } from '../../test/support/bare-exchange.ts'
import { seriesSpec } from '../../test/support/specs.ts'
import { change, residentBytes, whenCaughtUp } from '../exchange/exchange-folder.ts'
import { progress } from '../harness/bench.ts'
import { type LifetimeMemory, type LifetimePlan, stopped, taskOf } from './lifetime-tasks.ts'

export const grownBySlots = taskOf(import.meta.url, growBySlots)

const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
export const SERIES = [
  seriesSpec(),
  seriesSpec({ symbol: 'ETH', stableSlug: 'eth-5min-price', slugPrefix: 'eth-5m' }),
] as const
export const SLOT_MS = slotMsOf(SERIES[0])

const PRICE_E8 = 9_500_000_000_000
/** Slots are locked, decided and opened at the boundary. The rest follows later. */
const LATER_MS = 1000
const PROGRESS_EVERY = 2880

async function tick({ pipeline }: RunningExchange): Promise<void> {
  pipeline.tick()
  await pipeline.whenIdle()
}

/** Creates the series and the slots ahead of them. */
async function createSeries(exchange: RunningExchange): Promise<void> {
  for (const [index, series] of SERIES.entries()) {
    await change(exchange, { kind: 'createSeries', seriesId: index + 1, series })
  }
  // A tick creates one slot.
  for (const { slotsAhead } of SERIES) for (let at = 0; at <= slotsAhead; at++) await tick(exchange)
}

/** Passes the boundary between two slots of each series. */
async function passBoundary(
  exchange: RunningExchange,
  clock: TestClock,
  atMs: number,
  priceE8: number,
): Promise<void> {
  clock.nowMs = atMs
  for (const { symbol } of SERIES) {
    await change(exchange, { kind: 'reportPrice', symbol, atMs, priceE8 })
  }
  await tick(exchange)
  clock.nowMs += LATER_MS
  await tick(exchange)
}

/** Takes the slots of two series through their lives until now; reads memory after a rest. */
export async function growBySlots(plan: LifetimePlan): Promise<LifetimeMemory> {
  const { dataDir, markets, restMs = 0 } = plan
  const count = markets / SERIES.length
  const endMs = Math.floor(Date.now() / SLOT_MS) * SLOT_MS
  const fromMs = endMs - (count - 1) * SLOT_MS
  const clock = { nowMs: fromMs - SLOT_MS / 2 }
  const exchange = await openToKill(dataDir, clock, 0, {
    blockMs: LIMITS.archiveEveryMs,
    durability: 'normal',
    collateralAddress: USDC,
  })
  await createSeries(exchange)
  for (let at = 0; at < count; at++) {
    const priceE8 = PRICE_E8 + (at % 7) * 1_000_000
    await passBoundary(exchange, clock, fromMs + at * SLOT_MS, priceE8)
    if (at % PROGRESS_EVERY === 0) progress(`lifetime: slot ${at} of ${count}`)
  }
  await whenCaughtUp(exchange)
  const { catalogue } = exchange.pipeline.clearing
  const inMemory = SERIES.reduce((sum, { slotsAhead }) => sum + slotsAhead + 3, 0)
  assert(catalogue.lastId >= markets, 'every slot was created')
  assert(catalogue.count <= inMemory, 'slots that are over left memory')
  // Between two slots an exchange is idle for minutes, in which each thread frees memory.
  await new Promise((resolve) => setTimeout(resolve, restMs))
  return stopped(exchange, await residentBytes(exchange))
}
