// A year of two series of five minutes against a day of them: 210,240 slots against 576. Both
// servers are up when timelines are asked for, and take turns. The memory of the process that lived
// the year is set against that of a month: after a day the page caches of SQLite are not yet full,
// and no heap has met its busiest minute.

import { ServerProcess } from '../../test/support/server-process.ts'
import { Caller, getting, percentile } from '../http/calls.ts'
import { withFolder } from '../passes/folder.ts'
import { progress } from '../report/progress.ts'
import { median, type Row, rowOf } from '../report/report.ts'
import { type LifetimeFigures, lifetimeChild } from './lifetime-child.ts'
import { SERIES, SLOT_MS } from './slot-lives.ts'

export interface SeriesPlan {
  /** Slots of both series, in a day, a month and a year. */
  readonly few: number
  readonly some: number
  readonly many: number
  readonly restMs: number
  readonly starts: number
  readonly rounds: number
  readonly calls: number
}

/** A stop saves a snapshot: of a large exchange that may take a while. */
const SERVER_ARGS = ['--accept-clock', '--no-rate-limit', '--stop-deadline', '120']
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
  // A day has 288 slots of each series: both replies are equally long.
  ['timeline of a series, 200 slots', () => `/markets/timeline?${KEY}&before=200`],
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

async function livedIn(dataDir: string, slots: number, plan: SeriesPlan): Promise<Side> {
  const { restMs } = plan
  const grown = await lifetimeChild({ what: 'slots', dataDir, markets: slots, restMs })
  const opened: LifetimeFigures[] = []
  for (let run = 0; run < plan.starts; run++) {
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
        const figure = percentile(await caller.round(() => getting(pathOf()), calls), 50)
        if (round > 0) ms.set(name, [...(ms.get(name) ?? []), figure])
      }
    }
  }
}

type Figure = (side: Side) => readonly number[]

const FIGURES: readonly [name: string, unit: string, figure: Figure][] = [
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

const titleOf = (name: string, slots: number) => `series: ${name}, ${slots} slots`

function restingRow(
  slots: number,
  { residentBytes, namesBytes }: LifetimeFigures,
  than?: Row,
): Row {
  const samples = [(residentBytes - namesBytes) / MIB]
  const more = than && { yardstick: than.case, ratio: than.median / median(samples) }
  return rowOf(titleOf('memory of a resting exchange', slots), 'MiB', samples, more)
}

async function restingRows(day: Side, year: Side, { some, restMs }: SeriesPlan): Promise<Row[]> {
  const month = await withFolder((dataDir) =>
    lifetimeChild({ what: 'slots', dataDir, markets: some, restMs }),
  )
  const ofMonth = restingRow(some, month)
  const ofYear = restingRow(year.slots, year.grown, ofMonth)
  return [restingRow(day.slots, day.grown), ofMonth, ofYear]
}

export function seriesRows(plan: SeriesPlan): Promise<Row[]> {
  return withFolder((young) =>
    withFolder(async (old) => {
      const day = await livedIn(young, plan.few, plan)
      const year = await livedIn(old, plan.many, plan)
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
      const rows = FIGURES.flatMap(([name, unit, figure]) => {
        const first = rowOf(titleOf(name, day.slots), unit, figure(day))
        const ratio = first.median / median(figure(year))
        const more = { yardstick: first.case, ratio }
        return [first, rowOf(titleOf(name, year.slots), unit, figure(year), more)]
      })
      return [...(await restingRows(day, year, plan)), ...rows]
    }),
  )
}
