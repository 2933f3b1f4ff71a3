import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { api } from '../../server/api/routes.ts'
import type { Services } from '../../server/api/services.ts'
import { ownerOfCall } from '../../server/auth/delegation.ts'
import { Guard } from '../../server/auth/guard.ts'
import { signCall } from '../../server/auth/hmac-signature.ts'
import { identityCheck } from '../../server/auth/identity.ts'
import { digestOf } from '../../server/auth/session.ts'
import { readConfig, type ServeConfig } from '../../server/config.ts'
import { type Limits, openLimits } from '../../server/edge/http/access/rate-limit.ts'
import { ANY_ADDRESS } from '../../server/edge/http/gateway/connections.ts'
import { Gateway } from '../../server/edge/http/gateway/gateway.ts'
import { accountOf } from '../../server/edge/intake/order/client-order.ts'
import {
  type AllSocketBounds,
  SOCKET_BOUNDS,
  SOCKET_WAITS,
  type SocketGateway,
  type SocketWaits,
} from '../../server/edge/sockets/socket-gateway.ts'
import type { EdgeListener } from '../../server/edge/threads/edge-listener.ts'
import { reportedClock } from '../../server/exchange/sequencer/clock.ts'
import { type Edge, EdgeFaults } from '../../server/ops/faults.ts'
import { Metrics } from '../../server/ops/metrics.ts'
import { TraceFile } from '../../server/ops/trace.ts'
import { openEdges } from '../../server/start/edges.ts'
import { openExchange, type RunningExchange } from '../../server/start/open.ts'
import { CommitFigures, watch, watchGateway, watchSockets } from '../../server/start/watch.ts'
import { corsOf, guardOptions, prover, wire, wireSockets } from '../../server/start/wiring.ts'
import { newFolder } from './data-folder.ts'
import type { Deposit } from './funds.ts'
import { sendCall } from './http-call.ts'
import { at, textAt } from './json-path.ts'
import { type LiveMarket, type OrderRequest, orderBody, termsOf } from './live-orders.ts'
import { gaugeIn } from './process-figures.ts'
import { noteProgress } from './progress.ts'
import { answered, bodyOf, orderIdOf, type Reply } from './replies.ts'

// The whole exchange in this process, over real sockets and threads. Every reply is checked against
// its route's schema, every fault is kept, and a test can set the clock.

export const ADMIN_TOKEN = 'the-operator-of-the-tests'
const TICK_MS = 5
const FOLLOW_MS = 60_000
const POOL_RAW = 1_000_000_000
const STEADY = {
  state: 'steady',
  trouble: null,
  offsetMs: 0,
  behindCount: 0,
  aheadCount: 0,
} as const

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

interface ShiftedTime {
  offsetMs: number
  /** Where the clock stands; null while it goes on by itself. */
  readonly standsAtMs: number | null
}

const timeMs = ({ offsetMs, standsAtMs }: ShiftedTime) => (standsAtMs ?? Date.now()) + offsetMs

/** What a restart replaces. */
interface Running {
  readonly exchange: RunningExchange
  /** Absent when this thread has the connections. */
  readonly edges: EdgeListener | undefined
  readonly services: Services
  readonly gateway: Gateway<Services>
  readonly sockets: SocketGateway
  readonly port: number
  readonly ticker: NodeJS.Timeout | undefined
  readonly stopWatching: () => Promise<void>
  readonly metricsText: () => Promise<string>
}

/** What stays over a restart. */
interface Kept {
  readonly time: ShiftedTime
  readonly faults: string[]
  readonly warnings: string[]
  readonly lost: string[]
}

interface Ended {
  readonly seq: number
  readonly stateHash: string
}

export class LiveExchange implements Kept {
  readonly time: ShiftedTime
  readonly faults: string[]
  /** Sentences for the log. */
  readonly warnings: string[]
  /** Sentences about lost lines of the trace. */
  readonly lost: string[]
  readonly dataDir: string
  /** Takes the first answer, also one that came too late to say anything. */
  isHasty = false
  #options: LiveOptions
  #running: Running
  #stopped: Promise<Ended> | null = null

  constructor(options: LiveOptions & { readonly dataDir: string }, kept: Kept, running: Running) {
    this.dataDir = options.dataDir
    this.#options = options
    this.#running = running
    this.time = kept.time
    this.faults = kept.faults
    this.warnings = kept.warnings
    this.lost = kept.lost
  }

