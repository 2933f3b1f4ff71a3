// The child of `lifetimeBench`: one figure of a folder that has seen many lives. The plan is its
// argument, the result its only message.

import { assert } from '../engine/domain/assert.ts'
import { LIMITS } from '../engine/domain/limits.ts'
import { OUTCOME, SIDE } from '../engine/domain/order.ts'
import type { RunningExchange } from '../server/start/open.ts'
import { ExchangeDriver } from '../test/support/exchange-driver.ts'
import { openForTest } from '../test/support/open-pipeline.ts'
import type { LifetimeFigures, LifetimePlan } from './lifetime.bench.ts'
import { Lives } from './lives.ts'
import { progress } from './progress.ts'
import { DEPOSIT_RAW, START_MS } from './setting.ts'

const NS_PER_MS = 1e6
const SHARE_RAW = 1_000_000

function open(dataDir: string, clock: { nowMs: number }): Promise<RunningExchange> {
  return openForTest(dataDir, clock, 'auto', { blockMs: LIMITS.archiveEveryMs })
}

/** Lives until the folder has seen so many markets; gives the memory then. */
async function grow({ dataDir, markets }: LifetimePlan): Promise<LifetimeFigures> {
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

/** Opens the folder from its snapshot; gives the time and the memory of the fresh process. */
async function reopen({ dataDir }: LifetimePlan): Promise<LifetimeFigures> {
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
function core({ markets }: LifetimePlan): LifetimeFigures {
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
        const wish = { account: pair[index], marketId, outcome, side, type: 'GTC' as const }
        driver.place({ ...wish, priceTicks: 500, sizeRaw: SHARE_RAW })
      }
    }
    const { lastSeq, blocks } = driver.clearing
    driver.rare({ kind: 'resolveMarkets', resolutions: [{ marketId, payoutNumerators: [1, 0] }] })
    const height = blocks.height + 1
    driver.rare({ kind: 'mineBlock', height, throughSeq: lastSeq, chainId: 1 })
    driver.rare({ kind: 'archiveMarket', marketId })
    if (market % 50_000 === 0) progress(`lifetime: core, market ${market}`)
  }
  const commands = driver.clearing.lastSeq - startedSeq
  return { commandNs: ((performance.now() - startedMs) * NS_PER_MS) / commands }
}

const plan: LifetimePlan = JSON.parse(process.argv[2])
const figures = await { grow, reopen, core }[plan.what](plan)
process.send?.(figures, () => process.exit(0))
