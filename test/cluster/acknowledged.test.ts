import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { TestCluster, type TestNode } from '../support/cluster.ts'
import { STATUSES_MAX } from '../support/cluster-client.ts'
import { SHARE, type TestMarket, type Trader } from '../support/exchange-client.ts'
import { at } from '../support/json-path.ts'
import { postgresSkip } from '../support/postgres-folder.ts'
import { noteProgress } from '../support/progress.ts'
import { freshSeed, fromEnv, Random } from '../support/random.ts'
import { compileProgram } from '../support/server-process.ts'
import { until } from '../support/until.ts'

// Orders at all nodes as fast as they go. In each part of them a standby is down all the time, and
// the leader is killed halfway, so that only one node remains.

const ORDERS = fromEnv('CLUSTER_ORDERS', 0)
const PART = Math.min(ORDERS, 100_000)
const CLIENTS = 32
const PAIRS = 4
const PAIR_FUNDS_RAW = 100_000_000 * SHARE
const REPORT_EVERY = 10_000
/** A client that was refused for now, or got no reply, goes on after this. */
const BUSY_MS = 100

interface Acknowledged {
  readonly trader: Trader
  readonly orderIds: string[]
}

class Flow {
  readonly accounts: readonly Acknowledged[]
  readonly #cluster: TestCluster
  readonly #market: TestMarket
  readonly #random: Random
  /** Replies of 201 and others. */
  count = 0
  others = 0
  #salt = 1

  constructor(
    cluster: TestCluster,
    setting: { readonly traders: readonly Trader[]; readonly market: TestMarket },
    random: Random,
  ) {
    this.#cluster = cluster
    this.#market = setting.market
    this.#random = random
    this.accounts = setting.traders.map((trader) => ({ trader, orderIds: [] }))
  }

  /** Trades until so many orders are acknowledged. */
  async until(goal: number): Promise<void> {
    const clients = Array.from({ length: CLIENTS }, async () => {
      while (this.count < goal) await this.#place()
    })
    await Promise.all(clients)
  }

  /** Traders with even places buy yes, and the others no at the rest of its price. */
  async #place(): Promise<void> {
    const { up } = this.#cluster
    const salt = this.#salt++
    const { trader, orderIds } = this.accounts[salt % this.accounts.length]
    const outcome = salt % 2 === 0 ? 'yes' : 'no'
    const wanted = { isBuy: true, outcome, ticks: 500, sizeRaw: SHARE, type: 'GTC', salt } as const
    const reply =
      up.length === 0
        ? null
        : await this.#random.pick(up).client.place(trader, this.#market, wanted).catch(orThrow)
    if (reply?.status !== 201) {
      this.others++
      assert.ok(reply === null || reply.status >= 503, JSON.stringify(reply))
      await pause(BUSY_MS)
      return
    }
    orderIds.push(String(at(reply.body, 'order', 'id')))
    this.count++
    noteProgress()
    if (this.count % REPORT_EVERY === 0) console.log(`${this.count} acknowledged`)
  }

  /** Every acknowledged order is at the node. */
  async check({ client }: TestNode): Promise<void> {
    for (const { trader, orderIds } of this.accounts) {
      for (let from = 0; from < orderIds.length; from += STATUSES_MAX) {
        const items = orderIds.slice(from, from + STATUSES_MAX).map((orderId) => ({ orderId }))
        const body = JSON.stringify({ items })
        const reply = await client.call(trader, 'POST', '/orders/status/batch', body)
        assert.equal(reply.status, 200, JSON.stringify(reply.body))
        const results = at(reply.body, 'results')
        assert.ok(Array.isArray(results))
        const found = results.map((result) => at(result, 'data', 'order', 'id'))
        assert.deepEqual(
          found,
          items.map(({ orderId }) => orderId),
          'acknowledged orders are there',
        )
        noteProgress()
      }
    }
  }
}

/** No reply: the connection broke. */
function orThrow(error: unknown): null {
  if (error instanceof assert.AssertionError) throw error
  return null
}

const skip = ORDERS === 0 ? 'a part of `make cluster`' : postgresSkip

test(`${ORDERS} acknowledged orders are at every node`, { skip }, async () => {
  await compileProgram()
  const cluster = await TestCluster.start()
  after(() => cluster.end())
  const { client } = await cluster.leader()
  const traders: Trader[] = []
  for (let index = 0; index < PAIRS * 2; index++) {
    traders.push(await client.makeTrader(`trader ${index}`, PAIR_FUNDS_RAW))
  }
  const market = await client.makeMarket('rain', false)
  const flow = new Flow(cluster, { traders, market }, new Random(freshSeed()))
  for (let goal = PART; flow.count < ORDERS; goal += PART) {
    const leader = await cluster.leader()
    const standby = cluster.up.find((node) => node !== leader)
    assert.ok(standby !== undefined)
    await standby.kill()
    const trading = flow.until(goal)
    await until(() => flow.count >= goal - PART / 2)
    await leader.kill()
    await cluster.leader(leader)
    await leader.start()
    await trading
    await standby.start()
    await cluster.level()
    console.log(`a standby caught up; ${flow.others} calls were refused or got no reply`)
  }
  await Promise.all(cluster.nodes.map((node) => flow.check(node)))
  await cluster.compareFolders()
})
