// Books to a thousand readers. First how many frames a second go out, against the native publish of
// the same bytes. Then orders at a steady rate on one market, with its readers and without: what
// the readers got, and what the orders waited. A third run says what the readers' machine costs:
// another process publishes as many bytes natively to as many readers, and nobody hears the market.

import { assert } from '../engine/domain/assert.ts'
import { spawn } from '../engine/thread/spawn.ts'
import { orderBody, type TestMarket } from '../test/support/exchange-client.ts'
import { LEVELS, SHARE } from './fanout/book-size.ts'
import { Child } from './fanout/child.ts'
import { requestsOf, type UnsentOrder } from './http/http-orders.ts'
import { type Target, withExchange } from './http/http-servers.ts'
import type { LoadPlan, LoadResult } from './http/load-client.ts'
import { PERCENTILES } from './passes/pacer.ts'
import { progress } from './report/progress.ts'
import { type BenchOptions, median, type Report, type Row, rowOf } from './report/report.ts'

interface Size {
  readonly runs: number
  readonly readers: number
  readonly rateMs: number
  readonly orders: number
}

const WHOLE: Size = { runs: 3, readers: 1000, rateMs: 3000, orders: 1000 }
const SMOKE: Size = { runs: 1, readers: 20, rateMs: 200, orders: 30 }
/** Each order changes the book. */
const ORDERS_PER_SECOND = 50
const CONNECTIONS = 16
const MS_PER_SEC = 1000

function numberOf(value: unknown): number {
  assert(typeof value === 'number', 'a process answers with a number')
  return value
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}

async function readersOf(count: number, port: number, slug: string, isCounting: boolean) {
  const readers = new Child('readers', { count, port, slug, isCounting })
  assert((await readers.next()) === 'ready', 'every reader hears the market')
  return readers
}

interface Pace {
  /** Frames that readers got in a second. */
  readonly perSecond: number
  /** CPU of the server for each of them, in microseconds. */
  readonly micros: number
}

/** What the readers get while their server sends for so long. */
async function paceOf(server: Child, readers: Child, forMs: number): Promise<Pace> {
  const before = numberOf(fieldOf(await readers.request('totals'), 'books'))
  const startMs = performance.now()
  const cpuMicros = numberOf(await server.request(forMs))
  const after = numberOf(fieldOf(await readers.request('totals'), 'books'))
  const seconds = (performance.now() - startMs) / MS_PER_SEC
  const frames = after - before
  return { perSecond: frames / seconds, micros: cpuMicros / frames }
}

async function rateRows({ runs, readers: count, rateMs }: Size): Promise<Row[]> {
  const books = new Child('books-server', '')
  const reported = await books.next()
  const slug = fieldOf(reported, 'slug')
  assert(typeof slug === 'string', 'the server names its market')
  const port = numberOf(fieldOf(reported, 'port'))
  const ours = await readersOf(count, port, slug, false)
  const frameBytes = numberOf(fieldOf(await ours.request('totals'), 'bookBytes'))
  const plain = new Child('publish-server', String(frameBytes))
  const theirs = await readersOf(count, numberOf(await plain.next()), slug, false)
  const own: Pace[] = []
  const yard: Pace[] = []
  for (let run = 0; run <= runs; run++) {
    progress(`fanout: frames a second, run ${run} of ${runs}`)
    const first = await paceOf(books, ours, rateMs)
    const second = await paceOf(plain, theirs, rateMs)
    if (run === 0 && runs > 1) continue
    own.push(first)
    yard.push(second)
  }
  // The readers end first: a server that ends before them would be a fault.
  for (const child of [ours, theirs, books, plain]) await child.stop()
  const yardstick = 'native publish of the same bytes'
  const [ownRates, yardRates] = [own, yard].map((all) => all.map(({ perSecond }) => perSecond))
  const [ownCpu, yardCpu] = [own, yard].map((all) => all.map(({ micros }) => micros))
  const title = `books to ${count} readers`
  return [
    rowOf(title, 'frames/s', ownRates, {
      yardstick,
      ratio: median(ownRates) / median(yardRates),
    }),
    rowOf(yardstick, 'frames/s', yardRates),
    rowOf(title, 'µs of CPU a frame', ownCpu, {
      yardstick,
      ratio: median(yardCpu) / median(ownCpu),
    }),
    rowOf(yardstick, 'µs of CPU a frame', yardCpu),
    rowOf('one frame', 'bytes', [frameBytes]),
  ]
}

let salt = 1

