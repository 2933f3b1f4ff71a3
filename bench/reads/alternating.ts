// Two sides that are up at once and take turns, read by read, and the rows of what they took.

import { assert } from '../../engine/domain/assert.ts'
import { percentile } from '../http/calls.ts'
import { monotonicMs } from '../passes/pacer.ts'
import { progress } from '../report/progress.ts'
import { median, type Row, rowOf } from '../report/report.ts'

const PERCENTILES = [50, 99]

/** Sorted latencies in milliseconds, by read and round. */
export class Rounds<Read> {
  readonly #rounds = new Map<Read, number[][]>()

  add(read: Read, ms: number[]): void {
    this.#rounds.set(read, [...(this.#rounds.get(read) ?? []), ms])
  }

  /** One figure a round. */
  figures(read: Read, percent: number): number[] {
    const rounds = this.#rounds.get(read)
    assert(rounds !== undefined, 'a read is measured before it is told')
    return rounds.map((ms) => percentile(ms, percent))
  }
}

export interface Side<Read> {
  readonly name: string
  readonly rounds: Rounds<Read>
  /** Makes the calls of one round; gives their latencies. */
  readonly round: (read: Read) => Promise<number[]>
}

export interface Pace {
  readonly rounds: number
  /** Calls of a round. */
  readonly calls: number
  /** How long each read is asked on each side before its first round, at least one round. */
  readonly warmMs: number
}

interface Alternation<Read> extends Pace {
  readonly reads: readonly Read[]
  /** What the reads are of, for the progress and for the rows. */
  readonly kindOf: (read: Read) => string
}

/** The compilers of the language work on a read for thousands of calls, and its tail is theirs. */
async function warmUp<Read>(side: Side<Read>, read: Read, warmMs: number): Promise<void> {
  const untilMs = monotonicMs() + warmMs
  do await side.round(read)
  while (monotonicMs() < untilMs)
}

/** Measures each read on both sides; a row of `many` is judged by that of `few`. */
export async function alternating<Read extends { readonly name: string }>(
  few: Side<Read>,
  many: Side<Read>,
  { reads, rounds, warmMs, kindOf }: Alternation<Read>,
): Promise<Row[]> {
  for (const read of reads) {
    progress(`reads: ${kindOf(read)}: ${read.name}`)
    for (const side of [few, many]) await warmUp(side, read, warmMs)
    for (let round = 0; round < rounds; round++) {
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
