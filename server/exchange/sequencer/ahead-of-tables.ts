import type { Seq } from '../../../engine/domain/ids.ts'

// Private reads wait, for at most a second, until the read tables contain everything that was
// published to any client. Main ends orders faster than the follower can apply that, so orders that
// end at one instant, by expiration or with their market, end in bursts: the next burst waits until
// the tables contain the previous one.

/** Orders of one burst: the follower applies them in a fraction of a second. */
const BURST_MAX = 1 << 17

export class AheadOfTables {
  readonly #tablesSeq: () => Seq
  readonly #burstMax: number
  /** Orders of this burst, and the command that ended the last of them. */
  #count = 0
  #lastSeq: Seq = 0

  constructor(tablesSeq: () => Seq = () => Number.POSITIVE_INFINITY, burstMax = BURST_MAX) {
    this.#tablesSeq = tablesSeq
    this.#burstMax = burstMax
  }

  /** Whether further orders must wait for the tables. */
  get isFull(): boolean {
    if (this.#count < this.#burstMax) return false
    if (this.#tablesSeq() < this.#lastSeq) return true
    this.#count = 0
    return false
  }

  /** Adds the orders ended by the command `seq`. */
  ended(seq: Seq, count: number): void {
    this.#count += count
    this.#lastSeq = seq
  }
}
