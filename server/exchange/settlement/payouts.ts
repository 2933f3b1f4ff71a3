// Payouts of resolved markets. A payout is posted when a block contains the last trade of its
// market (design §5), so that it can never be reversed. Main's thread owns it.

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
  /** Time until the exchange redeems what is left; 0 for never. */
  readonly #autoRedeemMs: number
  readonly #onPosted: (markets: readonly Market[]) => void
  #lookedMs: TimeMs = 0
  /** The inputs of the last check: the same inputs give the same result. */
  #seen = { unpaid: 0, closed: 0, throughSeq: 0, aside: 0 }

  constructor(parts: {
    clearing: Clearing
    sequencer: Sequencer
    autoRedeemMs?: number
    /** The command that posts the payouts of these markets is stamped. */
    onPosted: (markets: readonly Market[]) => void
  }) {
    this.#clearing = parts.clearing
    this.#onPosted = parts.onPosted
    this.#sequencer = parts.sequencer
    this.#autoRedeemMs = parts.autoRedeemMs ?? 0
    this.#redemptions = new Redemptions(parts)
  }

  /** The next time when `tick` has something to do; Infinity for nothing. */
  get nextDueMs(): TimeMs {
    return Math.min(this.#nextPayoutMs, this.#redemptions.nextDueMs)
  }

  /** The time of the next check; Infinity while nothing new can be paid out. */
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

  /** Posts the payouts that are due, a bounded number at a time, and redeems after them. */
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
      // A full ring only delays them: nothing was recorded, so the next check is soon.
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
    this.#onPosted(due)
    return true
  }
}