  get exchange(): RunningExchange {
    return this.#running.exchange
  }

  get services(): Services {
    return this.#running.services
  }

  get edges(): EdgeListener | undefined {
    return this.#running.edges
  }

  get gateway(): Gateway<Services> {
    return this.#running.gateway
  }

  get sockets(): SocketGateway {
    return this.#running.sockets
  }

  get port(): number {
    return this.#running.port
  }

  nowMs(): number {
    return timeMs(this.time)
  }

  /** Moves the server's clock; clients that use `nowMs` move with it. */
  shiftClock(byMs: number): void {
    this.time.offsetMs += byMs
    this.#setEdgeClocks()
  }

  #setEdgeClocks(): void {
    const { edges } = this
    if (edges !== undefined) edges.clockOffsetMs = this.nowMs() - Date.now()
  }

  /** Moves the clock, and waits until everything that is due is done. */
  async pass(byMs: number): Promise<void> {
    this.shiftClock(byMs)
    this.exchange.pipeline.tick()
    await this.exchange.pipeline.whenIdle()
  }

  /** Waits until the read tables show all that is decided. */
  async followed(): Promise<void> {
    const { follower, pipeline } = this.exchange
    await pipeline.durable()
    while (!(await follower.whenApplied(pipeline.durableSeq, FOLLOW_MS)));
  }

  /** Waits until no call is under way. */
  async idle(): Promise<void> {
    const { pipeline, intake } = this.exchange
    const underWay = () => this.gateway.inFlight + pipeline.underWay + intake.heldCount
    while (underWay() > 0) await new Promise(setImmediate)
  }

  /** Waits until the market has left memory. */
  async archived(slug: string): Promise<void> {
    const { published } = this.exchange.pipeline
    while (published.bySlug(slug) !== undefined) await new Promise(setImmediate)
  }

  /** Waits until the leaderboards count all that is decided. */
  async counted(): Promise<void> {
    await this.followed()
    await this.exchange.boards.pass(this.nowMs())
  }

  /** Stops once; whoever stops it again gets the same end. */
  stop(): Promise<Ended> {
    this.#stopped ??= this.#stop()
    return this.#stopped
  }

  async #stop(): Promise<Ended> {
    clearInterval(this.#running.ticker)
    this.sockets.stop()
    await this.gateway.stop()
    await this.services.mcp.stop()
    const last = await this.exchange.stop()
    await this.#running.stopWatching()
    return last
  }

  /**
   * Stops it and starts it from its folder, with the same state; its clock goes on. `meanwhile`
   * gets the folder of the stopped exchange.
   */
  async restart(changes: LiveOptions = {}, meanwhile = (_dataDir: string) => {}): Promise<Ended> {
    const last = await this.stop()
    meanwhile(this.dataDir)
    this.#options = { ...this.#options, ...changes, dataDir: this.dataDir }
    this.#running = await open(this.#options, this)
    this.#stopped = null
    const { seq, stateHash } = this.exchange.recovered
    assert.deepEqual({ seq, stateHash }, last, 'a start recovers the state of the stop')
    return last
  }

  /**
   * Sends any call; a JSON reply is parsed. It retries while the read tables are behind, as
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
    this.#setEdgeClocks()
    const url = `http://127.0.0.1:${this.port}${path}`
    const { status, headers, text } = await sendCall(url, method, init)
    // A test may repeat a read or a refused call for as long as it waits for something.
    if (method !== 'GET' && status < 300) noteProgress()
    const isJson = headers.get('content-type')?.startsWith('application/json') ?? false
    const body: unknown = isJson && text !== '' ? JSON.parse(text) : undefined
    return { status, headers, text, body }
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

  /** A read, or a call that changes nothing when it comes too late: it waits for its answer. */
  patientCall(...called: Parameters<LiveExchange['call']>): Promise<Reply> {
    return answered(() => this.call(...called))
  }

  /** A read without a proof, like `patientCall`. */
  read(path: string): Promise<Reply> {
    return answered(() => this.send('GET', path))
  }

  /** A call of an operator. */
  operator(method: string, path: string, body?: unknown, token = ADMIN_TOKEN): Promise<Reply> {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    if (body === undefined) return this.send(method, path, { headers })
    return this.send(method, path, {
      headers,
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
  }

  admin(path: string, body: unknown, token = ADMIN_TOKEN): Promise<Reply> {
    return this.operator('POST', path, body, token)
  }

  /** A market that is there already. */
  async marketOf(slug: string): Promise<LiveMarket> {
    return termsOf(slug, bodyOf(await this.send('GET', `/markets/${slug}`)))
  }

  async openMarket(slug: string, fields: object = {}): Promise<LiveMarket> {
    const body = { kind: 'clob', slug, title: `Will ${slug}?`, ...fields }
    return termsOf(slug, bodyOf(await this.admin('/admin/markets', body), 201))
  }

  /** Opens the group `cup` and the market `pool`, whose pool is funded: targets of bookmarks. */
  async openGroupAndPool(): Promise<void> {
    await this.openGroup()
    await this.openPool()
  }

  async openGroup(): Promise<void> {
    const markets = ['reds', 'blues'].map((name) => ({ slug: `cup-${name}`, title: name }))
    bodyOf(await this.admin('/admin/groups', { slug: 'cup', title: 'Who wins?', markets }), 201)
  }

  async openPool(): Promise<void> {
    bodyOf(await this.admin('/admin/markets', { kind: 'amm', slug: 'pool', title: 'Pool?' }), 201)
    const { profileId } = await this.trader(POOL_RAW)
    const given = { profileId, collateralRaw: POOL_RAW, hints: [50, 50] }
    const funded = await this.admin('/admin/markets/pool/liquidity', given)
    assert.ok(funded.status < 300, funded.text)
  }

  /** Places a valid order, with `fields` beside it in the body. */
  place(
    trader: Trader,
    market: LiveMarket,
    wanted: OrderRequest = {},
    fields: object = {},
  ): Promise<Reply> {
    const body = { ...orderBody(trader, market, wanted), ...fields }
    return this.call(trader, 'POST', '/orders', body)
  }

  /** Places an order that must be accepted. */
  async placed(...order: Parameters<LiveExchange['place']>): Promise<Reply> {
    const reply = await this.place(...order)
    bodyOf(reply, 201)
    return reply
  }

  /** Places an order that must be accepted, and gives its id. */
  async ordered(...order: Parameters<LiveExchange['place']>): Promise<string> {
    return orderIdOf(await this.placed(...order))
  }

  /** The taker buys YES from a maker who buys NO; gives the reply to the taker. */
  async trade(
    maker: Trader,
    taker: Trader,
    market: LiveMarket,
    wanted: OrderRequest,
  ): Promise<Reply> {
    const { ticks = 500, ...rest } = wanted
    await this.placed(maker, market, { ...rest, outcome: 1, ticks: 1000 - ticks })
    return this.placed(taker, market, { ...rest, ticks })
  }

  /** Resolves a market; YES wins by default. */
  async resolve(slug: string, body: object = { winningOutcomeIndex: 0 }): Promise<Reply> {
    const reply = await this.admin(`/admin/markets/${slug}/resolve`, body)
    bodyOf(reply)
    return reply
  }

  async trader(collateralRaw: number, fields: object = {}): Promise<Trader> {
    const key = randomBytes(32)
    const account = accountOf(key)
    const own = { account, rank: 'Bronze', apiToken: { scopes: ['trading'] } }
    const made = bodyOf(await this.admin('/admin/profiles', { ...own, ...fields }), 201)
    const profileId = Number(at(made, 'profileId'))
    await this.deposit({ profileId }, collateralRaw)
    const [tokenId, secret] = [textAt(made, 'tokenId'), textAt(made, 'secret')]
    return { key, account, profileId, tokenId, secret }
  }

  async deposit({ profileId }: Pick<Trader, 'profileId'>, collateralRaw: number): Promise<void> {
    if (collateralRaw === 0) return
    const { deposit } = this.#options
    if (deposit !== undefined) return deposit(this, { profileId }, collateralRaw)
    bodyOf(await this.admin('/admin/balances', { profileId, collateralRaw }))
  }

  /** Marks profiles as programs of the operator, which boards take for many counterparties. */
  async markAsPrograms(...traders: readonly Trader[]): Promise<void> {
    for (const { profileId } of traders) {
      bodyOf(await this.operator('PATCH', `/admin/profiles/${profileId}`, { isMachine: true }))
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
    // Lets the exchange go on between two questions of a test that polls in a loop.
    await new Promise(setImmediate)
    return this.#running.metricsText()
  }

  /** One gauge of GET /metrics. */
  async gauge(name: string): Promise<number> {
    return gaugeIn(await this.metrics(), name)
  }
}

export interface LiveOptions {
  readonly dataDir?: string
  /** Flags of `outcomex serve`. */
  readonly flags?: readonly string[]
  /** Replaces deposits of the operator. */
  readonly deposit?: Deposit
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
  const all = [...line, ...threads, ...flags]
  const env = { OUTCOMEX_EDGE_THREADS: process.env.TEST_EDGES ?? '1' }
  const reading = readConfig(all, env, (path) => readFileSync(path, 'utf8'))
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
  const placed = { ...options, dataDir: options.dataDir ?? newFolder() }
  const time = { offsetMs: 0, standsAtMs: options.isQuiescent === true ? Date.now() : null }
  const kept = { time, faults: [], warnings: [], lost: [] }
  return new LiveExchange(placed, kept, await open(placed, kept))
}

function edgesOf(config: ServeConfig, limits: Limits | null, onFault: (line: string) => void) {
  const report = (error: unknown) => onFault(String(error))
  const reports = { onFault: report, onFatal: report, onReplaced: () => {} }
  return openEdges(config, ANY_ADDRESS, limits, reports)
}

async function open(
  options: LiveOptions,
  { time, faults, warnings, lost }: Kept,
): Promise<Running> {
  const config = configOf(options)
  const clock = () => timeMs(time)
  const onFault = (sentence: string) => faults.push(sentence)
  const commits = new CommitFigures()
  const limits = options.limited === true ? openLimits(config.rates) : null
  const edges = edgesOf(config, limits, onFault)
  const exchange = await openExchange({
    ...config,
    cluster: undefined,
    edges,
    clock: reportedClock(clock),
    profileWaitSec:
      options.profileWaitSec ??
      ((profileId) => limits?.profiles.take(profileId, 'trade', performance.now()) ?? 0),
    onCommit: commits.onCommit,
    onFault,
    onWarning: (sentence) => warnings.push(sentence),
    onProgress: () => {},
  }).catch(async (error: unknown) => {
    await edges?.close()
    throw error
  })
  const trace = await openTrace(config, lost)
  const metrics = new Metrics(0)
  const edgeFaults = new EdgeFaults(({ stack }) => onFault(stack))
  const wanted = socketsOf(options, edgeFaults)
  const reported = { log: { droppedCount: 0 }, clock: STEADY, commits, dataDir: config.dataDir }
  const parts = { edges: edges?.threads, trace, limits, faults: edgeFaults }
  const watching = watch(exchange, metrics, { ...parts, ...reported })
  const wired = await wire(exchange, config, {
    ...watching,
    faults: edgeFaults,
    clock,
    cluster: null,
  })
  const services = limits === null ? { ...wired, poolCalls: null, offerCalls: null } : wired
  await exchange.pipeline.change(() => SET_ADMIN_TOKEN)
  const identity = config.identity === undefined ? {} : { identity: identityCheck(config.identity) }
  const guard = new Guard({ ...guardOptions(config, services.auth), ...identity })
  const gateway = new Gateway<Services>({
    listener: edges,
    routes: api,
    services,
    authenticate: prover(guard, services),
    ownerOfCall: ownerOfCall(exchange.pipeline.clearing),
    onFault: wanted.onFault,
    observe: watching.observe,
    addressLimiter: limits?.addresses ?? null,
    profileLimiter: limits?.profiles ?? null,
    regions: config.regions,
    cors: corsOf(config),
    addressHeader: config.addressHeader,
    bodyDeadlineMs: 400,
    verifyReplies: true,
  })
  watchGateway(gateway, metrics)
  const sockets = watchSockets(wireSockets(services, gateway, guard, wanted), metrics)
  const tick = () => exchange.pipeline.tick()
  const ticker = options.stepwise === true ? undefined : setInterval(tick, TICK_MS)
  const port = await gateway.listen('127.0.0.1', 0)
  const { stop: stopWatching, metricsText } = watching
  return { exchange, edges, services, gateway, sockets, port, ticker, stopWatching, metricsText }
}
