// Distinct signed orders over keep-alive connections to the real server. The follower runs and
// every reply is durable. The baselines authenticate, parse, verify and echo the same orders on as
// many threads; one of them commits each order to a journal before it replies.

import { mainThreadCpuMs } from '../test/support/process-figures.ts'
import { busyTimesAt, p99Ms } from './exchange/busy-times.ts'
import { followerRates } from './follower/followers.ts'
import { alternate, benchOf, pairOf, type Row, rowOf } from './harness/bench.ts'
import { type Latencies, percentilesOf } from './harness/pacer.ts'
import { amendRows } from './http/amends.ts'
import { bookReads } from './http/book-reads.ts'
import { edgesText, measurable } from './http/edge-counts.ts'
import { CONNECTIONS, freshOrders, ordersPerSecond } from './http/full-speed.ts'
import { latenciesOf } from './http/load-client.ts'
import { requestsOf } from './http/orders.ts'
import { type Target, withDurableEcho, withEcho, withExchange } from './http/servers.ts'

const RATES = [1000, 2000, 4000]
/** A rate above this part of the highest rate would measure the queue and not the work. */
const RATE_PART_MAX = 0.75
const LATENCY_MARKETS = 4
const FULL = {
  mixes: [1, 4, 16],
  rounds: 5,
  /** The compiler optimises for the first 40,000 orders: until then they take a third longer. */
  warmUps: 3,
  orders: 12_800,
  latencySeconds: 5,
  /** Overrides the measured highest rate; 0 does not. */
  highest: 0,
  followed: 200_000,
  reads: 200_000,
  edgeThreads: [1, 2, 4, 8],
  moves: 2000,
}
type Size = typeof FULL
const SMOKE: Size = {
  mixes: [2],
  rounds: 1,
  warmUps: 1,
  orders: 128,
  latencySeconds: 0.2,
  highest: 1000,
  followed: 2000,
  reads: 10_000,
  edgeThreads: [1, 2],
  moves: 20,
}

/** The highest rates of all servers with the same orders. */
function rateRows(markets: number, { rounds, warmUps, orders: count }: Size): Promise<Row[]> {
  const name = `${markets} market${markets === 1 ? '' : 's'}`
  return withExchange({ markets }, (target) =>
    withEcho(target, (echoPort) =>
      withDurableEcho(target, async (durablePort) => {
        const about = `http: ${name}`
        const coreMicros: number[] = []
        const samples = await alternate({ about, rounds, warmUps }, () => {
          const orders = freshOrders(target, count)
          const ours = async () => {
            const beforeMs = mainThreadCpuMs(target.pid)
            const perSecond = await ordersPerSecond(target.port, orders)
            const tookMs = mainThreadCpuMs(target.pid) - beforeMs
            coreMicros.push((tookMs / orders.length) * 1000)
            return perSecond
          }
          const echoes = [echoPort, durablePort].map((port) => () => ordersPerSecond(port, orders))
          return [ours, ...echoes]
        })
        const [ours, echo, durable] = samples
        return [
          rowOf(`core thread an order, ${name}`, 'µs', coreMicros.slice(warmUps)),
          ...pairOf('orders/s', { name, samples: ours }, { name: `echo, ${name}`, samples: echo }),
          ...pairOf(
            'orders/s',
            { name, samples: ours },
            { name: `durable echo, ${name}`, samples: durable },
          ),
        ]
      }),
    ),
  )
}

interface LatencyPlan {
  readonly name: string
  readonly perSecond: number
  readonly size: Size
}

async function latencyRows(target: Target, echoPort: number, plan: LatencyPlan): Promise<Row[]> {
  const { name, perSecond, size } = plan
  const about = `http: latency at ${name}`
  const [ours, echo] = await alternate<Latencies>({ about, rounds: size.rounds }, () => {
    const orders = freshOrders(target, Math.ceil(perSecond * size.latencySeconds))
    // Signatures of requests are valid for half a minute, so each run signs its own.
    return [target.port, echoPort].map((port) => () => {
      return latenciesOf({
        port,
        perSecond,
        connections: CONNECTIONS,
        requests: requestsOf(orders),
      })
    })
  })
  const echoed = percentilesOf(echo)
  return percentilesOf(ours).flatMap(({ name: percentile, samples }, index) => {
    const title = `${percentile} at ${name}`
    const theirs = { ...echoed[index], name: `durable echo, ${title}` }
    return pairOf('ms', { name: title, samples }, theirs)
  })
}

