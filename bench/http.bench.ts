// Distinct signed orders over keep-alive connections to the real server. The follower runs and
// every reply is durable. The yardsticks authenticate, parse, verify and echo the same orders; one
// of them commits each order to a journal before it replies.

import { once } from 'node:events'
import { assert } from '../engine/domain/assert.ts'
import { spawn } from '../engine/thread/spawn.ts'
import { followerRuns } from './follower/follower-runs.ts'
import { requestsOf } from './http/http-orders.ts'
import { type Target, withDurableEcho, withEcho, withExchange } from './http/http-servers.ts'
import type { LoadPlan, LoadResult } from './http/load-client.ts'
import { CONNECTIONS, freshOrders, ordersPerSecond } from './http/order-rate.ts'
import { busyTimesAt, p99Ms } from './passes/busy-times.ts'
import { PERCENTILES, percentileName } from './passes/pacer.ts'
import { bookReads } from './reads/book-reads.ts'
import { progress } from './report/progress.ts'
import { type BenchOptions, median, type Report, type Row, rowOf } from './report/report.ts'

const MIXES = [1, 4, 16]
const RATES = [1000, 2000, 4000]
/** A rate above this part of the highest rate would measure the queue and not the work. */
const RATE_PART_MAX = 0.75
const LATENCY_MARKETS = 4

interface Size {
  readonly runs: number
  readonly orders: number
  readonly latencySeconds: number
  readonly followed: number
  readonly reads: number
  readonly intakeThreads: readonly number[]
}

const WHOLE: Size = {
  runs: 5,
  orders: 12_800,
  latencySeconds: 5,
  followed: 200_000,
  reads: 200_000,
  intakeThreads: [1, 2, 4],
}
const SMOKE: Size = {
  runs: 1,
  orders: 128,
  latencySeconds: 0.2,
  followed: 2000,
  reads: 10_000,
  intakeThreads: [2],
}

interface Rates {
  readonly ours: number[]
  readonly echo: number[]
  readonly durableEcho: number[]
}

/** Sends the same orders to all servers in turns. One extra run comes first, to warm them up. */
function highestRates(markets: number, { runs, orders: count }: Size): Promise<Rates> {
  return withExchange(markets, [], (target) =>
    withEcho(target, (echoPort) =>
      withDurableEcho(target, async (durablePort) => {
        const rates: Rates = { ours: [], echo: [], durableEcho: [] }
        for (let run = 0; run <= runs; run++) {
          progress(`http: ${markets} markets, run ${run} of ${runs}`)
          const orders = freshOrders(target, count)
          const ours = await ordersPerSecond(target.port, orders)
          const echo = await ordersPerSecond(echoPort, orders)
          const durableEcho = await ordersPerSecond(durablePort, orders)
          if (run === 0) continue
          rates.ours.push(ours)
          rates.echo.push(echo)
          rates.durableEcho.push(durableEcho)
        }
        return rates
      }),
    ),
  )
}

function isLoadResult(message: unknown): message is LoadResult {
  return typeof message === 'object' && message !== null && 'latencyMs' in message
}

async function latenciesMs(plan: LoadPlan): Promise<readonly number[]> {
  const worker = spawn(new URL('./http/load.worker.ts', import.meta.url), {
    name: 'load',
    workerData: plan,
  })
  const [result] = await once(worker, 'message')
  await worker.terminate()
  assert(isLoadResult(result), 'the load worker gives its result')
  if (result.refused > 0) throw new Error(`not every order was accepted: ${result.refusal}`)
  return result.latencyMs
}

interface LatencyPlan {
  readonly name: string
  readonly perSecond: number
  readonly size: Size
}

async function latencyRows(target: Target, echoPort: number, plan: LatencyPlan): Promise<Row[]> {
  const { name, perSecond, size } = plan
  const ours: (readonly number[])[] = []
  const echo: (readonly number[])[] = []
  for (let run = 0; run < size.runs; run++) {
    progress(`http: latency at ${name}, run ${run + 1} of ${size.runs}`)
    const orders = freshOrders(target, Math.ceil(perSecond * size.latencySeconds))
    const common = { connections: CONNECTIONS, perSecond }
    ours.push(await latenciesMs({ ...common, port: target.port, requests: requestsOf(orders) }))
    echo.push(await latenciesMs({ ...common, port: echoPort, requests: requestsOf(orders) }))
  }
  return PERCENTILES.flatMap((percentile, index) => {
    const samples = ours.map((run) => run[index])
    const echoed = echo.map((run) => run[index])
    const title = `${percentileName(percentile)} at ${name}`
    const yardstick = `echo, ${title}`
    const ratio = median(echoed) / median(samples)
    return [rowOf(title, 'ms', samples, { yardstick, ratio }), rowOf(yardstick, 'ms', echoed)]
  })
}

