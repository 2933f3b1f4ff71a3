// Encoded commands go through sequencer, journal (full) and market threads until they are settled
// and durable. Highest rate: a fixed number of commands under way. Latency: a constant rate,
// counted from when each command was meant to begin. The yardstick is SQLite alone, with the run's
// own batches or with a lone commit.

import type { OnCommit } from '../persistence/journal/thread/journal-handle.ts'
import { flood } from './http/flood.ts'
import { type BusyCounts, busyTimesOf, p99Ms } from './passes/busy-times.ts'
import { withFolder } from './passes/folder.ts'
import { PERCENTILES, paced, percentileName } from './passes/pacer.ts'
import { type BatchSize, replayRaw } from './pipeline/raw-commits.ts'
import { openThreaded, type ThreadedExchange } from './pipeline/threaded-exchange.ts'
import { progress } from './report/progress.ts'
import { type BenchOptions, median, type Report, type Row, rowOf } from './report/report.ts'
import { Workload } from './workload/workload.ts'
import { WorkloadFeed } from './workload/workload-feed.ts'

const RUNS = 5
const ACCOUNTS = 64
const LIVE = 5000
const OPS = 150_000
/** The number of commands under way decides the batches, and so the yardstick. */
const CASES = [
  { markets: 1, inFlight: 64 },
  { markets: 1, inFlight: 1024 },
  { markets: 1, inFlight: 4096 },
  { markets: 4, inFlight: 4096 },
] as const
type Case = (typeof CASES)[number]
const RATES = [1000, 5000, 20_000]
const LATENCY_SECONDS = 3
const LONE_COMMITS = 2000
const RECORD_BYTES = 264

function titleOf({ markets, inFlight }: Case): string {
  return `${markets} market${markets === 1 ? '' : 's'}, ${inFlight} under way`
}

async function open(
  dataDir: string,
  markets: number,
  { onCommit, ...options }: { live: number; ops: number; onCommit?: OnCommit },
) {
  const work = new Workload({ seed: 1, books: markets, accounts: ACCOUNTS, ...options })
  const exchange = await openThreaded(dataDir, { accounts: ACCOUNTS, markets }, onCommit)
  const feed = new WorkloadFeed(work, exchange.pipeline)
  await flood(feed, { from: 0, to: work.filled })
  return { work, exchange, feed }
}

async function highestRate({ markets, inFlight }: Case, live: number, ops: number) {
  const ours = await withFolder(async (dataDir) => {
    const all: number[] = []
    const onCommit = (records: number) => all.push(records)
    const { work, exchange, feed } = await open(dataDir, markets, { live, ops, onCommit })
    const filling = all.length
    const bytesBefore = feed.bytes
    const startMs = performance.now()
    await flood(feed, { from: work.filled, to: work.count, inFlight })
    const seconds = (performance.now() - startMs) / 1000
    const meanBytes = Math.round((feed.bytes - bytesBefore) / ops)
    await exchange.stop()
    const batches: BatchSize[] = all
      .slice(filling)
      .map((records) => ({ records, bytes: records * meanBytes }))
    return { perSecond: ops / seconds, batches }
  })
  const raw = await withFolder(async (folder) => replayRaw(folder, ours.batches))
  return { ...ours, rawPerSecond: raw.perSecond }
}

async function rateRows(smoke: boolean): Promise<Row[]> {
  const rows: Row[] = []
  for (const each of CASES) {
    const ours: number[] = []
    const raw: number[] = []
    const widths: number[] = []
    for (let run = 0; run < (smoke ? 1 : RUNS); run++) {
      progress(`pipeline: ${titleOf(each)}, run ${run + 1}`)
      const result = await highestRate(each, smoke ? 100 : LIVE, smoke ? 1000 : OPS)
      ours.push(result.perSecond)
      raw.push(result.rawPerSecond)
      widths.push(median(result.batches.map((batch) => batch.records)))
    }
    const ratio = median(ours) / median(raw)
    const title = titleOf(each)
    const yardstick = `raw SQLite, the batches of ${title}`
    rows.push(rowOf(title, 'commands/s', ours, { yardstick, ratio }))
    rows.push(rowOf(yardstick, 'commands/s', raw))
    rows.push(rowOf(`${title}, the median batch`, 'commands', widths))
  }
  return rows
}

function p99(samples: readonly number[]): number {
  const sorted = [...samples].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * 0.99))]
}

interface Latencies {
  /** Milliseconds, one for each of PERCENTILES. */
  readonly found: readonly number[]
  /** The p99 of a stretch for each kind of thread. */
  readonly busyMs: ReadonlyMap<string, number>
}

async function latencies(
  exchange: ThreadedExchange,
  feed: WorkloadFeed,
  rows: LatencyPlan,
): Promise<Latencies> {
  const { from, perSecond, count } = rows
  await flood(feed, { from, to: from + count })
  const before: BusyCounts = busyTimesOf(exchange)
  const histogram = await paced({ perSecond, count }, (index, done) => {
    // A full ring would lose an operation here, and the run would never end. So this throws.
    if (!feed.send(from + count + index, done)) throw new Error('the rings are full at this rate')
  })
  const busyMs = new Map(p99Ms(before, busyTimesOf(exchange)))
  await exchange.stop()
  const found = PERCENTILES.map((each) => histogram.getValueAtPercentile(each) / 1000)
  return { found, busyMs }
}

interface LatencyPlan {
  readonly from: number
  readonly perSecond: number
  readonly count: number
}

async function latencyRows(perSecond: number, smoke: boolean): Promise<Row[]> {
  const count = smoke ? 100 : perSecond * LATENCY_SECONDS
  const byPercentile: number[][] = PERCENTILES.map(() => [])
  const lone: number[] = []
  const busyTimes = new Map<string, number[]>()
  for (let run = 0; run < (smoke ? 1 : RUNS); run++) {
    progress(`pipeline: ${perSecond}/s, run ${run + 1}`)
    await withFolder(async (dataDir) => {
      const live = smoke ? 100 : LIVE
      const { work, exchange, feed } = await open(dataDir, 1, { live, ops: 2 * count })
      const plan = { from: work.filled, perSecond, count }
      const { found, busyMs } = await latencies(exchange, feed, plan)
      for (const [kind, ms] of busyMs) busyTimes.set(kind, [...(busyTimes.get(kind) ?? []), ms])
      for (const [index, each] of byPercentile.entries()) each.push(found[index])
    })
    const batches = Array(smoke ? 10 : LONE_COMMITS).fill({ records: 1, bytes: RECORD_BYTES })
    lone.push(p99(await withFolder(async (folder) => replayRaw(folder, batches).tookMs)))
  }
  const yardstick = `p99 of a lone commit, beside ${perSecond}/s`
  const rows = PERCENTILES.map((percentile, index) => {
    const samples = byPercentile[index]
    const more = percentile === 99 ? { yardstick, ratio: median(lone) / median(samples) } : {}
    return rowOf(`${perSecond}/s, ${percentileName(percentile)}`, 'ms', samples, more)
  })
  const worked = [...busyTimes].map(([kind, samples]) =>
    rowOf(`${perSecond}/s, p99 of a stretch, ${kind}`, 'ms', samples),
  )
  return [...rows, ...worked, rowOf(yardstick, 'ms', lone)]
}

export async function pipelineBench({ smoke }: BenchOptions): Promise<Report> {
  const rows = await rateRows(smoke)
  for (const perSecond of smoke ? [RATES[0]] : RATES) {
    rows.push(...(await latencyRows(perSecond, smoke)))
  }
  return { name: 'pipeline', rows }
}
