import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { accountOf } from '../../server/edge/intake/order/client-order.ts'
import { ClientHistory, checkHistory } from './client-history.ts'
import type { TestCluster, TestNode } from './cluster.ts'
import { ClusterClient, type ClusterMarket, readAll, STATUSES_MAX } from './cluster-client.ts'
import { keyOf, SHARE, type Trader } from './exchange-client.ts'
import { at } from './json-path.ts'
import { noteProgress } from './progress.ts'
import type { Random } from './random.ts'
import { handshakeOf, SocketClient } from './socket-client.ts'
import { until } from './until.ts'

// Rounds of: trade at every node, break something, wait until a node leads, go on trading, repair
// it, compare every node with what the clients received.

const TRADERS = 3
const LINES_PER_TRADER = 2
const FUNDS_RAW = 1_000_000 * SHARE
/** How often clients do each thing, of all that they do; the rest are cancels. */
const PLACES = 0.5
const READS = 0.2
const BALANCES = 0.1
const SPLITS = 0.05
const BEATS = 0.03
/** Refusals that say that nothing happened. */
const NOTHING = new Set([
  'UNSENT',
  'HEARTBEAT_CANCELING',
  'NO_LEADER',
  'NOT_READY',
  'OVERLOADED',
  'SEQ_TIMEOUT',
  'READ_TIMEOUT',
])

/** A client that was refused for now, or got no reply, goes on after this. */
const BUSY_MS = 100
/** Between two calls of a client, so that a round leaves the machine time for others. */
const PACE_MS = 25

/** Longer than a round: the heartbeat of a trader whose orders stay. */
const STAYS_MS = 3_600_000
/** The heartbeat of the trader whose orders are canceled at the end of a round. */
const CANCELS_MS = 5500

/** What clients received for one order. */
type Fate = 'accepted' | 'refused' | 'unknown'

/** Breaks something while clients trade; resolves with what repairs it. */
export type ClusterFault = (
  cluster: TestCluster,
  leader: TestNode,
) => Promise<{
  /** Whether another node leads after it. */
  readonly isReplaced: boolean
  readonly repair: () => Promise<void>
}>

export interface ClusterReport {
  readonly round: number
  readonly accepted: number
  readonly unknown: number
  /** From the last reply before the fault to the first after it. */
  readonly pauseMs: number
}

export class ClusterRounds {
  readonly cluster: TestCluster
  /** What every client of the newest round called and received. */
  history = new ClientHistory()
  readonly #random: Random
  /** Replies before a fault, behind it, and behind its repair. */
  readonly #repliesWanted: number
  readonly #fates = new Map<string, Fate>()
  #traders: readonly Trader[] = []
  /** The trader of this round whose heartbeat cancels; null for none. */
  #canceled: Trader | null = null
  readonly #market: ClusterMarket
  #round = 0
  #clients = 1
  #salt = 1
  #replies = 0
  #lastReplyMs = 0
  #longestMs = 0
  #isOver = false

  private constructor(
    cluster: TestCluster,
    market: ClusterMarket,
    random: Random,
    replies: number,
  ) {
    this.cluster = cluster
    this.#market = market
    this.#random = random
    this.#repliesWanted = replies
  }

  static async start(
    random: Random,
    cluster: TestCluster,
    replies: number,
  ): Promise<ClusterRounds> {
    const leader = await cluster.leader()
    const market = await leader.client.makeMarket('rain', false)
    const shown = await fetch(`${leader.client.baseUrl}/markets/${market.slug}`)
    const conditionId = String(at(await shown.json(), 'conditionId'))
    return new ClusterRounds(cluster, { ...market, conditionId }, random, replies)
  }

