import assert from 'node:assert/strict'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { setInterval as everyMs } from 'node:timers/promises'
import { ExchangeClient, headersFor, type TestMarket, type Trader } from './exchange-client.ts'
import type { Flood } from './flood.ts'
import { LOOP_PERCENTILES, type LoopResult } from './open-loop.ts'
import { figuresOf, gaugeIn } from './process-figures.ts'
import type { Random } from './random.ts'
import { headerLines, RawClient } from './raw-client.ts'
import { metricsOf, type ServerProcess } from './server-process.ts'
import type { SoakFigures } from './soak-verdict.ts'

// One life of the server under a constant rate of orders. Meanwhile traders cancel, and broken
// sockets of all kinds come and go. Figures are taken in the pause after each window, when all
// threads have collected their garbage.

export const ORDERS_PER_SECOND = 500
const CONNECTIONS = 16
const DISTURB_EVERY_MS = 100
const CANCEL_STATUSES = new Set([200, 207, 404, 429, 503])

export interface Scene {
  readonly flood: Flood
  readonly traders: readonly Trader[]
  readonly markets: readonly TestMarket[]
  readonly dataDir: string
  readonly random: Random
}

export interface WindowFigures extends SoakFigures {
  readonly journalBytes: number
  readonly readBytes: number
  readonly p50Ms: number
  readonly p99Ms: number
}

export class SoakPhase {
  readonly #server: ServerProcess
  readonly #scene: Scene
  readonly #client: ExchangeClient
  readonly #port: number

  constructor(server: ServerProcess, scene: Scene) {
    this.#server = server
    this.#scene = scene
    this.#client = new ExchangeClient(server.baseUrl)
    this.#port = Number(new URL(server.baseUrl).port)
  }

  /** Trades for a window at the constant rate; gives the figures once nothing moves or rests. */
  async window(seconds: number): Promise<WindowFigures> {
    const run = await this.#disturbed(this.#orders(seconds))
    const { '201': taken = 0, '503': busy = 0, ...others } = run.statuses
    const { broken, unanswered, silent } = run
    assert.deepEqual([others, broken, unanswered, silent], [{}, 0, 0, 0], run.oddReply)
    assert.equal(taken + busy, run.begun)
    for (const market of this.#scene.markets) await this.#cancelAll(market)
    const text = await this.#idle()
    const { heapBytes, externalBytes } = await this.#server.collected()
    const { dataDir } = this.#scene
    const sizeOf = (name: string) =>
      ['', '-wal'].reduce((sum, end) => sum + sizeBytes(join(dataDir, `${name}${end}`)), 0)
    return {
      ...figuresOf(this.#server.pid),
      seq: gaugeIn(text, 'outcomex_sequenced_seq'),
      heapBytes,
      externalBytes,
      journalBytes: sizeOf('journal.db'),
      readBytes: sizeOf('read.db'),
      p50Ms: run.takenMs[LOOP_PERCENTILES.indexOf(50)],
      p99Ms: run.takenMs[LOOP_PERCENTILES.indexOf(99)],
    }
  }

  /** Ends the server in the middle of trading. */
  async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    const seconds = 1
    const trading = this.#orders(seconds)
    for await (const _ of everyMs((seconds * 1000) / 2)) break
    this.#server.signal(signal)
    const { code, stderr } = await this.#server.ended
    if (signal === 'SIGTERM') assert.equal(code, 0, stderr)
    const { '201': taken = 0, '503': busy = 0, ...others } = (await trading).statuses
    assert.deepEqual(others, {}, `${taken} taken, ${busy} refused`)
  }

  async #orders(seconds: number): Promise<LoopResult> {
    await this.#scene.flood.sign(seconds * ORDERS_PER_SECOND + CONNECTIONS)
    const plan = { port: this.#port, connections: CONNECTIONS, perSecond: ORDERS_PER_SECOND }
    return this.#scene.flood.run({ ...plan, seconds })
  }

  async #disturbed(trading: Promise<LoopResult>): Promise<LoopResult> {
    const { random, markets } = this.#scene
    const stop = new AbortController()
    trading.finally(() => stop.abort()).catch(() => {})
    const cancels: Promise<void>[] = []
    try {
      for await (const _ of everyMs(DISTURB_EVERY_MS, undefined, { signal: stop.signal })) {
        if (random.chance(0.2)) cancels.push(this.#cancelAll(random.pick(markets)))
        this.#badSocket()
      }
    } catch (error) {
      if (!stop.signal.aborted) throw error
    }
    await Promise.all(cancels)
    return await trading
  }

  async #cancelAll({ slug }: TestMarket): Promise<void> {
    for (const trader of this.#scene.traders) {
      const { status, body } = await this.#client.call(trader, 'DELETE', `/orders/all/${slug}`)
      assert.ok(CANCEL_STATUSES.has(status), `${status} ${JSON.stringify(body)}`)
    }
  }

  /** Sends half a head, half a body or a whole call and leaves, or only connects. */
  #badSocket(): void {
    const { random, traders } = this.#scene
    const trader = random.pick(traders)
    const body = JSON.stringify({ clientOrderId: 'never' })
    const headers = headersFor(trader, { method: 'POST', path: '/orders/cancel', body })
    const head = `POST /orders/cancel HTTP/1.1\r\nhost: x\r\n${headerLines(headers)}`
    const text = `${head}content-length: ${body.length}\r\n\r\n${body}`
    const socket = new RawClient(this.#port)
    const cut = random.below(text.length + 1)
    if (cut === 0) socket.destroy()
    else if (random.chance(0.5)) socket.write(text.slice(0, cut), () => socket.destroy())
    else socket.send(text.slice(0, cut)).finish()
  }

  /** The metrics, once nothing is under way and the read tables show everything. */
  async #idle(): Promise<string> {
    for (;;) {
      const text = await metricsOf(this.#server.baseUrl)
      const gauge = (name: string) => gaugeIn(text, `outcomex_${name}`)
      if (gauge('replies_waiting') > 0) continue
      if (gauge('follower_seq') === gauge('sequenced_seq')) return text
    }
  }
}

function sizeBytes(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}
