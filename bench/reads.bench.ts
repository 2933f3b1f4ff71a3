// Every public read over HTTP, on a small exchange and on a large one: a read may cost no more
// because there is more behind it. Both servers are up, and take turns read by read. So do two
// accounts of one exchange, one of which has a long history. One caller asks one call at a time, so
// a figure is a latency and not a throughput. READS=medium in the environment measures a size
// between the two, READS=markets the full number of markets with few trades. READS_DIR names a
// folder that keeps what was made for the next run.

import { assert } from '../engine/domain/assert.ts'
import { Random } from '../test/support/random.ts'
import { ServerProcess } from '../test/support/server-process.ts'
import { type BoardsPlan, boardRows } from './board-reads.ts'
import { Caller, percentile } from './calls.ts'
import { type PortfolioPlan, portfolioRows } from './portfolio-reads.ts'
import { progress } from './progress.ts'
import { withReadsFolder } from './reads-folder.ts'
import { READS, type Read, type ReadsWorld } from './reads-list.ts'
import { booksOf, marketOfBook, type ReadsSize, slugOf } from './reads-size.ts'
import { type BenchOptions, median, type Report, type Row, rowOf } from './report.ts'
import { type SocialPlan, socialRows } from './social-reads.ts'

interface Plan {
  readonly few: ReadsSize
  readonly many: ReadsSize
  readonly rounds: number
  readonly calls: number
  readonly portfolio: PortfolioPlan
  readonly boards: BoardsPlan
  readonly social: SocialPlan
}

const OFTEN = { rounds: 5, calls: 400 }
const LONG = { positions: 2000, fills: 1_000_000, ...OFTEN }
const SHORT = { positions: 400, fills: 100_000, ...OFTEN }
const CROWD = { profiles: 100_000, trades: 10, ...OFTEN }
const TOWN = { profiles: 10_000, trades: 10, ...OFTEN }
/** Markets have equally many trades in both, so that their pages are equally full. */
const FULL: Plan = {
  few: { active: 50, resolved: 50, trades: 100_000 },
  many: { active: 5000, resolved: 200_000, trades: 10_000_000 },
  portfolio: LONG,
  boards: CROWD,
  social: { profiles: 100_000, ...OFTEN },
  ...OFTEN,
}
const MARKETS: Plan = {
  few: { active: 50, resolved: 50, trades: 2000 },
  many: { active: 5000, resolved: 5000, trades: 200_000 },
  portfolio: SHORT,
  boards: TOWN,
  social: { profiles: 10_000, ...OFTEN },
  ...OFTEN,
}
const MEDIUM: Plan = {
  few: { active: 50, resolved: 50, trades: 20_000 },
  many: { active: 500, resolved: 4000, trades: 200_000 },
  portfolio: SHORT,
  boards: TOWN,
  social: { profiles: 10_000, ...OFTEN },
  ...OFTEN,
}
const SMOKE: Plan = {
  few: { active: 5, resolved: 5, trades: 80 },
  many: { active: 10, resolved: 20, trades: 160 },
  portfolio: { positions: 12, fills: 48, rounds: 1, calls: 2 },
  boards: { profiles: 100, trades: 2, rounds: 1, calls: 2 },
  social: { profiles: 200, rounds: 1, calls: 2 },
  rounds: 1,
  calls: 2,
}

/** A stop saves a snapshot: of a large exchange that may take a while. */
const SERVER_ARGS = ['--no-rate-limit', '--stop-deadline', '120']
const PERCENTILES = [50, 99]

class Side {
  /** Sorted latencies by read and round. */
  readonly #rounds = new Map<Read, number[][]>()
  readonly #caller: Caller
  readonly #world: ReadsWorld
  readonly name: string

  constructor(name: string, baseUrl: string, size: ReadsSize) {
    this.name = name
    this.#caller = new Caller(baseUrl, [200, 404])
    const random = new Random(1)
    const slug = () => slugOf(marketOfBook(size, 1 + random.below(booksOf(size))))
    this.#world = { random, size, slug }
  }

  async round(read: Read, calls: number): Promise<void> {
    const ms = await this.#caller.round(() => read.path(this.#world), calls)
    this.#rounds.set(read, [...(this.#rounds.get(read) ?? []), ms])
  }

  figures(read: Read, percent: number): number[] {
    const rounds = this.#rounds.get(read)
    assert(rounds !== undefined, 'a read is measured before it is told')
    return rounds.map((ms) => percentile(ms, percent))
  }

  close(): void {
    this.#caller.close()
  }
}

async function withServer<T>(
  name: string,
  size: ReadsSize,
  work: (side: Side) => Promise<T>,
): Promise<T> {
  progress(`reads: ${size.active} active, ${size.resolved} resolved, ${size.trades} trades`)
  return withReadsFolder(size, process.env.READS_DIR, async (dataDir) => {
    const server = await ServerProcess.start({ dataDir, args: SERVER_ARGS })
    const side = new Side(name, server.baseUrl, size)
    try {
      return await work(side)
    } finally {
      side.close()
      await server.stop()
    }
  })
}

async function measure(few: Side, many: Side, { rounds, calls }: Plan): Promise<void> {
  for (const read of READS) {
    progress(`reads: ${read.name}`)
    // The first round warms up the code and the pages.
    for (let round = 0; round <= rounds; round++) {
      for (const side of [few, many]) await side.round(read, calls)
    }
  }
}

function rowsOf(few: Side, many: Side): Row[] {
  return READS.flatMap((read) =>
    PERCENTILES.flatMap((percent) => {
      const kind = read.isWhole === true ? 'whole list' : 'read'
      const title = (side: Side) => `${kind}: ${read.name}, p${percent}, ${side.name}`
      const [small, large] = [few, many].map((side) => side.figures(read, percent).slice(1))
      const first = rowOf(title(few), 'ms', small)
      const ratio = first.median / median(large)
      return [first, rowOf(title(many), 'ms', large, { yardstick: first.case, ratio })]
    }),
  )
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
  const others = [
    ...(await portfolioRows(plan.portfolio)),
    ...(await boardRows(plan.boards)),
    ...(await socialRows(plan.social)),
  ]
  const nameOf = ({ active }: ReadsSize) => `${active} markets`
  return withServer(nameOf(plan.few), plan.few, (few) =>
    withServer(nameOf(plan.many), plan.many, async (many) => {
      await measure(few, many, plan)
      return { name: 'reads', rows: [...rowsOf(few, many), ...others] }
    }),
  )
}
