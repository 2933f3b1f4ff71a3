// Matching alone: our book, with owners, self-trade policies, expiring orders and events, against a
// public book and a book of objects and Maps; then the five scenarios of a published benchmark
// (arXiv 2606.01183), whose figure is the worst of them. Each contender runs in processes of its
// own.

import { assert } from '../engine/domain/assert.ts'
import { type ContenderName, forkPasses } from './contenders/passes.ts'
import { alternate, benchOf, pairOf, type Row, rowOf } from './harness/bench.ts'
import { SCENARIO_NAMES } from './published/messages.ts'
import { forkPublished, type PublishedPlan } from './published/passes.ts'

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

interface PublishedSize {
  readonly rounds: number
  readonly orders: number
}

/**
 * Matching alone is measured warm, as it runs in the exchange; the hand-off to a second thread in a
 * fresh process and with its first pass, as published. Objects and Maps are the baseline.
 */
const PUBLISHED_RUNS: readonly Pick<PublishedPlan, 'runner' | 'warmPasses' | 'passes'>[] = [
  { runner: 'objects and Maps', warmPasses: 1, passes: 1 },
  { runner: 'ours', warmPasses: 1, passes: 3 },
  { runner: 'ours, handed off', warmPasses: 0, passes: 1 },
]

async function publishedRows({ rounds, orders }: PublishedSize): Promise<Row[]> {
  const rows: Row[] = []
  for (const scenario of SCENARIO_NAMES) {
    const results = await alternate({ about: `book: ${scenario}`, rounds }, () =>
      PUBLISHED_RUNS.map((run) => () => forkPublished({ ...run, scenario, orders })),
    )
    const trades = new Set(results.flat().map((each) => each.trades))
    assert(trades.size === 1, 'every book makes the same trades')
    const [baseline, ...ours] = PUBLISHED_RUNS.map(({ runner }, index) => ({
      name: `${runner}, ${scenario}`,
      samples: results[index].flatMap(({ perSecond }) => perSecond),
    }))
    const theirs = rowOf(baseline.name, PER_SECOND, baseline.samples)
    rows.push(theirs, ...ours.map(({ name, samples }) => rowOf(name, PER_SECOND, samples, theirs)))
  }
  const worst = PUBLISHED_RUNS.map(({ runner }) => {
    const own = SCENARIO_NAMES.map((scenario) => `${runner}, ${scenario}`)
    const medians = rows.filter((row) => own.includes(row.case)).map((row) => row.median)
    return rowOf(`${runner}, worst of five`, PER_SECOND, [Math.min(...medians)])
  })
  return [...rows, ...worst]
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
