// The aims of the benches, in the order of the report, and whether a row reaches them.

import { type Report, type Row, spreadOf } from './report.ts'

export interface Aim {
  readonly bench: string
  /** What is promised, in a few words. */
  readonly about: string
  /** The cases that must keep the promise. The worst of them counts. */
  readonly cases: RegExp
  readonly unit?: string
  readonly yardstick?: RegExp
  readonly reach: Reach
}

export type Reach =
  | { readonly kind: 'times better'; readonly min: number; readonly hopedMin?: number }
  /**
   * A factor on the yardstick's figure. `orMore`: an amount above that figure which is enough too.
   */
  | { readonly kind: 'times its cost'; readonly max: number; readonly orMore?: number }
  | { readonly kind: 'at least'; readonly min: number }
  | { readonly kind: 'at most'; readonly max: number }

export interface Judged {
  readonly aim: Aim
  /** The worst row of the aim; undefined when it was not measured. */
  readonly row: Row | undefined
  readonly isMet: boolean
  /** The spread of its yardstick's runs; 0 without a yardstick. */
  readonly yardstickSpread: number
}

export const AIMS: readonly Aim[] = [
  {
    bench: 'book',
    about: 'book against npm nodejs-order-book',
    cases: /^ours, 10,000 live$/,
    yardstick: /nodejs-order-book/,
    reach: { kind: 'times better', min: 60 },
  },
  {
    bench: 'book',
    about: 'book against objects and Maps',
    cases: /^ours, 10,000 live$/,
    yardstick: /objects and Maps/,
    reach: { kind: 'times better', min: 3.5 },
  },
  {
    bench: 'book',
    about: 'book: collections once warm',
    cases: /^ours, collections/,
    reach: { kind: 'at most', max: 0 },
  },
  {
    bench: 'book',
    about: 'book: 100,000 live orders against 1,000',
    cases: /^ours, 100,000 live/,
    reach: { kind: 'times its cost', max: 1.4 },
  },
  {
    bench: 'book',
    about: '1,000 books against one',
    cases: /in 1,000 books/,
    reach: { kind: 'times its cost', max: 2 },
  },
  {
    bench: 'book',
    about: '4,096 books of 10 orders against one of 10,000',
    cases: /in 4,096 books/,
    reach: { kind: 'times its cost', max: 3 },
  },
  {
    bench: 'core',
    about: 'core against the book alone',
    cases: /^core, 1 market$/,
    unit: 'ns/op',
    reach: { kind: 'times its cost', max: 8 },
  },
  {
    bench: 'core',
    about: 'core, commands on one thread',
    cases: /^core, 1 market$/,
    unit: 'commands/s',
    reach: { kind: 'at least', min: 2_000_000 },
  },
  {
    bench: 'pipeline',
    about: 'pipeline against raw SQLite commits',
    cases: /under way$/,
    reach: { kind: 'times better', min: 0.5 },
  },
  {
    bench: 'pipeline',
    about: 'pipeline p99 at 5,000/s against a lone commit',
    cases: /^5000\/s, p99$/,
    reach: { kind: 'times its cost', max: 3 },
  },
  {
    bench: 'pipeline',
    about: 'p99 of a stretch of work at 5,000/s: markets, journal',
    cases: /^5000\/s, p99 of a stretch/,
    reach: { kind: 'at most', max: 0.5 },
  },
  {
    bench: 'http',
    about: 'signed orders over HTTP against echoing them',
    cases: /^\d+ markets?$/,
    unit: 'orders/s',
    yardstick: /^echo/,
    reach: { kind: 'times better', min: 0.7, hopedMin: 0.8 },
  },
  {
    bench: 'http',
    about: 'signed orders over HTTP against a durable echo',
    cases: /^\d+ markets?$/,
    unit: 'orders/s',
    yardstick: /^durable echo/,
    reach: { kind: 'times better', min: 0.8 },
  },
  {
    bench: 'http',
    about: 'GET orderbook against plain uWebSockets.js with the same bytes',
    cases: /^(?:CPU of )?GET orderbook$/,
    reach: { kind: 'times better', min: 0.7 },
  },
  {
    bench: 'http',
    about: 'HTTP p99 at half the highest rate against the echo',
    cases: /^p99 at half the highest rate$/,
    unit: 'ms',
    reach: { kind: 'times its cost', max: 2, orMore: 2 },
  },
  {
    bench: 'http',
    about: 'p99 of a stretch of work at half the highest rate: all threads but main and intake',
    cases: /^p99 of a stretch/,
    reach: { kind: 'at most', max: 0.5 },
  },
  {
    bench: 'http',
    about: 'follower, sustained, against HTTP orders',
    cases: /^follower/,
    reach: { kind: 'times better', min: 1.5 },
  },
  {
    bench: 'binary',
    about: 'orders over HTTP: the one binary against node',
    cases: /^binary, orders/,
    unit: 'orders/s',
    reach: { kind: 'times better', min: 0.95 },
  },
  {
    bench: 'binary',
    about: 'the one binary: from its start to the first answer',
    cases: /^binary, from start to the first answer/,
    unit: 'ms',
    reach: { kind: 'at most', max: 300 },
  },
  {
    bench: 'fanout',
    about: 'books to 1,000 readers against the native publish of the same bytes',
    cases: /^books to/,
    unit: 'frames/s',
    reach: { kind: 'times better', min: 0.9 },
  },
  {
    bench: 'fanout',
    about: 'p99 of orders with 1,000 readers at 50 books a second against none',
    cases: /^p99 of orders with/,
    unit: 'ms',
    reach: { kind: 'times its cost', max: 1.5 },
  },
  {
    bench: 'fanout',
    about: 'the same against another process that publishes as much to as many',
    cases: /^p99 of orders: our readers/,
    unit: 'ms',
    reach: { kind: 'times its cost', max: 1.5 },
  },
  {
    bench: 'fanout',
    about: 'gaps that readers saw',
    cases: /^gaps/,
    unit: 'frames',
    reach: { kind: 'at most', max: 0 },
  },
  {
    bench: 'recovery',
    about: 'recovery against the core',
    cases: /^start, cold/,
    unit: 'commands/s',
    reach: { kind: 'times better', min: 0.3 },
  },
  {
    bench: 'recovery',
    about: 'start of 2,000,000 commands, a snapshot at the half',
    cases: /snapshot at the half/,
    unit: 's',
    reach: { kind: 'at most', max: 3 },
  },
  {
    bench: 'snapshot',
    about: 'p99 while a snapshot is saved against none',
    cases: /^p99/,
    reach: { kind: 'times its cost', max: 1.5 },
  },
  {
    bench: 'memory',
    about: 'memory of an idle exchange, all threads',
    cases: /^idle/,
    unit: 'MB',
    reach: { kind: 'at most', max: 120 },
  },
  {
    bench: 'memory',
    about: 'memory per resting order, all threads',
    cases: /per resting order/,
    reach: { kind: 'at most', max: 320 },
  },
  {
    bench: 'memory',
    about: 'memory per dead order, all threads',
    cases: /per dead order/,
    reach: { kind: 'at most', max: 4 },
  },
  {
    bench: 'lifetime',
    about: 'memory after 1,000,000 markets against 10,000',
    cases: /^memory/,
    reach: { kind: 'times its cost', max: 1.1 },
  },
  {
    bench: 'lifetime',
    about: 'start after 1,000,000 markets against 10,000',
    cases: /^start/,
    reach: { kind: 'times its cost', max: 1.1 },
  },
  {
    bench: 'lifetime',
    about: 'a command of the core after 1,000,000 markets against 10,000',
    cases: /^a command/,
    reach: { kind: 'times its cost', max: 1.1 },
  },
  {
    bench: 'lifetime',
    about: 'memory at rest after a year of two 5-minute series against a month',
    cases: /^series: memory of a resting/,
    reach: { kind: 'times its cost', max: 1.1 },
  },
  {
    bench: 'lifetime',
    about: 'memory after a start behind a year of two 5-minute series against a day',
    cases: /^series: memory after a start/,
    reach: { kind: 'times its cost', max: 1.1 },
  },
  {
    bench: 'lifetime',
    about: 'start after a year of two 5-minute series against a day',
    cases: /^series: start/,
    reach: { kind: 'times its cost', max: 1.1, orMore: 20 },
  },
  {
    bench: 'lifetime',
    about: 'timelines after a year of two 5-minute series against a day, p50',
    cases: /^series: .*, p50/,
    reach: { kind: 'times its cost', max: 1.1, orMore: 0.1 },
  },
  {
    bench: 'follower',
    about: 'a command of the follower with 10,000,000 trades in the tables against none',
    cases: /^follower on tables/,
    unit: 'us/command',
    reach: { kind: 'times its cost', max: 1.3 },
  },
  {
    bench: 'reads',
    about: 'each public read, p50: a large exchange against 50 markets',
    cases: /^read: .*, p50,/,
    reach: { kind: 'times its cost', max: 2 },
  },
  {
    bench: 'reads',
    about: 'each public read, p99: a large exchange against 50 markets',
    cases: /^read: .*, p99,/,
    unit: 'ms',
    // The worst of a hundred calls is often the machine's: a millisecond more is no sign.
    reach: { kind: 'times its cost', max: 2, orMore: 1 },
  },
  {
    bench: 'reads',
    about: 'portfolio reads, p99: 2,000 positions and 1,000,000 fills against ten',
    cases: /^portfolio: .*, p99,/,
    unit: 'ms',
    reach: { kind: 'times its cost', max: 3, orMore: 1 },
  },
  {
    bench: 'reads',
    about: 'leaderboards, p99: 100,000 profiles and 10,000,000 trades against a hundredth',
    cases: /^board: .*, p99,/,
    unit: 'ms',
    reach: { kind: 'times its cost', max: 2, orMore: 1 },
  },
  {
    bench: 'reads',
    about: 'profiles, packs, feeds, matches, p99: the same against a hundredth',
    cases: /^profiles: .*, p99,/,
    unit: 'ms',
    reach: { kind: 'times its cost', max: 2, orMore: 1 },
  },
]

