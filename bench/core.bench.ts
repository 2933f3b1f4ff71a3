// The exchange on one thread: every gate, the ledger, fees, the book and its events, for commands
// that a sequencer would decide. The yardstick is the book alone under the same workload.

import { forkPasses } from './passes/passes.ts'
import { progress } from './report/progress.ts'
import { type BenchOptions, median, type Report, rowOf } from './report/report.ts'

const PROCESSES = 3
const WORKLOAD = { seed: 1, live: 10_000, books: 1, accounts: 64, ops: 300_000 }
const SMOKE = { seed: 1, live: 1000, books: 3, accounts: 8, ops: 5000 }
const NS_PER_SECOND = 1e9

export async function coreBench({ smoke }: BenchOptions): Promise<Report> {
  const [warmPasses, passes] = smoke ? [0, 1] : [2, 5]
  const plan = { workload: smoke ? SMOKE : WORKLOAD, warmPasses, passes }
  const book: number[] = []
  const core: number[] = []
  const spread: number[] = []
  const old: number[] = []
  let collections = 0
  for (let round = 0; round < (smoke ? 1 : PROCESSES); round++) {
    progress(`core: process ${round + 1}`)
    book.push(...(await forkPasses({ ...plan, contender: 'our-book' })).nsPerOp)
    const result = await forkPasses({ ...plan, contender: 'core' })
    core.push(...result.nsPerOp)
    collections += result.collections
    old.push(...(await forkPasses({ ...plan, contender: 'old-core' })).nsPerOp)
    const workload = { ...plan.workload, books: smoke ? 5 : 100 }
    spread.push(...(await forkPasses({ ...plan, workload, contender: 'core' })).nsPerOp)
  }
  const perSecond = core.map((ns) => NS_PER_SECOND / ns)
  const alone = { yardstick: 'the book alone', ratio: median(book) / median(core) }
  return {
    name: 'core',
    rows: [
      rowOf('core, 1 market', 'ns/op', core, alone),
      rowOf('core, 1 market', 'commands/s', perSecond),
      rowOf('core, 1 market, after 2M orders', 'ns/op', old),
      rowOf('core, 100 markets', 'ns/op', spread),
      rowOf('the book alone', 'ns/op', book),
      rowOf('core, collections', 'collections', [collections]),
    ],
  }
}
