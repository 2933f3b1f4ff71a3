// The work of each thread: per uninterrupted run, and in total.

import { MS_PER_SEC } from '../../engine/domain/units.ts'
import type { BusyTimes } from '../../engine/thread/busy-times.ts'
import type { Distribution } from '../../engine/thread/distribution.ts'
import type { EdgeCounts } from '../edge/threads/edge-counts.ts'
import type { Metrics, Series } from '../ops/metrics.ts'
import type { Requested } from '../ops/readiness.ts'
import type { RunningExchange } from './open.ts'

const MICROS_PER_SEC = 1e6

/** A thread with connections, with one busy time per wake-up. */
export interface WatchedThread extends Requested {
  readonly name: string
  readonly busyTimes: BusyTimes
  readonly counts: Pick<EdgeCounts, 'read'>
  /** Its event loop counts for itself: its work has parts outside of the busy times. */
  readonly activeMs: number
}

/** What the journal thread does between its busy times. */
interface BetweenBusyTimes {
  readonly micros: Distribution
  readonly shortMicros: Distribution
}

/** Every thread except main, whose event loop counts for itself. */
function busyTimesOf(
  { shards, journal, follower, query }: RunningExchange,
  edges: readonly WatchedThread[],
) {
  const markets = shards.all.filter((shard) => !shard.isInline)
  const inThreads = [...edges, ...markets]
  return [
    ...inThreads.map(({ name, busyTimes }) => ({ labels: { thread: name }, busyTimes })),
    { labels: { thread: 'journal' }, busyTimes: journal.busyTimes },
    { labels: { thread: 'follower' }, busyTimes: follower.figures.busyTimes },
    { labels: { thread: 'query' }, busyTimes: query.busyTimes },
  ]
}

/** The garbage collections of every thread except main. */
export function collectionsOf(
  exchange: RunningExchange,
  edges: readonly WatchedThread[],
): Series[] {
  return busyTimesOf(exchange, edges).map(({ labels, busyTimes }) => {
    return { labels, values: busyTimes.collectionMicros }
  })
}

export function watchThreads(
  exchange: RunningExchange,
  edges: readonly WatchedThread[],
  commits: BetweenBusyTimes,
  metrics: Metrics,
): void {
  const worked =
    'Uninterrupted work of a thread, from a wake-up to the next sleep or poll. Commits and ' +
    'checkpoints are excluded, collections included. Not recorded for main.'
  const timesWorked = () =>
    busyTimesOf(exchange, edges).map(({ labels, busyTimes }) => ({
      labels,
      values: busyTimes.micros,
    }))
  metrics.seconds('outcomex_busy_seconds', worked, timesWorked)
  const formerly = 'Deprecated name of outcomex_busy_seconds; the next version drops it.'
  metrics.seconds('outcomex_stretch_seconds', formerly, timesWorked)
  const { commitMicros } = exchange.follower.figures
  const committed = 'One commit of the read tables, including its checkpoint.'
  metrics.seconds('outcomex_tables_commit_seconds', committed, () => [
    { labels: {}, values: commitMicros },
  ])
  const busy =
    'Time that a thread did not wait for work. Includes commits and their wait for the ' + 'disk.'
  metrics.totals('outcomex_thread_busy_seconds_total', busy, ['thread'], () => {
    const besides: Readonly<Record<string, number>> = {
      journal: commits.micros.sum + commits.shortMicros.sum,
      follower: commitMicros.sum,
    }
    // The event loop of main counts its waits anyway, so an order costs nothing more.
    const mainSec = performance.eventLoopUtilization().active / MS_PER_SEC
    return [
      { labels: { thread: 'main' }, value: mainSec },
      ...edges.map(({ name, activeMs }) => {
        return { labels: { thread: name }, value: activeMs / MS_PER_SEC }
      }),
      ...busyTimesOf(exchange, []).map(({ labels, busyTimes }) => {
        const allMicros = busyTimes.micros.sum + (besides[labels.thread] ?? 0)
        return { labels, value: allMicros / MICROS_PER_SEC }
      }),
    ]
  })
}
