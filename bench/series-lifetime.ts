// A year of two series of five minutes against a day of them: 210,240 slots against 576. Both
// servers are up when timelines are asked for, and take turns.

import { ServerProcess } from '../test/support/server-process.ts'
import { Caller, percentile } from './calls.ts'
import { withFolder } from './folder.ts'
import { type LifetimeFigures, lifetimeChild } from './lifetime-child.ts'
import { progress } from './progress.ts'
import { median, type Row, rowOf } from './report.ts'
import { SERIES, SLOT_MS } from './slot-lives.ts'

export interface SeriesPlan {
  /** Slots of both series. */
  readonly few: number
  readonly many: number
  readonly starts: number
  readonly rounds: number
  readonly calls: number
}

/** A stop saves a snapshot: of a large exchange that may take a while. */
const SERVER_ARGS = ['--no-rate-limit', '--stop-deadline', '120']
const MIB = 2 ** 20
const [{ symbol, stableSlug, slugPrefix }] = SERIES
const KEY = `symbol=${symbol}&frequency=minutely&subFrequency=minutes_5`

/** The slug of the slot that ended some slots ago, as every folder has it. */
function slugAgo(slots: number): string {
  const startMs = (Math.floor(Date.now() / SLOT_MS) - slots) * SLOT_MS
  return `${slugPrefix}-${startMs / 1000}`
}

const READS: readonly [name: string, pathOf: () => string][] = [
  ['timeline of a series', () => `/markets/timeline?${KEY}`],
  ['timeline of a series, 1,000 slots', () => `/markets/timeline?${KEY}&before=500&after=500`],
  ['timeline around a slot', () => `/markets/${slugAgo(8)}/timeline`],
  ['stable slug', () => `/markets/stable/${stableSlug}?include=timelinePreview,nextMarket`],
]

interface Side {
  readonly slots: number
  readonly grown: LifetimeFigures
  readonly starts: readonly LifetimeFigures[]
  /** Medians of each round, by name of the read. */
  readonly ms: Map<string, number[]>
}

async function livedIn(dataDir: string, slots: number, starts: number): Promise<Side> {
  const grown = await lifetimeChild({ what: 'slots', dataDir, markets: slots })
  const opened: LifetimeFigures[] = []
  for (let run = 0; run < starts; run++) {
    opened.push(await lifetimeChild({ what: 'reopen', dataDir, markets: slots }))
  }
  return { slots, grown, starts: opened, ms: new Map() }
}

async function withServer<T>(dataDir: string, work: (caller: Caller) => Promise<T>): Promise<T> {
  const server = await ServerProcess.start({ dataDir, args: SERVER_ARGS })
  const caller = new Caller(server.baseUrl)
  try {
    return await work(caller)
  } finally {
    caller.close()
    await server.stop()
  }
}

async function askBoth(
  sides: readonly (readonly [Side, Caller])[],
  { rounds, calls }: SeriesPlan,
): Promise<void> {
  for (const [name, pathOf] of READS) {
    progress(`lifetime: ${name}`)
    // The first round warms up.
    for (let round = 0; round <= rounds; round++) {
      for (const [{ ms }, caller] of sides) {
        const figure = percentile(await caller.round(pathOf, calls), 50)
        if (round > 0) ms.set(name, [...(ms.get(name) ?? []), figure])
      }
    }
  }
}

type Figure = (side: Side) => readonly number[]

const FIGURES: readonly [name: string, unit: string, figure: Figure][] = [
  [
    'memory of a running exchange',
    'MiB',
    ({ grown }) => [(grown.residentBytes - grown.namesBytes) / MIB],
  ],
  [
    'memory after a start',
    'MiB',
    ({ starts }) => starts.map(({ residentBytes }) => residentBytes / MIB),
  ],
  ['start from a snapshot', 'ms', ({ starts }) => starts.map(({ startMs }) => startMs)],
  ...READS.map(([name]): (typeof FIGURES)[number] => [
    `${name}, p50`,
    'ms',
    ({ ms }) => ms.get(name) ?? [],
  ]),
]

export function seriesRows(plan: SeriesPlan): Promise<Row[]> {
  return withFolder((young) =>
    withFolder(async (old) => {
      const day = await livedIn(young, plan.few, plan.starts)
      const year = await livedIn(old, plan.many, plan.starts)
      await withServer(young, (one) =>
        withServer(old, (other) =>
          askBoth(
            [
              [day, one],
              [year, other],
            ],
            plan,
          ),
        ),
      )
      return FIGURES.flatMap(([name, unit, figure]) => {
        const title = ({ slots }: Side) => `series: ${name}, ${slots} slots`
        const first = rowOf(title(day), unit, figure(day))
        const ratio = first.median / median(figure(year))
        return [first, rowOf(title(year), unit, figure(year), { yardstick: first.case, ratio })]
      })
    }),
  )
}
