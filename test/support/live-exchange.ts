import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { api } from '../../server/api/routes.ts'
import type { Services } from '../../server/api/services.ts'
import { signCall } from '../../server/auth/api-token.ts'
import { ownerOfCall } from '../../server/auth/delegation.ts'
import { Guard } from '../../server/auth/guard.ts'
import { identityCheck } from '../../server/auth/identity.ts'
import { digestOf } from '../../server/auth/session.ts'
import { readConfig, type ServeConfig } from '../../server/config.ts'
import { openLimits } from '../../server/edge/http/access/rate-limit.ts'
import { Gateway } from '../../server/edge/http/gateway/gateway.ts'
import { accountOf } from '../../server/edge/intake/order/client-order.ts'
import {
  type AllSocketBounds,
  SOCKET_BOUNDS,
  SOCKET_WAITS,
  type SocketGateway,
  type SocketWaits,
} from '../../server/edge/sockets/socket-gateway.ts'
import { reportedClock } from '../../server/exchange/sequencer/clock.ts'
import { type Edge, EdgeFaults } from '../../server/ops/faults.ts'
import { Metrics } from '../../server/ops/metrics.ts'
import { TraceFile } from '../../server/ops/trace.ts'
import { openExchange, type RunningExchange } from '../../server/start/open.ts'
import { CommitFigures, watch, watchGateway, watchSockets } from '../../server/start/watch.ts'
import { corsOf, guardOptions, prover, wire, wireSockets } from '../../server/start/wiring.ts'
import { newFolder } from './data-folder.ts'
import { at } from './json-path.ts'

export { at } from './json-path.ts'

// The whole exchange in this process, over real sockets and threads. Every reply is checked against
// its route's schema, every fault is kept, and a test can set the clock.

export const ADMIN_TOKEN = 'the-operator-of-the-tests'
const TICK_MS = 5
const STEADY = {
  state: 'steady',
  trouble: null,
  offsetMs: 0,
  behindCount: 0,
  aheadCount: 0,
} as const

export interface Reply {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The body read as JSON. */
  readonly body: unknown
}

export interface Trader {
  readonly key: Uint8Array
  readonly account: string
  readonly profileId: number
  readonly tokenId: string
  readonly secret: string
}

/** What a test falsifies in a signed call. */
export interface CallChange {
  /** Hangs up before the answer. */
  readonly signal?: AbortSignal
  readonly method?: string
  readonly signedPath?: string
  readonly signedBody?: string
  readonly timestamp?: string
  readonly signature?: string
  readonly tokenId?: string
  readonly secret?: string
  readonly prefix?: string
  readonly headers?: Readonly<Record<string, string>>
}

export function textAt(value: unknown, ...path: (string | number)[]): string {
  const found = at(value, ...path)
  assert.equal(typeof found, 'string', `text at ${path.join('.')} of ${JSON.stringify(value)}`)
  return String(found)
}

interface ShiftedTime {
  offsetMs: number
  /** Where the clock stands; null while it goes on by itself. */
  readonly standsAtMs: number | null
}

const timeMs = ({ offsetMs, standsAtMs }: ShiftedTime) => (standsAtMs ?? Date.now()) + offsetMs

export class LiveExchange {
  readonly exchange: RunningExchange
  readonly services: Services
  readonly gateway: Gateway<Services>
  readonly sockets: SocketGateway
  readonly port: number
  readonly faults: string[]
  /** Sentences about lost lines of the trace. */
  readonly lost: string[]
  /** Takes the first answer, also one that came too late to say anything. */
  isHasty = false
  readonly #ticker: NodeJS.Timeout | undefined
  readonly #stopWatching: () => Promise<void>
  readonly #metricsText: () => Promise<string>
  readonly #time: ShiftedTime

  constructor(parts: {
    exchange: RunningExchange
    services: Services
    gateway: Gateway<Services>
    sockets: SocketGateway
    port: number
    faults: string[]
    lost: string[]
    stopWatching: () => Promise<void>
    metricsText: () => Promise<string>
    ticker: NodeJS.Timeout | undefined
    time: ShiftedTime
  }) {
    this.exchange = parts.exchange
    this.services = parts.services
    this.gateway = parts.gateway
    this.sockets = parts.sockets
    this.port = parts.port
    this.faults = parts.faults
    this.lost = parts.lost
    this.#stopWatching = parts.stopWatching
    this.#metricsText = parts.metricsText
    this.#ticker = parts.ticker
    this.#time = parts.time
  }

