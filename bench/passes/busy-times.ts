// The p99 of a stretch of work for each kind of thread, from the counts that the threads keep: in
// this process from shared memory, of a server from its metrics.

import { assert } from '../../engine/domain/assert.ts'
import type { Distribution } from '../../engine/thread/distribution.ts'
import { ADMIN_TOKEN } from '../../test/support/server-process.ts'
import type { ThreadedExchange } from '../pipeline/threaded-exchange.ts'

const BUCKET = /^outcomex_busy_seconds_bucket\{thread="(\w+?)(?:-\d+)?",le="(.+?)"\} (\d+)$/gm

/** How many stretches of a kind of thread took so many microseconds at the most, for each bound. */
export type BusyCounts = ReadonlyMap<string, ReadonlyMap<number, number>>

function add(to: Map<string, Map<number, number>>, kind: string, bound: number, count: number) {
  const ofKind = to.get(kind) ?? new Map<number, number>()
  ofKind.set(bound, (ofKind.get(bound) ?? 0) + count)
  to.set(kind, ofKind)
}

export function busyTimesOf({ pipeline, journal }: ThreadedExchange): BusyCounts {
  const found = new Map<string, Map<number, number>>()
  const take = (kind: string, { bounds, counts }: Distribution) => {
    let count = 0
    for (const [bucket, bound] of [...bounds, Infinity].entries()) {
      count += counts[bucket]
      add(found, kind, bound, count)
    }
  }
  take('journal', journal.busyTimes.micros)
  for (const { busyTimes } of pipeline.shards.all) take('market', busyTimes.micros)
  return found
}

export function busyTimesIn(metrics: string): BusyCounts {
  const found = new Map<string, Map<number, number>>()
  for (const [, kind, bound, count] of metrics.matchAll(BUCKET)) {
    const micros = bound === '+Inf' ? Infinity : Math.round(Number(bound) * 1e6)
    add(found, kind, micros, Number(count))
  }
  return found
}

export async function busyTimesAt(port: number): Promise<BusyCounts> {
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}` }
  const reply = await fetch(`http://127.0.0.1:${port}/metrics`, { headers })
  assert(reply.ok, 'the server tells its metrics')
  return busyTimesIn(await reply.text())
}

/** The bound in milliseconds that 99 of 100 stretches keep; kinds without a stretch have none. */
export function p99Ms(before: BusyCounts, after: BusyCounts): [kind: string, ms: number][] {
  return [...after].flatMap(([kind, counts]): [string, number][] => {
    const since = [...counts].map(([bound, count]) => {
      return { bound, count: count - (before.get(kind)?.get(bound) ?? 0) }
    })
    const total = since.at(-1)?.count ?? 0
    const found = since.find(({ count }) => count >= total * 0.99)
    return total === 0 || found === undefined ? [] : [[kind, found.bound / 1000]]
  })
}
