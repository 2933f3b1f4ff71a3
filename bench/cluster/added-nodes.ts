// What one more node adds to the readers of a cluster. First a node serves its readers alone; then
// every node serves as many. Readers have processes of their own, one for each node.

import { TestCluster, type TestNode } from '../../test/support/cluster.ts'
import { flagsOf } from '../../test/support/flags.ts'
import { lastTotals, READERS, totalsOf } from '../fanout/readers.ts'
import { alternate, pairOf, type Row } from '../harness/bench.ts'
import { type Child, type Task, withService } from '../harness/child.ts'
import { hasCores, measurableOf } from '../harness/cores.ts'
import { CONNECTIONS } from '../http/full-speed.ts'
import { latenciesOf } from '../http/load-client.ts'
import { type HttpSetting, prepare, requestsOf, restingOrders } from '../http/orders.ts'
import { READS } from '../http/read-client.ts'

const AIMS = `
≥ 0.9×  ^replies of each  reads that a node adds, against those of the first
≥ 0.9×  ^frames of each   frames that a node adds, against those of the first
`
const NODES = [2, 3]
/** An edge thread and its readers. */
const CORES_EACH = 2
/** The log, and the orders. */
const OTHER_CORES = 1

/** Price levels of the book, which give a frame of some 2 KB. */
const LEVELS = 34
/** Each order changes the book. */
const ORDERS_PER_SECOND = 50
/** The default would give each node all cores. */
const ONE_EDGE = flagsOf({ 'edge-threads': 1 })

export interface AddedNodesSize {
  readonly rounds: number
  /** Replies of each node in a round. */
  readonly reads: number
  /** Sockets of each node. */
  readonly readers: number
  /** Of the frames in a round. */
  readonly seconds: number
}

const coresFor = (nodes: number) => nodes * CORES_EACH + OTHER_CORES

/** None where the machine has cores for a single node. */
export function addedNodesAims(): string {
  return hasCores(coresFor(Math.min(...NODES))) ? AIMS : ''
}

/** Calls `work` with a service of readers for each of the nodes. */
async function withReaders<T>(
  nodes: readonly TestNode[],
  readersOf: (node: TestNode) => { readonly task: Task; readonly plan: unknown },
  work: (readers: readonly Child[]) => Promise<T>,
): Promise<T> {
  const open = (readers: readonly Child[]): Promise<T> => {
    const node = nodes.at(readers.length)
    if (node === undefined) return work(readers)
    const { task, plan } = readersOf(node)
    return withService(task, plan, (_none, reader) => open([...readers, reader]))
  }
  return await open([])
}

/** Replies a second of each node, on average, while all of them are read. */
function repliesOfEach(
  nodes: readonly TestNode[],
  { markets: [{ slug }] }: HttpSetting,
  { reads }: AddedNodesSize,
): Promise<number> {
  const common = { path: `/markets/${slug}/orderbook`, headers: {}, connections: CONNECTIONS }
  const readersOf = ({ place: { port } }: TestNode) => {
    return { task: READS, plan: { ...common, port, replies: reads } }
  }
  return withReaders(nodes, readersOf, async (readers) => {
    const rates = await Promise.all(readers.map((each) => each.request<number>('read')))
    return rates.reduce((sum, rate) => sum + rate, 0) / nodes.length
  })
}

/** Frames a second of each node, on average, while the leader takes orders. */
function framesOfEach(
  nodes: readonly TestNode[],
  setting: HttpSetting,
  { readers: count, seconds }: AddedNodesSize,
  orders: (requests: readonly Uint8Array[]) => Promise<unknown>,
): Promise<number> {
  const [{ slug }] = setting.markets
  const readersOf = ({ place: { port } }: TestNode) => {
    return { task: READERS, plan: { count, port, slug, isCounting: false } }
  }
  return withReaders(nodes, readersOf, async (readers) => {
    const booksOf = async (read: typeof totalsOf) => {
      const totals = await Promise.all(readers.map(read))
      return totals.reduce((sum, { books }) => sum + books, 0)
    }
    const before = await booksOf(totalsOf)
    const startMs = performance.now()
    await orders(requestsOf(restingOrders(setting, ORDERS_PER_SECOND * seconds, LEVELS)))
    const frames = (await booksOf(lastTotals)) - before
    return (frames * 1000) / (performance.now() - startMs) / nodes.length
  })
}

export async function addedNodes(size: AddedNodesSize): Promise<Row[]> {
  const measurable = measurableOf('readers of cluster nodes', NODES, coresFor)
  if (measurable.length === 0) return []
  const cluster = await TestCluster.start(Math.max(...measurable), { flags: ONE_EDGE })
  try {
    const leader = await cluster.leader()
    const standbys = cluster.nodes.filter((node) => node !== leader)
    const setting = await prepare(leader.client.baseUrl, 1)
    const orders = (requests: readonly Uint8Array[]) =>
      latenciesOf({
        port: leader.place.port,
        perSecond: ORDERS_PER_SECOND,
        connections: CONNECTIONS,
        requests,
      })
    await orders(requestsOf(restingOrders(setting, LEVELS, LEVELS)))
    const rows: Row[] = []
    for (const count of measurable) {
      await cluster.level()
      const first = [leader]
      const all = [leader, ...standbys.slice(0, count - 1)]
      const { rounds } = size
      const of = `of each of ${count} nodes`
      const replies = await alternate({ about: `replies ${of}`, rounds, warmUps: 1 }, () => [
        () => repliesOfEach(all, setting, size),
        () => repliesOfEach(first, setting, size),
      ])
      const frames = await alternate({ about: `frames ${of}`, rounds, warmUps: 1 }, () => [
        () => framesOfEach(all, setting, size, orders),
        () => framesOfEach(first, setting, size, orders),
      ])
      for (const [name, unit, [ours, theirs]] of [
        ['replies', 'replies/s', replies],
        ['frames', 'frames/s', frames],
      ] as const) {
        const alone = { name: `${name} of one node`, samples: theirs }
        rows.push(...pairOf(unit, { name: `${name} ${of}`, samples: ours }, alone))
      }
    }
    return rows
  } finally {
    await cluster.end()
  }
}
