// Books to a thousand readers. First the frames a second, against the native publish of the same
// bytes. Then orders at a steady rate on one market, with its readers and without: the frames of
// the readers and the latency of the orders. A third run shows the cost of the readers themselves:
// another process publishes as many bytes natively to as many readers, and the market has none.

import { availableParallelism } from 'node:os'
import type { BooksServer } from './fanout/books-server.ts'
import { lastTotals, READERS, type ReaderTotals, totalsOf } from './fanout/readers.ts'
import { alternate, benchOf, pairOf, progress, type Row, repeat, rowOf } from './harness/bench.ts'
import { type Child, withService } from './harness/child.ts'
import { percentilesOf } from './harness/pacer.ts'
import { edgesText, measurable } from './http/edge-counts.ts'
import { latenciesOf } from './http/load-client.ts'
import { requestsOf, restingOrders } from './http/orders.ts'
import type { PublishPlan } from './http/plain-server.ts'
import { type Target, withExchange } from './http/servers.ts'

const BOOKS = { module: new URL('./fanout/books-server.ts', import.meta.url), name: 'serveBooks' }
const PUBLISHER = {
  module: new URL('./http/plain-server.ts', import.meta.url),
  name: 'publishFrames',
}
const FULL = {
  rounds: 3,
  warmUps: 1,
  /** Readers of books as fast as they are read. */
  counts: [1000, 10_000],
  edgeThreads: [1, 2, 4],
  /** Readers beside orders. */
  readers: 1000,
  rateMs: 3000,
  orders: 1000,
}
type Size = typeof FULL
const SMOKE: Size = {
  rounds: 1,
  warmUps: 0,
  counts: [20],
  edgeThreads: [1],
  readers: 20,
  rateMs: 200,
  orders: 30,
}
/** Price levels of the book, which give a frame of some 2 KB. */
const LEVELS = 34
/** Each order changes the book. */
const ORDERS_PER_SECOND = 50
const CONNECTIONS = 16
const MS_PER_SEC = 1000

/** Frames a second to the readers, and the CPU of the server for each. */
async function publishedFor(server: Child, readers: Child, forMs: number) {
  const before = await totalsOf(readers)
  const startMs = performance.now()
  // More often than frames are read; a loop without pauses would take a core from the readers.
  const plan: PublishPlan = { forMs, everyMs: 1 }
  const cpuMicros = await server.request<number>(plan)
  const after = await totalsOf(readers)
  const seconds = (performance.now() - startMs) / MS_PER_SEC
  const frames = after.books - before.books
  return { perSecond: frames / seconds, micros: cpuMicros / frames }
}

/** So many readers, of an exchange with so many edge threads. */
interface Readers {
  readonly count: number
  readonly edgeThreads: number
}

function rateRows(
  { count, edgeThreads }: Readers,
  { rounds, warmUps, rateMs }: Size,
): Promise<Row[]> {
  const plan = { count, isCounting: false }
  const about = `fanout: ${count} readers, ${edgesText(edgeThreads)}`
  return withService(BOOKS, { levels: LEVELS, edgeThreads }, ({ port, slug }: BooksServer, books) =>
    withService(READERS, { ...plan, port, slug }, async (_none, ours) => {
      const { bookBytes } = await totalsOf(ours)
      return withService(PUBLISHER, bookBytes, (plainPort: number, plain) =>
        withService(READERS, { ...plan, port: plainPort, slug }, async (_nothing, theirs) => {
          const samples = await alternate({ about, rounds, warmUps }, () => [
            () => publishedFor(books, ours, rateMs),
            () => publishedFor(plain, theirs, rateMs),
          ])
          const pair = (unit: string, field: 'perSecond' | 'micros') => {
            const [own, native] = samples.map((each) => each.map((sample) => sample[field]))
            return pairOf(
              unit,
              { name: `books to ${count} readers, ${edgesText(edgeThreads)}`, samples: own },
              { name: 'native publish of the same bytes', samples: native },
            )
          }
          const frame = rowOf('one frame', 'bytes', [bookBytes])
          return [...pair('frames/s', 'perSecond'), ...pair('µs of CPU a frame', 'micros'), frame]
        }),
      )
    }),
  )
}

