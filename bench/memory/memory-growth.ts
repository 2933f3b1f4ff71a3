// Memory of a whole exchange for each resting order, and for each order that has ended. Main,
// market threads, journal, follower with its tables, and query thread are one process.

import { assert } from '../../engine/domain/assert.ts'
import type { PlaceOrder } from '../../engine/domain/command.ts'
import { Reject } from '../../engine/domain/reject-precedence.ts'
import { blankPlace, encodePlace } from '../../engine/wire/place-codec.ts'
import { RELEASING } from '../../server/exchange/sequencer/sequencer.ts'
import type { RunningExchange } from '../../server/start/open.ts'
import { openToKill } from '../../test/support/bare-exchange.ts'
import { residentBytes, writeSetting } from '../exchange/exchange-folder.ts'
import { type Setting, START_MS, tokenNoOf } from '../workload/setting.ts'
import { hashLowOf, placeNew, requestOf } from '../workload/workload-order.ts'

export interface MemoryPlan extends Setting {
  readonly dataDir: string
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

/** Orders of one cancel command, and orders placed between two waits for an idle pipeline. */
const BATCH = 1000
const SHARE_RAW = 1_000_000

/** Resting orders, in columns that are made before the measurement. */
class Resting {
  readonly #marketIds: Int32Array
  readonly #slots: Int32Array
  readonly #generations: Int32Array
  count = 0

  constructor(capacity: number) {
    this.#marketIds = new Int32Array(capacity).fill(-1)
    this.#slots = new Int32Array(capacity).fill(-1)
    this.#generations = new Int32Array(capacity).fill(-1)
  }

  add({ marketId, slot, generation }: PlaceOrder): void {
    this.#marketIds[this.count] = marketId
    this.#slots[this.count] = slot
    this.#generations[this.count] = generation
    this.count++
  }

  /** Slots and generations of the orders in one market. */
  of(marketId: number): { slot: number; generation: number }[] {
    const found: { slot: number; generation: number }[] = []
    for (let at = 0; at < this.count; at++) {
      if (this.#marketIds[at] !== marketId) continue
      found.push({ slot: this.#slots[at], generation: this.#generations[at] })
    }
    return found
  }
}

class Orders {
  readonly #exchange: RunningExchange
  readonly #plan: MemoryPlan
  readonly #order = blankPlace()
  readonly #request = requestOf(this.#order)
  #placed = 0

  constructor(exchange: RunningExchange, plan: MemoryPlan) {
    this.#exchange = exchange
    this.#plan = plan
  }

  async place(count: number, resting: Resting): Promise<void> {
    resting.count = 0
    for (let index = 0; index < count; index++) {
      this.#placeNext()
      resting.add(this.#order)
      if (index % BATCH === BATCH - 1) await this.#exchange.pipeline.whenIdle()
    }
  }

  #placeNext(): void {
    const { markets, accounts, clientIdChars, expires } = this.#plan
    const order = this.#order
    const number = ++this.#placed
    const place = 1 + (number % markets)
    order.marketId = place
    order.book = place
    order.accountId = 1 + (number % accounts)
    order.priceTicks = 1 + (number % 400)
    order.sizeRaw = SHARE_RAW
    order.expirationSec = expires ? START_MS / 1000 + 1_000_000 + (number % 1000) : 0
    order.hashHigh = hashLowOf(number)
    order.hashLow = number
    order.clientOrderId = clientIdChars === 0 ? '' : String(number).padStart(clientIdChars, 'c')
    this.#request.tokenNo = tokenNoOf(order.accountId)
    this.#request.ownerId = order.accountId
    const { sequencer } = this.#exchange.pipeline
    const refusal = placeNew(sequencer, this.#request, encodePlace(order))
    assert(refusal === null, 'an order of this bench passes every gate')
  }

  async cancel(resting: Resting): Promise<void> {
    const { pipeline } = this.#exchange
    for (let marketId = 1; marketId <= this.#plan.markets; marketId++) {
      const own = resting.of(marketId)
      for (let from = 0; from < own.length; from += BATCH) {
        const seq = pipeline.sequencer.cancel(marketId, own.slice(from, from + BATCH))
        assert(
          seq !== RELEASING && !(seq instanceof Reject),
          'the rings have capacity for a cancel',
        )
        await pipeline.whenIdle()
      }
    }
  }

  /** Places and cancels orders, a batch at a time. */
  async churn(count: number): Promise<void> {
    const resting = new Resting(BATCH)
    for (let ended = 0; ended < count; ended += BATCH) {
      await this.place(BATCH, resting)
      await this.cancel(resting)
    }
  }
}

export async function memoryGrowth(plan: MemoryPlan): Promise<MemoryGrowth> {
  writeSetting(plan.dataDir, plan)
  const exchange = await openToKill(plan.dataDir, { nowMs: START_MS }, 'auto')
  const orders = new Orders(exchange, plan)
  await orders.churn(plan.warm)
  const resting = new Resting(plan.resting)
  const empty = await residentBytes(exchange)
  await orders.place(plan.resting, resting)
  const full = await residentBytes(exchange)
  await orders.cancel(resting)
  await orders.churn(plan.dead / 4)
  const before = await residentBytes(exchange)
  await orders.churn(plan.dead)
  const after = await residentBytes(exchange)
  return {
    bytesPerResting: (full - empty) / plan.resting,
    bytesPerDead: (after - before) / plan.dead,
  }
}
