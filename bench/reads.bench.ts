// Every public read over HTTP, on a small exchange and on a large one: its cost must not grow with
// the exchange. Both servers are up, and alternate read by read. So do two accounts of one
// exchange, one of which has a long history. READS=medium in the environment measures a size
// between the two, READS=markets the full number of markets with few trades. READS_DIR names a
// folder that caches the exchanges for the next run.

import { assert } from '../engine/domain/assert.ts'
import { Random } from '../test/support/random.ts'
import { benchOf, progress } from './harness/bench.ts'
import { withCachedFolder } from './harness/folder.ts'
import { withServer } from './http/servers.ts'
import { type PortfolioPlan, portfolioRows } from './reads/portfolio-reads.ts'
import { type ProfilesPlan, profileRows } from './reads/profiles/profile-rows.ts'
import type { PublicSize } from './reads/public/public-history.ts'
import { PUBLIC_READS, publicValues } from './reads/public/public-reads.ts'
import { writePublicFolder } from './reads/public/public-tables.ts'
import { type Pace, readRows, type Side } from './reads/read-rows.ts'

interface Plan extends Pace {
  readonly few: PublicSize
  readonly many: PublicSize
  readonly portfolio: PortfolioPlan
  readonly profiles: ProfilesPlan
}

/**
 * So many calls that the p99 of a round is not the collections of one thread, and so many rounds
 * that their median is stable: with five it varied fourfold from run to run.
 */
const OFTEN = { rounds: 15, calls: 1000, warmMs: 3000 }
const ONCE = { rounds: 1, calls: 2, warmMs: 0 }
/** Markets have equally many trades in both, so that their pages are equally full. */
const FULL: Plan = {
  few: { active: 50, resolved: 50, trades: 100_000 },
  many: { active: 5000, resolved: 200_000, trades: 10_000_000 },
  portfolio: { positions: 2000, fills: 1_000_000, ...OFTEN },
  profiles: { profiles: 100_000, trades: 100, ...OFTEN },
  ...OFTEN,
}
const MEDIUM: Plan = {
  few: { active: 50, resolved: 50, trades: 20_000 },
  many: { active: 500, resolved: 4000, trades: 200_000 },
  portfolio: { positions: 400, fills: 100_000, ...OFTEN },
  profiles: { profiles: 10_000, trades: 10, ...OFTEN },
  ...OFTEN,
}
const MARKETS: Plan = {
  ...MEDIUM,
  few: { active: 50, resolved: 50, trades: 2000 },
  many: { active: 5000, resolved: 5000, trades: 200_000 },
}
const SMOKE: Plan = {
  few: { active: 5, resolved: 5, trades: 80 },
  many: { active: 10, resolved: 20, trades: 160 },
  portfolio: { positions: 12, fills: 48, ...ONCE },
  profiles: { profiles: 200, trades: 2, ...ONCE },
  ...ONCE,
}

function withSide<T>(size: PublicSize, work: (side: Side) => Promise<T>): Promise<T> {
  const { active, resolved, trades } = size
  progress(`reads: ${active} active, ${resolved} resolved, ${trades} trades`)
  const make = (dataDir: string) => writePublicFolder(dataDir, size)
  return withCachedFolder(`reads-${active}-${resolved}-${trades}`, make, (dataDir) =>
    withServer(dataDir, (openCaller) => {
      const caller = openCaller({ statuses: [200, 404] })
      return work({ name: `${active} markets`, values: publicValues(size, new Random(1)), caller })
    }),
  )
}

function planOfEnvironment(): Plan {
  const { READS: size = 'full' } = process.env
  const plan = { full: FULL, markets: MARKETS, medium: MEDIUM }[size]
  assert(plan !== undefined, 'READS is full, markets or medium')
  return plan
}

const AIMS = `
≤ 2×            ^read: .*, p50,       public reads, p50: 5,000 markets against 50
≤ 2× or + 1 ms  ^read: .*, p99,       public reads, p99: 5,000 markets against 50
≤ 3× or + 1 ms  ^portfolio: .*, p99,  portfolio reads, p99: 1,000,000 fills against ten
≤ 2× or + 1 ms  ^board: .*, p99,      leaderboards, p99: 100,000 profiles against 1,000
≤ 2× or + 1 ms  ^profiles: .*, p99,   profiles, packs, feeds, matches, p99: the same
`

export const bench = benchOf({
  name: 'reads',
  aims: AIMS,
  full: planOfEnvironment(),
  smoke: SMOKE,
  rows: async ({ few, many, portfolio, profiles, ...pace }) => {
    const others = [...(await portfolioRows(portfolio)), ...(await profileRows(profiles))]
    const rows = await withSide(few, (small) =>
      withSide(many, (large) => readRows(small, large, PUBLIC_READS, pace)),
    )
    return [...rows, ...others]
  },
})
