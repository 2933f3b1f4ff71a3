// Days of an exchange in steady use, as tasks of a process of its own on a folder. A day has a
// sample of the commands that a real one has, and its whole time. Nothing sleeps for it: the clock
// is set. History and the memory of orders reach back a month, and the journal a week.

import { assert } from '../../engine/domain/assert.ts'
import type { PlaceOrder } from '../../engine/domain/command.ts'
import { OUTCOME, SIDE } from '../../engine/domain/order.ts'
import { REJECT, Reject } from '../../engine/domain/reject-precedence.ts'
import { DAY_MS } from '../../engine/domain/units.ts'
import { blankPlace, encodePlace } from '../../engine/wire/place-codec.ts'
import { type FolderSizes, folderSizes } from '../../persistence/folder-sizes.ts'
import { RELEASING } from '../../server/exchange/sequencer/sequencer.ts'
import type { RunningExchange } from '../../server/start/open.ts'
import { openToKill, type TestClock } from '../../test/support/bare-exchange.ts'
import { Random } from '../../test/support/random.ts'
import { residentBytes, whenCaughtUp, writeSetting } from '../exchange/exchange-folder.ts'
import { progress } from '../harness/bench.ts'
import {
  type LifetimeMemory,
  type LifetimeStart,
  startOf,
  stopped,
  taskOf,
} from '../lifetime/lifetime-tasks.ts'
import { START_MS, tokenNoOf } from '../workload/setting.ts'
import { hashLowOf, placeNew, requestOf } from '../workload/workload-order.ts'

export const lived = taskOf(import.meta.url, live)
export const restarted = taskOf(import.meta.url, restart)

const ACCOUNTS = 64
const MARKETS = 8
const SHARE_RAW = 1_000_000
const DAYS_KEPT = 30
const JOURNAL_DAYS = 7
/** Of a step: a maker that is taken, its taker, a maker that is canceled, its cancel. */
export const COMMANDS_PER_STEP = 4
const STEPS_PER_BLOCK = 25
const PROGRESS_EVERY = 20

export interface DaysPlan {
  readonly dataDir: string
  /** Days that were lived before. */
  readonly from: number
  readonly to: number
  readonly stepsPerDay: number
  /** Orders that rest for all the time. */
  readonly resting: number
}

export interface Aged extends LifetimeMemory {
  readonly sizes: FolderSizes
}

type Terms = Pick<PlaceOrder, 'marketId' | 'book' | 'accountId' | 'side' | 'outcome' | 'priceTicks'>
type Handle = Parameters<RunningExchange['pipeline']['cancels']['whyNot']>[1]

function open(
  dataDir: string,
  clock: TestClock,
  onWarning: (sentence: string) => void = () => {},
): Promise<RunningExchange> {
  return openToKill(dataDir, clock, 'auto', {
    blockMs: 1,
    durability: 'normal',
    historyDays: DAYS_KEPT,
    orderMemoryDays: DAYS_KEPT,
    journalDays: JOURNAL_DAYS,
    snapshotEveryCommands: Number.MAX_SAFE_INTEGER,
    onWarning,
  })
}

class Days {
  readonly #exchange: RunningExchange
  readonly #clock: TestClock
  readonly #random: Random
  readonly #order = blankPlace()
  readonly #request = requestOf(this.#order)
  #hashes: number

  constructor(exchange: RunningExchange, clock: TestClock, seed: number) {
    this.#exchange = exchange
    this.#clock = clock
    this.#random = new Random(seed)
    this.#hashes = exchange.pipeline.clearing.lastSeq
  }

  async rest(count: number): Promise<void> {
    for (let each = 0; each < count; each++) {
      const terms = this.#terms(this.#account(), SIDE.BUY, 1 + (each % 100))
      await this.#place(terms)
    }
    await this.#exchange.pipeline.whenIdle()
  }