async function orderP99(target: Target, count: number): Promise<number> {
  const requests = requestsOf(restingOrders(target.setting, count, LEVELS))
  const plan = { port: target.port, connections: CONNECTIONS, perSecond: ORDERS_PER_SECOND }
  const latencies = await latenciesOf({ ...plan, requests })
  const [, p99] = percentilesOf([latencies])
  return p99.samples[0]
}

/** The p99 of orders with readers, and the totals of these. */
function withReaders(target: Target, { readers: count, orders }: Size) {
  const { slug } = target.setting.markets[0]
  const plan = { count, port: target.port, slug, isCounting: true }
  return withService(READERS, plan, async (_none, readers) => {
    const startMs = performance.now()
    const p99 = await orderP99(target, orders)
    const totals = await lastTotals(readers)
    const perSecond = (totals.books / (performance.now() - startMs)) * MS_PER_SEC
    return { p99, totals, perSecond }
  })
}

/** The p99 of orders while another process publishes as many frames to as many readers. */
function besidePublish(target: Target, { readers: count, orders }: Size, frameBytes: number) {
  return withService(PUBLISHER, frameBytes, (port: number, plain) =>
    withService(READERS, { count, port, slug: 'nothing', isCounting: false }, async () => {
      const everyMs = MS_PER_SEC / ORDERS_PER_SECOND
      const published = plain.request({ forMs: orders * everyMs, everyMs })
      const p99 = await orderP99(target, orders)
      await published
      return p99
    }),
  )
}

async function orderRound(target: Target, size: Size) {
  const alone = await orderP99(target, size.orders)
  const watched = await withReaders(target, size)
  const beside = await besidePublish(target, size, watched.totals.bookBytes)
  return { ...watched, alone, beside }
}

function orderRows(size: Size): Promise<Row[]> {
  const { rounds, readers } = size
  return withExchange({ markets: 1 }, async (target) => {
    await orderP99(target, LEVELS * 2)
    const runs = await repeat({ about: 'fanout: orders', rounds }, () => orderRound(target, size))
    const sum = (of: (totals: ReaderTotals) => number) =>
      runs.reduce((total, { totals }) => total + of(totals), 0)
    const samples = runs.map(({ p99 }) => p99)
    const alone = { name: 'p99 of orders without readers', samples: runs.map((run) => run.alone) }
    const beside = {
      name: `p99 of orders beside a native publish to ${readers} readers`,
      samples: runs.map((run) => run.beside),
    }
    return [
      ...pairOf('ms', { name: `p99 of orders with ${readers} readers`, samples }, alone),
      ...pairOf(
        'ms',
        { name: 'p99 of orders: our readers against those of the publish', samples },
        beside,
      ),
      rowOf('frames to readers meanwhile', 'frames/s', [runs[rounds - 1].perSecond]),
      rowOf('gaps that readers saw', 'frames', [sum(({ gaps }) => gaps)]),
      rowOf('frames between the first and the last reader', 'frames', [
        sum(({ newest, oldest }) => newest - oldest),
      ]),
    ]
  })
}

const AIMS = `
≥ 0.9×  ^books to .* frames/s  books to 1,000 and 10,000 readers against a native publish
≤ 1.5×  ^p99 of orders: our    p99 of orders with 1,000 readers, against a native publish
none    ^gaps                  gaps that readers saw
`
/** With fewer cores the readers themselves delay the orders. */
const READERS_CORES_MIN = 4
const WITH_CORES = `
≤ 1.2×  ^p99 of orders with    p99 of orders with 1,000 readers, 50 books a second, against none
`
const hasCores = availableParallelism() >= READERS_CORES_MIN

export const bench = benchOf({
  name: 'fanout',
  aims: hasCores ? AIMS + WITH_CORES : AIMS,
  full: FULL,
  smoke: SMOKE,
  rows: async (size) => {
    const rows: Row[] = []
    for (const edgeThreads of measurable('fanout', size.edgeThreads)) {
      for (const count of size.counts) rows.push(...(await rateRows({ count, edgeThreads }, size)))
    }
    if (!hasCores) {
      progress(`fanout: not judged below ${READERS_CORES_MIN} cores: orders with readers, without`)
    }
    return [...rows, ...(await orderRows(size))]
  },
})
