// The follower on tables with a long history, and on empty ones: processor time and bytes written
// for a command. Both take turns on one journal, in chunks as a busy exchange has them. Every
// second order has a client order id, and hashes are spread as real ones are.

import { cpSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { writeHistory } from './follower/long-tables.ts'
import { type Cost, takeRounds } from './follower/rounds.ts'
import { flood } from './http/flood.ts'
import { withFolder } from './passes/folder.ts'
import { openThreaded } from './pipeline/threaded-exchange.ts'
import { progress } from './report/progress.ts'
import { type BenchOptions, median, type Report, type Row, rowOf } from './report/report.ts'
import { START_MS } from './report/setting.ts'
import { Workload } from './workload/workload.ts'
import { WorkloadFeed } from './workload/workload-feed.ts'

const ACCOUNTS = 64
const MARKETS = 4
/** A batch of the journal is part of one chunk, so it must be shorter than that. */
const IN_FLIGHT = 256
/** A stretch is one figure. The first stretches warm up the code and the caches. */
const SIZE = { trades: 10_000_000, live: 5000, ops: 300_000, busyTime: 10_000, warm: 10 }
const SMOKE = { trades: 5000, live: 200, ops: 4000, busyTime: 1000, warm: 1 }
type Size = typeof SIZE

/** Journals a workload; gives the number of commands. */
async function writeJournal(dataDir: string, { live, ops }: Size): Promise<number> {
  const work = new Workload({ seed: 1, live, books: MARKETS, accounts: ACCOUNTS, ops })
  const exchange = await openThreaded(dataDir, { accounts: ACCOUNTS, markets: MARKETS })
  const feed = new WorkloadFeed(work, exchange.pipeline, { isNamed: true })
  await flood(feed, { from: 0, to: work.count, inFlight: IN_FLIGHT })
  await exchange.stop()
  return exchange.pipeline.clearing.lastSeq
}

async function costsOf(parent: string, size: Size): Promise<readonly (readonly Cost[])[]> {
  const [empty, long] = [join(parent, 'empty'), join(parent, 'long')]
  mkdirSync(empty)
  const commands = await writeJournal(empty, size)
  cpSync(empty, long, { recursive: true })
  progress(`follower: ${commands} commands are in the journal`)
  const { trades, live, busyTime, warm } = size
  const history = { trades, live, owners: ACCOUNTS, markets: MARKETS, endMs: START_MS - 1 }
  writeHistory(long, history)
  progress('follower: takes turns')
  const busyTimes = Math.floor(commands / busyTime)
  const seqs = Array.from({ length: busyTimes }, (_none, index) => (index + 1) * busyTime)
  const costs = await takeRounds([empty, long], seqs)
  return costs.map((each) => each.slice(warm))
}

export async function followerBench({ smoke }: BenchOptions): Promise<Report> {
  const size = smoke ? SMOKE : SIZE
  const [empty, long] = await withFolder((parent) => costsOf(parent, size))
  const row = (unit: string, figure: (cost: Cost) => number): Row[] => {
    const yardstick = 'follower on empty tables'
    const [ours, theirs] = [long.map(figure), empty.map(figure)]
    const ratio = median(theirs) / median(ours)
    const about = `follower on tables of ${size.trades} trades`
    return [rowOf(about, unit, ours, { yardstick, ratio }), rowOf(yardstick, unit, theirs)]
  }
  return {
    name: 'follower',
    rows: [
      ...row('us/command', ({ micros }) => micros),
      ...row('bytes/command', ({ bytes }) => bytes),
    ],
  }
}
