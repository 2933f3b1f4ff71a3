// `outcomex serve`: opens the folder, starts the gateway, and stops gracefully.

import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { isatty } from 'node:tty'
import type { Seq } from '../../engine/domain/ids.ts'
import { LIMITS } from '../../engine/domain/limits.ts'
import { ROOT_OPERATOR } from '../../engine/domain/operator.ts'
import type { OnCommit } from '../../persistence/journal/journal-port.ts'
import { api, operatorApi, publicApi } from '../api/routes.ts'
import type { Services } from '../api/services.ts'
import { ownerOfCall } from '../auth/delegation.ts'
import { Guard } from '../auth/guard.ts'
import type { IdentityCheck } from '../auth/identity.ts'
import { digestOf } from '../auth/session.ts'
import { readGiven, type ServeConfig, withChecksums } from '../config.ts'
import { curve } from '../crypto/ecdsa.ts'
import { keccakReady } from '../crypto/keccak.ts'
import { keepAdminToken, startDemo } from '../demo/demo.ts'
import type { Visits } from '../demo/play/audience.ts'
import { OwnCalls } from '../edge/http/access/own-calls.ts'
import { OwnHosts } from '../edge/http/access/own-hosts.ts'
import { type Limits, openLimits } from '../edge/http/access/rate-limit.ts'
import { type ConnectionBounds, OPENINGS } from '../edge/http/gateway/connections.ts'
import { Gateway } from '../edge/http/gateway/gateway.ts'
import type { ClusterLink, GatewayOptions } from '../edge/http/gateway/gateway-options.ts'
import type { EarlyListener } from '../edge/http/gateway/listening/early-listener.ts'
import {
  addressProblem,
  originOf,
  tlsProblem,
} from '../edge/http/gateway/listening/listen-check.ts'
import { frameRatesOf } from '../edge/sockets/frame-rates.ts'
import { SOCKET_WAITS } from '../edge/sockets/socket-gateway.ts'
import type { EdgeListener } from '../edge/threads/edge-listener.ts'
import { type Clock, SteadyClock } from '../exchange/sequencer/clock.ts'
import { auditLine } from '../ops/audit.ts'
import { connectionsMax } from '../ops/descriptors.ts'
import { type Edge, EdgeFaults } from '../ops/faults.ts'
import { type Log, openLog } from '../ops/logging/log.ts'
import { Metrics } from '../ops/metrics.ts'
import { TraceFile } from '../ops/trace.ts'
import { faultRequested } from '../settings/fault.ts'
import type { Given } from '../settings/flags.ts'
import { marketThreadsAuto, memoryLimitBytes, memoryWarning } from '../settings/memory.ts'
import { serviceLinkWarning } from '../settings/service-links.ts'
import { banner } from './banner.ts'
import { ClusterNode, REPLACED_EXIT_CODE } from './cluster-node.ts'
import { openEdges } from './edges.ts'
import { ignoredSignals, takeSignals } from './first-signals.ts'
import { openExchange, type RunningExchange } from './open.ts'
import { print } from './standard-output.ts'
import { endLate, onHangUp, onSignals, type Running, stop } from './stopping.ts'
import { markTime } from './time-mark.ts'
import { CommitFigures, type Watch, watch, watchGateway, watchSockets } from './watch.ts'
import { corsOf, guardOptions, prover, wire, wireSockets } from './wiring.ts'

const SNAPSHOT_LOOK_MS = 1000
const PROGRESS_EVERY_MS = 2000

/** Ends the process because a part died, and reports which. A restart recovers the journal. */
function fatal(log: Log, sentence: string): never {
  log.fatal(sentence)
  log.output.lastWords(`outcomex stops: ${sentence}\n`)
  process.exit(1)
}

/** Reports a call that broke. If it broke inside a decision, the state is torn: that is fatal. */
function edgeFault({ pipeline }: RunningExchange, faults: EdgeFaults, log: Log) {
  return (error: unknown, edge: Edge): string => {
    if (!pipeline.sequencer.isTorn) return faults.note(edge, error)
    fatal(log, error instanceof Error ? (error.stack ?? error.message) : String(error))
  }
}

