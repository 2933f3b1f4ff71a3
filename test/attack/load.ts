import { Agent, request } from 'node:http'
import { setTimeout as afterMs } from 'node:timers/promises'
import { integer, text } from '../../server/edge/http/schema/scalars.ts'
import { compile, openObject } from '../../server/edge/http/schema/schema.ts'
import {
  headersFor,
  orderBody,
  SHARE,
  type TestMarket,
  type Trader,
} from '../support/exchange-client.ts'
import { handshakeOf, SocketClient } from '../support/socket-client.ts'

// The load during an attack. A few traders place and cancel orders at a modest rate that does not
// wait for replies. They also read books and their orders, open sockets, and ask for the health.
// Each call has one right answer; any other answer is a failure.

export interface LoadFigures {
  readonly calls: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly worstMs: number
  readonly healthWorstMs: number
  /** How often each wrong answer came, by kind of call. */
  readonly failures: Readonly<Record<string, number>>
}

export interface LoadSetting {
  readonly port: number
  readonly traders: readonly Trader[]
  readonly markets: readonly TestMarket[]
}

interface Stated {
  readonly status: number
  readonly text: string
}

const CALLS_PER_SECOND = 80
const SOCKETS_PER_SECOND = 1
/** A call that takes longer is a failure. */
const PATIENCE_MS = 10_000
const KINDS = ['place', 'cancel', 'book', 'health', 'place', 'cancel', 'orders', 'market'] as const
type Kind = (typeof KINDS)[number] | 'socket'
const RIGHT: Readonly<Record<string, number>> = { place: 201 }
const placed = compile(openObject({ order: openObject({ id: text() }) }))
const refused = compile(openObject({ statusCode: integer(), code: text() }))

function parsed(stated: string): unknown {
  try {
    return JSON.parse(stated)
  } catch {
    return null
  }
}

const percentile = (sorted: readonly number[], part: number) =>
  sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)] ?? 0

