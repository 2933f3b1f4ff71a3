// What the packs of the newest UTC day cost the house (rules §8.4). A pack counts for the day on
// which it was made, until it is over and after: so whatever wins, the packs of one day cost the
// house no more than the bound of that day. Only commands change it; one thread writes.
// Invariants: `openRaw` is the sum of payout less stake over the packs of the day that are not
// over; `endedRaw` is the sum of what the others paid less their stakes, and may be negative.

import { assert } from '../../domain/assert.ts'
import { PACK_LIMITS } from '../../domain/packs/pack-limits.ts'
import type { CollateralRaw } from '../../domain/units.ts'

interface DayPack {
  readonly stakeRaw: CollateralRaw
  readonly payoutRaw: CollateralRaw
  /** Absent for a pack of a journal that is older than the bound. */
  readonly day?: number | undefined
}

export interface CapturedHouseDay {
  readonly day: number
  readonly endedRaw: CollateralRaw
  readonly maxRaw: CollateralRaw | null
}

export class HouseDay {
  #day = 0
  #endedRaw: CollateralRaw = 0
  #openRaw: CollateralRaw = 0
  /** What operators set; null for the default. */
  #maxRaw: CollateralRaw | null = null

  get maxRaw(): CollateralRaw | null {
    return this.#maxRaw
  }

  /** What the packs of this day have cost, and what the open ones may still cost. */
  lossRaw(day: number): CollateralRaw {
    return day === this.#day ? this.#endedRaw + this.#openRaw : 0
  }

  /**
   * The bound of this day. `hasRaw` is what the house has, free and set aside. What the packs of
   * the day cost or brought is taken out of it, so that the bound does not move with them.
   */
  boundRaw(day: number, hasRaw: CollateralRaw): CollateralRaw {
    if (this.#maxRaw !== null) return this.#maxRaw
    const withoutDayRaw = day === this.#day ? hasRaw + this.#endedRaw : hasRaw
    return Math.floor(withoutDayRaw / PACK_LIMITS.housePartOfDay)
  }

  setMax(maxRaw: CollateralRaw | null): void {
    this.#maxRaw = maxRaw
  }

  made({ day, stakeRaw, payoutRaw }: DayPack): void {
    if (day === undefined) return
    if (day > this.#day) this.#begin(day, 0)
    if (day === this.#day) this.#openRaw += payoutRaw - stakeRaw
  }

  ended({ day, stakeRaw, payoutRaw }: DayPack, paidRaw: CollateralRaw): void {
    if (day === undefined || day !== this.#day) return
    this.#openRaw -= payoutRaw - stakeRaw
    this.#endedRaw += paidRaw - stakeRaw
    assert(this.#openRaw >= 0, 'the day counts each open pack once')
  }

  #begin(day: number, endedRaw: CollateralRaw): void {
    this.#day = day
    this.#endedRaw = endedRaw
    this.#openRaw = 0
  }

  /** No fact before the first pack that counts for a day, and without a figure of operators. */
  *hashedFields(): Iterable<unknown> {
    if (this.#day !== 0) yield ['houseDay', this.#day, this.#endedRaw]
    if (this.#maxRaw !== null) yield ['houseDayMax', this.#maxRaw]
  }

  capture(): CapturedHouseDay {
    return { day: this.#day, endedRaw: this.#endedRaw, maxRaw: this.#maxRaw }
  }

  /** Comes before the packs, which add what is open. */
  restore({ day, endedRaw, maxRaw }: CapturedHouseDay): void {
    assert(this.#day === 0, 'only a fresh state is restored')
    this.#begin(day, endedRaw)
    this.#maxRaw = maxRaw
  }
}