  nowMs(): number {
    return timeMs(this.#time)
  }

  /** Moves the server's clock; clients that use `nowMs` move with it. */
  shiftClock(byMs: number): void {
    this.#time.offsetMs += byMs
  }

  async stop(): Promise<{ seq: number; stateHash: string }> {
    clearInterval(this.#ticker)
    this.sockets.stop()
    await this.gateway.stop()
    await this.services.mcp.stop()
    const last = await this.exchange.stop()
    await this.#stopWatching()
    return last
  }

  /**
   * Sends any call; a JSON reply is parsed. It asks again while the read tables are behind, as
   * every client does: on a busy machine they may be so for longer than the exchange waits.
   */
  async send(method: string, path: string, init: RequestInit = {}): Promise<Reply> {
    for (;;) {
      const reply = await this.#sendOnce(method, path, init)
      const isLate = reply.status === 503 && at(reply.body, 'code') === 'READ_TIMEOUT'
      if (!isLate || this.isHasty) return reply
    }
  }

  async #sendOnce(method: string, path: string, init: RequestInit): Promise<Reply> {
    const response = await fetch(`http://127.0.0.1:${this.port}${path}`, { ...init, method })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false
    const body: unknown = isJson && text !== '' ? JSON.parse(text) : undefined
    return { status: response.status, headers: response.headers, text, body }
  }

  /** A call signed with the trader's API token, except for what `change` falsifies. */
  call(
    trader: Pick<Trader, 'tokenId' | 'secret'>,
    method: string,
    path: string,
    body?: unknown,
    change: CallChange = {},
  ): Promise<Reply> {
    const text = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body)
    const timestamp = change.timestamp ?? new Date(this.nowMs()).toISOString()
    const signature =
      change.signature ??
      signCall({
        secret: Buffer.from(change.secret ?? trader.secret, 'base64'),
        timestamp,
        method: change.method ?? method,
        pathWithQuery: change.signedPath ?? path,
        body: Buffer.from(change.signedBody ?? text),
      })
    const prefix = change.prefix ?? 'svc-'
    const headers = {
      [`${prefix}api-key`]: change.tokenId ?? trader.tokenId,
      [`${prefix}timestamp`]: timestamp,
      [`${prefix}signature`]: signature,
      ...(text === '' ? {} : { 'content-type': 'application/json' }),
      ...change.headers,
    }
    const signal = change.signal ?? null
    return this.send(method, path, { headers, signal, ...(text === '' ? {} : { body: text }) })
  }

  admin(path: string, body: unknown, token = ADMIN_TOKEN): Promise<Reply> {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    return this.send('POST', path, { headers, body: text })
  }

  async trader(collateralRaw: number, fields: object = {}): Promise<Trader> {
    const key = randomBytes(32)
    const account = accountOf(key)
    const made = await this.admin('/admin/profiles', {
      account,
      rank: 'Bronze',
      apiToken: { scopes: ['trading'] },
      ...fields,
    })
    assert.equal(made.status, 201, made.text)
    const profileId = Number(at(made.body, 'profileId'))
    if (collateralRaw > 0) {
      const paid = await this.admin('/admin/balances', { profileId, collateralRaw })
      assert.equal(paid.status, 200, paid.text)
    }
    const tokenId = textAt(made.body, 'tokenId')
    return { key, account, profileId, tokenId, secret: textAt(made.body, 'secret') }
  }

