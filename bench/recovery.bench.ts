// A start: reads every command of a journal, checks it against the chain, decodes it and applies
// it. The baseline is the core, which decides and applies the same workload from memory. Then a
// start of the whole exchange, with threads and follower, from a snapshot and as many commands
// after it.

import { rmSync } from 'node:fs'
import { Exchange } from '../engine/core/exchange.ts'
import { OrderTable } from '../engine/core/orders/order-table.ts'
import { assert } from '../engine/domain/assert.ts'
import { recoverJournal } from '../persistence/snapshot/recovery.ts'
import { snapshotPath } from '../persistence/snapshot/snapshot-folder.ts'
import { compileProgram, ServerProcess } from '../test/support/server-process.ts'
import { forkPasses } from './contenders/passes.ts'
import { openFolder, writeSetting } from './exchange/exchange-folder.ts'
import { writeJournal } from './exchange/threaded-exchange.ts'
import { benchOf, progress, type Row, repeat, rowOf } from './harness/bench.ts'
import { withFolder } from './harness/folder.ts'
import { workloadOf } from './workload/workload.ts'
import { flood, WorkloadFeed } from './workload/workload-feed.ts'

const WORKLOAD = { seed: 1, live: 10_000, books: 4, accounts: 64, ops: 300_000 }
const SMALL = { seed: 1, live: 100, books: 2, accounts: 8, ops: 1000 }
const FULL = {
  workload: WORKLOAD,
  long: { ...WORKLOAD, ops: 2_000_000 },
  warmStarts: 5,
  warmPasses: 2,
  passes: 5,
  starts: 3,
}
type Size = typeof FULL
const SMOKE = { workload: SMALL, long: SMALL, warmStarts: 0, warmPasses: 0, passes: 1, starts: 1 }
const NS_PER_SECOND = 1e9
const READ_TABLES_MS_MAX = 600_000

/** The commands per second of one start. */
function recoverOnce(dataDir: string, commands: number): number {
  const startMs = performance.now()
  const exchange = new Exchange(new OrderTable(1 << 18))
  const { tail } = recoverJournal(dataDir, { visit: (command) => exchange.apply(command) })
  const seconds = (performance.now() - startMs) / 1000
  assert(tail.seq === commands, 'a start reads every command')
  return commands / seconds
}

async function journalRows({ workload, warmStarts, ...pace }: Size): Promise<Row[]> {
  const { warmPasses, passes } = pace
  const { nsPerOp } = await forkPasses({ contender: 'core', workload, warmPasses, passes })
  const perSecond = nsPerOp.map((ns) => NS_PER_SECOND / ns)
  const core = rowOf('core bench, same workload', 'commands/s', perSecond)
  // The first start is cold, as every real start is.
  const [cold, ...warm] = await withFolder(async (dataDir) => {
    const commands = await writeJournal(dataDir, workload)
    return Array.from({ length: 1 + warmStarts }, () => recoverOnce(dataDir, commands))
  })
  const rows = [rowOf('start, cold process', 'commands/s', [cold], core)]
  if (warm.length > 0) rows.push(rowOf('start, warm process', 'commands/s', warm, core))
  return [...rows, core]
}

/** Seconds from the start of the compiled program until it is ready. */
async function startOnce(dataDir: string, snapshotSeq: number): Promise<number> {
  const startMs = performance.now()
  const args = ['--accept-clock']
  const server = await ServerProcess.start({ dataDir, args })
  const seconds = (performance.now() - startMs) / 1000
  // A stop would save a snapshot, and the next start would begin there.
  await server.kill()
  assert(server.stderr.includes(`"snapshotSeq":${snapshotSeq},`), 'a start takes the snapshot')
  return seconds
}

async function snapshotRow({ long, starts }: Size): Promise<Row> {
  await compileProgram()
  return await withFolder(async (dataDir) => {
    const { accounts, books: markets } = long
    writeSetting(dataDir, { accounts, markets })
    const exchange = await openFolder(dataDir)
    const work = workloadOf(long)
    const feed = new WorkloadFeed(work, exchange.pipeline)
    const half = work.filled + Math.floor((work.count - work.filled) / 2)
    progress('recovery: trading the first half')
    await flood(feed, { from: 0, to: half })
    await exchange.snapshots.take()
    progress('recovery: trading the second half')
    await flood(feed, { from: half, to: work.count })
    const { seq } = exchange.snapshots.last
    const { lastSeq } = exchange.pipeline.clearing
    await exchange.follower.whenApplied(lastSeq, READ_TABLES_MS_MAX)
    await exchange.stop()
    // The stop saved another snapshot. The start must begin with the one from the half.
    rmSync(snapshotPath(dataDir, lastSeq))
    const rounds = { about: 'recovery: start from a snapshot', rounds: starts }
    const seconds = await repeat(rounds, () => startOnce(dataDir, seq))
    return rowOf(`start of ${work.count} commands, a snapshot at the half`, 's', seconds)
  })
}

const AIMS = `
≥ 0.3×  ^start, cold          recovery against the core
≤ 3 s   snapshot at the half  start of 2,000,000 commands, a snapshot at the half
`

export const bench = benchOf({
  name: 'recovery',
  aims: AIMS,
  full: FULL,
  smoke: SMOKE,
  rows: async (size) => [...(await journalRows(size)), await snapshotRow(size)],
})
