// A node of a cluster against the same exchange with its own journal, all on one machine: signed
// durable orders and their latency, how long a fail-over takes, how far a standby is behind, and
// what a node adds for readers.

import { LEASE_MS, TestCluster } from '../test/support/cluster.ts'
import { type ExchangeClient, SHARE } from '../test/support/exchange-client.ts'
import { freePort } from '../test/support/free-port.ts'
import { startPostgres } from '../test/support/postgres-servers.ts'
import { metricsOf } from '../test/support/server-process.ts'
import { until } from '../test/support/until.ts'
import { type AddedNodesSize, addedNodes, addedNodesAims } from './cluster/added-nodes.ts'
import {
  alternate,
  benchOf,
  pairOf,
  percentileOf,
  progress,
  type Row,
  rowOf,
} from './harness/bench.ts'
import { CONNECTIONS, freshOrders, ordersPerSecond } from './http/full-speed.ts'
import { latenciesOf } from './http/load-client.ts'
import { prepare, requestsOf } from './http/orders.ts'
import { type Target, withExchange } from './http/servers.ts'

const MARKETS = 4
const PER_SECOND = 2000
const OWN = 'journal in the folder'

interface Size extends AddedNodesSize {
  readonly orders: number
  readonly kills: number
}

/** A node that leads alone, with a log on PostgreSQL that waits for a standby. */
async function withNode<T>(work: (target: Target) => Promise<T>): Promise<T> {
  const servers = await startPostgres({ standbys: 1 })
  try {
    const advertised = `http://127.0.0.1:${await freePort()}`
    const args = ['--journal', servers.url, '--node', 'a', '--advertise', advertised]
    return await withExchange({ markets: MARKETS, args }, work)
  } finally {
    await servers.stopAll()
  }
}

async function againstOwnJournal({ rounds, orders, seconds }: Size): Promise<Row[]> {
  return await withNode((node) =>
    withExchange({ markets: MARKETS }, async (own) => {
      const speed = (target: Target) => () =>
        ordersPerSecond(target.port, freshOrders(target, orders))
      const about = 'orders at full speed'
      const speeds = await alternate({ about, rounds, warmUps: 3 }, () => [speed(node), speed(own)])
      const delay = (target: Target) => async () => {
        const requests = requestsOf(freshOrders(target, PER_SECOND * seconds))
        const plan = {
          port: target.port,
          perSecond: PER_SECOND,
          connections: CONNECTIONS,
          requests,
        }
        return percentileOf(await latenciesOf(plan), 99)
      }
      const paced = `p99 at ${PER_SECOND} orders/s`
      const delays = await alternate({ about: paced, rounds }, () => [delay(node), delay(own)])
      return [
        ...pairOf(
          'orders/s',
          { name: 'orders, log on PostgreSQL', samples: speeds[0] },
          { name: `orders, ${OWN}`, samples: speeds[1] },
        ),
        ...pairOf(
          'ms',
          { name: `${paced}, log on PostgreSQL`, samples: delays[0] },
          { name: `${paced}, ${OWN}`, samples: delays[1] },
        ),
      ]
    }),
  )
}

/** From the last acknowledgement of the old leader to the first of the new one. */
async function failOvers({ kills }: Size): Promise<Row[]> {
  const cluster = await TestCluster.start()
  try {
    const first = await cluster.leader()
    const market = await first.client.makeMarket('bench', false)
    const trader = await first.client.makeTrader('bench', 1_000_000 * SHARE)
    let salt = 1
    const place = async (client: ExchangeClient) => {
      const terms = { isBuy: true, outcome: 'yes', ticks: 100, sizeRaw: SHARE } as const
      const wanted = { ...terms, type: 'GTC', salt: salt++ } as const
      const reply = await client.place(trader, market, wanted).catch(() => null)
      return reply?.status === 201
    }
    const pausesMs: number[] = []
    for (let kill = 1; kill <= kills; kill++) {
      progress(`fail-over ${kill} of ${kills}`)
      await cluster.level()
      const leader = await cluster.leader()
      const [standby] = cluster.up.filter((node) => node !== leader)
      await until(() => place(standby.client))
      const lastMs = performance.now()
      await leader.kill()
      await until(() => place(standby.client))
      pausesMs.push(performance.now() - lastMs)
      await leader.start()
    }
    return [
      rowOf(`fail-over at a lease of ${LEASE_MS} ms, median`, 'ms', pausesMs),
      rowOf(`fail-over at a lease of ${LEASE_MS} ms, worst`, 'ms', [Math.max(...pausesMs)]),
    ]
  } finally {
    await cluster.end()
  }
}

/** Batches by the upper bound of their lag in milliseconds, each with all that lagged less. */
function lagsOf(text: string): ReadonlyMap<number, number> {
  const rows = [
    ...text.matchAll(/^outcomex_cluster_lag_seconds_bucket\{le="([\d.e-]+)"\} (\d+)$/gm),
  ]
  return new Map(rows.map(([, le, count]) => [Number(le) * 1000, Number(count)]))
}

/** The bound below which 99 of 100 batches were published, of those between two readings. */
function lagP99Ms(before: ReadonlyMap<number, number>, after: ReadonlyMap<number, number>): number {
  const counts = [...after].map(([ms, count]) => ({ ms, count: count - (before.get(ms) ?? 0) }))
  const total = counts.at(-1)?.count ?? 0
  return counts.find(({ count }) => count >= total * 0.99)?.ms ?? Number.POSITIVE_INFINITY
}

async function lag({ seconds, rounds }: Size): Promise<Row[]> {
  const cluster = await TestCluster.start(2)
  try {
    const leader = await cluster.leader()
    const [standby] = cluster.up.filter((node) => node !== leader)
    const setting = await prepare(leader.client.baseUrl, MARKETS)
    const { port } = leader.place
    const samples: number[] = []
    let before = lagsOf('')
    // The first round warms both nodes up.
    for (let round = 0; round <= rounds; round++) {
      progress(`lag, round ${round} of ${rounds}`)
      const requests = requestsOf(freshOrders({ setting }, PER_SECOND * seconds))
      await latenciesOf({ port, perSecond: PER_SECOND, connections: CONNECTIONS, requests })
      await cluster.level()
      const after = lagsOf(await metricsOf(standby.client.baseUrl))
      if (round > 0) samples.push(lagP99Ms(before, after))
      before = after
    }
    return [rowOf(`lag of a standby at ${PER_SECOND} orders/s, p99`, 'ms', samples)]
  } finally {
    await cluster.end()
  }
}

const AIMS = `
≥ 0.6×      ^orders, log on PostgreSQL        orders of a cluster, all on one machine
≤ 4×        ^p99 at 2000 orders/s, log        p99 at 2,000 orders/s of a cluster
≤ 3,500 ms  ^fail-over .* median              fail-over at a lease of 3 s
≤ 5,000 ms  ^fail-over .* worst               the slowest fail-over at a lease of 3 s
≤ 20 ms     ^lag of a standby                 p99 of the lag of a standby at 2,000 orders/s
`

export const bench = benchOf<Size>({
  name: 'cluster',
  aims: AIMS + addedNodesAims(),
  full: { rounds: 5, orders: 12_800, seconds: 4, kills: 20, reads: 100_000, readers: 1000 },
  smoke: { rounds: 1, orders: 128, seconds: 1, kills: 1, reads: 500, readers: 20 },
  rows: async (size) => {
    const rows = [...(await againstOwnJournal(size)), ...(await failOvers(size))]
    return [...rows, ...(await lag(size)), ...(await addedNodes(size))]
  },
})