function progressOn(log: Log) {
  let nextMs = Date.now() + PROGRESS_EVERY_MS
  return (what: string, seq: Seq, total: number) => {
    if (Date.now() < nextMs) return
    nextMs = Date.now() + PROGRESS_EVERY_MS
    log.info({ seq, total }, `replaying the ${what}`)
  }
}

function baseUrlOf({ tls, host }: ServeConfig, port: number): string {
  return originOf(tls, host, port)
}

/** The problem that prevents this start, before anything is opened or created; null for none. */
async function problemOf(
  { tls, host, port, opsListen }: ServeConfig,
  listener: EarlyListener | null,
): Promise<string | null> {
  const inFiles = tls === undefined ? null : tlsProblem(tls)
  const ofUsers = inFiles ?? (listener === null ? await addressProblem(host, port) : null)
  if (ofUsers !== null || opsListen === undefined) return ofUsers
  return addressProblem(opsListen.host, opsListen.port)
}

/** Prints the last lines of a start. If that fails, the log has the address. */
function announce(log: Log, word: 'operators' | 'listening', url: string): void {
  const problem = print(`${word} ${url}\n`)
  if (problem !== null) log.warn({ url }, `${word}: standard output cannot be written (${problem})`)
}

/**
 * Creates the first admin token, or uses the configured one; only its digest is stored. A token is
 * shown before it is stored, because it could never be recovered otherwise; demo.json shows it too.
 */
async function settleAdminToken(
  { pipeline }: RunningExchange,
  config: ServeConfig,
  baseUrl: string,
): Promise<string | null> {
  const given = config.adminToken
  const known = pipeline.clearing.accounts.adminTokenDigest
  if (given === undefined && known !== '') return null
  const token = given ?? randomBytes(24).toString('base64url')
  if (given === undefined) {
    if (config.demo) keepAdminToken(config.dataDir, baseUrl, token)
    const problem = print(`admin token (shown once): ${token}\n`)
    if (problem !== null && !config.demo) throw new TokenNotShown(problem)
  }
  const tokenDigest = digestOf(token)
  if (tokenDigest !== known)
    await pipeline.change(() => ({ kind: 'setAdminToken', tokenDigest }), ROOT_OPERATOR)
  return given === undefined ? token : null
}

class TokenNotShown extends Error {
  constructor(reason: string) {
    super(
      `the admin token cannot be written to standard output (${reason}) and was not stored; ` +
        'give standard output a reader and free space, or set a token with --admin-token, ' +
        'and start again',
    )
  }
}

/** The nodes of a cluster agree on the clock of its database. */
function wallOf(cluster: ClusterNode | null): () => number {
  if (cluster === null) return Date.now
  return () => Date.now() + Math.round(cluster.state.clockAheadMs)
}

function steadyClock({ acceptClock }: ServeConfig, wall: () => number, log: Log): SteadyClock {
  return new SteadyClock({
    wall,
    monotonic: () => performance.now(),
    onChange: (sentence) => log.warn(sentence),
    isLeapAccepted: acceptClock,
  })
}

interface Opened {
  readonly edges: EdgeListener | undefined
  readonly limits: Limits | null
  readonly ownCalls: OwnCalls
  readonly clock: Clock
  readonly onCommit: OnCommit
  readonly cluster: ClusterNode | null
}

async function open(
  config: ServeConfig,
  log: Log,
  { edges, limits, ownCalls, clock, onCommit, cluster }: Opened,
): Promise<RunningExchange> {
  const marketThreads = marketThreadsOf(config, log)
  const exchange = await openExchange({
    ...config,
    cluster: cluster?.options(log),
    marketThreads,
    edges,
    clock,
    isTimed: true,
    monotonicMs: () => performance.now(),
    profileWaitSec: (profileId) => {
      if (limits === null || ownCalls.profiles.has(profileId)) return 0
      return limits.profiles.take(profileId, 'trade', performance.now())
    },
    onCommit,
    onFault: (sentence) => fatal(log, sentence),
    onWarning: (sentence) => log.warn(sentence),
    onSnapshot: (saved) => log.debug(saved, 'snapshot'),
    onCounted: ({ snapshot, tookMs }) => log.info({ ...snapshot, tookMs }, 'solvency'),
    onProgress: progressOn(log),
  })
  const { recovered } = exchange
  const threads = { marketThreads, edgeThreads: config.edgeThreads }
  log.info({ ...recovered, curve: curve.name, ...threads }, 'recovered')
  if (recovered.lostRecords > 0) {
    log.warn(
      `${recovered.lostRecords} acknowledged records were lost in a power failure: ` +
        'the folder was written with --durability normal',
    )
  }
  if (config.orderSkewMs > LIMITS.signatureSkewMs) {
    log.warn('--hmac-skew accepts old signatures of orders: use it for load tests only')
  }
  return exchange
}

