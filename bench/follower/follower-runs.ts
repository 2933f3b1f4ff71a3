// The follower alone on a recorded journal: it reads, checks, decodes and applies, and writes
// read.db.

import { rebuildReadTables } from '../../persistence/follower/rebuild.ts'
import { flood } from '../http/flood.ts'
import { withFolder } from '../passes/folder.ts'
import { forkFor } from '../passes/fork.ts'
import { openThreaded } from '../pipeline/threaded-exchange.ts'
import { Workload } from '../workload/workload.ts'
import { WorkloadFeed } from '../workload/workload-feed.ts'

export interface FollowerPlan {
  readonly dataDir: string
  readonly runs: number
}

interface FollowerResult {
  /** Commands per second of each run. */
  readonly perSecond: readonly number[]
}

const ACCOUNTS = 64
const MARKETS = 4

function isResult(message: unknown): message is FollowerResult {
  return typeof message === 'object' && message !== null && 'perSecond' in message
}

/** Makes one more run than it counts: the first warms up the code. */
export function followAgain({ dataDir, runs }: FollowerPlan): FollowerResult {
  const perSecond = Array.from({ length: runs + 1 }, () => {
    const startMs = performance.now()
    const commands = rebuildReadTables(dataDir)
    return (commands * 1000) / (performance.now() - startMs)
  })
  return { perSecond: perSecond.slice(1) }
}

export function followerRuns(commands: number, runs: number): Promise<FollowerResult> {
  return withFolder(async (dataDir) => {
    const live = Math.min(5000, commands >> 1)
    const work = new Workload({
      seed: 1,
      live,
      books: MARKETS,
      accounts: ACCOUNTS,
      ops: commands - live,
    })
    const exchange = await openThreaded(dataDir, { accounts: ACCOUNTS, markets: MARKETS })
    await flood(new WorkloadFeed(work, exchange.pipeline), { from: 0, to: work.count })
    await exchange.stop()
    return await forkFor(
      new URL('./follower-process.ts', import.meta.url),
      { dataDir, runs },
      isResult,
    )
  })
}
