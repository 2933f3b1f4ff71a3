// Encoded commands go through sequencer, journal (full) and market threads until they are settled
// and durable. Highest rate: a fixed number of commands under way. Latency: a constant rate,
// counted from the intended start of each command. The baseline is SQLite alone, with the run's own
// batches or with a lone commit.

import type { OnCommit } from '../persistence/journal/thread/journal-handle.ts'
import { busyTimesOf, p99Ms } from './exchange/busy-times.ts'
import { commitRaw, committedRows } from './exchange/raw-commits.ts'
import { openThreaded } from './exchange/threaded-exchange.ts'
import { benchOf, percentileOf, type Row, repeat, rowOf } from './harness/bench.ts'
import { withFolder } from './harness/folder.ts'
import { type Latencies, paced, percentilesOf } from './harness/pacer.ts'
import { workloadOf } from './workload/workload.ts'
import { flood, WorkloadFeed } from './workload/workload-feed.ts'

const ACCOUNTS = 64
/** The number of commands under way decides the batches, and so the baseline. */
const CASES = [
  { markets: 1, inFlight: 64 },
  { markets: 1, inFlight: 1024 },
  { markets: 1, inFlight: 4096 },
  { markets: 4, inFlight: 4096 },
]
const FULL = {
  rounds: 5,
  live: 5000,
  ops: 150_000,
  rates: [1000, 5000, 20_000],
  seconds: 3,
  loneCommits: 2000,
}
type Size = typeof FULL
const SMOKE = { rounds: 1, live: 100, ops: 1000, rates: [1000], seconds: 0.1, loneCommits: 10 }
const RECORD_BYTES = 264

interface Plan {
  readonly markets: number
  readonly live: number
  readonly ops: number
  readonly onCommit?: OnCommit
}

/** An exchange with filled books, and the feed of the remaining orders. */
async function openFilled(dataDir: string, { markets, live, ops, onCommit }: Plan) {
  const work = workloadOf({ seed: 1, books: markets, accounts: ACCOUNTS, live, ops })
  const exchange = await openThreaded(dataDir, { accounts: ACCOUNTS, markets }, onCommit)
  const feed = new WorkloadFeed(work, exchange.pipeline)
  await flood(feed, { from: 0, to: work.filled })
  return { work, exchange, feed }
}

async function highestRate(markets: number, inFlight: number, { live, ops }: Size) {
  const ours = await withFolder(async (dataDir) => {
    const all: number[] = []
    const onCommit = (records: number) => all.push(records)
    const { work, exchange, feed } = await openFilled(dataDir, { markets, live, ops, onCommit })
    const filling = all.length
    const bytesBefore = feed.bytes
    const startMs = performance.now()
    await flood(feed, { from: work.filled, to: work.count, inFlight })
    const seconds = (performance.now() - startMs) / 1000
    const meanBytes = Math.round((feed.bytes - bytesBefore) / ops)
    await exchange.stop()
    const batches = all.slice(filling).map((records) => ({ records, bytes: records * meanBytes }))
    return { perSecond: ops / seconds, batches }
  })
  const { perSecond: rawPerSecond } = await commitRaw(ours.batches)
  return { ...ours, rawPerSecond }
}

async function rateRows(size: Size): Promise<Row[]> {
  const rows: Row[] = []
  for (const { markets, inFlight } of CASES) {
    const name = `${markets} market${markets === 1 ? '' : 's'}, ${inFlight} under way`
    const rounds = { about: `pipeline: ${name}`, rounds: size.rounds }
    const runs = await repeat(rounds, () => highestRate(markets, inFlight, size))
    rows.push(...committedRows(name, 'commands', runs))
  }
  return rows
}

interface PacedRun {
  readonly latencies: Latencies
  /** The p99 of the busy times of each kind of thread. */
  readonly busyMs: readonly (readonly [kind: string, ms: number])[]
  readonly loneMs: number
}

async function pacedRun(perSecond: number, size: Size): Promise<PacedRun> {
  const { live, seconds, loneCommits } = size
  const count = perSecond * seconds
  const ours = await withFolder(async (dataDir) => {
    const { work, exchange, feed } = await openFilled(dataDir, { markets: 1, live, ops: 2 * count })
    const from = work.filled + count
    await flood(feed, { from: work.filled, to: from })
    const before = busyTimesOf(exchange)
    const latencies = await paced({ perSecond, count }, (index, done) => {
      // A full ring would lose an operation, and the run would never end.
      if (!feed.send(from + index, done)) throw new Error('the rings are full at this rate')
    })
    const busyMs = p99Ms(before, busyTimesOf(exchange))
    await exchange.stop()
    return { latencies, busyMs }
  })
  const { tookMs } = await commitRaw(Array(loneCommits).fill({ records: 1, bytes: RECORD_BYTES }))
  return { ...ours, loneMs: percentileOf(tookMs, 99) }
}

async function latencyRows(perSecond: number, size: Size): Promise<Row[]> {
  const rounds = { about: `pipeline: ${perSecond}/s`, rounds: size.rounds }
  const runs = await repeat(rounds, () => pacedRun(perSecond, size))
  const lone = rowOf(
    `p99 of a lone commit, beside ${perSecond}/s`,
    'ms',
    runs.map(({ loneMs }) => loneMs),
  )
  const rows = percentilesOf(runs.map(({ latencies }) => latencies)).map(({ name, samples }) => {
    return rowOf(`${perSecond}/s, ${name}`, 'ms', samples, name === 'p99' ? lone : undefined)
  })
  const all = runs.flatMap(({ busyMs }) => busyMs)
  const busy = [...new Set(all.map(([kind]) => kind))].map((kind) => {
    const samples = all.filter(([each]) => each === kind).map(([, ms]) => ms)
    return rowOf(`${perSecond}/s, p99 busy time, ${kind}`, 'ms', samples)
  })
  return [...rows, ...busy, lone]
}

const AIMS = `
≥ 0.5×    under way, commands  pipeline against raw SQLite commits
≤ 3×      ^5000/s, p99, ms     pipeline p99 at 5,000/s against a lone commit
≤ 0.5 ms  ^5000/s, p99 busy    p99 busy time at 5,000/s: markets, journal
`

export const bench = benchOf({
  name: 'pipeline',
  aims: AIMS,
  full: FULL,
  smoke: SMOKE,
  rows: async (size) => {
    const rows = await rateRows(size)
    for (const perSecond of size.rates) rows.push(...(await latencyRows(perSecond, size)))
    return rows
  },
})