  async day(steps: number): Promise<void> {
    const { pipeline } = this.#exchange
    const startMs = this.#clock.nowMs
    for (let step = 1; step <= steps; step++) {
      await this.#step()
      this.#clock.nowMs = startMs + Math.floor((DAY_MS * step) / steps)
      if (step % STEPS_PER_BLOCK > 0) continue
      await pipeline.whenIdle()
      pipeline.tick()
    }
    await whenCaughtUp(this.#exchange)
    const { boards, snapshots, segments } = this.#exchange
    await boards.pass(this.#clock.nowMs)
    await snapshots.take()
    segments.tick(this.#clock.nowMs)
  }

  async #step(): Promise<void> {
    const maker = this.#account()
    const taker = 1 + (maker % ACCOUNTS)
    const ticks = this.#random.between(300, 700)
    const side = this.#random.pick([SIDE.BUY, SIDE.SELL])
    const terms = this.#terms(maker, side, ticks)
    await this.#place(terms)
    const other = side === SIDE.BUY ? SIDE.SELL : SIDE.BUY
    await this.#place({ ...terms, accountId: taker, side: other })
    const handle = await this.#place(this.#terms(taker, SIDE.BUY, this.#random.between(101, 200)))
    await this.#cancel(taker, handle)
  }

  #account(): number {
    return this.#random.between(1, ACCOUNTS)
  }

  #terms(accountId: number, side: number, priceTicks: number): Terms {
    const marketId = this.#random.between(1, MARKETS)
    return { marketId, book: marketId, accountId, side, outcome: OUTCOME.YES, priceTicks }
  }

  async #place(terms: Terms): Promise<Handle> {
    const order = Object.assign(this.#order, terms)
    order.sizeRaw = SHARE_RAW
    order.hashHigh = hashLowOf(++this.#hashes)
    order.hashLow = this.#hashes >>> 0
    order.clientOrderId = this.#hashes % 2 === 0 ? '' : `client-order-${this.#hashes}`
    this.#request.tokenNo = tokenNoOf(terms.accountId)
    this.#request.ownerId = terms.accountId
    const { sequencer } = this.#exchange.pipeline
    const record = encodePlace(order)
    for (;;) {
      const refusal = placeNew(sequencer, this.#request, record)
      if (refusal === null) return { slot: order.slot, generation: order.generation }
      assert(refusal === REJECT.OVERLOADED, 'an order of this bench passes every gate')
      await new Promise(setImmediate)
    }
  }

  async #cancel(owner: number, handle: Handle): Promise<void> {
    const { cancels, sequencer, clearing } = this.#exchange.pipeline
    assert(cancels.whyNot(owner, handle) === null, 'the order lives')
    const book = clearing.orders.bookOf(handle.slot)
    for (;;) {
      const seq = sequencer.cancel(book, [handle])
      if (seq !== RELEASING && !(seq instanceof Reject)) return
      await new Promise(setImmediate)
    }
  }
}

/** Lives the days; returns the memory of the process and the bytes of the folder. */
export async function live(plan: DaysPlan): Promise<Aged> {
  const { dataDir, from, to, stepsPerDay, resting } = plan
  if (from === 0) writeSetting(dataDir, { accounts: ACCOUNTS, markets: MARKETS })
  const clock = { nowMs: START_MS + from * DAY_MS }
  const exchange = await open(dataDir, clock, (sentence) => progress(`years: ${sentence}`))
  clock.nowMs = Math.max(clock.nowMs, exchange.pipeline.clearing.lastNowMs)
  const days = new Days(exchange, clock, 1 + from)
  if (from === 0) await days.rest(resting)
  for (let day = from + 1; day <= to; day++) {
    await days.day(stepsPerDay)
    if (day % PROGRESS_EVERY === 0) progress(`years: day ${day}`)
  }
  const bytes = await residentBytes(exchange)
  const memory = await stopped(exchange, bytes)
  return { ...memory, sizes: await folderSizes(dataDir) }
}

/** Opens the folder from its snapshot; returns time and memory of the fresh process. */
export function restart({ dataDir, to }: DaysPlan): Promise<LifetimeStart> {
  return startOf(() => open(dataDir, { nowMs: START_MS + to * DAY_MS }))
}
