// Operations at a constant rate, and their latencies.

import { newHistogram, percentileMs, recordMs } from '../../server/cli/load/histogram.ts'
import { monotonicMs, type Pace, startPacer } from '../../server/cli/load/pacer.ts'
import { type Case, type Row, rowOf } from './bench.ts'

const PERCENTILES = [50, 99, 99.9, 99.99, 100] as const

/** Latencies of one run in milliseconds: one for each percentile of `percentilesOf`. */
export type Latencies = readonly number[]

/**
 * Starts `count` operations at a constant rate, whether earlier ones have ended or not. Latencies
 * count from the intended start of each, so every wait is included.
 */
export function paced(
  pace: Pace,
  begin: (index: number, done: () => void) => void,
): Promise<Latencies> {
  const histogram = newHistogram()
  let begun = 0
  let ended = 0
  return new Promise((resolve, reject) => {
    const start = (intendedMs: number) => {
      begin(begun++, () => {
        recordMs(histogram, monotonicMs() - intendedMs)
        if (++ended < pace.count) return
        resolve(PERCENTILES.map((each) => percentileMs(histogram, each) ?? 0))
      })
    }
    startPacer(pace, start, reject)
  })
}

/** The percentiles of single latencies in milliseconds. */
export function latenciesFrom(tookMs: readonly number[]): Latencies {
  const histogram = newHistogram()
  for (const ms of tookMs) recordMs(histogram, ms)
  return PERCENTILES.map((each) => percentileMs(histogram, each) ?? 0)
}

/** The samples of each percentile over several runs. */
export function percentilesOf(runs: readonly Latencies[]): Case[] {
  return PERCENTILES.map((percentile, index) => ({
    name: percentile === 100 ? 'worst' : `p${percentile}`,
    samples: runs.map((run) => run[index]),
  }))
}

/** The rows of each percentile `during` something and without it; the p99 is compared. */
export function besideRows(
  during: string,
  runs: readonly { readonly latencies: Latencies }[],
  plainRuns: readonly { readonly latencies: Latencies }[],
): Row[] {
  const without = percentilesOf(plainRuns.map(({ latencies }) => latencies))
  return percentilesOf(runs.map(({ latencies }) => latencies)).flatMap(
    ({ name, samples }, index) => {
      const baseline = rowOf(`without, ${name}`, 'ms', without[index].samples)
      const judgedBy = name === 'p99' ? baseline : undefined
      return [rowOf(`${name} while ${during}`, 'ms', samples, judgedBy), baseline]
    },
  )
}
