// What a load measured, from the reports of its threads.

import { type Histogram, HistogramLog, newHistogram, percentileMs, unpacked } from './histogram.ts'
import { eachOperation, type Interval, OPERATIONS, type Operation } from './load-plan.ts'

/** Latencies of accepted requests; null without any. */
export interface Latencies {
  readonly p50Ms: number | null
  readonly p90Ms: number | null
  readonly p99Ms: number | null
  readonly p999Ms: number | null
  readonly p9999Ms: number | null
  readonly maxMs: number | null
}

export interface OperationResult extends Latencies {
  readonly accepted: number
  readonly perSecond: number
}

/** How well the load itself kept up. */
export interface GeneratorResult {
  /** The largest part of a second in which a thread had work. */
  readonly busyPart: number
  /** How late requests began, at the 99th percentile; null in a closed loop. */
  readonly lateP99Ms: number | null
  readonly connectionWaits: number
  readonly signatureWaits: number
}

export interface LoadResult {
  readonly seconds: number
  readonly operations: Readonly<Record<Operation | 'all', OperationResult>>
  readonly refused: Readonly<Record<string, number>>
  /** Requests without an answer at the end. */
  readonly unanswered: number
  readonly generator: GeneratorResult
}

/** One second of all threads, for the line that shows progress. */
export interface Second {
  readonly sec: number
  readonly accepted: number
  readonly refused: number
  readonly p50Ms: number | null
  readonly p99Ms: number | null
}

function latenciesOf(histogram: Histogram): Latencies {
  const at = (percentile: number) => percentileMs(histogram, percentile)
  return {
    p50Ms: at(50),
    p90Ms: at(90),
    p99Ms: at(99),
    p999Ms: at(99.9),
    p9999Ms: at(99.99),
    maxMs: at(100),
  }
}

function sumOf(refused: Readonly<Record<string, number>>): number {
  return Object.values(refused).reduce((sum, count) => sum + count, 0)
}

export class LoadTotals {
  readonly #threads: number
  readonly #log: HistogramLog | null
  readonly #of = eachOperation(newHistogram)
  readonly #lateness = newHistogram()
  readonly #refused: Record<string, number> = {}
  /** Reports of the current second. */
  #reports: Interval[] = []
  #lastSec = 0
  #busyPart = 0
  #connectionWaits = 0
  #signatureWaits = 0
  unanswered = 0

  /** `write` gets the log of the latencies; absent for none. */
  constructor(threads: number, startMs: number, write?: (text: string) => void) {
    this.#threads = threads
    this.#log = write === undefined ? null : new HistogramLog(write, startMs)
  }

  /** Adds the report of one thread; returns the second when there are as many as threads. */
  add(interval: Interval): Second | null {
    this.#lateness.add(unpacked(interval.lateness))
    this.#busyPart = Math.max(this.#busyPart, interval.busyPart)
    this.#connectionWaits += interval.connectionWaits
    this.#signatureWaits += interval.signatureWaits
    for (const [name, count] of Object.entries(interval.refused)) {
      this.#refused[name] = (this.#refused[name] ?? 0) + count
    }
    this.#reports.push(interval)
    return this.#reports.length < this.#threads ? null : this.#second()
  }

  #second(): Second {
    const reports = this.#reports
    this.#reports = []
    const fromSec = this.#lastSec
    this.#lastSec = Math.max(...reports.map(({ untilSec }) => untilSec))
    const all = newHistogram()
    for (const operation of OPERATIONS) {
      const own = newHistogram()
      for (const { latencies } of reports) own.add(unpacked(latencies[operation]))
      if (own.totalCount === 0) continue
      this.#of[operation].add(own)
      all.add(own)
      this.#log?.add(operation, own, fromSec, this.#lastSec)
    }
    const refused = reports.reduce((sum, report) => sum + sumOf(report.refused), 0)
    const { p50Ms, p99Ms } = latenciesOf(all)
    return { sec: this.#lastSec, accepted: all.totalCount, refused, p50Ms, p99Ms }
  }

  /** Call it when all threads have ended. */
  result(): LoadResult {
    // A thread that ended later has more reports than the others.
    if (this.#reports.length > 0) this.#second()
    const seconds = this.#lastSec
    const all = newHistogram()
    const of = (histogram: Histogram): OperationResult => ({
      accepted: histogram.totalCount,
      perSecond: histogram.totalCount / Math.max(seconds, 0.001),
      ...latenciesOf(histogram),
    })
    for (const operation of OPERATIONS) all.add(this.#of[operation])
    return {
      seconds,
      operations: { ...eachOperation((operation) => of(this.#of[operation])), all: of(all) },
      refused: this.#refused,
      unanswered: this.unanswered,
      generator: {
        busyPart: this.#busyPart,
        lateP99Ms: percentileMs(this.#lateness, 99),
        connectionWaits: this.#connectionWaits,
        signatureWaits: this.#signatureWaits,
      },
    }
  }
}
