// The latency of orders while snapshots are saved: the same constant rate with one snapshot after
// the other, and without any. Latency counts from the intended start of each command.

import { openFolder, writeSetting } from './exchange/exchange-folder.ts'
import { alternate, benchOf, rowOf } from './harness/bench.ts'
import { withFolder } from './harness/folder.ts'
import { besideRows, paced } from './harness/pacer.ts'
import { workloadOf } from './workload/workload.ts'
import { flood, WorkloadFeed } from './workload/workload-feed.ts'

const PER_SECOND = 5000
const EVERY_MS = 500
const READ_TABLES_MS_MAX = 60_000
/** `before`: commands before the measurement, so that there is a state to save. */
const FULL = { rounds: 5, accounts: 64, live: 10_000, before: 200_000, seconds: 4 }
const SMOKE = { rounds: 1, accounts: 8, live: 100, before: 500, seconds: 0.04 }

function run(withSnapshots: boolean, { accounts, live, before, seconds }: typeof FULL) {
  const count = PER_SECOND * seconds
  return withFolder(async (dataDir) => {
    writeSetting(dataDir, { accounts, markets: 2 })
    const savedMs: number[] = []
    const exchange = await openFolder(dataDir, ({ tookMs }) => savedMs.push(tookMs))
    const work = workloadOf({ seed: 1, books: 2, accounts, live, ops: before + count })
    const feed = new WorkloadFeed(work, exchange.pipeline)
    const from = work.count - count
    await flood(feed, { from: 0, to: from })
    await exchange.follower.whenApplied(exchange.pipeline.clearing.lastSeq, READ_TABLES_MS_MAX)
    if (withSnapshots) await exchange.snapshots.take()
    savedMs.length = 0
    const timer = setInterval(() => {
      if (withSnapshots) exchange.snapshots.take()
    }, EVERY_MS)
    const latencies = await paced({ perSecond: PER_SECOND, count }, (index, done) => {
      if (!feed.send(from + index, done)) throw new Error('the rings are full at this rate')
    })
    clearInterval(timer)
    // The stop saves one more.
    const saved = [...savedMs]
    await exchange.stop()
    return { latencies, savedMs: saved }
  })
}

export const bench = benchOf({
  name: 'snapshot',
  aims: '≤ 1.5×  ^p99  p99 while a snapshot is saved against none',
  full: FULL,
  smoke: SMOKE,
  rows: async (size) => {
    const [plain, saving] = await alternate({ about: 'snapshot', rounds: size.rounds }, () => [
      () => run(false, size),
      () => run(true, size),
    ])
    const rows = besideRows('snapshots are saved', saving, plain)
    const savedMs = saving.flatMap((each) => each.savedMs)
    return savedMs.length === 0 ? rows : [...rows, rowOf('saving one', 'ms', savedMs)]
  },
})
