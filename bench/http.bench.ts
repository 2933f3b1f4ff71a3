// Distinct signed orders over keep-alive connections to the real server, follower running and every
// reply durable. The yardstick authenticates, parses, verifies and echoes the same bytes.

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { assert } from '../engine/domain/assert.ts'
import { spawn } from '../engine/wire/spawn.ts'
import { ServerProcess } from '../test/support/server-process.ts'
import { withFolder } from './folder.ts'
import { echoSetting, type HttpSetting, prepare, requestsOf, signOrders } from './http-orders.ts'
import { LOAD_PERCENTILES, type LoadPlan, type LoadResult } from './load-client.ts'
import { type BenchOptions, median, type Report, type Row, rowOf } from './report.ts'

const RUNS = 5
const MIXES = [1, 4, 16]
const CONNECTIONS = 64
const ORDERS = 6000
const ECHO = 'echo of the same orders'

function isResult(message: unknown): message is LoadResult {
  return typeof message === 'object' && message !== null && 'statuses' in message
}

async function load(plan: LoadPlan): Promise<LoadResult> {
  const worker = spawn(new URL('./load.worker.ts', import.meta.url), {
    name: 'load',
    workerData: plan,
  })
  const [result] = await once(worker, 'message')
  assert(isResult(result), 'the load gives its result')
  // A refusal is cheaper than an order: it would flatter.
  if (result.refusal !== '') throw new Error(`not every order was taken: ${result.refusal}`)
  return result
}

async function startEcho(setting: HttpSetting): Promise<{ child: ChildProcess; port: number }> {
  const child = fork(
    fileURLToPath(new URL('./echo-server.ts', import.meta.url)),
    [JSON.stringify(echoSetting(setting))],
    { execArgv: ['--import', 'tsx'] },
  )
  const [port] = await once(child, 'message')
  return { child, port: Number(port) }
}

interface Pair {
  readonly ours: LoadResult[]
  readonly echo: LoadResult[]
}

/** The same orders to both servers in turn; salts differ over all calls. */
async function compare(
  markets: number,
  plan: { runs: number; orders: number; perSecond: number },
): Promise<Pair> {
  return await withFolder(async (dataDir) => {
    const args = ['--no-rate-limit']
    const server = await ServerProcess.start({ dataDir, args })
    const setting = await prepare(server.baseUrl, markets)
    const { child, port: echoPort } = await startEcho(setting)
    const port = Number(new URL(server.baseUrl).port)
    const pair: Pair = { ours: [], echo: [] }
    const { runs, orders: count, perSecond } = plan
    // One run more: the first warms both up.
    for (let run = 0; run <= runs; run++) {
      const orders = signOrders(setting, count, 1 + run * count * 10)
      const common = { connections: CONNECTIONS, perSecond }
      pair.ours.push(await load({ ...common, port, requests: requestsOf(orders) }))
      pair.echo.push(await load({ ...common, port: echoPort, requests: requestsOf(orders) }))
    }
    child.disconnect()
    await server.stop()
    return { ours: pair.ours.slice(1), echo: pair.echo.slice(1) }
  })
}

function latencyRows(pair: Pair, perSecond: number): Row[] {
  return LOAD_PERCENTILES.flatMap((percentile, index) => {
    const ours = pair.ours.map((run) => run.latencyMs[index])
    const echo = pair.echo.map((run) => run.latencyMs[index])
    const name = percentile === 100 ? 'worst' : `p${percentile}`
    const more = { yardstick: ECHO, ratio: median(echo) / median(ours) }
    return [
      rowOf(`${name} at ${perSecond}/s, 4 markets`, 'ms', ours, more),
      rowOf(`${ECHO}, ${name}`, 'ms', echo),
    ]
  })
}

export async function httpBench({ smoke }: BenchOptions): Promise<Report> {
  const rows: Row[] = []
  const rate = (runs: readonly LoadResult[], orders: number) =>
    runs.map((run) => orders / run.seconds)
  const plan = { runs: smoke ? 1 : RUNS, orders: smoke ? 100 : ORDERS, perSecond: 0 }
  let highest = 0
  for (const markets of smoke ? [2] : MIXES) {
    const pair = await compare(markets, plan)
    const ours = rate(pair.ours, plan.orders)
    const echo = rate(pair.echo, plan.orders)
    const more = { yardstick: ECHO, ratio: median(ours) / median(echo) }
    rows.push(rowOf(`${markets} markets`, 'orders/s', ours, more))
    rows.push(rowOf(`${ECHO} (${markets} markets)`, 'orders/s', echo))
    highest = Math.max(highest, median(ours))
  }
  if (smoke) return { name: 'http', rows }
  const perSecond = Math.round(highest / 2)
  rows.push(...latencyRows(await compare(4, { ...plan, perSecond }), perSecond))
  return { name: 'http', rows }
}
