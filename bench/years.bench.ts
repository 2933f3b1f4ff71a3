// Months of an exchange in steady use (design §10): what the folder, the memory and the start are
// on day 400 against day 40, when every window is full. And the latency of orders while segments of
// the journal are sealed and its file shrinks.

import { MS_PER_SEC } from '../engine/domain/units.ts'
import { benchOf, pairOf, type Row, repeat, rowOf } from './harness/bench.ts'
import { withFolder } from './harness/folder.ts'
import type { LifetimeStart } from './lifetime/lifetime-tasks.ts'
import { type Aged, COMMANDS_PER_STEP, lived, restarted } from './years/days.ts'
import { savedLarge } from './years/large-state.ts'
import { sealingRows } from './years/sealing.ts'

const MIB = 2 ** 20
const FULL = {
  days: [40, 400],
  stepsPerDay: 2500,
  resting: 10_000,
  starts: 5,
  large: { accounts: 1_000_000, orders: 2_000_000, snapshots: 3 },
  sealing: { rounds: 5, before: 600_000, live: 10_000, seconds: 4, segmentBytes: 1 << 26 },
}
const SMOKE = {
  days: [2, 4],
  stepsPerDay: 50,
  resting: 20,
  starts: 1,
  large: { accounts: 1000, orders: 2000, snapshots: 1 },
  sealing: { rounds: 1, before: 2000, live: 100, seconds: 0.1, segmentBytes: 1 << 16 },
}
type Size = typeof FULL

interface Age {
  readonly day: number
  readonly aged: Aged
  readonly starts: readonly LifetimeStart[]
}

function growthRows({ days, stepsPerDay, resting, starts }: Size): Promise<Row[]> {
  return withFolder(async (dataDir) => {
    const ages: Age[] = []
    let from = 0
    for (const day of days) {
      const plan = { dataDir, from, to: day, stepsPerDay, resting }
      const aged = await lived(plan)
      const rounds = { about: `years: start on day ${day}`, rounds: starts }
      ages.push({ day, aged, starts: await repeat(rounds, () => restarted(plan)) })
      from = day
    }
    const [young, old] = ages
    const pair = (name: string, unit: string, figures: (age: Age) => readonly number[]) => {
      const [ours, theirs] = [old, young].map((age) => {
        return { name: `${name}, day ${age.day}`, samples: figures(age) }
      })
      return pairOf(unit, ours, theirs)
    }
    const size = (name: string, read: (age: Age) => number) => {
      return pair(name, 'MiB', (age) => [read(age) / MIB])
    }
    const sizeOf = ({ aged: { sizes } }: Age) => sizes.journal + sizes.read_tables + sizes.snapshots
    const oldDays = old.day - young.day
    const perDay = (read: (age: Age) => number) => (read(old) - read(young)) / oldDays
    const archived = perDay(({ aged }) => aged.sizes.archive)
    return [
      ...size('folder without its archive', sizeOf),
      ...size('journal.db', ({ aged }) => aged.sizes.journal),
      ...size('read.db', ({ aged }) => aged.sizes.read_tables),
      ...size('snapshots', ({ aged }) => aged.sizes.snapshots),
      rowOf('archive', 'bytes a command', [archived / (stepsPerDay * COMMANDS_PER_STEP)]),
      ...size('memory of a running exchange, without keys of orders', ({ aged }) => {
        return aged.residentBytes - aged.namesBytes
      }),
      ...size('keys of orders', ({ aged }) => aged.namesBytes),
      ...pair('memory after a start', 'MiB', (age) =>
        age.starts.map(({ residentBytes }) => residentBytes / MIB),
      ),
      ...pair('start', 'ms', (age) => age.starts.map(({ startMs }) => startMs)),
    ]
  })
}

function largeRows({ accounts, orders, snapshots }: Size['large']): Promise<Row[]> {
  return withFolder(async (dataDir) => {
    const { saved, pausesMs } = await savedLarge({ dataDir, accounts, orders, snapshots })
    const state = `snapshot of ${accounts} accounts and ${orders} orders`
    return [
      rowOf(
        state,
        'MiB',
        saved.map(({ bytes }) => bytes / MIB),
      ),
      rowOf(
        state,
        's',
        saved.map(({ tookMs }) => tookMs / MS_PER_SEC),
      ),
      rowOf('orders wait for it', 'ms', pausesMs),
    ]
  })
}

const AIMS = `
≤ 1.1×             ^folder     folder without its archive on day 400 against day 40
≤ 1.1×             ^memory     memory on day 400 against day 40
≤ 1.1× or + 20 ms  ^start      start on day 400 against day 40
≤ 1.2×             ^p99 while  p99 of orders while segments are sealed against none
`

export const bench = benchOf({
  name: 'years',
  aims: AIMS,
  full: FULL,
  smoke: SMOKE,
  rows: async (size) => [
    ...(await growthRows(size)),
    ...(await largeRows(size.large)),
    ...(await sealingRows(size.sealing)),
  ],
})
