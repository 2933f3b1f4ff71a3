// Two sides that are up at once and take turns, read by read, and the rows of what they took.

import { assert } from '../../engine/domain/assert.ts'
import { percentile } from '../http/calls.ts'
import { progress } from '../report/progress.ts'
import { median, type Row, rowOf } from '../report/report.ts'

const PERCENTILES = [50, 99]

/** Sorted latencies in milliseconds, by read and round. */
export class Rounds<Read> {
  readonly #rounds = new Map<Read, number[][]>()

  add(read: Read, ms: number[]): void {
    this.#rounds.set(read, [...(this.#rounds.get(read) ?? []), ms])
  }

  /** One figure a round. The first round warmed up the code and the pages. */
  figures(read: Read, percent: number): number[] {
    const rounds = this.#rounds.get(read)
    assert(rounds !== undefined, 'a read is measured before it is told')
    return rounds.slice(1).map((ms) => percentile(ms, percent))
  }
}

export interface Side<Read> {
  readonly name: string
  readonly rounds: Rounds<Read>
  /** Makes the calls of one round; gives their latencies. */
  readonly round: (read: Read) => Promise<number[]>
}

interface Turns<Read> {
  readonly reads: readonly Read[]
  readonly rounds: number
  /** What the reads are of, for the progress and for the rows. */
  readonly kindOf: (read: Read) => string
}

/** Measures each read on both sides; a row of `many` is judged by that of `few`. */
export async function inTurns<Read extends { readonly name: string }>(
  few: Side<Read>,
  many: Side<Read>,
  { reads, rounds, kindOf }: Turns<Read>,
): Promise<Row[]> {
  for (const read of reads) {
    progress(`reads: ${kindOf(read)}: ${read.name}`)
    for (let round = 0; round <= rounds; round++) {
      for (const side of [few, many]) side.rounds.add(read, await side.round(read))
    }
  }
  return reads.flatMap((read) =>
    PERCENTILES.flatMap((percent) => {
      const title = ({ name }: Side<Read>) => `${kindOf(read)}: ${read.name}, p${percent}, ${name}`
      const first = rowOf(title(few), 'ms', few.rounds.figures(read, percent))
      const large = many.rounds.figures(read, percent)
      const ratio = first.median / median(large)
      return [first, rowOf(title(many), 'ms', large, { yardstick: first.case, ratio })]
    }),
  )
}
