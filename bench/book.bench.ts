// Matching alone: our book, with owners, self-trade policies, expiring orders and events, against a
// public book and a book of objects and Maps; then the five scenarios of a published benchmark
// (arXiv 2606.01183), whose figure is the worst of them. Each contender runs in processes of its
// own.

import { assert } from '../engine/domain/assert.ts'
import { type ContenderName, forkPasses } from './contenders/passes.ts'
import { alternate, benchOf, median, pairOf, type Row, rowOf } from './harness/bench.ts'
import { SCENARIOS, type Scenario } from './published/messages.ts'
import { forkPublished, type RunnerName } from './published/passes.ts'

const UNIT = 'ns/op'
const TYPICAL = { live: 10_000, books: 1, ops: 500_000 }
const WORKLOAD_CAPS = { live: Infinity, books: Infinity, ops: Infinity }

type Case = readonly [name: string, ContenderName, changes: Partial<typeof TYPICAL>]
const CASES: readonly Case[] = [
  ['ours, 10,000 live', 'our-book', {}],
  ['objects and Maps, 10,000 live', 'plain-book', {}],
  ['nodejs-order-book, 10,000 live', 'npm-book', { ops: 50_000 }],
  ['ours, 1,000 live', 'our-book', { live: 1000 }],
  ['ours, 100,000 live', 'our-book', { live: 100_000 }],
  ['ours, 10,000 live in 1,000 books', 'our-book', { books: 1000 }],
  ['ours, 40,960 live in 4,096 books', 'our-book', { live: 40_960, books: 4096 }],
]

const AIMS = `
≥ 60×   ^ours, 10,000 live,.*nodejs   book against npm nodejs-order-book
≥ 3.5×  ^ours, 10,000 live,.*objects  book against objects and Maps
none    ^ours, collections            book: collections once warm
≤ 1.4×  ^ours, 100,000 live           book: 100,000 live orders against 1,000
≤ 2×    in 1,000 books                1,000 books against one
≤ 3×    in 4,096 books                4,096 books of 10 orders against one of 10,000
`

const PER_SECOND = 'messages/s'
const SCENARIO_NAMES = Object.keys(SCENARIOS).filter((name): name is Scenario => name in SCENARIOS)

interface PublishedSize {
  readonly rounds: number
  readonly orders: number
}

/**
 * Matching alone is measured warm, as it runs in the exchange; the hand-off to a second thread in a
 * fresh process and with its first pass, as published.
 */
async function publishedRows({ rounds, orders }: PublishedSize): Promise<Row[]> {
  const rows: Row[] = []
  const worst: Record<RunnerName, number[]> = {
    ours: [],
    'ours, handed off': [],
    'objects and Maps': [],
  }
  for (const scenario of SCENARIO_NAMES) {
    const run = async (runner: RunnerName, warmPasses: number, passes: number) => {
      const plan = { runner, scenario, orders, warmPasses, passes }
      const { perSecond, trades } = await forkPublished(plan)
      return { perSecond, trades }
    }
    const [ours, handedOff, plain] = await alternate({ about: `book: ${scenario}`, rounds }, () => [
      () => run('ours', 1, 3),
      () => run('ours, handed off', 0, 1),
      () => run('objects and Maps', 1, 1),
    ])
    const trades = new Set([...ours, ...handedOff, ...plain].map((each) => each.trades))
    assert(trades.size === 1, 'every book makes the same trades')
    const caseOf = (runner: RunnerName, results: typeof ours) => {
      const samples = results.flatMap(({ perSecond }) => perSecond)
      worst[runner].push(median(samples))
      return { name: `${runner}, ${scenario}`, samples }
    }
    const of = caseOf('objects and Maps', plain)
    rows.push(...pairOf(PER_SECOND, caseOf('ours', ours), of))
    rows.push(pairOf(PER_SECOND, caseOf('ours, handed off', handedOff), of)[0])
  }
  const names = Object.keys(worst).filter((name): name is RunnerName => name in worst)
  return [
    ...rows,
    ...names.map((name) => rowOf(`${name}, worst of five`, PER_SECOND, [Math.min(...worst[name])])),
  ]
}

export const bench = benchOf({
  name: 'book',
  aims: AIMS,
  full: { rounds: 3, warmPasses: 2, passes: 5, caps: WORKLOAD_CAPS, orders: 1_000_000 },
  smoke: {
    rounds: 1,
    warmPasses: 0,
    passes: 1,
    caps: { live: 2000, books: 50, ops: 5000 },
    orders: 1000,
  },
  rows: async ({ rounds, warmPasses, passes, caps, orders }) => {
    const results = await alternate({ about: 'book', rounds }, () =>
      CASES.map(([, contender, changes]) => () => {
        const { live, books, ops } = { ...TYPICAL, ...changes }
        const workload = {
          seed: 1,
          accounts: 64,
          live: Math.min(live, caps.live),
          books: Math.min(books, caps.books),
          ops: Math.min(ops, caps.ops),
        }
        return forkPasses({ contender, workload, warmPasses, passes })
      }),
    )
    const [ours, plain, npm, few, many, books, small] = CASES.map(([name], index) => {
      return { name, samples: results[index].flatMap(({ nsPerOp }) => nsPerOp) }
    })
    const collections = results[0].reduce((sum, each) => sum + each.collections, 0)
    return [
      ...pairOf(UNIT, ours, npm),
      ...pairOf(UNIT, ours, plain),
      ...pairOf(UNIT, many, few),
      pairOf(UNIT, books, ours)[0],
      pairOf(UNIT, small, ours)[0],
      rowOf('ours, collections once warm', 'collections', [collections]),
      ...(await publishedRows({ rounds, orders })),
    ]
  },
})