function openTrace({ trace }: ServeConfig, log: Log): Promise<TraceFile> | null {
  return trace === undefined ? null : TraceFile.open(trace, (sentence) => log.warn(sentence))
}

interface Starting extends Running {
  readonly edges: EdgeListener | undefined
  /** Holds the port until the gateway listens. */
  readonly listener: EarlyListener | null
  readonly cluster: ClusterNode | null
}

interface Urls {
  readonly baseUrl: string
  readonly operatorsUrl: string
}

/** Stops everything when no address is free, because the threads would keep the folder locked. */
async function listen(config: ServeConfig, log: Log, running: Starting): Promise<Urls> {
  const { edges, gateway, operators, listener } = running
  const { host, port, opsListen } = config
  try {
    const at = operators === null ? undefined : opsListen
    const opsPort = at === undefined ? 0 : await operators?.listen(at.host, at.port)
    await edges?.ready()
    listener?.close()
    const baseUrl = baseUrlOf(config, await gateway.listen(host, port))
    if (at === undefined || opsPort === undefined) return { baseUrl, operatorsUrl: baseUrl }
    const operatorsUrl = baseUrlOf({ ...config, host: at.host }, opsPort)
    announce(log, 'operators', operatorsUrl)
    return { baseUrl, operatorsUrl }
  } catch (error) {
    await stop(log, running, async () => {})
    throw error
  }
}

function warnOfVariables(log: Log): void {
  const fault = faultRequested(process.env)
  if (fault !== null) log.warn(fault)
  const links = serviceLinkWarning(process.env)
  if (links !== null) log.warn(links)
}

/** A start with too little memory only warns, because the memory per thread is an estimate. */
function marketThreadsOf({ marketThreads: given, edgeThreads }: ServeConfig, log: Log) {
  const limitBytes = memoryLimitBytes()
  const marketThreads =
    given === 'auto' ? marketThreadsAuto(availableParallelism(), limitBytes, edgeThreads) : given
  const warning = memoryWarning({ marketThreads, edgeThreads }, limitBytes)
  if (warning !== null) log.warn(warning)
  return marketThreads
}

/** Behind a proxy, a peer is not a caller, so it has no rate. One address may open at most half. */
function connectionsOf({ rateLimit, addressHeader, opsListen }: ServeConfig) {
  const kept = opsListen === undefined ? 0 : LIMITS.operatorConnectionsMax
  const max = Math.max(1, connectionsMax() - kept)
  const isCounted = rateLimit && addressHeader === undefined
  const burst = Math.min(OPENINGS.burst, Math.floor(max / 2))
  return { max, openings: isCounted ? { ...OPENINGS, burst } : null }
}

interface Answering {
  readonly limits: Limits | null
  readonly ownCalls: OwnCalls
  readonly edges: EdgeListener | undefined
  readonly connections: ConnectionBounds
  readonly services: Services
  readonly guard: Guard
  readonly onFault: (error: unknown, edge: Edge) => string
  readonly watching: Watch
  readonly cluster: ClusterLink | undefined
}

/** How the public gateway answers calls. */
function optionsOf(
  config: ServeConfig,
  log: Log,
  { limits, ownCalls, edges, connections, services, guard, onFault, watching, cluster }: Answering,
): GatewayOptions<Services> {
  return {
    routes: config.opsListen === undefined ? api : publicApi,
    services,
    authenticate: prover(guard, services),
    ownerOfCall: ownerOfCall(services.pipeline.clearing),
    onFault,
    addressLimiter: limits?.addresses ?? null,
    profileLimiter: limits?.profiles ?? null,
    ownCalls: config.demo ? ownCalls : undefined,
    regions: config.regions,
    cors: corsOf(config),
    addressHeader: config.addressHeader,
    cluster,
    listener: edges,
    connections,
    observe: (seen) => {
      watching.observe(seen)
      if (seen.call.isOwn !== true && !MONITORED.has(seen.call.path)) ownCalls.othersCount++
      const act = auditLine(seen)
      if (act !== null) log.info(act, 'operator')
    },
    ...(config.tls === undefined ? {} : { tls: config.tls }),
  }
}

