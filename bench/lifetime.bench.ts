// What a long life costs (design §10): memory of all threads, the start from a snapshot, and the
// core's time for a command, after few markets and after many. Every market was traded by two
// accounts, closed out, resolved and archived; a session began and ended beside it. The names of
// orders, which stay unique for ever, are the one thing that grows: they have a row of their own.
// A year of two series follows: LIFETIME=series in the environment measures that alone.

import { type LifetimeFigures, lifetimeChild } from './lifetime/lifetime-child.ts'
import { type SeriesPlan, seriesRows } from './lifetime/series-lifetime.ts'
import { withFolder } from './passes/folder.ts'
import { type BenchOptions, median, type Report, type Row, rowOf } from './report/report.ts'

const FULL = { few: 10_000, many: 1_000_000 }
const SMOKE = { few: 300, many: 900 }
const STARTS = 3
/** A day, a month and a year of two series of five minutes. */
const YEAR: SeriesPlan = {
  ...{ few: 576, some: 17_280, many: 210_240, restMs: 40_000 },
  ...{ starts: STARTS, rounds: 5, calls: 200 },
}
const HOURS: SeriesPlan = {
  ...{ few: 24, some: 24, many: 48, restMs: 0 },
  ...{ starts: 1, rounds: 1, calls: 2 },
}
const MIB = 2 ** 20

interface Measured {
  readonly grown: LifetimeFigures
  readonly starts: readonly LifetimeFigures[]
  readonly core: readonly LifetimeFigures[]
}

async function measure(dataDir: string, markets: number): Promise<Measured> {
  const grown = await lifetimeChild({ what: 'grow', dataDir, markets })
  const starts: LifetimeFigures[] = []
  const core: LifetimeFigures[] = []
  for (let run = 0; run < STARTS; run++) {
    starts.push(await lifetimeChild({ what: 'reopen', dataDir, markets }))
    core.push(await lifetimeChild({ what: 'core', dataDir, markets }))
  }
  return { grown, starts, core }
}

type Figure = (measured: Measured) => readonly number[]

const FIGURES: readonly [name: string, unit: string, figure: Figure][] = [
  [
    'memory of a running exchange, without names of orders',
    'MiB',
    ({ grown }) => [(grown.residentBytes - grown.namesBytes) / MIB],
  ],
  [
    'memory after a start',
    'MiB',
    ({ starts }) => starts.map(({ residentBytes }) => residentBytes / MIB),
  ],
  ['names of orders', 'MiB', ({ grown }) => [grown.namesBytes / MIB]],
  ['start from a snapshot', 'ms', ({ starts }) => starts.map(({ startMs }) => startMs)],
  ['a command of the core', 'ns', ({ core }) => core.map(({ commandNs }) => commandNs)],
]

export function lifetimeBench({ smoke }: BenchOptions): Promise<Report> {
  const { few, many } = smoke ? SMOKE : FULL
  return withFolder(async (dataDir) => {
    const series = await seriesRows(smoke ? HOURS : YEAR)
    if (process.env.LIFETIME === 'series') return { name: 'lifetime', rows: series }
    const young = await measure(dataDir, few)
    const old = await measure(dataDir, many)
    const rows = FIGURES.flatMap(([name, unit, figure]): Row[] => {
      const first = rowOf(`${name}, ${few} markets`, unit, figure(young))
      const last = rowOf(`${name}, ${many} markets`, unit, figure(old), {
        yardstick: first.case,
        ratio: first.median / median(figure(old)),
      })
      return [first, last]
    })
    return { name: 'lifetime', rows: [...rows, ...series] }
  })
}
