// The slots of two series of five minutes, one after another: each is created ahead, opens with the
// oracle's value, is resolved by it, paid out, and leaves memory. Nobody sleeps: the clock is told.

import { assert } from '../../engine/domain/assert.ts'
import { slotMsOf } from '../../engine/domain/markets/series.ts'
import type { ControlBody } from '../../server/exchange/sequencer/control-body.ts'
import type { RunningExchange } from '../../server/start/open.ts'
import { seriesSpec } from '../../test/support/specs.ts'
import type { LifeClock } from './lives.ts'

/** The series, by their symbols. */
export const SERIES = [
  seriesSpec(),
  seriesSpec({ symbol: 'ETH', stableSlug: 'eth-5min-price', slugPrefix: 'eth-5m' }),
] as const
export const SLOT_MS = slotMsOf(SERIES[0])

const PRICE_E8 = 9_500_000_000_000
/** Slots are locked, decided and opened at the boundary. What is left comes a bit later. */
const LATER_MS = 1000
const SHOWN_EVERY = 2880
const CAUGHT_UP_MS = 600_000

export class SlotLives {
  readonly #exchange: RunningExchange
  readonly #clock: LifeClock

  constructor(exchange: RunningExchange, clock: LifeClock) {
    this.#exchange = exchange
    this.#clock = clock
  }

  async #change(body: ControlBody): Promise<void> {
    const { sequencer } = this.#exchange.pipeline
    while (sequencer.change(() => body).reject !== null) await new Promise(setImmediate)
  }

  async #tick(): Promise<void> {
    const { pipeline } = this.#exchange
    pipeline.tick()
    await pipeline.whenIdle()
  }

  async setUp(): Promise<void> {
    for (const [index, series] of SERIES.entries()) {
      await this.#change({ kind: 'createSeries', seriesId: index + 1, series })
    }
    // A tick creates one slot.
    for (const { slotsAhead } of SERIES) for (let at = 0; at <= slotsAhead; at++) await this.#tick()
  }

  async #report(atMs: number, priceE8: number): Promise<void> {
    for (const { symbol } of SERIES) {
      await this.#change({ kind: 'reportPrice', symbol, atMs, priceE8 })
    }
  }

  /** Lives so many slots of each series, from the boundary at `fromMs` on. */
  async run(fromMs: number, count: number, onProgress: (done: number) => void): Promise<void> {
    for (let at = 0; at < count; at++) {
      const boundaryMs = fromMs + at * SLOT_MS
      this.#clock.nowMs = boundaryMs
      await this.#report(boundaryMs, PRICE_E8 + (at % 7) * 1_000_000)
      await this.#tick()
      this.#clock.nowMs += LATER_MS
      await this.#tick()
      if (at % SHOWN_EVERY === 0) onProgress(at)
    }
    const { pipeline, follower } = this.#exchange
    const shown = await follower.whenApplied(pipeline.clearing.lastSeq, CAUGHT_UP_MS)
    assert(shown, 'the follower catches up')
  }
}
