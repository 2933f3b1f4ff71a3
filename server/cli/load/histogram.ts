// Latencies as HDR histograms: microseconds, three digits, up to a minute.

import {
  build,
  decodeFromCompressedBase64,
  encodeIntoCompressedBase64,
  type Histogram,
  HistogramLogWriter,
} from 'hdr-histogram-js'

export type { Histogram }

const MICROS_MAX = 60_000_000
const MICROS_PER_MS = 1000

export function newHistogram(): Histogram {
  return build({ lowestDiscernibleValue: 1, highestTrackableValue: MICROS_MAX })
}

export function recordMs(histogram: Histogram, ms: number): void {
  const micros = Math.round(ms * MICROS_PER_MS)
  histogram.recordValue(Math.min(Math.max(1, micros), MICROS_MAX))
}

/** The value at or below which `percentile` percent of the values lie; null without values. */
export function percentileMs(histogram: Histogram, percentile: number): number | null {
  if (histogram.totalCount === 0) return null
  return histogram.getValueAtPercentile(percentile) / MICROS_PER_MS
}

/** As text, to pass it between threads. */
export function packed(histogram: Histogram): string {
  return encodeIntoCompressedBase64(histogram)
}

export function unpacked(text: string): Histogram {
  return decodeFromCompressedBase64(text)
}

/** Writes a log of HdrHistogram, which its tools read: one line for each interval and tag. */
export class HistogramLog {
  readonly #writer: HistogramLogWriter

  constructor(write: (text: string) => void, startMs: number) {
    this.#writer = new HistogramLogWriter(write)
    this.#writer.outputLogFormatVersion()
    this.#writer.outputComment('[Latencies in microseconds; the maximum in milliseconds]')
    this.#writer.outputStartTime(startMs)
    this.#writer.outputLegend()
  }

  /** The interval in seconds since the start. */
  add(tag: string, histogram: Histogram, fromSec: number, untilSec: number): void {
    histogram.tag = tag
    this.#writer.outputIntervalHistogram(histogram, fromSec, untilSec, MICROS_PER_MS)
  }
}