function latencyTable(highest: number, size: Size): Promise<Row[]> {
  const half = Math.round(highest / 2)
  const rates = RATES.filter((rate) => rate <= highest * RATE_PART_MAX)
  return withExchange({ markets: LATENCY_MARKETS }, (target) =>
    withDurableEcho(target, async (echoPort) => {
      for (let round = 0; round < size.warmUps; round++) {
        const warm = freshOrders(target, size.orders)
        for (const port of [target.port, echoPort]) await ordersPerSecond(port, warm)
      }
      const rows: Row[] = []
      for (const perSecond of rates) {
        const plan = { name: `${perSecond}/s`, perSecond, size }
        rows.push(...(await latencyRows(target, echoPort, plan)))
      }
      const plan = { name: 'half the highest rate', perSecond: half, size }
      const before = await busyTimesAt(target.port)
      rows.push(...(await latencyRows(target, echoPort, plan)))
      for (const [kind, ms] of p99Ms(before, await busyTimesAt(target.port))) {
        // An edge thread takes replies in batches, so its busy time delays no other order.
        if (kind === 'edge') continue
        rows.push(rowOf(`p99 busy time at ${plan.name}, ${kind}`, 'ms', [ms]))
      }
      return [...rows, rowOf(plan.name, 'orders/s', [half])]
    }),
  )
}

/** Runs `work` with one exchange for each number of edge threads. All of them run at once. */
function withEach<T>(
  [first, ...rest]: readonly number[],
  work: (targets: readonly Target[]) => Promise<T>,
): Promise<T> {
  if (first === undefined) return work([])
  return withExchange({ markets: LATENCY_MARKETS, edgeThreads: first }, (target) =>
    withEach(rest, (others) => work([target, ...others])),
  )
}

/** The rate by number of edge threads. */
async function edgeCurve({
  rounds,
  warmUps,
  orders: count,
  edgeThreads: wanted,
}: Size): Promise<Row[]> {
  const edgeThreads = measurable('http', wanted)
  const samples = await withEach(edgeThreads, (targets) =>
    alternate({ about: 'http: edge threads', rounds, warmUps }, () =>
      targets.map((target) => () => ordersPerSecond(target.port, freshOrders(target, count))),
    ),
  )
  const [first, ...rest] = edgeThreads
  const baseline = rowOf(edgesText(first), 'orders/s', samples[0])
  const rows = rest.map((threads, index) => {
    return rowOf(edgesText(threads), 'orders/s', samples[index + 1], baseline)
  })
  return [baseline, ...rows]
}

const AIMS = `
≥ 0.7×, ideally 0.8×  markets?,.*against echo         signed orders over HTTP against an echo
≥ 0.85×               markets?,.*against durable      signed orders over HTTP against a durable echo
≤ 4 µs                ^core thread an order           CPU of the core thread an order
≥ 0.7×                GET orderbook, [^3]             GET orderbook against plain uWebSockets.js
≤ 1.5×                ^p99 at 2000/s,                 p99 at 2,000 orders/s against the durable echo
≤ 1.5×                ^p99 at half the highest rate,  p99 at half the highest rate against the same
≤ 0.5 ms              ^p99 busy time                  p99 busy time, except of main and edges
≥ 1.5×                ^follower                       follower, sustained, against HTTP orders
`

export const bench = benchOf({
  name: 'http',
  aims: AIMS,
  full: FULL,
  smoke: SMOKE,
  rows: async (size) => {
    const rows: Row[] = []
    for (const markets of size.mixes) rows.push(...(await rateRows(markets, size)))
    const ours = rows.filter(({ baseline = '' }) => baseline.startsWith('echo'))
    const [fastest] = ours.sort((a, b) => b.median - a.median)
    const followed = await followerRates(size.followed, size.rounds)
    rows.push(rowOf('follower, sustained', 'commands/s', followed, fastest))
    rows.push(...(await latencyTable(size.highest || fastest.median, size)))
    rows.push(...(await amendRows(size)))
    return [...rows, ...(await edgeCurve(size)), ...(await bookReads(size))]
  },
})