export class Load {
  readonly #setting: LoadSetting
  // Without a timeout of its own the agent ignores the one that replies announce, and sends on
  // connections that the exchange is closing.
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 256, timeout: PATIENCE_MS })
  readonly #resting: { readonly id: string; readonly trader: Trader }[] = []
  readonly #underWay = new Set<Promise<void>>()
  #tookMs: number[] = []
  #healthMs: number[] = []
  #failures: Record<string, number> = {}
  #serial = 0
  #isOver = false

  constructor(setting: LoadSetting) {
    this.#setting = setting
  }

  /** Runs until `end`. */
  async run(): Promise<void> {
    const startMs = performance.now()
    for (let begun = 0; !this.#isOver; begun++) {
      const dueMs = startMs + (begun * 1000) / CALLS_PER_SECOND
      const waitMs = dueMs - performance.now()
      if (waitMs >= 1) await afterMs(waitMs)
      this.#begin(KINDS[begun % KINDS.length], dueMs)
      if (begun % (CALLS_PER_SECOND / SOCKETS_PER_SECOND) === 0) this.#begin('socket', dueMs)
    }
  }

  /** Makes one call of each kind, one after the other. */
  async round(): Promise<void> {
    for (const kind of new Set<Kind>([...KINDS, 'socket'])) {
      this.#begin(kind, performance.now())
      await Promise.all(this.#underWay)
    }
  }

  /** The figures since the last call of `figures`, with the calls under way, which it waits for. */
  async figures(): Promise<LoadFigures> {
    const begun = [...this.#underWay]
    await Promise.all(begun)
    const sorted = this.#tookMs.sort((a, b) => a - b)
    const figures = {
      calls: sorted.length,
      p50Ms: percentile(sorted, 0.5),
      p99Ms: percentile(sorted, 0.99),
      worstMs: percentile(sorted, 1),
      healthWorstMs: Math.max(0, ...this.#healthMs),
      failures: this.#failures,
    }
    this.#tookMs = []
    this.#healthMs = []
    this.#failures = {}
    return figures
  }

  async end(): Promise<void> {
    this.#isOver = true
    await Promise.all(this.#underWay)
    this.#agent.destroy()
  }

  #begin(kind: Kind, dueMs: number): void {
    const call = this.#call(kind)
      .catch((error: unknown) => this.#fail(kind, wordOf(error)))
      .then(() => {
        const tookMs = performance.now() - dueMs
        this.#tookMs.push(tookMs)
        if (kind === 'health') this.#healthMs.push(tookMs)
        this.#underWay.delete(call)
      })
    this.#underWay.add(call)
  }

  #fail(kind: Kind, word: string): void {
    const name = `${kind} ${word}`
    this.#failures[name] = (this.#failures[name] ?? 0) + 1
  }

  async #call(kind: Kind): Promise<void> {
    const { traders, markets } = this.#setting
    const serial = this.#serial++
    const trader = traders[serial % traders.length]
    const market = markets[serial % markets.length]
    if (kind === 'socket') return this.#openSocket(trader)
    if (kind === 'place') return this.#place(trader, market, serial)
    if (kind === 'cancel') return this.#cancel()
    const paths = {
      book: `/markets/${market.slug}/orderbook`,
      health: '/health',
      market: `/markets/${market.slug}`,
      orders: `/markets/${market.slug}/user-orders?statuses=LIVE&limit=50`,
    }
    this.#check(kind, await this.#send(kind === 'orders' ? trader : null, 'GET', paths[kind]))
  }

  #check(kind: Kind, { status, text: stated }: Stated): boolean {
    if (status === (RIGHT[kind] ?? 200)) return true
    const body = parsed(stated)
    this.#fail(kind, `${status} ${refused.holds(body) ? body.code : ''}`)
    return false
  }

  /** Places an order at a price that no order meets. */
  async #place(trader: Trader, market: TestMarket, serial: number): Promise<void> {
    const terms = { isBuy: true, outcome: 'yes', ticks: 1 + (serial % 40), sizeRaw: SHARE } as const
    const salt = Date.now() * 1000 + (serial % 1000)
    const body = orderBody(trader, market, { ...terms, type: 'GTC', salt })
    const stated = await this.#send(trader, 'POST', '/orders', body)
    if (!this.#check('place', stated)) return
    const order = parsed(stated.text)
    if (placed.holds(order)) this.#resting.push({ id: order.order.id, trader })
  }

  async #cancel(): Promise<void> {
    const oldest = this.#resting.shift()
    if (oldest === undefined) return
    const { id, trader } = oldest
    this.#check('cancel', await this.#send(trader, 'DELETE', `/orders/${id}`))
  }

  async #openSocket(trader: Trader): Promise<void> {
    const { port } = this.#setting
    const headers = handshakeOf(trader, Date.now())
    const client = await SocketClient.open(port, { headers })
    await client.until(() => client.frames.length > 0 || client.ends.length > 0)
    const [frame] = client.frames
    if (frame?.event !== 'authenticated') this.#fail('socket', `received ${frame?.event}`)
    client.close()
  }

  #send(trader: Trader | null, method: string, path: string, body = ''): Promise<Stated> {
    const headers = trader === null ? {} : headersFor(trader, { method, path, body })
    const { port } = this.#setting
    return new Promise((resolve, reject) => {
      const options = { host: '127.0.0.1', port, method, path, headers, agent: this.#agent }
      const requested = request({ ...options, timeout: PATIENCE_MS }, (response) => {
        let stated = ''
        response.setEncoding('utf8')
        response.on('data', (chunk) => {
          stated += String(chunk)
        })
        response.on('error', reject)
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text: stated }))
      })
      requested.on('timeout', () => requested.destroy(new Error('no answer in time')))
      requested.on('error', reject)
      requested.end(body)
    })
  }
}

/** Names in one word what broke a call. */
function wordOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return 'code' in error ? String(error.code) : error.message.split('\n')[0]
}