  /** With `isCanceled`, the heartbeat of one trader fires in the round or at its end. */
  async round(fault: ClusterFault, isCanceled: boolean): Promise<ClusterReport> {
    this.#round++
    this.#isOver = false
    this.#longestMs = 0
    this.#lastReplyMs = performance.now()
    const leader = await this.cluster.leader()
    await this.#begin(leader, isCanceled)
    const listeners = await this.#listen(leader)
    const lines = this.#traders.flatMap((trader) =>
      Array.from({ length: LINES_PER_TRADER }, () => {
        const client = new ClusterClient(this.#clients++, trader, this.#market, this.history)
        return this.#line(client)
      }),
    )
    try {
      await this.#replied()
      const { isReplaced, repair } = await fault(this.cluster, leader)
      await this.cluster.leader(isReplaced ? leader : null)
      await this.#replied()
      await repair()
      await this.#replied()
    } finally {
      this.#isOver = true
      await Promise.all(lines)
    }
    await this.cluster.leader()
    assert.equal(this.cluster.up.length, this.cluster.nodes.length, 'every node runs')
    await this.#allCanceled()
    await this.cluster.level()
    await this.#check()
    await this.#checkHistory()
    for (const listener of listeners) await this.#checkEvents(listener)
    const fates = [...this.#fates.values()]
    return {
      round: this.#round,
      accepted: fates.filter((fate) => fate === 'accepted').length,
      unknown: fates.filter((fate) => fate === 'unknown').length,
      pauseMs: Math.round(this.#longestMs),
    }
  }

  /** Each round has traders of its own, so that its history is whole, and short enough to check. */
  async #begin({ client }: TestNode, isCanceled: boolean): Promise<void> {
    this.history = new ClientHistory()
    this.#fates.clear()
    const traders: Trader[] = []
    for (let index = 0; index < TRADERS; index++) {
      const name = `round ${this.#round} trader ${index}`
      const account = accountOf(keyOf(name))
      const deposit = { kind: 'deposit', account, amountRaw: FUNDS_RAW } as const
      const pending = this.history.begin(this.#clients++, deposit)
      traders.push(await client.makeTrader(name, FUNDS_RAW))
      pending.end({ kind: 'ok' })
    }
    this.#traders = traders
    this.#canceled = isCanceled ? traders[0] : null
    if (this.#canceled !== null) {
      const first = new ClusterClient(this.#clients++, this.#canceled, this.#market, this.history)
      assert.ok(await first.beat(client, CANCELS_MS), 'the heartbeat is set')
    }
    await this.cluster.level()
  }

  /** Sets the heartbeat again, because it may have fired, and waits for its cancels. */
  async #allCanceled(): Promise<void> {
    const trader = this.#canceled
    if (trader === null) return
    const { client } = await this.cluster.leader()
    const last = new ClusterClient(this.#clients++, trader, this.#market, this.history)
    await until(() => last.beat(client, CANCELS_MS))
    const leader = await this.cluster.leader()
    await until(async () => (await this.#ordersAt(leader, trader)).length === 0)
  }

  async #replied(): Promise<void> {
    const goal = this.#replies + this.#repliesWanted
    await until(() => this.#replies >= goal)
  }

  async #line(client: ClusterClient): Promise<void> {
    const accepted: { clientOrderId: string; orderId: string }[] = []
    while (!this.#isOver) {
      await pause(PACE_MS)
      const { up } = this.cluster
      if (up.length === 0) {
        await pause(BUSY_MS)
        continue
      }
      const node = this.#random.pick(up)
      const dice = this.#random.next()
      const known = accepted.length === 0 ? undefined : this.#random.pick(accepted)
      if (known === undefined || dice < PLACES) {
        const placed = await this.#place(client, node)
        if (placed !== null) accepted.push(placed)
      } else if (dice < PLACES + READS) {
        await client.read(node.client, known.clientOrderId, known.orderId)
      } else if (dice < PLACES + READS + BALANCES) {
        await client.balance(node.client)
      } else if (dice < PLACES + READS + BALANCES + SPLITS) {
        if (!(await client.split(node.client, SHARE))) await pause(BUSY_MS)
      } else if (dice < PLACES + READS + BALANCES + SPLITS + BEATS) {
        const cancelAfterMs = client.trader === this.#canceled ? CANCELS_MS : STAYS_MS
        if (!(await client.beat(node.client, cancelAfterMs))) await pause(BUSY_MS)
      } else await this.#cancel(client, node, known.clientOrderId)
    }
  }

  async #place(client: ClusterClient, node: TestNode) {
    const salt = this.#salt++
    const clientOrderId = `order-${salt}`
    const ticks = this.#random.between(100, 300)
    const reply = await client.place(node.client, { salt, clientOrderId, ticks })
    if (reply?.kind !== 'accepted') {
      this.#fates.set(clientOrderId, reply === null ? 'unknown' : 'refused')
      assert.ok(reply === null || NOTHING.has(reply.code), reply?.code)
      await pause(BUSY_MS)
      return null
    }
    const isKept = client.trader !== this.#canceled
    this.#fates.set(clientOrderId, isKept ? 'accepted' : 'unknown')
    const nowMs = performance.now()
    this.#longestMs = Math.max(this.#longestMs, nowMs - this.#lastReplyMs)
    this.#lastReplyMs = nowMs
    this.#replies++
    noteProgress()
    return { clientOrderId, orderId: reply.orderId }
  }

  /** An order whose cancel may have happened counts as unknown from then on. */
  async #cancel(client: ClusterClient, node: TestNode, clientOrderId: string): Promise<void> {
    this.#fates.set(clientOrderId, 'unknown')
    if ((await client.cancel(node.client, clientOrderId)) === null) await pause(BUSY_MS)
  }

  /** Reads what became of every order, and checks what all clients saw. */
  async #checkHistory(): Promise<void> {
    const leader = await this.cluster.leader()
    for (const trader of this.#traders) {
      const ids = this.history.operations.flatMap(({ op }) => {
        return op.kind === 'place' && op.account === trader.account ? [op.clientOrderId] : []
      })
      await readAll(leader.client, trader, ids, { history: this.history, number: this.#clients })
      this.#clients += STATUSES_MAX
    }
    assert.deepEqual(checkHistory(this.history.operations), [])
  }

  /** Sockets on nodes that do not lead. */
  async #listen(leader: TestNode): Promise<{ node: TestNode; client: SocketClient }[]> {
    const [trader] = this.#traders
    const standbys = this.cluster.up.filter((node) => node !== leader)
    return Promise.all(
      standbys.map(async (node) => {
        const headers = handshakeOf(trader, Date.now())
        const { host, port } = node.place
        const client = await SocketClient.open(port, { host, headers })
        await client.take('authenticated', 1)
        client.socket.emit('subscribe_order_events')
        await client.take('system', 1)
        return { node, client }
      }),
    )
  }

  /** A socket that stayed connected saw every placement once, in order. */
  async #checkEvents({ client }: { node: TestNode; client: SocketClient }): Promise<void> {
    if (client.ends.length === 0) {
      const ids = client.of('orderEvent').map((frame) => Number(at(frame, 'eventId')))
      const rising = [...new Set(ids)].sort((a, b) => a - b)
      assert.deepEqual(ids, rising, 'events come once, in order')
      const seen = client
        .of('orderEvent')
        .filter((frame) => at(frame, 'type') === 'PLACEMENT')
        .map((frame) => String(at(frame, 'clientOrderId')))
      assert.equal(new Set(seen).size, seen.length, 'each order is placed once')
    }
    client.close()
  }

  async #check(): Promise<void> {
    for (const trader of this.#traders) {
      const all = await Promise.all(this.cluster.up.map((node) => this.#ordersAt(node, trader)))
      const [first, ...others] = all
      for (const each of others) assert.deepEqual([...each].sort(), [...first].sort())
      const there = new Set(first)
      assert.equal(there.size, first.length, 'each order exists once')
      for (const id of there) {
        assert.notEqual(this.#fates.get(id), 'refused', `${id} was refused and exists`)
      }
    }
    const everywhere = new Set<string>()
    for (const trader of this.#traders) {
      for (const id of await this.#ordersAt(this.cluster.up[0], trader)) everywhere.add(id)
    }
    for (const [id, fate] of this.#fates) {
      if (fate === 'accepted') assert.ok(everywhere.has(id), `acknowledged order ${id} is lost`)
    }
  }

  /** The client ids of a trader's live orders, newest first. */
  async #ordersAt(node: TestNode, trader: Trader): Promise<string[]> {
    noteProgress()
    const ids: string[] = []
    for (let cursor = ''; ; ) {
      const query = `limit=200${cursor === '' ? '' : `&cursor=${cursor}`}`
      const path = `/orders?${query}`
      const { status, body } = await node.client.call(trader, 'GET', path)
      assert.equal(status, 200, JSON.stringify(body))
      const rows = at(body, 'data')
      assert.ok(Array.isArray(rows))
      for (const row of rows) ids.push(String(at(row, 'clientOrderId')))
      const next = at(body, 'nextCursor')
      if (typeof next !== 'string') return ids
      cursor = next
    }
  }
}
