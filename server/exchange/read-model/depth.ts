// Hot path. bench/pipeline.bench.ts
// The public book of one market, built from the same events that it publishes (invariant 1). Only
// durable events arrive here. Invariant: a level's size is the sum of its resting orders' sizes.

import { assert } from '../../../engine/domain/assert.ts'
import { ladderTicks, OUTCOME } from '../../../engine/domain/order.ts'

export interface Level {
  ticks: number
  sizeRaw: number
}

/** The asks that price a leg, in ticks of its token. */
export interface LegRange {
  readonly least: number
  readonly most: number
  readonly span: number
}

const NO_ASK = 1000

export class Depth {
  readonly #sizeRaw = new Float64Array(NO_ASK)
  readonly #isBid = new Uint8Array(NO_ASK)
  /** Orders of a level that count for the adjusted midpoint: remaining ≥ minSize (rules §11.1). */
  readonly #largeCount = new Int32Array(NO_ASK)
  readonly #minSizeRaw: number

  constructor(minSizeRaw: number) {
    this.#minSizeRaw = minSizeRaw
  }

  rested(ticks: number, leftRaw: number, isBid: boolean): void {
    this.#isBid[ticks] = isBid ? 1 : 0
    this.#sizeRaw[ticks] += leftRaw
    if (leftRaw >= this.#minSizeRaw) this.#largeCount[ticks]++
  }

  /** Shrinks a resting order from `beforeRaw` to `afterRaw`, which is 0 when it left. */
  shrank(ticks: number, beforeRaw: number, afterRaw: number): void {
    assert(this.#sizeRaw[ticks] >= beforeRaw - afterRaw, 'a level holds at least what leaves it')
    this.#sizeRaw[ticks] -= beforeRaw - afterRaw
    if (beforeRaw >= this.#minSizeRaw && afterRaw < this.#minSizeRaw) this.#largeCount[ticks]--
  }

  /** The levels of the bids, best first. */
  bids(): Level[] {
    return this.#levels(true).reverse()
  }

  /** The levels of the asks, best first. */
  asks(): Level[] {
    return this.#levels(false)
  }

  /** The size of the level of one side; 0 when there is none. */
  sizeRaw(ticks: number, isBid: boolean): number {
    return (this.#isBid[ticks] === 1) === isBid ? this.#sizeRaw[ticks] : 0
  }

  /** Copies the sizes by tick; those of asks are negative. */
  signedInto(column: Float64Array): void {
    for (let ticks = 1; ticks < NO_ASK; ticks++) {
      const sizeRaw = this.#sizeRaw[ticks]
      column[ticks] = this.#isBid[ticks] === 1 ? sizeRaw : 0 - sizeRaw
    }
  }

  #levels(bids: boolean): Level[] {
    const levels: Level[] = []
    for (let ticks = 1; ticks < NO_ASK; ticks++) {
      const sizeRaw = this.#sizeRaw[ticks]
      if (sizeRaw > 0 && (this.#isBid[ticks] === 1) === bids) levels.push({ ticks, sizeRaw })
    }
    return levels
  }

  /** The cost of all orders to their makers. An ask counts as the equivalent bid for NO. */
  restingRaw(): number {
    let sumRaw = 0
    for (let ticks = 1; ticks < NO_ASK; ticks++) {
      const costTicks = this.#isBid[ticks] === 1 ? ticks : NO_ASK - ticks
      sumRaw += (this.#sizeRaw[ticks] / NO_ASK) * costTicks
    }
    return sumRaw
  }

  /** Best bid in ticks; 0 when none. `largeOnly` counts only levels with a large order. */
  bestBid(largeOnly = false): number {
    for (let ticks = NO_ASK - 1; ticks > 0; ticks--) {
      if (this.#counts(ticks, 1, largeOnly)) return ticks
    }
    return 0
  }

  /** Best ask in ticks; 1000 when none. */
  bestAsk(largeOnly = false): number {
    for (let ticks = 1; ticks < NO_ASK; ticks++) {
      if (this.#counts(ticks, 0, largeOnly)) return ticks
    }
    return NO_ASK
  }

  /** The lowest ask of a token from `least` to `most`, in its own ticks; null without one. */
  bestAskWithin(outcome: number, least: number, most: number): number | null {
    // The asks of NO are the bids for YES.
    const isBid = outcome === OUTCOME.YES ? 0 : 1
    for (let own = least; own <= most; own++) {
      if (this.#counts(ladderTicks(outcome, own), isBid, false)) return own
    }
    return null
  }

  /**
   * The asks of a token that can price a leg of a pack, in its own ticks, best first: those from
   * `least` on that are within `span` of the best of them. Plus one below, or one above when there
   * is none in between, which explain why there is no price.
   */
  asksToPrice(outcome: number, { least, most, span }: LegRange): Level[] {
    const isBid = outcome === OUTCOME.YES ? 0 : 1
    const found: Level[] = []
    let untilTicks = most
    let isBelow = false
    let isPriced = false
    for (let own = 1; own < NO_ASK; own++) {
      if (own > untilTicks && isPriced) break
      if (isBelow && own < least) continue
      const ticks = ladderTicks(outcome, own)
      if (!this.#counts(ticks, isBid, false)) continue
      found.push({ ticks: own, sizeRaw: this.#sizeRaw[ticks] })
      if (own > most) break
      if (own < least) isBelow = true
      else if (!isPriced) {
        isPriced = true
        untilTicks = Math.min(most, own + span)
      }
    }
    return found
  }

  #counts(ticks: number, isBid: number, largeOnly: boolean): boolean {
    if (this.#sizeRaw[ticks] === 0 || this.#isBid[ticks] !== isBid) return false
    return !largeOnly || this.#largeCount[ticks] > 0
  }
}
