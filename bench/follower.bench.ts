// The follower on tables with a long history, and on empty ones: processor time and bytes written
// for a command. Both alternate on one journal, in chunks as a busy exchange has them. Every second
// order has a client order id, and hashes are spread as real ones are.

import { cpSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { writeJournal } from './exchange/threaded-exchange.ts'
import { type Cost, FOLLOWER } from './follower/followers.ts'
import { writeLongTables } from './follower/long-tables.ts'
import { alternate, benchOf, pairOf, progress } from './harness/bench.ts'
import { withService } from './harness/child.ts'
import { withFolder } from './harness/folder.ts'
import { START_MS } from './workload/setting.ts'

const ACCOUNTS = 64
const MARKETS = 4
/** A batch of the journal is part of one chunk, so it must be shorter than that. */
const IN_FLIGHT = 256
/** A slice of the journal is one sample. The first slices warm up the code and the caches. */
const FULL = { trades: 10_000_000, live: 5000, ops: 300_000, slice: 10_000, warmUps: 10 }
const SMOKE = { trades: 5000, live: 200, ops: 4000, slice: 1000, warmUps: 1 }

function costsOf({ trades, live, ops, slice, warmUps }: typeof FULL): Promise<Cost[][]> {
  return withFolder(async (parent) => {
    const [empty, long] = [join(parent, 'empty'), join(parent, 'long')]
    mkdirSync(empty)
    const workload = { seed: 1, live, books: MARKETS, accounts: ACCOUNTS, ops }
    const commands = await writeJournal(empty, workload, { isNamed: true, inFlight: IN_FLIGHT })
    cpSync(empty, long, { recursive: true })
    progress(`follower: ${commands} commands are in the journal`)
    const endMs = START_MS - 1
    writeLongTables(long, { trades, live, owners: ACCOUNTS, markets: MARKETS, endMs })
    const rounds = Math.floor(commands / slice) - warmUps
    return await withService(FOLLOWER, empty, (_empty, one) =>
      withService(FOLLOWER, long, (_long, other) =>
        alternate({ about: 'follower', rounds, warmUps }, (round) => {
          const seq = (round + warmUps) * slice
          return [() => one.request<Cost>(seq), () => other.request<Cost>(seq)]
        }),
      ),
    )
  })
}

const AIMS = `
≤ 1.3×  ^follower on tables.* us/  follower with 10,000,000 trades in its tables against none
`

export const bench = benchOf({
  name: 'follower',
  aims: AIMS,
  full: FULL,
  smoke: SMOKE,
  rows: async (size) => {
    const [empty, long] = await costsOf(size)
    const pair = (unit: string, figure: (cost: Cost) => number) => {
      const ours = {
        name: `follower on tables of ${size.trades} trades`,
        samples: long.map(figure),
      }
      return pairOf(unit, ours, { name: 'follower on empty tables', samples: empty.map(figure) })
    }
    return [
      ...pair('us/command', ({ micros }) => micros),
      ...pair('bytes/command', ({ bytes }) => bytes),
    ]
  },
})
