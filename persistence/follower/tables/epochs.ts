import type { Seq } from '../../../engine/domain/ids.ts'

// Rows that are read by market come in by time. In one index by market, each new row would touch a
// page of its own, and a commit writes whole pages: with ten million trades the follower would
// write a page for each trade. So these indexes begin with an epoch: so many commands in a row. A
// commit touches the pages of the newest epoch alone, and a small table says in which epochs each
// market has rows. A read that goes back in time goes from epoch to epoch of its market.

export const EPOCH_BITS = 17

/** The epoch of a command; SQL writes it as `seq >> 17`. */
export function epochOf(seq: Seq): number {
  return Math.floor(seq / 2 ** EPOCH_BITS)
}
