// What a long life costs (design §10): memory of all threads, the start from a snapshot, and the
// core's time for a command, after few markets and after many. Every market was traded by two
// accounts, closed out, resolved and archived; a session began and ended beside it. The names of
// orders, which stay unique for ever, are the one thing that grows: they have a row of their own.

import { withFolder } from './folder.ts'
import { forkFor } from './fork.ts'
import { type BenchOptions, median, type Report, type Row, rowOf } from './report.ts'

const FULL = { few: 10_000, many: 1_000_000 }
const SMOKE = { few: 300, many: 900 }
const STARTS = 3
const MIB = 2 ** 20

export interface LifetimePlan {
  readonly what: 'grow' | 'reopen' | 'core'
  readonly dataDir: string
  readonly markets: number
}

export interface LifetimeFigures {
  readonly residentBytes?: number
  /** Of that, the filter with the names of all orders. */
  readonly namesBytes?: number
  readonly startMs?: number
  readonly commandNs?: number
}

function isFigures(message: unknown): message is LifetimeFigures {
  return typeof message === 'object' && message !== null
}

function child(plan: LifetimePlan): Promise<Required<LifetimeFigures>> {
  const entry = new URL('./lifetime-process.ts', import.meta.url)
  const none = { residentBytes: 0, namesBytes: 0, startMs: 0, commandNs: 0 }
  const options = { nodeArgs: ['--expose-gc', '--max-semi-space-size=16'] }
  return forkFor(entry, plan, isFigures, options).then((figures) => ({ ...none, ...figures }))
}

interface Measured {
  readonly grown: Required<LifetimeFigures>
  readonly starts: readonly Required<LifetimeFigures>[]
  readonly core: readonly Required<LifetimeFigures>[]
}

async function measure(dataDir: string, markets: number): Promise<Measured> {
  const grown = await child({ what: 'grow', dataDir, markets })
  const starts: Required<LifetimeFigures>[] = []
  const core: Required<LifetimeFigures>[] = []
  for (let run = 0; run < STARTS; run++) {
    starts.push(await child({ what: 'reopen', dataDir, markets }))
    core.push(await child({ what: 'core', dataDir, markets }))
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
    return { name: 'lifetime', rows }
  })
}
