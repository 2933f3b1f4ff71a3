// A start: reads every command of a journal, checks it against the chain, decodes it and applies
// it. The yardstick is the core, which decides and applies the same workload from memory. Then a
// start of the whole exchange, with threads and follower, from a snapshot and as many commands
// after it.

import { rmSync } from 'node:fs'
import { Exchange } from '../engine/core/exchange.ts'
import { OrderTable } from '../engine/core/orders/order-table.ts'
import { assert } from '../engine/domain/assert.ts'
import { recoverJournal } from '../persistence/snapshot/recovery.ts'
import { snapshotPath } from '../persistence/snapshot/snapshot-folder.ts'
import { compileProgram, ServerProcess } from '../test/support/server-process.ts'
import { flood } from './http/flood.ts'
import { withFolder } from './passes/folder.ts'
import { forkPasses } from './passes/passes.ts'
import { openThreaded } from './pipeline/threaded-exchange.ts'
import { openFolder, writeSetting } from './pipeline/traded-folder.ts'
import { progress } from './report/progress.ts'
import { type BenchOptions, median, type Report, type Row, rowOf } from './report/report.ts'
import { Workload, type WorkloadOptions } from './workload/workload.ts'
import { WorkloadFeed } from './workload/workload-feed.ts'

const RUNS = 5
const WORKLOAD = { seed: 1, live: 10_000, books: 4, accounts: 64, ops: 300_000 }
const SMOKE = { seed: 1, live: 100, books: 2, accounts: 8, ops: 1000 }
const NS_PER_SECOND = 1e9
const STARTS = 3
const READ_TABLES_MS_MAX = 600_000
const LONG = { ...WORKLOAD, ops: 2_000_000 }

async function writeJournal(dataDir: string, options: WorkloadOptions): Promise<number> {
  const work = new Workload(options)
  const { accounts, books: markets } = options
  const exchange = await openThreaded(dataDir, { accounts, markets })
  await flood(new WorkloadFeed(work, exchange.pipeline), { from: 0, to: work.count })
  await exchange.stop()
  return exchange.pipeline.clearing.lastSeq
}

/** The commands per second of one start. */
function recoverOnce(dataDir: string, commands: number): number {
  const startMs = performance.now()
  const exchange = new Exchange(new OrderTable(1 << 18))
  const { tail } = recoverJournal(dataDir, { visit: (command) => exchange.apply(command) })
  const seconds = (performance.now() - startMs) / 1000
  assert(tail.seq === commands, 'a start reads every command')
  return commands / seconds
}

export async function recoveryBench({ smoke }: BenchOptions): Promise<Report> {
  const workload = smoke ? SMOKE : WORKLOAD
  const [warmPasses, passes] = smoke ? [0, 1] : [2, RUNS]
  const core = await forkPasses({ contender: 'core', workload, warmPasses, passes })
  const perSecond = core.nsPerOp.map((ns) => NS_PER_SECOND / ns)
  const ours = await withFolder(async (dataDir) => {
    const commands = await writeJournal(dataDir, workload)
    const runs = Array.from({ length: smoke ? 1 : RUNS + 1 })
    return runs.map(() => recoverOnce(dataDir, commands))
  })
  // The first start is cold, as every real start is.
  const [cold, ...warm] = ours
  const yardstick = 'core bench, same workload'
  const against = (samples: readonly number[]) => ({
    yardstick,
    ratio: median(samples) / median(perSecond),
  })
  const rows = [rowOf('start, cold process', 'commands/s', [cold], against([cold]))]
  if (warm.length > 0) rows.push(rowOf('start, warm process', 'commands/s', warm, against(warm)))
  rows.push(rowOf(yardstick, 'commands/s', perSecond), await snapshotRow(smoke))
  return { name: 'recovery', rows }
}

/** Seconds from the start of the compiled program until it is ready. */
async function startOnce(dataDir: string, snapshotSeq: number): Promise<number> {
  const startMs = performance.now()
  const server = await ServerProcess.start({
    dataDir,
    args: ['--intake-threads', '1', '--accept-clock'],
  })
  const seconds = (performance.now() - startMs) / 1000
  // A kill and not a stop: a stop would save a snapshot, and the next start would begin there.
  await server.kill()
  assert(server.stderr.includes(`"snapshotSeq":${snapshotSeq},`), 'a start takes the snapshot')
  return seconds
}

async function snapshotRow(smoke: boolean): Promise<Row> {
  const workload = smoke ? SMOKE : LONG
  await compileProgram()
  return await withFolder(async (dataDir) => {
    const { accounts, books: markets } = workload
    writeSetting(dataDir, { accounts, markets })
    const exchange = await openFolder(dataDir)
    const work = new Workload(workload)
    const feed = new WorkloadFeed(work, exchange.pipeline)
    const half = work.filled + Math.floor((work.count - work.filled) / 2)
    progress('recovery: trades the first half')
    await flood(feed, { from: 0, to: half })
    await exchange.snapshots.take()
    progress('recovery: trades the second half')
    await flood(feed, { from: half, to: work.count })
    const { seq } = exchange.snapshots.last
    const { lastSeq } = exchange.pipeline.clearing
    await exchange.follower.whenApplied(lastSeq, READ_TABLES_MS_MAX)
    await exchange.stop()
    // The stop saved another snapshot. The start must begin with the one from the half.
    rmSync(snapshotPath(dataDir, lastSeq))
    const seconds: number[] = []
    for (let run = 0; run < (smoke ? 1 : STARTS); run++) {
      progress(`recovery: start ${run + 1} from a snapshot`)
      seconds.push(await startOnce(dataDir, seq))
    }
    return rowOf(`start of ${work.count} commands, a snapshot at the half`, 's', seconds)
  })
}
