// The exchange on one thread: every gate, the ledger, fees, the book and its events, for commands
// that a sequencer would decide. The baseline is the book alone under the same workload.

import { type ContenderName, forkPasses } from './contenders/passes.ts'
import { alternate, benchOf, pairOf, rowOf } from './harness/bench.ts'

const NS_PER_SECOND = 1e9
const WORKLOAD = { seed: 1, live: 10_000, books: 1, accounts: 64, ops: 300_000 }
const SMALL = { seed: 1, live: 1000, books: 3, accounts: 8, ops: 5000 }

const AIMS = `
≤ 8×                    ^core, 1 market, ns/op       core against the book alone
≥ 2,000,000 commands/s  ^core, 1 market, commands/s  core, commands on one thread
`

export const bench = benchOf({
  name: 'core',
  aims: AIMS,
  full: { workload: WORKLOAD, manyBooks: 100, rounds: 3, warmPasses: 2, passes: 5 },
  smoke: { workload: SMALL, manyBooks: 5, rounds: 1, warmPasses: 0, passes: 1 },
  rows: async ({ workload, manyBooks, rounds, ...pace }) => {
    const run = (contender: ContenderName, books = workload.books) => {
      return () => forkPasses({ ...pace, contender, workload: { ...workload, books } })
    }
    const contenders = [run('our-book'), run('core'), run('old-core'), run('core', manyBooks)]
    const results = await alternate({ about: 'core', rounds }, () => contenders)
    const [book, core, old, many] = results.map((each) => each.flatMap(({ nsPerOp }) => nsPerOp))
    const collections = results[1].reduce((sum, each) => sum + each.collections, 0)
    const perSecond = core.map((ns) => NS_PER_SECOND / ns)
    const alone = { name: 'the book alone', samples: book }
    return [
      ...pairOf('ns/op', { name: 'core, 1 market', samples: core }, alone),
      rowOf('core, 1 market', 'commands/s', perSecond),
      rowOf('core, 1 market, after 2M orders', 'ns/op', old),
      rowOf('core, 100 markets', 'ns/op', many),
      rowOf('core, collections', 'collections', [collections]),
    ]
  },
})
