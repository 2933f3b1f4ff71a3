import assert from 'node:assert/strict'
import { setInterval as everyMs } from 'node:timers/promises'
import { ExchangeClient, SHARE, send, type TestMarket, type Trader } from './exchange-client.ts'
import { Flood } from './flood.ts'
import { checkNothingLost } from './journal-salts.ts'
import type { LoopResult } from './open-loop.ts'
import { figuresOf, gaugeIn } from './process-figures.ts'
import { metricsOf, ServerProcess, verify } from './server-process.ts'

// A process of its own sends three times the orders that the machine can take. Meanwhile a maker
// pulls quotes, and a client requests the health. The invariants are asserted here; figures that
// depend on the machine are only reported.

export interface OverloadPlan {
  readonly dataDir: string
  readonly seconds: number
  /** Seconds of the search for the highest rate. */
  readonly searchSeconds: number
  readonly seed: number
  readonly say: (sentence: string) => void
}

export interface OverloadReport {
  /** Orders per second that the machine takes with a full queue. */
  readonly highest: number
  readonly flood: LoopResult
  readonly beforeBytes: number
  readonly peakBytes: number
  readonly afterBytes: number
  readonly healthMs: readonly number[]
  readonly cancelMs: readonly number[]
  /** From the last order of the flood to the first of a row of orders that were all accepted. */
  readonly recoveryMs: number
}

const TIMES = 3
const TRADERS = 8
const MARKETS = 4
const FUNDS_RAW = 200_000_000_000_000
const SEARCH_CONNECTIONS = 256
/** More than may be under way, and so many that a due order always finds a free connection. */
const FLOOD_CONNECTIONS = 4096
const PROBE_EVERY_MS = 100
const NORMAL_ORDERS = 50
/** Salts from here on are not those of the flood. */
const OWN_SALTS_FROM = 2 ** 40

export class Overload {
  readonly #plan: OverloadPlan
  readonly #server: ServerProcess
  readonly #client: ExchangeClient
  readonly #flood: Flood
  readonly #traders: readonly Trader[]
  readonly #markets: readonly TestMarket[]
  readonly #maker: Trader
  readonly #quotes: string[] = []
  readonly #healthMs: number[] = []
  readonly #cancelMs: number[] = []
  #peakBytes = 0
  #salt = OWN_SALTS_FROM

  private constructor(
    plan: OverloadPlan,
    server: ServerProcess,
    client: ExchangeClient,
    sides: { traders: Trader[]; markets: TestMarket[]; maker: Trader; flood: Flood },
  ) {
    this.#plan = plan
    this.#server = server
    this.#client = client
    this.#traders = sides.traders
    this.#markets = sides.markets
    this.#maker = sides.maker
    this.#flood = sides.flood
  }

  /** Runs the whole test; the program must be compiled. */
  static async run(plan: OverloadPlan): Promise<OverloadReport> {
    const { dataDir, seed } = plan
    const server = await ServerProcess.start({ dataDir, args: ['--no-rate-limit'] })
    const client = new ExchangeClient(server.baseUrl)
    const traders: Trader[] = []
    for (let index = 0; index < TRADERS; index++) {
      traders.push(await client.makeTrader(`flood ${index}`, FUNDS_RAW))
    }
    const markets: TestMarket[] = []
    for (let index = 0; index < MARKETS; index++) {
      markets.push(await client.makeMarket(`flood-${index}`, true))
    }
    const maker = await client.makeTrader('maker', FUNDS_RAW)
    const flood = await Flood.start({ traders, markets, seed })
    try {
      const overload = new Overload(plan, server, client, { traders, markets, maker, flood })
      return await overload.#run()
    } finally {
      flood.end()
      server.signal('SIGKILL')
    }
  }

