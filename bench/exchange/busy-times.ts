// The p99 busy time of each kind of thread, from the counts that the threads keep: in this process
// from shared memory, of a server from its metrics.

import type { Distribution } from '../../engine/thread/distribution.ts'
import { metricsOf } from '../../test/support/server-process.ts'
import type { ThreadedExchange } from './threaded-exchange.ts'

const BUCKET = /^outcomex_busy_seconds_bucket\{thread="(\w+?)(?:-\d+)?",le="(.+?)"\} (\d+)$/gm

/** By kind of thread and bound: how many busy times took so many microseconds at most. */
export type BusyTimes = ReadonlyMap<string, ReadonlyMap<number, number>>
type Bucket = readonly [kind: string, boundMicros: number, count: number]

/** Adds up the buckets of all threads of a kind. */
function summed(buckets: Iterable<Bucket>): BusyTimes {
  const kinds = new Map<string, Map<number, number>>()
  for (const [kind, bound, count] of buckets) {
    const counts = kinds.get(kind) ?? new Map<number, number>()
    kinds.set(kind, counts.set(bound, (counts.get(bound) ?? 0) + count))
  }
  return kinds
}

function bucketsOf(kind: string, { bounds, counts }: Distribution): Bucket[] {
  let count = 0
  return [...bounds, Infinity].map((bound, index) => {
    count += counts[index]
    return [kind, bound, count]
  })
}

export function busyTimesOf({ pipeline, journal }: ThreadedExchange): BusyTimes {
  const markets = pipeline.shards.all.flatMap(({ busyTimes }) =>
    bucketsOf('market', busyTimes.micros),
  )
  return summed([...bucketsOf('journal', journal.busyTimes.micros), ...markets])
}

export function busyTimesIn(metrics: string): BusyTimes {
  const buckets = [...metrics.matchAll(BUCKET)].map(([, kind, bound, count]): Bucket => {
    const micros = bound === '+Inf' ? Infinity : Math.round(Number(bound) * 1e6)
    return [kind, micros, Number(count)]
  })
  return summed(buckets)
}

export async function busyTimesAt(port: number): Promise<BusyTimes> {
  return busyTimesIn(await metricsOf(`http://127.0.0.1:${port}`))
}

/** The bound in milliseconds of 99 in 100 busy times between two readings, by kind of thread. */
export function p99Ms(before: BusyTimes, after: BusyTimes): [kind: string, ms: number][] {
  return [...after].flatMap(([kind, counts]): [string, number][] => {
    const since = [...counts].map(([bound, count]) => {
      return { bound, count: count - (before.get(kind)?.get(bound) ?? 0) }
    })
    const total = since.at(-1)?.count ?? 0
    const found = since.find(({ count }) => count >= total * 0.99)
    return total === 0 || found === undefined ? [] : [[kind, found.bound / 1000]]
  })
}