/** Null when operators use the public listener. */
function gatewayOfOperators(
  { opsListen, opsHosts }: ServeConfig,
  options: GatewayOptions<Services>,
) {
  if (opsListen === undefined) return null
  const connections = { max: LIMITS.operatorConnectionsMax, openings: null }
  // Routes that need no token here must not be readable by pages that an operator visits.
  const off = { regions: undefined, cors: undefined }
  const hosts = new OwnHosts([opsListen.host, ...opsHosts])
  const own = { routes: operatorApi, listener: undefined, connections, hosts }
  return new Gateway({ ...options, ...off, ...own })
}

/** The check of identity tokens. Its library is loaded only if any are accepted. */
async function identityOf(
  { identity }: ServeConfig,
  log: Log,
): Promise<{ identity?: IdentityCheck }> {
  if (identity === undefined) return {}
  const { identityCheck } = await import('../auth/identity.ts')
  return { identity: identityCheck({ ...identity, onWarning: (sentence) => log.warn(sentence) }) }
}

function edgesOf(
  config: ServeConfig,
  bounds: ConnectionBounds,
  limits: Limits | null,
  { faults, log, cluster }: { faults: EdgeFaults; log: Log; cluster: ClusterNode | null },
): EdgeListener | undefined {
  const reports = {
    onFault: (error: unknown) => faults.note('http', error),
    onFatal: (sentence: string) => fatal(log, sentence),
    onReplaced: (sentence: string) => log.warn(sentence),
  }
  return openEdges(config, bounds, limits, reports, cluster?.cell.shared)
}

async function serve(config: ServeConfig, listener: EarlyListener | null): Promise<void> {
  const log = openLog(config.logLevel)
  takeSignals(ignoredSignals((sentence, signal) => log.warn({ signal }, sentence)))
  process.on('uncaughtException', (error) => fatal(log, error.stack ?? String(error)))
  process.on('unhandledRejection', (error) => fatal(log, `unhandled rejection: ${error}`))
  const limits = config.rateLimit ? openLimits(config.rates) : null
  const ownCalls = new OwnCalls()
  warnOfVariables(log)
  const trace = await openTrace(config, log)
  const cluster = config.cluster === undefined ? null : new ClusterNode(config.cluster, config)
  const wall = wallOf(cluster)
  const clock = steadyClock(config, wall, log)
  const commits = new CommitFigures()
  const faults = new EdgeFaults((line) => log.error(line, 'a call broke'))
  const connections = connectionsOf(config)
  const edges = edgesOf(config, connections, limits, { faults, log, cluster })
  cluster?.followClock((aheadMs) => {
    if (edges !== undefined) edges.clockOffsetMs = aheadMs
  })
  const { onCommit } = commits
  const exchange = await open(config, log, { edges, limits, ownCalls, clock, onCommit, cluster })
  const metrics = new Metrics()
  const { dataDir } = config
  const watched = {
    edges: edges?.threads,
    trace,
    limits,
    clock,
    commits,
    faults,
    dataDir,
    log: log.output,
    cluster,
  }
  const watching = watch(exchange, metrics, watched)
  const services = await wire(exchange, config, { ...watching, faults, clock: wall, cluster })
  cluster?.connect(exchange, () => services.packs.restart())
  const guard = new Guard({
    ...guardOptions(config, services.auth),
    ...(await identityOf(config, log)),
  })
  const onFault = edgeFault(exchange, faults, log)
  const before = { limits, ownCalls, edges, connections }
  const link = cluster?.linkTo(exchange)
  const answering = { ...before, services, guard, onFault, watching, cluster: link }
  const options = optionsOf(config, log, answering)
  const gateway = new Gateway(options)
  const operators = gatewayOfOperators(config, options)
  watchGateway(gateway, metrics)
  const waits = { ...SOCKET_WAITS, ...frameRatesOf(config.edgeThreads) }
  const sockets = watchSockets(wireSockets(services, gateway, guard, { onFault, waits }), metrics)
  const { snapshots, segments, solvency, boards, pipeline } = exchange
  const look = () => {
    snapshots.tick(performance.now())
    segments.tick(performance.now())
    solvency.tick(performance.now())
    boards.tick(pipeline.sequencer.nowMs())
    if (pipeline.isStarted) markTime(pipeline)
  }
  // An accepted leap is recorded from here on, however soon the process ends.
  if (pipeline.isStarted) markTime(pipeline)
  const ticker = setInterval(look, SNAPSHOT_LOOK_MS)
  const parts = { exchange, edges, gateway, operators, sockets, ticker, listener, cluster }
  await comeUp(config, log, { ...parts, stopWatching: watching.stop }, ownCalls)
}

