// The cost to the house of the packs of the newest UTC day (rules §8.4). A pack counts for the day
// of its creation, while it is open and afterwards. So whatever wins, one day's packs cost the
// house at most that day's limit. Only commands change it; one thread writes.
// Invariants: `openRaw` is the sum of payout less stake over the day's open packs; `endedRaw` is
// the sum of payment less stake over its ended packs, and may be negative.

import { assert } from '../../domain/assert.ts'
import { PACK_LIMITS } from '../../domain/packs/pack-limits.ts'
import type { CollateralRaw } from '../../domain/units.ts'

interface DayPack {
  readonly stakeRaw: CollateralRaw
  readonly payoutRaw: CollateralRaw
  /** Absent for packs of journals older than the limit. */
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
  /** The operators' setting; null = the default. */
  #maxRaw: CollateralRaw | null = null

  get maxRaw(): CollateralRaw | null {
    return this.#maxRaw
  }

  /** What this day's packs have cost, plus what open ones may still cost. */
  lossRaw(day: number): CollateralRaw {
    return day === this.#day ? this.#endedRaw + this.#openRaw : 0
  }

  /**
   * This day's limit. `hasRaw` is the house's funds, free and reserved. The cost or gain of the
   * day's packs is excluded, so that the limit does not move with them.
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
    assert(this.#openRaw >= 0, 'the open sum of a day is not negative')
  }

  #begin(day: number, endedRaw: CollateralRaw): void {
    this.#day = day
    this.#endedRaw = endedRaw
    this.#openRaw = 0
  }

  /** Empty before the first pack that counts for a day, unless operators set a limit. */
  *hashedFields(): Iterable<unknown> {
    if (this.#day !== 0) yield ['houseDay', this.#day, this.#endedRaw]
    if (this.#maxRaw !== null) yield ['houseDayMax', this.#maxRaw]
  }

  capture(): CapturedHouseDay {
    return { day: this.#day, endedRaw: this.#endedRaw, maxRaw: this.#maxRaw }
  }

  /** Called before the packs are restored, which add the open sum. */
  restore({ day, endedRaw, maxRaw }: CapturedHouseDay): void {
    assert(this.#day === 0, 'only a fresh state is restored')
    this.#begin(day, endedRaw)
    this.#maxRaw = maxRaw
  }
}
