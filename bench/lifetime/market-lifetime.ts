// The life of markets, as tasks of a process of its own on a folder. Each market is opened, traded,
// closed out by its holders, resolved and archived. Beside each market a session begins and ends.

import { readdirSync } from 'node:fs'
import { assert } from '../../engine/domain/assert.ts'
import type { PlaceOrder } from '../../engine/domain/command.ts'
import { LIMITS } from '../../engine/domain/limits.ts'
import { OUTCOME, SIDE } from '../../engine/domain/order.ts'
import { blankPlace, encodePlace } from '../../engine/wire/place-codec.ts'
import type { RunningExchange } from '../../server/start/open.ts'
import { openToKill, type TestClock } from '../../test/support/bare-exchange.ts'
import { ExchangeDriver } from '../../test/support/exchange-driver.ts'
import { marketSpec, ownRequest } from '../../test/support/specs.ts'
import { change, residentBytes, writeSetting } from '../exchange/exchange-folder.ts'
import { progress } from '../harness/bench.ts'
import { DEPOSIT_RAW, START_MS, tokenNoOf } from '../workload/setting.ts'
import { hashLowOf, placeNew } from '../workload/workload-order.ts'
import {
  type LifetimeMemory,
  type LifetimePlan,
  type LifetimeStart,
  startOf,
  stopped,
  taskOf,
} from './lifetime-tasks.ts'

export const grown = taskOf(import.meta.url, grow)
export const reopened = taskOf(import.meta.url, reopen)
export const commandNs = taskOf(import.meta.url, timeCore)

const NS_PER_MS = 1e6
const PAIR = [OUTCOME.YES, OUTCOME.NO]
/** Markets that are open at once. */
const AT_ONCE = 256
const PROGRESS_EVERY = AT_ONCE * 100
const ACCOUNTS = 64
const SHARE_RAW = 1_000_000
const DAY_MS = 86_400_000
const { BUY, SELL } = SIDE
const { NO, YES } = OUTCOME

function open(dataDir: string, clock: TestClock): Promise<RunningExchange> {
  return openToKill(dataDir, clock, 'auto', { blockMs: LIMITS.archiveEveryMs })
}

class MarketLifecycles {
  readonly #exchange: RunningExchange
  readonly #clock: TestClock
  readonly #order = blankPlace()
  readonly #request = ownRequest(this.#order, tokenNoOf(1))
  #hashes: number

  constructor(exchange: RunningExchange, clock: TestClock) {
    this.#exchange = exchange
    this.#clock = clock
    this.#hashes = exchange.pipeline.clearing.lastSeq
  }

  /** Takes so many markets from their opening to the archive. */
  async run(count: number, onProgress: (done: number) => void): Promise<void> {
    for (let done = 0; done < count; done += AT_ONCE) {
      await this.#batch(Math.min(AT_ONCE, count - done))
      if (done % PROGRESS_EVERY === 0) onProgress(done)
    }
  }

