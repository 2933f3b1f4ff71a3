import type { Seq } from '../../../engine/domain/ids.ts'

// Rows that are read by market arrive by time. In an index by market, each new row would touch a
// different page, and a commit writes whole pages: with ten million trades the follower would write
// one page per trade. So these indexes begin with an epoch, a range of consecutive commands. A
// commit only touches pages of the newest epoch, and a small table lists the epochs of each market.
// A read back in time visits its market's epochs one by one.

export const EPOCH_BITS = 17

/** The epoch of a command; in SQL `seq >> 17`. */
export function epochOf(seq: Seq): number {
  return Math.floor(seq / 2 ** EPOCH_BITS)
}