  /** Marks profiles as programs of the operator, which boards take for many counterparties. */
  async markAsPrograms(...traders: readonly Trader[]): Promise<void> {
    const headers = { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' }
    const body = JSON.stringify({ isMachine: true })
    for (const { profileId } of traders) {
      const edited = await this.send('PATCH', `/admin/profiles/${profileId}`, { headers, body })
      assert.equal(edited.status, 200, edited.text)
    }
  }

  balances({ profileId }: Trader): { freeRaw: number; reservedRaw: number } {
    const { ledger } = this.exchange.pipeline.clearing
    return {
      freeRaw: ledger.collateralFreeRaw[profileId],
      reservedRaw: ledger.collateralReservedRaw[profileId],
    }
  }

  /** The text of GET /metrics, as its operator reads it. */
  async metrics(): Promise<string> {
    // Lets the exchange go on between two questions of a test that asks in a loop.
    await new Promise(setImmediate)
    return this.#metricsText()
  }

  /** One gauge of GET /metrics. */
  async gauge(name: string): Promise<number> {
    const text = await this.metrics()
    const line = text.split('\n').find((each) => each.startsWith(`${name} `))
    assert.ok(line !== undefined, `the metric ${name} is there`)
    return Number(line.slice(name.length))
  }
}

export interface LiveOptions {
  readonly dataDir?: string
  /** Flags of `outcomex serve`. */
  readonly flags?: readonly string[]
  /** Limits callers to the rates of the flags; otherwise no caller waits. */
  readonly limited?: boolean
  /** Deadlines pass with decisions and when the test calls `tick`, not by a timer. */
  readonly stepwise?: boolean
  /** The clock stands until the test shifts it, however slow the machine is. */
  readonly isQuiescent?: boolean
  /** Shorter waits than those of the real server. */
  readonly socketWaits?: Partial<SocketWaits>
  /** Smaller bounds than those of the real server. */
  readonly socketBounds?: Partial<AllSocketBounds>
  /** Replaces the limiter: the seconds that a profile waits before its order. */
  readonly profileWaitSec?: (profileId: number) => number
}

function configOf({ dataDir, flags = [] }: LiveOptions): ServeConfig {
  const line = ['--data', dataDir ?? newFolder(), '--port', '0', '--admin-token', ADMIN_TOKEN]
  const threads = flags.includes('--market-threads') ? [] : ['--market-threads', '1']
  const all = [...line, ...threads, '--intake-threads', '1', ...flags]
  const reading = readConfig(all, {}, (path) => readFileSync(path, 'utf8'))
  assert.ok(reading.ok, 'the flags of a test are right')
  return reading.config
}

function openTrace({ trace }: ServeConfig, lost: string[]): Promise<TraceFile> | null {
  return trace === undefined ? null : TraceFile.open(trace, (sentence) => lost.push(sentence))
}

function socketsOf({ socketWaits, socketBounds }: LiveOptions, faults: EdgeFaults) {
  const onFault = (error: unknown, edge: Edge) => faults.note(edge, error)
  return {
    onFault,
    waits: { ...SOCKET_WAITS, ...socketWaits },
    bounds: { ...SOCKET_BOUNDS, ...socketBounds },
  }
}

const SET_ADMIN_TOKEN = { kind: 'setAdminToken', tokenDigest: digestOf(ADMIN_TOKEN) } as const

export async function startLive(options: LiveOptions = {}): Promise<LiveExchange> {
  const config = configOf(options)
  const time = { offsetMs: 0, standsAtMs: options.isQuiescent === true ? Date.now() : null }
  const clock = () => timeMs(time)
  const faults: string[] = []
  const onFault = (sentence: string) => faults.push(sentence)
  const commits = new CommitFigures()
  const limits = options.limited === true ? openLimits(config.rates) : null
  const exchange = await openExchange({
    ...config,
    clock: reportedClock(clock),
    profileWaitSec:
      options.profileWaitSec ??
      ((profileId) => limits?.profiles.take(profileId, 'trade', performance.now()) ?? 0),
    onCommit: commits.onCommit,
    onFault,
    onWarning: () => {},
    onProgress: () => {},
  })
  const lost: string[] = []
  const trace = await openTrace(config, lost)
  const metrics = new Metrics(0)
  const edgeFaults = new EdgeFaults(({ stack }) => onFault(stack))
  const wanted = socketsOf(options, edgeFaults)
  const reported = { log: { droppedCount: 0 }, clock: STEADY, commits, dataDir: config.dataDir }
  const watching = watch(exchange, metrics, { trace, limits, faults: edgeFaults, ...reported })
  const wired = await wire(exchange, config, { ...watching, faults: edgeFaults, clock })
  const services = limits === null ? { ...wired, poolCalls: null, offerCalls: null } : wired
  await exchange.pipeline.change(() => SET_ADMIN_TOKEN)
  const identity = config.identity === undefined ? {} : { identity: identityCheck(config.identity) }
  const guard = new Guard({ ...guardOptions(config, services.auth), ...identity })
  const gateway = new Gateway<Services>({
    routes: api,
    services,
    authenticate: prover(guard, services),
    ownerOfCall: ownerOfCall(exchange.pipeline.clearing),
    ...{ onFault: wanted.onFault, observe: watching.observe },
    addressLimiter: limits?.addresses ?? null,
    profileLimiter: limits?.profiles ?? null,
    ...{ regions: config.regions, cors: corsOf(config), addressHeader: config.addressHeader },
    ...{ bodyDeadlineMs: 400, verifyReplies: true },
  })
  watchGateway(gateway, metrics)
  const sockets = watchSockets(wireSockets(services, gateway, guard, wanted), metrics)
  const tick = () => exchange.pipeline.tick()
  const ticker = options.stepwise === true ? undefined : setInterval(tick, TICK_MS)
  const port = await gateway.listen('127.0.0.1', 0)
  return new LiveExchange({
    exchange,
    services,
    gateway,
    sockets,
    port,
    faults,
    lost,
    ...{ stopWatching: watching.stop, metricsText: watching.metricsText },
    ticker,
    time,
  })
}