function isOf(aim: Aim, bench: string, row: Row): boolean {
  if (aim.bench !== bench || !aim.cases.test(row.case)) return false
  if (aim.unit !== undefined && aim.unit !== row.unit) return false
  if (aim.yardstick !== undefined) return aim.yardstick.test(row.yardstick ?? '')
  const needsRatio = aim.reach.kind === 'times better' || aim.reach.kind === 'times its cost'
  return !needsRatio || row.ratio !== undefined
}

/** How far a row goes beyond its aim: 1 just reaches it. */
function marginOf(reach: Reach, { ratio = 0, median }: Row): number {
  switch (reach.kind) {
    case 'times better':
      return ratio / reach.min
    case 'times its cost': {
      const allowed = Math.max(reach.max * median * ratio, median * ratio + (reach.orMore ?? 0))
      return allowed / median
    }
    case 'at least':
      return median / reach.min
    case 'at most':
      // A difference, because `max` may be 0, and a division by 0 says nothing.
      return 1 + reach.max - median
  }
}

export function isReached(reach: Reach, row: Row): boolean {
  return marginOf(reach, row) >= 1
}

/** The aim of a row; undefined when it has none. */
export function aimOf(bench: string, row: Row): Aim | undefined {
  return AIMS.find((aim) => isOf(aim, bench, row))
}

/** The spread of the row's yardstick: a ratio is only as steady as its yardstick. */
export function yardstickSpreadOf(row: Row | undefined, rows: readonly Row[]): number {
  const isYardstick = (other: Row) => other.case === row?.yardstick && other.unit === row.unit
  const yardstick = rows.find(isYardstick)
  return yardstick === undefined ? 0 : spreadOf(yardstick)
}

/** Every aim with the worst of its rows. */
export function judge(reports: readonly Report[]): Judged[] {
  return AIMS.map((aim) => {
    const all = reports.filter(({ name }) => name === aim.bench).flatMap(({ rows }) => rows)
    const rows = all.filter((row) => isOf(aim, aim.bench, row))
    const [row] = rows.sort((a, b) => marginOf(aim.reach, a) - marginOf(aim.reach, b))
    const isMet = row !== undefined && isReached(aim.reach, row)
    return { aim, row, isMet, yardstickSpread: yardstickSpreadOf(row, all) }
  })
}
