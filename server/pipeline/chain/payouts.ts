// Payouts of resolved markets. One is posted when a block holds the last trade of its market
// (design §5), so that what it pays can never be taken back. Main's thread owns it.

import type { Clearing } from '../../../engine/core/clearing.ts'
import { mayPayOut } from '../../../engine/core/decide/endings.ts'
import { LIMITS } from '../../../engine/domain/limits.ts'
import type { TimeMs } from '../../../engine/domain/units.ts'
import { faultPoint } from '../../../engine/thread/fault-point.ts'
import type { Sequencer } from '../spine/sequencer.ts'

export class Payouts {
  readonly #clearing: Clearing
  readonly #sequencer: Sequencer
  #lookedMs: TimeMs = 0
  /** What the last look saw: the same again gives the same answer. */
  #seen = { unpaid: 0, closed: 0, throughSeq: 0, aside: 0 }

  constructor(parts: { clearing: Clearing; sequencer: Sequencer }) {
    this.#clearing = parts.clearing
    this.#sequencer = parts.sequencer
  }

  /** When to look next; Infinity while nothing can be paid out that could not be before. */
  get nextDueMs(): TimeMs {
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

  /** Posts the payouts that are due, a bounded number at a time. */
  tick(): void {
    const nowMs = this.#sequencer.nowMs()
    if (nowMs < this.nextDueMs) return
    this.#lookedMs = nowMs
    const { catalogue, blocks } = this.#clearing
    const due: number[] = []
    for (const market of catalogue.unpaid) {
      if (due.length === LIMITS.payoutsAtOnceMax) break
      if (mayPayOut(this.#clearing, market)) due.push(market.marketId)
    }
    if (due.length > 0) {
      faultPoint('before-payouts')
      const change = this.#sequencer.change(() => ({ kind: 'postPayouts', marketIds: due }))
      // A full ring only delays them: the next look is soon, since nothing was noted.
      if (change.reject !== null || due.length === LIMITS.payoutsAtOnceMax) return
    }
    const { throughSeq, asideCount: aside } = blocks
    this.#seen = { unpaid: catalogue.unpaid.size, closed: catalogue.closedCount, throughSeq, aside }
  }
}
