// Payouts of resolved markets. One is posted when a block holds the last trade of its market
// (design §5), so that what it pays can never be taken back. Main's thread owns it.

import type { Clearing } from '../../../engine/core/clearing.ts'
import { mayPayOut } from '../../../engine/core/decide/endings.ts'
import type { Market } from '../../../engine/core/markets/catalogue.ts'
import { LIMITS } from '../../../engine/domain/limits.ts'
import type { TimeMs } from '../../../engine/domain/units.ts'
import { faultPoint } from '../../../engine/thread/fault-point.ts'
import type { Sequencer } from '../sequencer/sequencer.ts'
import { Redemptions } from './redemptions.ts'

export class Payouts {
  readonly #clearing: Clearing
  readonly #sequencer: Sequencer
  readonly #redemptions: Redemptions
  /** How long the exchange waits before it redeems what is left; 0 is for ever. */
  readonly #autoRedeemMs: number
  #lookedMs: TimeMs = 0
  /** What the last look saw: the same again gives the same answer. */
  #seen = { unpaid: 0, closed: 0, throughSeq: 0, aside: 0 }

  constructor(parts: { clearing: Clearing; sequencer: Sequencer; autoRedeemMs?: number }) {
    this.#clearing = parts.clearing
    this.#sequencer = parts.sequencer
    this.#autoRedeemMs = parts.autoRedeemMs ?? 0
    this.#redemptions = new Redemptions(parts)
  }

  /** When `tick` has something to do next; Infinity for nothing. */
  get nextDueMs(): TimeMs {
    return Math.min(this.#nextPayoutMs, this.#redemptions.nextDueMs)
  }

  /** When to look next; Infinity while nothing can be paid out that could not be before. */
  get #nextPayoutMs(): TimeMs {
    const { catalogue, blocks } = this.#clearing
    const { unpaid, closed, throughSeq, aside } = this.#seen
    const isSame =
      catalogue.unpaid.size === unpaid &&
      catalogue.closedCount === closed &&
      blocks.throughSeq === throughSeq &&
      blocks.asideCount === aside
    const waits = catalogue.unpaid.size > 0 && !isSame
    return waits ? this.#lookedMs + LIMITS.payoutEveryMs : Number.POSITIVE_INFINITY
  }

  /** Posts the payouts that are due, a bounded number at a time, and redeems behind them. */
  tick(): void {
    this.#pay()
    this.#redemptions.tick()
  }

  #pay(): void {
    const nowMs = this.#sequencer.nowMs()
    if (nowMs < this.#nextPayoutMs) return
    this.#lookedMs = nowMs
    const { catalogue, blocks } = this.#clearing
    const due: Market[] = []
    for (const market of catalogue.unpaid) {
      if (due.length === LIMITS.payoutsAtOnceMax) break
      if (mayPayOut(this.#clearing, market)) due.push(market)
    }
    if (due.length > 0) {
      // A full ring only delays them: the next look is soon, since nothing was noted.
      if (!this.#post(due) || due.length === LIMITS.payoutsAtOnceMax) return
    }
    const { throughSeq, asideCount: aside } = blocks
    this.#seen = { unpaid: catalogue.unpaid.size, closed: catalogue.closedCount, throughSeq, aside }
  }

  /** False when a ring is full. */
  #post(due: readonly Market[]): boolean {
    faultPoint('before-payouts')
    const marketIds = due.map(({ marketId }) => marketId)
    const { reject } = this.#sequencer.change((nowMs) => {
      const posted = { kind: 'postPayouts' as const, marketIds }
      return this.#autoRedeemMs === 0
        ? posted
        : { ...posted, redeemAtMs: nowMs + this.#autoRedeemMs }
    })
    if (reject !== null) return false
    for (const market of due) this.#redemptions.paidOut(market)
    return true
  }
}
