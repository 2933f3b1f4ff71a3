// How much memory a whole exchange takes for each resting order, and keeps for each ended order.
// Main, market threads, journal, follower with its tables, and query thread are one process.

import { ASK_TABLES, type PlaceRequest } from '../../engine/core/decide/decide.ts'
import { assert } from '../../engine/domain/assert.ts'
import type { PlaceOrder } from '../../engine/domain/command.ts'
import { Reject } from '../../engine/domain/reject-precedence.ts'
import { blankPlace, encodePlace } from '../../engine/wire/place-codec.ts'
import { RELEASING } from '../../server/exchange/sequencer/sequencer.ts'
import type { RunningExchange } from '../../server/start/open.ts'
import { openForTest } from '../../test/support/open-pipeline.ts'
import { marketSpec, ownRequest } from '../../test/support/specs.ts'
import { DEPOSIT_RAW, profileOf, START_MS, tokenIdOf, tokenNoOf } from '../report/setting.ts'

export interface MemoryPlan {
  readonly dataDir: string
  readonly markets: number
  readonly accounts: number
  /** Orders that come and end before the measurement, to fill heaps, page caches and rings. */
  readonly warm: number
  readonly resting: number
  readonly dead: number
  /** Characters of each order's client id; 0 for none. */
  readonly clientIdChars: number
  /** Whether every order has an expiry. */
  readonly expires: boolean
}

export interface MemoryGrowth {
  readonly bytesPerResting: number
  readonly bytesPerDead: number
}

/** Resting orders, in columns that are made before the measurement. */
class Live {
  readonly marketIds: Int32Array
  readonly slots: Int32Array
  readonly generations: Int32Array
  count = 0

  constructor(capacity: number) {
    this.marketIds = new Int32Array(capacity).fill(-1)
    this.slots = new Int32Array(capacity).fill(-1)
    this.generations = new Int32Array(capacity).fill(-1)
  }

  add({ marketId, slot, generation }: PlaceOrder): void {
    this.marketIds[this.count] = marketId
    this.slots[this.count] = slot
    this.generations[this.count] = generation
    this.count++
  }

  /** Slots and generations of the orders in one market. */
  of(marketId: number): { slot: number; generation: number }[] {
    const names: { slot: number; generation: number }[] = []
    for (let at = 0; at < this.count; at++) {
      if (this.marketIds[at] !== marketId) continue
      names.push({ slot: this.slots[at], generation: this.generations[at] })
    }
    return names
  }
}

/** Orders of one cancel command, and orders placed between two waits for an idle pipeline. */
const BATCH = 1000
const CAUGHT_UP_MS = 600_000
const SHARE_RAW = 1_000_000

class Crowd {
  readonly #exchange: RunningExchange
  readonly #plan: MemoryPlan
  readonly #order = blankPlace()
  readonly #request: PlaceRequest = ownRequest(this.#order, tokenNoOf(1))
  #placed = 0

  constructor(exchange: RunningExchange, plan: MemoryPlan) {
    this.#exchange = exchange
    this.#plan = plan
  }

  async setUp(): Promise<void> {
    const { pipeline, shards } = this.#exchange
    for (let profileId = 1; profileId <= this.#plan.accounts; profileId++) {
      const sealedSecret = new Uint8Array(0)
      const tokenId = tokenIdOf(profileId)
      const token = { tokenId, sealedSecret, label: null, scopes: ['trading' as const] }
      const profile = profileOf(profileId)
      await pipeline.change(() => ({ kind: 'createProfile', profileId, profile, token }))
      await pipeline.change(() => ({
        kind: 'adjustBalance',
        profileId,
        collateralRaw: DEPOSIT_RAW,
      }))
    }
    for (let marketId = 1; marketId <= this.#plan.markets; marketId++) {
      await pipeline.change(() => ({
        kind: 'createMarket',
        marketId,
        book: marketId,
        market: marketSpec(marketId),
      }))
      await shards.of(marketId).ready
    }
  }

  async place(count: number, live: Live): Promise<void> {
    live.count = 0
    for (let index = 0; index < count; index++) {
      live.add(this.#placeOne())
      if (index % BATCH === BATCH - 1) await this.#exchange.pipeline.whenIdle()
    }
  }

  /**
   * Places the next order. Sometimes the filter takes a new order for an old one. Then only the
   * tables could tell, so this tries another order.
   */
  #placeOne(): PlaceOrder {
    while (!this.#tryNext()) {}
    return this.#order
  }

  #tryNext(): boolean {
    const { markets, accounts, clientIdChars, expires } = this.#plan
    const order = this.#order
    const number = ++this.#placed
    const place = 1 + (number % markets)
    Object.assign(order, { marketId: place, book: place })
    order.accountId = 1 + (number % accounts)
    order.priceTicks = 1 + (number % 400)
    order.sizeRaw = SHARE_RAW
    order.expirationSec = expires ? START_MS / 1000 + 1_000_000 + (number % 1000) : 0
    order.hashHigh = Math.imul(number, 0x9e3779b1) >>> 0
    order.hashLow = number
    order.clientOrderId = clientIdChars === 0 ? '' : String(number).padStart(clientIdChars, 'c')
    this.#request.tokenNo = tokenNoOf(order.accountId)
    this.#request.ownerId = order.accountId
    const refusal = this.#exchange.pipeline.sequencer.place(this.#request, encodePlace(order))
    if (refusal === ASK_TABLES) return false
    assert(refusal === null, 'an order of this crowd passes every gate')
    return true
  }

  async cancel(live: Live): Promise<void> {
    const { pipeline } = this.#exchange
    for (let marketId = 1; marketId <= this.#plan.markets; marketId++) {
      const own = live.of(marketId)
      for (let from = 0; from < own.length; from += BATCH) {
        const seq = pipeline.sequencer.cancel(marketId, own.slice(from, from + BATCH))
        assert(seq !== RELEASING && !(seq instanceof Reject), 'the rings have room for a cancel')
        await pipeline.whenIdle()
      }
    }
  }

  /** Places and cancels orders, a batch at a time. */
  async churn(count: number): Promise<void> {
    const live = new Live(BATCH)
    for (let ended = 0; ended < count; ended += BATCH) {
      await this.place(BATCH, live)
      await this.cancel(live)
    }
  }

  /** The resident memory once every thread is idle. */
  async residentBytes(): Promise<number> {
    const { pipeline, follower } = this.#exchange
    await pipeline.whenIdle()
    const shown = await follower.whenApplied(pipeline.clearing.lastSeq, CAUGHT_UP_MS)
    assert(shown, 'the follower catches up')
    globalThis.gc?.()
    return process.memoryUsage().rss
  }
}

export async function memoryGrowth(plan: MemoryPlan): Promise<MemoryGrowth> {
  const exchange = await openForTest(plan.dataDir, { nowMs: START_MS }, 'auto')
  const crowd = new Crowd(exchange, plan)
  await crowd.setUp()
  await crowd.churn(plan.warm)
  const live = new Live(plan.resting)
  const before = await crowd.residentBytes()
  await crowd.place(plan.resting, live)
  const rested = await crowd.residentBytes()
  await crowd.cancel(live)
  await crowd.churn(plan.dead / 4)
  const start = await crowd.residentBytes()
  await crowd.churn(plan.dead)
  const ended = await crowd.residentBytes()
  return {
    bytesPerResting: (rested - before) / plan.resting,
    bytesPerDead: (ended - start) / plan.dead,
  }
}
