// The cost of a long life (design §10): memory of all threads, the start from a snapshot, and the
// core's time for a command, after few markets and after many. Every market was traded by two
// accounts, closed out, resolved and archived; a session began and ended beside it. The keys of
// remembered orders grow up to a bound (--order-memory-mb); they have a row of their own.
// A year of two series follows; LIFETIME=series in the environment measures that alone.

import { benchOf, pairOf, type Row, repeat } from './harness/bench.ts'
import { withFolder } from './harness/folder.ts'
import type { LifetimeMemory, LifetimeStart } from './lifetime/lifetime-tasks.ts'
import { commandNs, grown, reopened } from './lifetime/market-lifetime.ts'
import { type SeriesPlan, seriesRows } from './lifetime/series-rows.ts'

const STARTS = 3
const MIB = 2 ** 20
/** A day, a month and a year of two series of five minutes. */
const YEAR: SeriesPlan = {
  few: 576,
  some: 17_280,
  many: 210_240,
  restMs: 40_000,
  starts: STARTS,
  rounds: 5,
  calls: 200,
}
const HOURS = { few: 24, some: 24, many: 48, restMs: 0, starts: 1, rounds: 1, calls: 2 }

interface Run {
  readonly start: LifetimeStart
  readonly coreNs: number
}

async function measure(dataDir: string, markets: number) {
  const plan = { dataDir, markets }
  const memory = await grown(plan)
  const rounds = { about: `lifetime: after ${markets} markets`, rounds: STARTS }
  const runs = await repeat<Run>(rounds, async () => {
    return { start: await reopened(plan), coreNs: await commandNs(plan) }
  })
  return { markets, memory, runs }
}

function marketRows(few: number, many: number): Promise<Row[]> {
  return withFolder(async (dataDir) => {
    const young = await measure(dataDir, few)
    const old = await measure(dataDir, many)
    type Side = typeof old
    const pair = (name: string, unit: string, figures: (side: Side) => readonly number[]) => {
      const [ours, theirs] = [old, young].map((side) => {
        return { name: `${name}, ${side.markets} markets`, samples: figures(side) }
      })
      return pairOf(unit, ours, theirs)
    }
    const running = 'memory of a running exchange, without keys of orders'
    const bytesOf = ({ residentBytes, namesBytes }: LifetimeMemory) => residentBytes - namesBytes
    return [
      ...pair(running, 'MiB', ({ memory }) => [bytesOf(memory) / MIB]),
      ...pair('memory after a start', 'MiB', ({ runs }) =>
        runs.map(({ start }) => start.residentBytes / MIB),
      ),
      ...pair('keys of orders', 'MiB', ({ memory }) => [memory.namesBytes / MIB]),
      ...pair('start from a snapshot', 'ms', ({ runs }) => runs.map(({ start }) => start.startMs)),
      ...pair('a command of the core', 'ns', ({ runs }) => runs.map(({ coreNs }) => coreNs)),
    ]
  })
}

const AIMS = `
≤ 1.1×              ^memory               memory after 1,000,000 markets against 10,000
≤ 1.1×              ^start                start after 1,000,000 markets against 10,000
≤ 1.1×              ^a command            a command of the core, the same
≤ 1.1×              ^series: memory of a  memory after a year of two 5-minute series against a month
≤ 1.1×              ^series: memory aft   memory of a start after a year of them against a day
≤ 1.1× or + 20 ms   ^series: start        start after a year of them against a day
≤ 1.1× or + 0.1 ms  ^series: .*, p50      timelines after a year of them against a day, p50
`

export const bench = benchOf({
  name: 'lifetime',
  aims: AIMS,
  full: { few: 10_000, many: 1_000_000, series: YEAR },
  smoke: { few: 300, many: 900, series: HOURS },
  rows: async ({ few, many, series }) => {
    const rows = await seriesRows(series)
    if (process.env.LIFETIME === 'series') return rows
    return [...(await marketRows(few, many)), ...rows]
  },
})
