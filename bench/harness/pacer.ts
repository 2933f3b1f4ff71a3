// Operations at a constant rate, and their latencies.

import { build, type Histogram } from 'hdr-histogram-js'
import { spawn } from '../../engine/thread/spawn.ts'
import type { Case } from './bench.ts'

export interface PacerData {
  readonly perSecond: number
  readonly count: number
}

const PERCENTILES = [50, 99, 99.9, 99.99, 100] as const

export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6
}

/** Latencies in microseconds. */
export function newHistogram(): Histogram {
  return build({ lowestDiscernibleValue: 1, highestTrackableValue: 60_000_000 })
}

/** Latencies of one run in milliseconds: one for each percentile of `percentilesOf`. */
export type Latencies = readonly number[]

/**
 * Starts `count` operations at a constant rate, whether earlier ones have ended or not. Latencies
 * count from the intended start of each, so every wait is included.
 */
export function paced(
  data: PacerData,
  begin: (index: number, done: () => void) => void,
): Promise<Latencies> {
  const histogram = newHistogram()
  const entry = new URL('./pacer.worker.ts', import.meta.url)
  const worker = spawn(entry, { name: 'pacer', workerData: data })
  let begun = 0
  let ended = 0
  return new Promise((resolve, reject) => {
    worker.on('error', reject)
    worker.on('message', (intendedMs: number) => {
      begin(begun++, () => {
        histogram.recordValue(Math.max(1, Math.round((monotonicMs() - intendedMs) * 1000)))
        if (++ended < data.count) return
        resolve(PERCENTILES.map((each) => histogram.getValueAtPercentile(each) / 1000))
      })
    })
  })
}

/** The samples of each percentile over several runs. */
export function percentilesOf(runs: readonly Latencies[]): Case[] {
  return PERCENTILES.map((percentile, index) => ({
    name: percentile === 100 ? 'worst' : `p${percentile}`,
    samples: runs.map((run) => run[index]),
  }))
}