  async #run(): Promise<OverloadReport> {
    const { seconds, say } = this.#plan
    const port = Number(new URL(this.#server.baseUrl).port)
    const highest = await this.#highest(port)
    say(`${highest} orders/s with ${SEARCH_CONNECTIONS} under way: offering ${TIMES * highest}/s`)
    await this.#quote(Math.ceil((seconds * 1000) / PROBE_EVERY_MS))
    await this.#flood.sign(Math.ceil(highest * seconds * 1.3) + FLOOD_CONNECTIONS)
    say('signed: the flood begins')
    const beforeBytes = figuresOf(this.#server.pid).residentBytes
    const connections = FLOOD_CONNECTIONS
    const flooding = this.#flood.run({ port, connections, seconds, perSecond: TIMES * highest })
    await this.#probe(flooding)
    const flood = await flooding
    const recoveredMs = await this.#takenAgain()
    await this.#caughtUp()
    const afterBytes = figuresOf(this.#server.pid).residentBytes
    await this.#checkRows(flood.lastIds)
    checkReplies(flood)
    await this.#checkRestart()
    return {
      highest,
      flood,
      beforeBytes,
      peakBytes: this.#peakBytes,
      afterBytes,
      healthMs: this.#healthMs,
      cancelMs: this.#cancelMs,
      recoveryMs: flood.drainMs + recoveredMs,
    }
  }

  /** Measures with a full queue and no wait after a reply. The first run warms up. */
  async #highest(port: number): Promise<number> {
    const plan = { port, connections: SEARCH_CONNECTIONS, perSecond: 0 }
    let taken = 0
    for (const seconds of [this.#plan.searchSeconds / 2, this.#plan.searchSeconds]) {
      await this.#flood.sign(Math.max(2000, Math.ceil(15_000 * seconds) - taken))
      const run = await this.#flood.run({ ...plan, seconds })
      checkReplies(run)
      taken = (run.statuses['201'] ?? 0) / run.seconds
    }
    return Math.round(taken)
  }

  async #quote(count: number): Promise<void> {
    const wanted = { isBuy: true, outcome: 'yes', ticks: 1, sizeRaw: SHARE, type: 'GTC' } as const
    while (this.#quotes.length < count) {
      const some = Array.from({ length: 16 }, () =>
        this.#client.placed(this.#maker, this.#markets[0], { ...wanted, salt: this.#salt++ }),
      )
      for (const { order } of await Promise.all(some)) this.#quotes.push(order.id)
    }
  }

  /** At a pace of its own, requests the health and pulls one quote after the other. */
  async #probe(flooding: Promise<LoopResult>): Promise<void> {
    const requested: Promise<void>[] = []
    const stop = new AbortController()
    flooding.finally(() => stop.abort())
    try {
      for await (const _ of everyMs(PROBE_EVERY_MS, undefined, { signal: stop.signal })) {
        const { residentBytes } = figuresOf(this.#server.pid)
        this.#peakBytes = Math.max(this.#peakBytes, residentBytes)
        requested.push(this.#askHealth(), this.#pullQuote())
      }
    } catch (error) {
      if (!stop.signal.aborted) throw error
    }
    await Promise.all(requested)
  }

  async #askHealth(): Promise<void> {
    const startMs = performance.now()
    assert.equal((await send(this.#server.baseUrl, 'GET', '/health')).status, 200)
    this.#healthMs.push(performance.now() - startMs)
  }

  async #pullQuote(): Promise<void> {
    const id = this.#quotes.pop()
    if (id === undefined) return
    const startMs = performance.now()
    const { status, body } = await this.#client.call(this.#maker, 'DELETE', `/orders/${id}`)
    assert.equal(status, 200, `a quote can be pulled under overload: ${JSON.stringify(body)}`)
    this.#cancelMs.push(performance.now() - startMs)
  }

  /** Milliseconds until the reply to the first of a row of orders that were all accepted. */
  async #takenAgain(): Promise<number> {
    const startMs = performance.now()
    let firstMs = 0
    for (let inRow = 0; inRow < NORMAL_ORDERS; inRow++) {
      const wanted = { isBuy: true, outcome: 'yes', ticks: 1, sizeRaw: SHARE, type: 'GTC' } as const
      const salt = this.#salt++
      const { status } = await this.#client.place(this.#maker, this.#markets[1], {
        ...wanted,
        salt,
      })
      if (status !== 201) {
        assert.equal(status, 503)
        inRow = -1
      } else if (inRow === 0) firstMs = performance.now() - startMs
    }
    return firstMs
  }

  /** Waits until nothing is under way and the read tables show everything. */
  async #caughtUp(): Promise<void> {
    for (;;) {
      const text = await metricsOf(this.#server.baseUrl)
      const gauge = (name: string) => gaugeIn(text, `outcomex_${name}`)
      const isIdle = gauge('replies_waiting') === 0
      if (isIdle && gauge('follower_seq') === gauge('sequenced_seq')) return
    }
  }

  /** The orders accepted last must be among the newest rows of their owners. */
  async #checkRows(lastIds: readonly string[]): Promise<void> {
    const rows = new Set<string>()
    for (const trader of this.#traders) {
      for (const { slug } of this.#markets) {
        for (const { id } of await this.#client.userOrders(trader, slug)) rows.add(id)
      }
    }
    assert.ok(lastIds.length > 0)
    const lost = lastIds.filter((id) => !rows.has(id))
    assert.deepEqual(lost, [], 'every accepted order is in user-orders')
  }

  /** The journal must hold every accepted order and no refused one; a restart must agree. */
  async #checkRestart(): Promise<void> {
    const { dataDir, say } = this.#plan
    const stopped = await this.#server.stop()
    assert.deepEqual(await verify(dataDir), stopped, 'verify finds the state of the stop')
    const salts = await this.#flood.salts()
    checkNothingLost(dataDir, salts, OWN_SALTS_FROM)
    const again = await ServerProcess.start({ dataDir })
    assert.deepEqual(again.recovered, stopped)
    await again.stop()
    say(`${salts.accepted.length} orders were taken: all are in the journal, and no other`)
  }
}

/** Each order must have its reply: accepted, or refused with a time to come back. */
function checkReplies(run: LoopResult): void {
  const { '201': taken = 0, '429': limited = 0, '503': refused = 0, ...others } = run.statuses
  const { broken, unanswered, silent } = run
  assert.deepEqual([others, broken, unanswered, silent], [{}, 0, 0, 0], run.oddReply)
  assert.equal(taken + limited + refused, run.begun)
  assert.ok(taken > 0)
}
