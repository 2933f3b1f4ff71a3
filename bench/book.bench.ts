// Matching alone: our book, with owners, self-trade policies, expiring orders and events, against a
// public book and a book of objects and Maps. Each contender runs in processes of its own. The
// processes take turns, so that a busy machine slows all contenders alike.

import { type ContenderName, forkPasses, type PassResult } from './passes/passes.ts'
import { progress } from './report/progress.ts'
import { type BenchOptions, median, type Report, type Row, rowOf } from './report/report.ts'

interface Case {
  readonly title: string
  readonly contender: ContenderName
  readonly live: number
  readonly books: number
  readonly ops: number
}

const OURS: Case = {
  title: 'ours, 10,000 live',
  contender: 'our-book',
  live: 10_000,
  books: 1,
  ops: 500_000,
}
const PLAIN: Case = { ...OURS, title: 'objects and Maps, 10,000 live', contender: 'plain-book' }
const NPM: Case = {
  ...OURS,
  title: 'nodejs-order-book, 10,000 live',
  contender: 'npm-book',
  ops: 50_000,
}
const FEW: Case = { ...OURS, title: 'ours, 1,000 live', live: 1000 }
const MANY: Case = { ...OURS, title: 'ours, 100,000 live', live: 100_000 }
const BOOKS: Case = { ...OURS, title: 'ours, 10,000 live in 1,000 books', books: 1000 }
const SMALL: Case = {
  ...OURS,
  title: 'ours, 40,960 live in 4,096 books',
  live: 40_960,
  books: 4096,
}
const ACCOUNTS = 64
const PROCESSES = 3

function planOf(each: Case, smoke: boolean) {
  const { contender, live, books, ops } = each
  const workload = smoke
    ? { seed: 1, live: Math.min(live, 2000), books: Math.min(books, 50), accounts: 8, ops: 5000 }
    : { seed: 1, live, books, accounts: ACCOUNTS, ops }
  return { contender, workload, warmPasses: smoke ? 0 : 2, passes: smoke ? 1 : 5 }
}

async function measure(cases: readonly Case[], smoke: boolean): Promise<Map<Case, PassResult>> {
  const results = new Map<Case, PassResult>()
  for (let round = 0; round < (smoke ? 1 : PROCESSES); round++) {
    for (const each of cases) {
      progress(`book: ${each.title}, process ${round + 1}`)
      const result = await forkPasses(planOf(each, smoke))
      const before = results.get(each)
      results.set(each, {
        nsPerOp: [...(before?.nsPerOp ?? []), ...result.nsPerOp],
        collections: (before?.collections ?? 0) + result.collections,
      })
    }
  }
  return results
}

export async function bookBench({ smoke }: BenchOptions): Promise<Report> {
  const results = await measure([OURS, PLAIN, NPM, FEW, MANY, BOOKS, SMALL], smoke)
  const samples = (each: Case) => results.get(each)?.nsPerOp ?? []
  const against = (each: Case, to: Case) => ({
    yardstick: to.title,
    ratio: median(samples(to)) / median(samples(each)),
  })
  const unit = 'ns/op'
  const collections = results.get(OURS)?.collections ?? 0
  const rows: Row[] = [
    rowOf(OURS.title, unit, samples(OURS), against(OURS, NPM)),
    rowOf(OURS.title, unit, samples(OURS), against(OURS, PLAIN)),
    rowOf(PLAIN.title, unit, samples(PLAIN)),
    rowOf(NPM.title, unit, samples(NPM)),
    rowOf(FEW.title, unit, samples(FEW)),
    rowOf(MANY.title, unit, samples(MANY), against(MANY, FEW)),
    rowOf(BOOKS.title, unit, samples(BOOKS), against(BOOKS, OURS)),
    rowOf(SMALL.title, unit, samples(SMALL), against(SMALL, OURS)),
    rowOf('ours, collections once warm', 'collections', [collections]),
  ]
  return { name: 'book', rows }
}
