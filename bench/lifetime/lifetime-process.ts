// The child of `lifetimeBench`: one figure of a folder that has seen many lives. The plan is its
// argument, the result its only message.

import { assert } from '../../engine/domain/assert.ts'
import { LIMITS } from '../../engine/domain/limits.ts'
import { OUTCOME, SIDE } from '../../engine/domain/order.ts'
import type { RunningExchange } from '../../server/start/open.ts'
import { ExchangeDriver } from '../../test/support/exchange-driver.ts'
import { openForTest } from '../../test/support/open-pipeline.ts'
import { progress } from '../report/progress.ts'
import { DEPOSIT_RAW, START_MS } from '../report/setting.ts'
import type { LifetimeFigures, LifetimePlan } from './lifetime-child.ts'
import { Lives } from './lives.ts'
import { SERIES, SLOT_MS, SlotLives } from './slot-lives.ts'

const NS_PER_MS = 1e6
const SHARE_RAW = 1_000_000
const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'

function open(dataDir: string, clock: { nowMs: number }): Promise<RunningExchange> {
  return openForTest(dataDir, clock, 'auto', { blockMs: LIMITS.archiveEveryMs })
}

/** Lives until the folder has seen so many markets; gives the memory then. */
async function grow({ dataDir, markets }: LifetimePlan): Promise<Partial<LifetimeFigures>> {
  const clock = { nowMs: START_MS }
  const exchange = await open(dataDir, clock)
  const { clearing } = exchange.pipeline
  clock.nowMs = Math.max(START_MS, clearing.lastNowMs)
  const lives = new Lives(exchange, clock)
  if (clearing.accounts.count === 0) await lives.setUp()
  const before = clearing.catalogue.lastId
  await lives.run(markets - before, (done) => progress(`lifetime: market ${before + done}`))
  const residentBytes = await lives.residentBytes()
  const namesBytes = exchange.lookups.filterBytes
  assert(clearing.catalogue.count === 0, 'every market left memory')
  await exchange.stop()
  return { residentBytes, namesBytes }
}

/** Lives the slots of two series until now; gives the memory after a rest. */
async function slots({
  dataDir,
  markets,
  restMs = 0,
}: LifetimePlan): Promise<Partial<LifetimeFigures>> {
  const count = markets / SERIES.length
  const endMs = Math.floor(Date.now() / SLOT_MS) * SLOT_MS
  const fromMs = endMs - (count - 1) * SLOT_MS
  const clock = { nowMs: fromMs - SLOT_MS / 2 }
  const exchange = await openForTest(dataDir, clock, 0, {
    ...{ blockMs: LIMITS.archiveEveryMs, durability: 'normal', collateralAddress: USDC },
  })
  const lives = new SlotLives(exchange, clock)
  await lives.setUp()
  await lives.run(fromMs, count, (done) => progress(`lifetime: slot ${done} of ${count}`))
  const { catalogue } = exchange.pipeline.clearing
  const inMemory = SERIES.reduce((sum, { slotsAhead }) => sum + slotsAhead + 3, 0)
  assert(catalogue.lastId >= markets, 'every slot was created')
  assert(catalogue.count <= inMemory, 'slots that are over left memory')
  // Between two slots an exchange rests for minutes: then each thread gives back what it can.
  await new Promise((resolve) => setTimeout(resolve, restMs))
  globalThis.gc?.()
  const residentBytes = process.memoryUsage().rss
  const namesBytes = exchange.lookups.filterBytes
  await exchange.stop()
  return { residentBytes, namesBytes }
}

/** Opens the folder from its snapshot; gives the time and the memory of the fresh process. */
async function reopen({ dataDir }: LifetimePlan): Promise<Partial<LifetimeFigures>> {
  const startedMs = performance.now()
  const exchange = await open(dataDir, { nowMs: START_MS })
  const startMs = performance.now() - startedMs
  globalThis.gc?.()
  const figures = {
    startMs,
    residentBytes: process.memoryUsage().rss,
    namesBytes: exchange.lookups.filterBytes,
  }
  await exchange.stop()
  return figures
}

/** Lives on the one-thread core; gives the time of a command in the last markets. */
function core({ markets }: LifetimePlan): Partial<LifetimeFigures> {
  const driver = new ExchangeDriver(1 << 12)
  const accounts = Array.from({ length: 64 }, () => driver.addAccount(DEPOSIT_RAW))
  const window = Math.min(5000, markets / 2)
  let startedMs = 0
  let startedSeq = 0
  for (let market = 1; market <= markets; market++) {
    if (market === markets - window) {
      startedMs = performance.now()
      startedSeq = driver.clearing.lastSeq
    }
    const marketId = driver.addMarket()
    const pair = accounts.slice(market % 60, (market % 60) + 2)
    for (const side of [SIDE.BUY, SIDE.SELL]) {
      for (const [index, outcome] of [OUTCOME.YES, OUTCOME.NO].entries()) {
        const wanted = { account: pair[index], marketId, outcome, side, type: 'GTC' as const }
        driver.place({ ...wanted, priceTicks: 500, sizeRaw: SHARE_RAW })
      }
    }
    const { lastSeq, blocks } = driver.clearing
    driver.control({
      kind: 'resolveMarkets',
      resolutions: [{ marketId, payoutNumerators: [1, 0] }],
    })
    const height = blocks.height + 1
    driver.control({ kind: 'mineBlock', height, throughSeq: lastSeq, chainId: 1 })
    driver.control({ kind: 'archiveMarket', marketId })
    if (market % 50_000 === 0) progress(`lifetime: core, market ${market}`)
  }
  const commands = driver.clearing.lastSeq - startedSeq
  return { commandNs: ((performance.now() - startedMs) * NS_PER_MS) / commands }
}

const plan: LifetimePlan = JSON.parse(process.argv[2])
const figures = await { grow, reopen, core, slots }[plan.what](plan)
process.send?.(figures, () => process.exit(0))