  async #batch(count: number): Promise<void> {
    const exchange = this.#exchange
    const { pipeline, shards } = exchange
    const { catalogue } = pipeline.clearing
    const first = catalogue.lastId + 1
    const marketIds = Array.from({ length: count }, (_, index) => first + index)
    for (const marketId of marketIds) {
      const book = catalogue.freeBook(LIMITS.booksMax)
      shards.of(book)
      const market = marketSpec(marketId)
      await change(exchange, { kind: 'createMarket', marketId, book, market })
      await this.#session(marketId)
    }
    await pipeline.whenIdle()
    for (const side of [BUY, SELL]) {
      for (const marketId of marketIds) {
        const one = 1 + (marketId % (ACCOUNTS - 1))
        this.#place({ marketId, accountId: one, outcome: YES, side })
        this.#place({ marketId, accountId: one + 1, outcome: NO, side })
      }
      await pipeline.whenIdle()
    }
    for (const marketId of marketIds) {
      const resolutions = [{ marketId, payoutNumerators: [1, 0] as const }]
      await change(exchange, { kind: 'resolveMarkets', resolutions })
    }
    while (catalogue.count > 0) {
      this.#clock.nowMs += LIMITS.archiveEveryMs
      pipeline.tick()
      await pipeline.whenIdle()
    }
  }

  async #session(number: number): Promise<void> {
    const { nowMs } = this.#clock
    const sessionDigest = String(number).padStart(64, '0')
    await change(this.#exchange, {
      kind: 'login',
      profileId: 1 + (number % ACCOUNTS),
      sessionDigest,
      expiresMs: nowMs + DAY_MS,
      nonce: `nonce-${number}`,
      nonceExpiresMs: nowMs + 1,
    })
    await change(this.#exchange, { kind: 'logout', sessionDigest })
  }

  #place(terms: Pick<PlaceOrder, 'marketId' | 'accountId' | 'outcome' | 'side'>): void {
    const { pipeline } = this.#exchange
    const order = Object.assign(this.#order, terms)
    order.book = pipeline.clearing.catalogue.existing(terms.marketId).book
    order.priceTicks = 500
    order.sizeRaw = SHARE_RAW
    order.hashHigh = hashLowOf(++this.#hashes)
    order.hashLow = this.#hashes >>> 0
    this.#request.tokenNo = tokenNoOf(terms.accountId)
    this.#request.ownerId = terms.accountId
    const refusal = placeNew(pipeline.sequencer, this.#request, encodePlace(order))
    assert(refusal === null, 'an order of this bench passes every gate')
  }
}

/** Opens and archives markets until the folder has had so many. */
export async function grow({ dataDir, markets }: LifetimePlan): Promise<LifetimeMemory> {
  if (readdirSync(dataDir).length === 0) writeSetting(dataDir, { accounts: ACCOUNTS, markets: 0 })
  const clock = { nowMs: START_MS }
  const exchange = await open(dataDir, clock)
  const { clearing } = exchange.pipeline
  clock.nowMs = Math.max(START_MS, clearing.lastNowMs)
  const lifecycles = new MarketLifecycles(exchange, clock)
  const before = clearing.catalogue.lastId
  await lifecycles.run(markets - before, (done) => progress(`lifetime: market ${before + done}`))
  const bytes = await residentBytes(exchange)
  assert(clearing.catalogue.count === 0, 'every market left memory')
  return stopped(exchange, bytes)
}

/** Opens the folder from its snapshot; returns time and memory of the fresh process. */
export function reopen({ dataDir }: LifetimePlan): Promise<LifetimeStart> {
  return startOf(() => open(dataDir, { nowMs: START_MS }))
}

/** Opens and archives markets on the one-thread core; times the commands of the last ones. */
export function timeCore({ markets }: LifetimePlan): number {
  const driver = new ExchangeDriver(1 << 12)
  const accounts = Array.from({ length: ACCOUNTS }, () => driver.addAccount(DEPOSIT_RAW))
  const timedFrom = markets - Math.min(5000, markets / 2)
  let startedMs = 0
  let startedSeq = 0
  for (let market = 1; market <= markets; market++) {
    if (market === timedFrom) {
      startedMs = performance.now()
      startedSeq = driver.clearing.lastSeq
    }
    const marketId = driver.addMarket()
    const pair = accounts.slice(market % 60, (market % 60) + 2)
    for (const side of [SIDE.BUY, SIDE.SELL]) {
      for (const [index, outcome] of PAIR.entries()) {
        const terms = { account: pair[index], marketId, outcome, side, type: 'GTC' as const }
        driver.place({ ...terms, priceTicks: 500, sizeRaw: SHARE_RAW })
      }
    }
    const { lastSeq: throughSeq, blocks } = driver.clearing
    const resolutions = [{ marketId, payoutNumerators: [1, 0] as const }]
    driver.control({ kind: 'resolveMarkets', resolutions })
    driver.control({ kind: 'mineBlock', height: blocks.height + 1, throughSeq, chainId: 1 })
    driver.control({ kind: 'archiveMarket', marketId })
    if (market % 50_000 === 0) progress(`lifetime: core, market ${market}`)
  }
  const commands = driver.clearing.lastSeq - startedSeq
  return ((performance.now() - startedMs) * NS_PER_MS) / commands
}
