import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { verifyFolder } from '../../persistence/verify-folder.ts'
import { Acknowledged, type SentOrder } from './acknowledged.ts'
import {
  cancelShape,
  ExchangeClient,
  orderBody,
  orderShape,
  type Reply,
  refusalShape,
  SHARE,
  shaped,
  type TestMarket,
  type Trader,
  type UserOrder,
} from './exchange-client.ts'
import { at, textAt } from './json-path.ts'
import type { Random } from './random.ts'
import { ServerProcess, verify } from './server-process.ts'
import { until } from './until.ts'

// Rounds of: trade over HTTP, SIGKILL at a random reply, replay offline, restart, compare.

const MARKET_THREADS = ['4', '2', 'each', '0'] as const
const MARKETS = 3
/** Taker delay of the last market; short, so that a round has orders in each stage of a delay. */
const DELAY_MS = 30
const TRADERS = 3
const LINES_PER_TRADER = 4
const FUNDS_RAW = 1_000_000 * SHARE
const TYPES = ['GTC', 'GTC', 'GTC', 'GTC', 'GTC', 'FAK', 'FAK', 'FOK'] as const
/** Shares that the orders of a trader's group may fill. */
const GROUP_RAW = 20 * SHARE
const GROUP = JSON.stringify({ maxFillRaw: GROUP_RAW, windowSec: 60 })
/** Between two calls of a line that waits for a fault point: snapshots come by time. */
const PACE_MS = 20
/** The most orders in one status request. */
const STATUSES_MAX = 50
/** Refusals that random orders and cancels may meet without a fault. */
const EXPECTED_REFUSALS = new Set([
  'AMEND_IN_PROGRESS',
  'AMEND_NOT_RESTING',
  'AMEND_NOT_SMALLER',
  'INSUFFICIENT_SHARES',
  'POST_ONLY_WOULD_MATCH',
  'ORDER_FILLED',
  'ORDER_GROUP_CANCELING',
  'ORDER_GROUP_CLOSED',
  'ORDER_NOT_FOUND',
  'ORDER_NOT_OPEN',
  'ORDERS_NOT_FOUND',
  'ORDER_RELEASE_IN_PROGRESS',
])

export interface RoundReport {
  readonly round: number
  readonly marketThreads: string
  readonly seq: number
  readonly replies: number
  readonly unanswered: number
}

interface PendingOrder {
  readonly body: string
  /** Some orders are named by their body, others by an idempotency key. */
  readonly headers: Readonly<Record<string, string>>
}

export class CrashRounds {
  readonly reported = new Acknowledged()
  /** Orders whose reply reports that they are held. */
  held = 0
  readonly #random: Random
  readonly #dataDir: string
  #server: ServerProcess
  #markets: TestMarket[] = []
  #traders: Trader[] = []
  /** The order group of each trader whose group was acknowledged. */
  readonly #groups = new Map<Trader, number>()
  /** Groups that a check found closed. */
  closedGroups = 0
  #round = 0
  /** `#replies`, `#unanswered` and `#killAt` belong to the current round. */
  #replies = 0
  #unanswered = 0
  #killAt = 0
  #salt = 1
  /** Unanswered orders, by their client id. */
  readonly #pending = new Map<string, PendingOrder>()

  private constructor(dataDir: string, random: Random, server: ServerProcess) {
    this.#dataDir = dataDir
    this.#random = random
    this.#server = server
  }

