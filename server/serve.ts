// `outcomex serve`: opens the folder, starts the gateway, stops in good order.

import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { api } from './api.ts'
import { curve } from './auth/ecdsa.ts'
import { Guard } from './auth/guard.ts'
import { identityCheck } from './auth/identity.ts'
import { keccakReady } from './auth/keccak.ts'
import { digestOf } from './auth/session.ts'
import { faultAsked } from './cli/fault.ts'
import type { Command } from './cli/shell.ts'
import { readConfig, type ServeConfig, serveHelp, withChecksums } from './config.ts'
import { Gateway } from './http/gateway.ts'
import { type Limits, openLimits } from './http/rate-limit.ts'
import { auditLine } from './ops/audit.ts'
import { type Log, openLog } from './ops/log.ts'
import { Metrics } from './ops/metrics.ts'
import { TraceFile } from './ops/trace.ts'
import { openExchange, type RunningExchange } from './pipeline/open.ts'
import type { Services } from './routes/services.ts'
import { keepAdminToken, startDemo } from './services/demo.ts'
import type { SocketGateway } from './sockets/socket-gateway.ts'
import { watch, watchSockets } from './watch.ts'
import { prover, wire, wireSockets } from './wiring.ts'

const TICK_MS = 20
const PROGRESS_EVERY_MS = 2000

/** A part died: says which and why, and ends the process; the journal brings it back. */
function fatal(log: Log, sentence: string): never {
  log.fatal(sentence)
  process.stderr.write(`outcomex stops: ${sentence}\n`)
  process.exit(1)
}

function progressOn(log: Log) {
  let nextMs = Date.now() + PROGRESS_EVERY_MS
  return (what: string, seq: number, total: number) => {
    if (Date.now() < nextMs) return
    nextMs = Date.now() + PROGRESS_EVERY_MS
    log.info({ seq, total }, `replaying the ${what}`)
  }
}

function baseUrlOf({ tls, host }: ServeConfig, port: number): string {
  return `${tls === undefined ? 'http' : 'https'}://${host}:${port}`
}

/** Makes the first admin token, or takes the configured one; only its digest is kept. */
async function settleAdminToken(
  { pipeline }: RunningExchange,
  config: ServeConfig,
): Promise<string | null> {
  const given = config.adminToken
  const known = pipeline.clearing.accounts.adminTokenDigest
  if (given === undefined && known !== '') return null
  const token = given ?? randomBytes(24).toString('base64url')
  if (given === undefined && config.demo) {
    keepAdminToken(config.dataDir, baseUrlOf(config, config.port), token)
  }
  const tokenDigest = digestOf(token)
  if (tokenDigest !== known) await pipeline.change({ kind: 'setAdminToken', tokenDigest })
  return given === undefined ? token : null
}

interface Running {
  readonly exchange: RunningExchange
  readonly gateway: Gateway<Services>
  readonly sockets: SocketGateway
  readonly ticker: NodeJS.Timeout
  readonly stopWatching: () => Promise<void>
}

async function stop(log: Log, running: Running, stopDemo: () => Promise<void>): Promise<void> {
  await stopDemo()
  clearInterval(running.ticker)
  running.sockets.stop()
  await running.gateway.stop()
  const last = await running.exchange.stop()
  await running.stopWatching()
  log.info(last, 'stopped')
  log.flush()
}

/** A second signal does not wait. */
function onSignals(log: Log, stopAll: () => Promise<void>): void {
  let stopping = false
  const onSignal = (signal: string) => {
    if (stopping) process.exit(1)
    stopping = true
    log.info({ signal }, 'stopping')
    stopAll().then(
      () => process.exit(0),
      (error) => fatal(log, `the stop failed: ${error}`),
    )
  }
  process.on('SIGTERM', () => onSignal('SIGTERM'))
  process.on('SIGINT', () => onSignal('SIGINT'))
}

