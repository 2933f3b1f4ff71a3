// A year of two series of five minutes against a day of them: 210,240 slots against 576. Both
// servers are up while timelines are read, and alternate. The memory of the process that ran for
// the year is compared with that of a month: after a day the page caches of SQLite are not yet
// full, and no heap has met its busiest minute.

import { pairOf, type Row, repeat, rowOf } from '../harness/bench.ts'
import { withFolder } from '../harness/folder.ts'
import { withServer } from '../http/servers.ts'
import { type Pace, readRows, readsOf, type Side } from '../reads/read-rows.ts'
import type { LifetimeMemory, LifetimeStart } from './lifetime-tasks.ts'
import { reopened } from './market-lifetime.ts'
import { grownBySlots, SERIES, SLOT_MS } from './slot-lifetime.ts'

export interface SeriesPlan extends Omit<Pace, 'warmMs'> {
  /** Slots of both series, in a day, a month and a year. */
  readonly few: number
  readonly some: number
  readonly many: number
  readonly restMs: number
  readonly starts: number
}

const MIB = 2 ** 20
const [{ symbol, stableSlug, slugPrefix }] = SERIES
const KEY = `symbol=${symbol}&frequency=minutely&subFrequency=minutes_5`

function slugAgo(slots: number): string {
  const startMs = (Math.floor(Date.now() / SLOT_MS) - slots) * SLOT_MS
  return `${slugPrefix}-${startMs / 1000}`
}

// A day has 288 slots of each series: replies with 200 are equally long.
const READS = readsOf(`
series  open  timeline of a series             /markets/timeline?${KEY}
series  open  timeline of a series, 200 slots  /markets/timeline?${KEY}&before=200
series  open  timeline around a slot           /markets/{slug}/timeline
series  open  stable slug  /markets/stable/${stableSlug}?include=timelinePreview,nextMarket
`)

interface Age {
  readonly slots: number
  readonly grown: LifetimeMemory
  readonly starts: readonly LifetimeStart[]
}

async function ageOf(dataDir: string, slots: number, plan: SeriesPlan): Promise<Age> {
  const grown = await grownBySlots({ dataDir, markets: slots, restMs: plan.restMs })
  const rounds = { about: `lifetime: start after ${slots} slots`, rounds: plan.starts }
  const starts = await repeat(rounds, () => reopened({ dataDir, markets: slots }))
  return { slots, grown, starts }
}

const titleOf = (name: string, slots: number) => `series: ${name}, ${slots} slots`

function rowsOf(
  [day, year]: readonly Age[],
  name: string,
  unit: string,
  [few, many]: readonly (readonly number[])[],
): Row[] {
  const ofDay = { name: titleOf(name, day.slots), samples: few }
  return pairOf(unit, { name: titleOf(name, year.slots), samples: many }, ofDay)
}

function restingRow(slots: number, { residentBytes, namesBytes }: LifetimeMemory, than?: Row): Row {
  const title = titleOf('memory of a resting exchange', slots)
  return rowOf(title, 'MiB', [(residentBytes - namesBytes) / MIB], than)
}

async function restingRows([day, year]: readonly Age[], plan: SeriesPlan): Promise<Row[]> {
  const { some, restMs } = plan
  const month = await withFolder((dataDir) => grownBySlots({ dataDir, markets: some, restMs }))
  const ofMonth = restingRow(some, month)
  return [restingRow(day.slots, day.grown), ofMonth, restingRow(year.slots, year.grown, ofMonth)]
}

/** Calls `work` with a side for the reads of a folder. */
function withSide<T>(dataDir: string, slots: number, work: (side: Side) => Promise<T>) {
  // The slot that ended some slots ago is in every folder.
  const values = { slug: () => slugAgo(8) }
  return withServer(dataDir, (open) => work({ name: `${slots} slots`, values, caller: open() }))
}

export function seriesRows(plan: SeriesPlan): Promise<Row[]> {
  const { few, many } = plan
  return withFolder((young) =>
    withFolder(async (old) => {
      const ages = [await ageOf(young, few, plan), await ageOf(old, many, plan)]
      const reads = await withSide(young, few, (one) =>
        withSide(old, many, (other) => readRows(one, other, READS, { ...plan, warmMs: 0 })),
      )
      const figures = (of: (start: LifetimeStart) => number) =>
        ages.map(({ starts }) => starts.map(of))
      const memory = figures(({ residentBytes }) => residentBytes / MIB)
      const startMs = figures((start) => start.startMs)
      return [
        ...(await restingRows(ages, plan)),
        ...rowsOf(ages, 'memory after a start', 'MiB', memory),
        ...rowsOf(ages, 'start from a snapshot', 'ms', startMs),
        ...reads,
      ]
    }),
  )
}