function latencyTable(highest: number, size: Size): Promise<Row[]> {
  const half = Math.round(highest / 2)
  const rates = RATES.filter((rate) => rate <= highest * RATE_PART_MAX)
  return withExchange(LATENCY_MARKETS, [], (target) =>
    withEcho(target, async (echoPort) => {
      // Warm up as for the highest rate.
      const warm = freshOrders(target, size.orders)
      await ordersPerSecond(target.port, warm)
      await ordersPerSecond(echoPort, warm)
      const rows: Row[] = []
      for (const perSecond of rates) {
        const plan = { name: `${perSecond}/s`, perSecond, size }
        rows.push(...(await latencyRows(target, echoPort, plan)))
      }
      const plan = { name: 'half the highest rate', perSecond: half, size }
      const before = await busyTimesAt(target.port)
      rows.push(...(await latencyRows(target, echoPort, plan)))
      for (const [kind, ms] of p99Ms(before, await busyTimesAt(target.port))) {
        // A batch of signatures is the work itself, and no order waits behind another for it.
        if (kind === 'intake') continue
        rows.push(rowOf(`p99 of a stretch at ${plan.name}, ${kind}`, 'ms', [ms]))
      }
      return [...rows, rowOf(plan.name, 'orders/s', [half])]
    }),
  )
}

/** Runs `work` on one exchange for each number of intake threads. All of them run at once. */
function withEach<T>(
  threads: readonly number[],
  work: (targets: readonly Target[]) => Promise<T>,
): Promise<T> {
  const [first, ...rest] = threads
  if (first === undefined) return work([])
  return withExchange(LATENCY_MARKETS, ['--intake-threads', String(first)], (target) =>
    withEach(rest, (others) => work([target, ...others])),
  )
}

/** What each core buys: intake pools of several sizes, in turns. */
async function intakeCurve({ runs, orders: count, intakeThreads }: Size): Promise<Row[]> {
  const samples = intakeThreads.map((): number[] => [])
  await withEach(intakeThreads, async (targets) => {
    for (let run = 0; run <= runs; run++) {
      progress(`http: intake threads, run ${run} of ${runs}`)
      for (const [index, target] of targets.entries()) {
        const perSecond = await ordersPerSecond(target.port, freshOrders(target, count))
        if (run > 0) samples[index].push(perSecond)
      }
    }
  })
  const titleOf = (threads: number) => `${threads} intake thread${threads === 1 ? '' : 's'}`
  const yardstick = titleOf(intakeThreads[0])
  return intakeThreads.map((threads, index) => {
    const ratio = median(samples[index]) / median(samples[0])
    const more = index === 0 ? {} : { yardstick, ratio }
    return rowOf(titleOf(threads), 'orders/s', samples[index], more)
  })
}

async function followerRow(fastest: Row, { followed, runs }: Size): Promise<Row> {
  progress(`http: the follower on ${followed} commands`)
  const { perSecond } = await followerRuns(followed, runs)
  const ratio = median(perSecond) / fastest.median
  return rowOf('follower, sustained', 'commands/s', perSecond, { yardstick: fastest.case, ratio })
}

export async function httpBench({ smoke }: BenchOptions): Promise<Report> {
  const size = smoke ? SMOKE : WHOLE
  const rows: Row[] = []
  let fastest: Row | undefined
  for (const markets of smoke ? [2] : MIXES) {
    const { ours, echo, durableEcho } = await highestRates(markets, size)
    const title = `${markets} market${markets === 1 ? '' : 's'}`
    const against = (yardstick: string, samples: readonly number[]) =>
      rowOf(title, 'orders/s', ours, { yardstick, ratio: median(ours) / median(samples) })
    const row = against(`echo, ${title}`, echo)
    rows.push(row, rowOf(`echo, ${title}`, 'orders/s', echo))
    rows.push(against(`durable echo, ${title}`, durableEcho))
    rows.push(rowOf(`durable echo, ${title}`, 'orders/s', durableEcho))
    if (fastest === undefined || row.median > fastest.median) fastest = row
  }
  assert(fastest !== undefined, 'there is a mix')
  rows.push(await followerRow(fastest, size))
  rows.push(...(await latencyTable(smoke ? 1000 : fastest.median, size)))
  rows.push(...(await intakeCurve(size)))
  rows.push(...(await bookReads(size)))
  return { name: 'http', rows }
}
