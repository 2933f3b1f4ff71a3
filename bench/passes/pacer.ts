import { build, type Histogram } from 'hdr-histogram-js'
import { spawn } from '../../engine/thread/spawn.ts'

export interface PacerData {
  readonly perSecond: number
  readonly count: number
}

export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6
}

/** Latencies in microseconds. */
export function newHistogram(): Histogram {
  return build({ lowestDiscernibleValue: 1, highestTrackableValue: 60_000_000 })
}

/**
 * Begins `count` operations at a constant rate, whether earlier ones have ended or not. Gives their
 * latencies from the moment when each was meant to begin.
 */
export function paced(
  data: PacerData,
  begin: (index: number, done: () => void) => void,
): Promise<Histogram> {
  const histogram = newHistogram()
  const worker = spawn(new URL('./pacer.worker.ts', import.meta.url), {
    name: 'pacer',
    workerData: data,
  })
  let begun = 0
  let ended = 0
  return new Promise((resolve, reject) => {
    worker.on('error', reject)
    worker.on('message', (intendedMs: number) => {
      begin(begun++, () => {
        histogram.recordValue(Math.max(1, Math.round((monotonicMs() - intendedMs) * 1000)))
        if (++ended === data.count) resolve(histogram)
      })
    })
  })
}

export const PERCENTILES = [50, 99, 99.9, 99.99, 100] as const

export function percentileName(percentile: number): string {
  return percentile === 100 ? 'worst' : `p${percentile}`
}