async function open(config: ServeConfig, log: Log, limits: Limits | null) {
  let touch: (tokenId: string) => void = () => {}
  const exchange = await openExchange({
    ...config,
    clock: Date.now,
    profileWaitSec: (profileId) =>
      limits?.profiles.take(profileId, 'trade', performance.now()) ?? 0,
    onTokenUsed: (tokenId) => touch(tokenId),
    onFault: (sentence) => fatal(log, sentence),
    onWarning: (sentence) => log.warn(sentence),
    onSnapshot: (saved) => log.debug(saved, 'snapshot'),
    onProgress: progressOn(log),
  })
  const { recovered } = exchange
  log.info({ ...recovered, curve: curve.name }, 'recovered')
  if (recovered.lostRecords > 0) {
    log.warn(
      `${recovered.lostRecords} acknowledged records were lost with the power: ` +
        'the folder was written with --durability normal',
    )
  }
  const setTouch = (next: (tokenId: string) => void) => {
    touch = next
  }
  return { exchange, setTouch }
}

function openTrace({ trace }: ServeConfig, log: Log): Promise<TraceFile> | null {
  return trace === undefined ? null : TraceFile.open(trace, (sentence) => log.warn(sentence))
}

/** The address; a start that gets none is taken back: its threads would keep the folder locked. */
async function listen(config: ServeConfig, log: Log, running: Running): Promise<string> {
  try {
    return baseUrlOf(config, await running.gateway.listen(config.host, config.port))
  } catch (error) {
    await stop(log, running, async () => {})
    throw error
  }
}

async function serve(config: ServeConfig): Promise<void> {
  const log = openLog(config.logLevel)
  process.on('uncaughtException', (error) => fatal(log, error.stack ?? String(error)))
  process.on('unhandledRejection', (error) => fatal(log, `unhandled rejection: ${error}`))
  const limits = config.rateLimit ? openLimits(config.rates) : null
  const fault = faultAsked(process.env)
  if (fault !== null) log.warn(fault)
  const trace = await openTrace(config, log)
  const { exchange, setTouch } = await open(config, log, limits)
  const metrics = new Metrics()
  const { observe, metricsText, stop: stopWatching } = watch(exchange, metrics, trace, limits)
  const parts = { metricsText, clock: Date.now, isReady: () => true }
  const services = await wire(exchange, config, parts)
  setTouch((tokenId) => services.accounts.touch(tokenId))
  const adminToken = await settleAdminToken(exchange, config)
  // Whatever comes of this start: no later one can show it again.
  if (adminToken !== null) process.stdout.write(`admin token (shown once): ${adminToken}\n`)
  const identity = config.identity === undefined ? undefined : identityCheck(config.identity)
  const { headerPrefixes } = config
  const guard = new Guard({
    state: services.auth,
    headerPrefixes,
    ...(identity === undefined ? {} : { identity }),
  })
  const gateway = new Gateway<Services>({
    routes: api,
    services,
    authenticate: prover(guard, services),
    onFault: (error) => fatal(log, error instanceof Error ? (error.stack ?? '') : String(error)),
    addressLimiter: limits?.addresses ?? null,
    profileLimiter: limits?.profiles ?? null,
    regions: config.regions,
    addressHeader: config.addressHeader,
    observe: (seen) => {
      observe(seen)
      const act = auditLine(seen)
      if (act !== null) log.info(act, 'operator')
    },
    ...(config.tls === undefined ? {} : { tls: config.tls }),
  })
  const sockets = wireSockets(services, gateway, guard)
  watchSockets(sockets, metrics)
  const ticker = setInterval(() => {
    exchange.pipeline.tick()
    exchange.snapshots.tick()
  }, TICK_MS)
  const running = { exchange, gateway, sockets, ticker, stopWatching }
  const baseUrl = await listen(config, log, running)
  const token = config.adminToken ?? adminToken
  const demo = config.demo
    ? startDemo({ dataDir: config.dataDir, baseUrl, adminToken: token, config, log })
    : { ready: true, stop: async () => {} }
  onSignals(log, () => stop(log, running, demo.stop))
  if (!(await demo.ready)) return
  process.stdout.write(`listening ${baseUrl}\n`)
}

/** Runs until a signal ends the process; gives an exit code only when it could not start. */
async function runServe(argv: readonly string[]): Promise<number> {
  if (argv.includes('--help')) {
    process.stdout.write(`${serveHelp()}\n`)
    return 0
  }
  const reading = readConfig(argv, process.env, (path) => readFileSync(path, 'utf8'))
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
  try {
    await serve(checked.config)
    return await new Promise<number>(() => {})
  } catch (error) {
    process.stderr.write(`outcomex: ${error instanceof Error ? error.message : error}\n`)
    return 1
  }
}

export const serveCommand: Command = {
  about: 'Runs the exchange on a data folder.',
  run: (argv) => runServe(argv),
}