/** Orders that rest on levels of their own, so that every one changes the book. */
function restingOrders({ setting }: Target, count: number): UnsentOrder[] {
  const { traders, markets } = setting
  const market: TestMarket = markets[0]
  return Array.from({ length: count }, (_, index) => {
    const trader = traders[index % traders.length]
    const body = orderBody(trader, market, {
      isBuy: true,
      outcome: index % 2 === 0 ? 'yes' : 'no',
      ticks: 300 + (index % LEVELS),
      sizeRaw: SHARE,
      type: 'GTC',
      salt: salt++,
    })
    return { trader, body }
  })
}

function latenciesMs(plan: LoadPlan): Promise<LoadResult> {
  const url = new URL('./http/load.worker.ts', import.meta.url)
  const worker = spawn(url, { name: 'load', workerData: plan })
  return new Promise((resolve, reject) => {
    worker.on('error', reject)
    worker.once('message', resolve)
  })
}

async function orderP99(target: Target, count: number): Promise<number> {
  const requests = requestsOf(restingOrders(target, count))
  const plan = { port: target.port, connections: CONNECTIONS, perSecond: ORDERS_PER_SECOND }
  const { latencyMs, refused, refusal } = await latenciesMs({ ...plan, requests })
  assert(refused === 0, `every order is accepted: ${refusal}`)
  return latencyMs[PERCENTILES.indexOf(99)]
}

/** The p99 of orders while another process publishes as many frames to as many readers. */
async function besideP99(target: Target, size: Size, frameBytes: number): Promise<number> {
  const plain = new Child('publish-server', String(frameBytes))
  const port = numberOf(await plain.next())
  const readers = await readersOf(size.readers, port, 'nothing', false)
  const forMs = (size.orders / ORDERS_PER_SECOND) * MS_PER_SEC
  const published = plain.request({ forMs, everyMs: MS_PER_SEC / ORDERS_PER_SECOND })
  const p99 = await orderP99(target, size.orders)
  await published
  for (const child of [readers, plain]) await child.stop()
  return p99
}

function orderRows(size: Size): Promise<Row[]> {
  return withExchange(1, [], async (target) => {
    const { slug } = target.setting.markets[0]
    await orderP99(target, LEVELS * 2)
    const alone: number[] = []
    const watched: number[] = []
    const beside: number[] = []
    let gaps = 0
    let behind = 0
    let perSecond = 0
    for (let run = 0; run < size.runs; run++) {
      progress(`fanout: orders, run ${run + 1} of ${size.runs}`)
      alone.push(await orderP99(target, size.orders))
      const readers = await readersOf(size.readers, target.port, slug, true)
      const startMs = performance.now()
      watched.push(await orderP99(target, size.orders))
      const totals = await lastTotals(readers)
      perSecond = (numberOf(fieldOf(totals, 'books')) / (performance.now() - startMs)) * MS_PER_SEC
      gaps += numberOf(fieldOf(totals, 'gaps'))
      behind += numberOf(fieldOf(totals, 'newest')) - numberOf(fieldOf(totals, 'oldest'))
      await readers.stop()
      beside.push(await besideP99(target, size, numberOf(fieldOf(totals, 'bookBytes'))))
    }
    const yardstick = 'p99 of orders without readers'
    const ratio = median(alone) / median(watched)
    const native = `p99 of orders beside a native publish to ${size.readers} readers`
    const ofNative = { yardstick: native, ratio: median(beside) / median(watched) }
    return [
      rowOf(`p99 of orders with ${size.readers} readers`, 'ms', watched, { yardstick, ratio }),
      rowOf(yardstick, 'ms', alone),
      rowOf('p99 of orders: our readers against those of the publish', 'ms', watched, ofNative),
      rowOf(native, 'ms', beside),
      rowOf('frames to readers meanwhile', 'frames/s', [perSecond]),
      rowOf('gaps that readers saw', 'frames', [gaps]),
      rowOf('frames between the first and the last reader', 'frames', [behind]),
    ]
  })
}

/** The totals once the readers have the newest book: two looks in a row agree. */
async function lastTotals(readers: Child): Promise<unknown> {
  let last = await readers.request('totals')
  for (;;) {
    const next = await readers.request('totals')
    if (fieldOf(next, 'books') === fieldOf(last, 'books')) return next
    last = next
  }
}

export async function fanoutBench({ smoke }: BenchOptions): Promise<Report> {
  const size = smoke ? SMOKE : WHOLE
  return { name: 'fanout', rows: [...(await rateRows(size)), ...(await orderRows(size))] }
}
