// What a snapshot costs the traders meanwhile: the same constant rate with snapshots, one right
// after the other, and without. Latency counts from when each command was meant to begin.

import { flood } from './http/flood.ts'
import { withFolder } from './passes/folder.ts'
import { PERCENTILES, paced, percentileName } from './passes/pacer.ts'
import { openFolder, writeSetting } from './pipeline/traded-folder.ts'
import { progress } from './report/progress.ts'
import { type BenchOptions, median, type Report, type Row, rowOf } from './report/report.ts'
import { Workload } from './workload/workload.ts'
import { WorkloadFeed } from './workload/workload-feed.ts'

const RUNS = 5
const PER_SECOND = 5000
const SECONDS = 4
const EVERY_MS = 500
/** Commands before the measurement, so that there is a state to save. */
const BEFORE = 200_000

interface Pass {
  readonly percentilesMs: readonly number[]
  readonly savedMs: readonly number[]
}

async function passOf(withSnapshots: boolean, smoke: boolean): Promise<Pass> {
  const accounts = smoke ? 8 : 64
  const [live, before, count] = smoke ? [100, 500, 200] : [10_000, BEFORE, PER_SECOND * SECONDS]
  return await withFolder(async (dataDir) => {
    writeSetting(dataDir, { accounts, markets: 2 })
    const savedMs: number[] = []
    const exchange = await openFolder(dataDir, (saved) => savedMs.push(saved.tookMs))
    const work = new Workload({ seed: 1, books: 2, accounts, live, ops: before + count })
    const feed = new WorkloadFeed(work, exchange.pipeline)
    const from = work.count - count
    await flood(feed, { from: 0, to: from })
    await exchange.follower.whenApplied(exchange.pipeline.clearing.lastSeq, 60_000)
    if (withSnapshots) await exchange.snapshots.take()
    savedMs.length = 0
    const timer = setInterval(() => {
      if (withSnapshots) exchange.snapshots.take()
    }, EVERY_MS)
    const histogram = await paced({ perSecond: PER_SECOND, count }, (index, done) => {
      if (!feed.send(from + index, done)) throw new Error('the rings are full at this rate')
    })
    clearInterval(timer)
    const saved = [...savedMs]
    await exchange.stop()
    const percentilesMs = PERCENTILES.map((each) => histogram.getValueAtPercentile(each) / 1000)
    return { percentilesMs, savedMs: saved }
  })
}

export async function snapshotBench({ smoke }: BenchOptions): Promise<Report> {
  const plain: Pass[] = []
  const saving: Pass[] = []
  for (let run = 0; run < (smoke ? 1 : RUNS); run++) {
    progress(`snapshot: run ${run + 1}`)
    // In turns, so that other work of the machine slows both alike.
    plain.push(await passOf(false, smoke))
    saving.push(await passOf(true, smoke))
  }
  const rows: Row[] = []
  for (const [index, percentile] of PERCENTILES.entries()) {
    const of = (passes: readonly Pass[]) => passes.map((each) => each.percentilesMs[index])
    const name = percentileName(percentile)
    const yardstick = `without, ${name}`
    const ratio = median(of(plain)) / median(of(saving))
    const more = percentile === 99 ? { yardstick, ratio } : {}
    rows.push(rowOf(`${name} while snapshots are saved`, 'ms', of(saving), more))
    rows.push(rowOf(yardstick, 'ms', of(plain)))
  }
  const savedMs = saving.flatMap((pass) => pass.savedMs)
  if (savedMs.length > 0) rows.push(rowOf('saving one', 'ms', savedMs))
  return { name: 'snapshot', rows }
}