  static async start(dataDir: string, random: Random): Promise<CrashRounds> {
    const rounds = new CrashRounds(dataDir, random, await serve(dataDir, MARKET_THREADS[0]))
    const client = new ExchangeClient(rounds.#server.baseUrl)
    for (let index = 0; index < MARKETS; index++) {
      const delayMs = index === MARKETS - 1 ? DELAY_MS : 0
      rounds.#markets.push(await client.makeMarket(`crash-${index}`, index === 0, delayMs))
    }
    return rounds
  }

  /**
   * The server dies at `fault` (a point and its passing) when it is given, else at a random reply.
   */
  async round(fault?: string): Promise<RoundReport> {
    this.#round++
    this.#replies = 0
    this.#unanswered = 0
    this.#killAt = fault === undefined ? this.#random.between(20, 250) : 0
    if (fault !== undefined) await this.#restartWith(fault)
    await this.#trade()
    assert.equal((await this.#server.ended).signal, 'SIGKILL')
    // Does what `outcomex verify` does without a process of its own; `goodStop` runs the command.
    const { seq, stateHash } = verifyFolder(this.#dataDir)
    const marketThreads = MARKET_THREADS[this.#round % MARKET_THREADS.length]
    this.#server = await serve(this.#dataDir, marketThreads)
    const { recovered } = this.#server
    assert.deepEqual(
      recovered,
      { seq, stateHash },
      `--market-threads ${marketThreads} recovers the state of the replay`,
    )
    await this.#check()
    if (fault !== undefined) {
      await this.#retry()
      await this.#check()
    }
    const [replies, unanswered] = [this.#replies, this.#unanswered]
    return { round: this.#round, marketThreads, seq, replies, unanswered }
  }

  /**
   * Stops by SIGTERM instead. The next start must recover the state that the server reported at its
   * stop.
   */
  async goodStop(): Promise<void> {
    const stopped = await this.#server.stop()
    assert.deepEqual(await verify(this.#dataDir), stopped)
    this.#server = await serve(this.#dataDir, '4')
    assert.deepEqual(this.#server.recovered, stopped)
    await this.#check()
  }

  end(): void {
    this.#server.signal('SIGKILL')
  }

  async #restartWith(fault: string): Promise<void> {
    this.#server.signal('SIGKILL')
    await this.#server.ended
    const marketThreads = MARKET_THREADS[this.#round % MARKET_THREADS.length]
    this.#server = await serve(this.#dataDir, marketThreads, fault)
  }

  /**
   * Sends each unanswered order again, unchanged: it is there already, or it is placed now. Under
   * an idempotency key the reply is the same either way.
   */
  async #retry(): Promise<void> {
    const client = new ExchangeClient(this.#server.baseUrl)
    for (const [clientOrderId, { body, headers }] of this.#pending) {
      const sent = this.reported.sent.get(clientOrderId)
      assert.ok(sent !== undefined, 'a pending order was sent')
      const reply = await client.call(sent.trader, 'POST', '/orders', body, headers)
      const { code } = reply.status === 201 ? { code: '' } : shaped(refusalShape, reply.body)
      if (code === '') this.reported.reported(sent, shaped(orderShape, reply.body))
      else if (code === 'DUPLICATE_ORDER' && !('idempotency-key' in headers)) {
        this.reported.duplicates.add(clientOrderId)
      } else {
        this.#expectRefusal(reply)
        this.reported.refused.add(clientOrderId)
      }
    }
    this.#pending.clear()
  }

  async #trade(): Promise<void> {
    const client = new ExchangeClient(this.#server.baseUrl)
    const fresh: Trader[] = []
    for (let index = 0; index < TRADERS; index++) {
      const trader = await this.#makeTrader(client, index)
      // A snapshot may be due from the start; its fault point then comes before the first order.
      if (trader === null) break
      this.reported.deposits.set(trader, FUNDS_RAW)
      fresh.push(trader)
    }
    this.#traders.push(...fresh)
    const lines = fresh.flatMap((trader) =>
      Array.from({ length: LINES_PER_TRADER }, () => this.#line(client, trader)),
    )
    await Promise.all(lines)
  }

  /** Null when the requested fault came first. */
  async #makeTrader(client: ExchangeClient, index: number): Promise<Trader | null> {
    const name = `crash ${this.#round} ${index}`
    return client.makeTrader(name, FUNDS_RAW).catch((error) => {
      if (this.#killAt > 0 || error instanceof assert.AssertionError) throw error
      return null
    })
  }

  /** Creates the trader's group, or opens it again. */
  async #reset(client: ExchangeClient, trader: Trader): Promise<boolean> {
    const id = this.#groups.get(trader)
    const path = id === undefined ? '/order-groups' : `/order-groups/${id}/reset`
    const body = id === undefined ? GROUP : ''
    const reply = await this.#request(client.call(trader, 'POST', path, body))
    if (reply === null) return false
    if (reply.status === 201) this.#groups.set(trader, Number(at(reply.body, 'orderGroupId')))
    else if (reply.status !== 200) this.#expectRefusal(reply)
    return true
  }

  /** An acknowledged group is there; it is open within its bound, or has no orders. */
  async #checkGroups(client: ExchangeClient): Promise<void> {
    for (const [trader, id] of this.#groups) {
      const read = () => client.call(trader, 'GET', `/order-groups/${id}`)
      await until(async () => at((await read()).body, 'status') !== 'CANCELING')
      const { status, body } = await read()
      assert.equal(status, 200, `acknowledged group ${id} is lost`)
      const { maxFillRaw, filledRaw, openOrders } = Object(body)
      assert.equal(maxFillRaw, GROUP_RAW)
      if (at(body, 'status') === 'OPEN') assert.ok(filledRaw <= GROUP_RAW, 'it would be closed')
      else assert.equal(openOrders, 0, 'a closed group has no orders')
      if (at(body, 'status') === 'CLOSED') this.closedGroups++
    }
  }

  /** Sends one request after the other until the server is gone. */
  async #line(client: ExchangeClient, trader: Trader): Promise<void> {
    let alive = true
    while (alive) {
      if (this.#killAt === 0) await pause(PACE_MS)
      alive = await this.#act(client, trader)
    }
  }

  #act(client: ExchangeClient, trader: Trader): Promise<boolean> {
    const dice = this.#random.next()
    const resets = this.#groups.has(trader) ? 0.02 : 0.3
    if (dice < 0.75 - resets) return this.#place(client, trader)
    if (dice < 0.75) return this.#reset(client, trader)
    const market = this.#random.pick(this.#markets)
    if (dice < 0.78) return this.#cancel(client, trader, 'DELETE', `/orders/all/${market.slug}`)
    const open = [...this.reported.orders].filter(
      ([id, order]) =>
        order.trader === trader && order.status === 'LIVE' && !this.reported.canceled.has(id),
    )
    if (open.length === 0) return this.#place(client, trader)
    const [id] = this.#random.pick(open)
    if (dice < 0.83) return this.#reduce(client, trader, id)
    if (dice < 0.88) return this.#replace(client, trader, id)
    if (dice < 0.95) return this.#cancel(client, trader, 'DELETE', `/orders/${id}`)
    const [other] = this.#random.pick(open)
    const body = JSON.stringify({ orderIds: [...new Set([id, other])] })
    return this.#cancel(client, trader, 'POST', '/orders/batch-cancel', body)
  }

  #wanted(trader: Trader): SentOrder {
    const random = this.#random
    const type = random.pick(TYPES)
    const salt = this.#salt++
    const wanted = {
      isBuy: random.chance(0.7),
      outcome: random.chance(0.5) ? ('yes' as const) : ('no' as const),
      ticks: random.between(420, 580),
      sizeRaw: random.between(1, 20_000) * 1000,
      type,
      postOnly: type === 'GTC' && random.chance(0.1),
      clientOrderId: `order-${salt}`,
      salt,
    }
    // No reply has the fills of a held order. So one trader sends none to the delayed market, and
    // its balance follows from replies alone.
    const isReported = trader === this.#traders.at(-1)
    const markets = isReported ? this.#markets.slice(0, -1) : this.#markets
    return { trader, market: random.pick(markets), wanted }
  }

  async #place(client: ExchangeClient, trader: Trader): Promise<boolean> {
    const sent = this.#wanted(trader)
    const { market, wanted } = sent
    this.reported.sent.set(wanted.clientOrderId, sent)
    const { clientOrderId: key, ...unnamed } = wanted
    const isKeyed = wanted.salt % 2 === 0
    const orderGroupId = wanted.salt % 4 === 1 ? this.#groups.get(trader) : undefined
    const fields = orderGroupId === undefined ? {} : { orderGroupId }
    const body = orderBody(trader, market, isKeyed ? unnamed : wanted, fields)
    const headers: PendingOrder['headers'] = isKeyed ? { 'idempotency-key': key } : {}
    this.#pending.set(key, { body, headers })
    const reply = await this.#request(client.call(trader, 'POST', '/orders', body, headers))
    if (reply === null) return false
    this.#pending.delete(wanted.clientOrderId)
    if (reply.status === 201) {
      const reported = shaped(orderShape, reply.body)
      if (reported.execution.settlementStatus === 'DELAYED') this.held++
      this.reported.reported(sent, reported)
    } else {
      this.#expectRefusal(reply)
      this.reported.refused.add(wanted.clientOrderId)
    }
    return true
  }

  async #cancel(
    client: ExchangeClient,
    trader: Trader,
    method: string,
    path: string,
    body = '',
  ): Promise<boolean> {
    const reply = await this.#request(client.call(trader, method, path, body))
    if (reply === null) return false
    if (reply.status !== 200 && reply.status !== 207) this.#expectRefusal(reply)
    else if (cancelShape.holds(reply.body)) {
      for (const id of reply.body.canceled) this.reported.canceled.add(id)
    } else this.reported.canceled.add(path.slice('/orders/'.length))
    return true
  }

  /** Leaves a part of an order open that is less than what its reply reported. */
  async #reduce(client: ExchangeClient, trader: Trader, id: string): Promise<boolean> {
    const order = this.reported.orders.get(id)
    assert.ok(order !== undefined, 'a reported order is reduced')
    const openMaxRaw = 1000 * this.#random.below(order.wanted.sizeRaw / 1000)
    const body = JSON.stringify({ remainingSize: String(openMaxRaw) })
    const reply = await this.#request(client.call(trader, 'POST', `/orders/${id}/amend`, body))
    if (reply === null) return false
    if (reply.status !== 200) this.#expectRefusal(reply)
    else if (textAt(reply.body, 'outcome') === 'CANCELED') this.reported.canceled.add(id)
    else this.reported.openMaxRaw.set(id, openMaxRaw)
    return true
  }

  async #replace(client: ExchangeClient, trader: Trader, id: string): Promise<boolean> {
    const old = this.reported.orders.get(id)
    assert.ok(old !== undefined, 'a reported order is replaced')
    const { market } = old
    const { isBuy, outcome } = old.wanted
    const { wanted } = this.#wanted(trader)
    const terms = { ...wanted, isBuy, outcome, type: 'GTC' as const }
    const sent = { trader, market, wanted: terms }
    this.reported.sent.set(terms.clientOrderId, sent)
    const order = orderBody(trader, market, terms)
    this.#pending.set(terms.clientOrderId, { body: order, headers: {} })
    const body = `{"replacement":${order}}`
    const reply = await this.#request(client.call(trader, 'POST', `/orders/${id}/amend`, body))
    if (reply === null) return false
    this.#pending.delete(terms.clientOrderId)
    if (reply.status === 200) this.reported.canceled.add(id)
    else this.#expectRefusal(reply)
    if (orderShape.holds(reply.body)) this.reported.reported(sent, reply.body)
    else this.reported.refused.add(terms.clientOrderId)
    return true
  }

  #expectRefusal({ status, body }: Reply): void {
    const { code } = shaped(refusalShape, body)
    assert.ok(EXPECTED_REFUSALS.has(code), `${status} ${JSON.stringify(body)}`)
  }

  /** The reply, or null when the connection ended before the whole reply came. */
  async #request(requested: Promise<Reply>): Promise<Reply | null> {
    const reply = await requested.catch((error) => {
      assert.ok(this.#replies >= this.#killAt, `the server lives until it is killed: ${error}`)
      return null
    })
    if (reply === null) {
      this.#unanswered++
      return null
    }
    this.#replies++
    if (this.#replies === this.#killAt) this.#server.signal('SIGKILL')
    return reply
  }

  /** Waits until no order is held, so that the compared state stands still. */
  async #released(client: ExchangeClient): Promise<void> {
    const delayed = this.#markets[MARKETS - 1]
    for (const trader of this.#traders.slice(-TRADERS)) {
      const sent = [...this.reported.sent].filter(
        ([, each]) => each.trader === trader && each.market === delayed,
      )
      for (let from = 0; from < sent.length; from += STATUSES_MAX) {
        const ids = sent.slice(from, from + STATUSES_MAX)
        const items = ids.map(([clientOrderId]) => ({ clientOrderId }))
        const body = JSON.stringify({ items })
        await until(async () => {
          const reply = await client.call(trader, 'POST', '/orders/status/batch', body)
          assert.equal(reply.status, 200)
          return !JSON.stringify(reply.body).includes('"DELAYED"')
        })
      }
    }
  }

  async #check(): Promise<void> {
    const client = new ExchangeClient(this.#server.baseUrl)
    await this.#released(client)
    await this.#checkGroups(client)
    const byTrader = new Map<Trader, UserOrder[]>()
    for (const market of this.#markets) {
      const inMarket = await Promise.all(
        this.#traders.map(async (trader) => {
          const rows = await client.userOrders(trader, market.slug)
          this.reported.checkOrders(trader, market, new Map(rows.map((row) => [row.id, row])))
          byTrader.set(trader, [...(byTrader.get(trader) ?? []), ...rows])
          return rows
        }),
      )
      this.reported.checkBothSides(inMarket.flat())
    }
    await Promise.all(
      this.#traders.map(async (trader) => {
        const balances = await client.balances(trader)
        this.reported.checkBalances(trader, byTrader.get(trader) ?? [], balances)
      }),
    )
  }
}

function serve(dataDir: string, marketThreads: string, fault?: string): Promise<ServerProcess> {
  const args = ['--no-rate-limit', '--market-threads', marketThreads]
  // Several snapshots in each round: a kill may find one half saved, and a start may begin with
  // one.
  args.push('--snapshot-every', '60')
  // And segments: each has about a hundred commands.
  args.push('--journal-days', '0', '--segment-bytes', '32768')
  return ServerProcess.start({ dataDir, args, fault })
}
