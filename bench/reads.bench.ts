// Every public read over HTTP, on a small exchange and on a large one: a read may cost no more
// because there is more behind it. Both servers are up, and take turns read by read. So do two
// accounts of one exchange, one of which has a long history. One caller asks one call at a time, so
// a figure is a latency and not a throughput. READS=medium in the environment measures a size
// between the two, READS=markets the full number of markets with few trades. READS_DIR names a
// folder that keeps what was made for the next run.

import { assert } from '../engine/domain/assert.ts'
import { Random } from '../test/support/random.ts'
import { ServerProcess } from '../test/support/server-process.ts'
import { Caller, getting } from './http/calls.ts'
import { alternating, type Pace, Rounds, type Side } from './reads/alternating.ts'
import { type CrowdPlan, crowdRows } from './reads/crowd/crowd-rows.ts'
import { type PortfolioPlan, portfolioRows } from './reads/portfolio-reads.ts'
import { withReadsFolder } from './reads/reads-folder.ts'
import { READS, type Read } from './reads/reads-list.ts'
import { booksOf, marketOfBook, type ReadsSize, slugOf } from './reads/reads-size.ts'
import { progress } from './report/progress.ts'
import type { BenchOptions, Report } from './report/report.ts'

interface Plan extends Pace {
  readonly few: ReadsSize
  readonly many: ReadsSize
  readonly portfolio: PortfolioPlan
  readonly crowd: CrowdPlan
}

/**
 * So many that the p99 of a round is not the collections of one thread, and so many rounds that the
 * median of them stays: with five it moved fourfold from run to run.
 */
const OFTEN = { rounds: 15, calls: 1000, warmMs: 3000 }
const ONCE = { rounds: 1, calls: 2, warmMs: 0 }
const LONG = { positions: 2000, fills: 1_000_000, ...OFTEN }
const SHORT = { positions: 400, fills: 100_000, ...OFTEN }
const CROWD = { profiles: 100_000, trades: 100, ...OFTEN }
const TOWN = { profiles: 10_000, trades: 10, ...OFTEN }
/** Markets have equally many trades in both, so that their pages are equally full. */
const FULL: Plan = {
  few: { active: 50, resolved: 50, trades: 100_000 },
  many: { active: 5000, resolved: 200_000, trades: 10_000_000 },
  portfolio: LONG,
  crowd: CROWD,
  ...OFTEN,
}
const MARKETS: Plan = {
  few: { active: 50, resolved: 50, trades: 2000 },
  many: { active: 5000, resolved: 5000, trades: 200_000 },
  portfolio: SHORT,
  crowd: TOWN,
  ...OFTEN,
}
const MEDIUM: Plan = {
  few: { active: 50, resolved: 50, trades: 20_000 },
  many: { active: 500, resolved: 4000, trades: 200_000 },
  portfolio: SHORT,
  crowd: TOWN,
  ...OFTEN,
}
const SMOKE: Plan = {
  few: { active: 5, resolved: 5, trades: 80 },
  many: { active: 10, resolved: 20, trades: 160 },
  portfolio: { positions: 12, fills: 48, ...ONCE },
  crowd: { profiles: 200, trades: 2, ...ONCE },
  ...ONCE,
}

/** A stop saves a snapshot: of a large exchange that may take a while. */
const SERVER_ARGS = ['--accept-clock', '--no-rate-limit', '--stop-deadline', '120']
async function withServer<T>(
  name: string,
  size: ReadsSize,
  calls: number,
  work: (side: Side<Read>) => Promise<T>,
): Promise<T> {
  progress(`reads: ${size.active} active, ${size.resolved} resolved, ${size.trades} trades`)
  return withReadsFolder(size, async (dataDir) => {
    const server = await ServerProcess.start({ dataDir, args: SERVER_ARGS })
    const caller = new Caller(server.baseUrl, [200, 404])
    const random = new Random(1)
    const slug = () => slugOf(marketOfBook(size, 1 + random.below(booksOf(size))))
    const world = { random, size, slug }
    const round = (read: Read) => caller.round(() => getting(read.path(world)), calls)
    try {
      return await work({ name, rounds: new Rounds(), round })
    } finally {
      caller.close()
      await server.stop()
    }
  })
}

function planOf(smoke: boolean): Plan {
  if (smoke) return SMOKE
  const { READS: size = 'full' } = process.env
  const plan = { full: FULL, markets: MARKETS, medium: MEDIUM }[size]
  assert(plan !== undefined, 'READS is full, markets or medium')
  return plan
}

export async function readsBench({ smoke }: BenchOptions): Promise<Report> {
  const plan = planOf(smoke)
  const others = [...(await portfolioRows(plan.portfolio)), ...(await crowdRows(plan.crowd))]
  const { calls } = plan
  const kindOf = ({ isWhole }: Read) => (isWhole ? 'whole list' : 'read')
  const rounds = { ...plan, reads: READS, kindOf }
  const nameOf = ({ active }: ReadsSize) => `${active} markets`
  return withServer(nameOf(plan.few), plan.few, calls, (few) =>
    withServer(nameOf(plan.many), plan.many, calls, async (many) => {
      return { name: 'reads', rows: [...(await alternating(few, many, rounds)), ...others] }
    }),
  )
}