/** Calls that nobody looks at. */
const MONITORED: ReadonlySet<string> = new Set(['/health', '/ready', '/metrics'])

/** Edge threads answer some calls without main. */
function visitsOf({ edges, sockets }: Starting, { othersCount }: OwnCalls): Visits {
  const elsewhere = edges?.threads.flatMap(({ counts }) => counts.read()) ?? []
  const calls = elsewhere.reduce((sum, { count }) => sum + count, othersCount)
  return { calls, sockets: sockets.openCount }
}

/** Listens, creates the admin token, starts the demo and waits for signals. */
async function comeUp(
  config: ServeConfig,
  log: Log,
  running: Starting,
  ownCalls: OwnCalls,
): Promise<void> {
  const { exchange } = running
  const { dataDir } = config
  const urls = await listen(config, log, running)
  let exitCode = 0
  running.cluster?.listenToHandOver(() => {
    exitCode = REPLACED_EXIT_CODE
    process.kill(process.pid, 'SIGTERM')
  })
  const ends = {
    deadlineSec: config.stopDeadlineSec,
    onDone: () => process.exit(exitCode),
    onFailure: (sentence: string) => fatal(log, sentence),
    onLate: (sentence: string) => endLate(log, sentence),
  }
  let stopDemo = async () => {}
  // Calls are answered from here on, so a signal must stop in order.
  const isStopping = onSignals(log, ends, (doing) => stop(log, running, () => stopDemo(), doing))
  onHangUp(log, config.tls, running)
  // Done late, after the steps that often fail, because no later start can show the token again.
  const settling = async () => await settleAdminToken(exchange, config, urls.baseUrl)
  const { cluster } = running
  // Only the leader stores a token, and a standby serves before there is one.
  const adminToken = cluster === null ? await settling() : null
  cluster?.leading.then(settling).catch((error: unknown) => fatal(log, String(error)))
  if (isStopping()) return
  const token = config.adminToken ?? adminToken
  const visits = () => visitsOf(running, ownCalls)
  const demo = config.demo
    ? startDemo({ ...urls, dataDir, adminToken: token, config, log, ownCalls, visits })
    : { ready: true, stop: async () => {} }
  stopDemo = demo.stop
  if (!(await demo.ready)) return
  if (isatty(process.stderr.fd)) {
    const parts = { ...config, ...urls, log: cluster?.logText, program: process.argv[1] }
    log.output.write(banner(parts))
  }
  announce(log, 'listening', urls.baseUrl)
}

/** Runs until a signal ends the process; returns an exit code only when the start fails. */
export async function runServe(
  given: readonly Given[],
  listener: EarlyListener | null,
): Promise<number> {
  const reading = readGiven(given, process.env, (path) => readFileSync(path, 'utf8'))
  if (!reading.ok) {
    process.stderr.write(`outcomex: ${reading.sentence}\n`)
    return 2
  }
  await keccakReady
  const checked = withChecksums(reading.config)
  if (!checked.ok) {
    process.stderr.write(`outcomex: ${checked.sentence}\n`)
    return 2
  }
  const problem = await problemOf(checked.config, listener)
  if (problem !== null) {
    process.stderr.write(`outcomex: ${problem}\n`)
    return 1
  }
  try {
    await serve(checked.config, listener)
    return await new Promise<number>(() => {})
  } catch (error) {
    process.stderr.write(`outcomex: ${error instanceof Error ? error.message : error}\n`)
    // Running threads would keep the process and the folder's lock forever.
    process.exit(1)
  }
}
