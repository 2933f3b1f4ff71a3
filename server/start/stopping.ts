// Stops the process: gracefully within a deadline, and at once at a second signal.

import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { MS_PER_SEC } from '../../engine/domain/units.ts'
import type { Services } from '../api/services.ts'
import type { Gateway } from '../edge/http/gateway/gateway.ts'
import { type TlsFiles, tlsProblem } from '../edge/http/gateway/listening/listen-check.ts'
import type { SocketGateway } from '../edge/sockets/socket-gateway.ts'
import type { Log } from '../ops/logging/log.ts'
import { hungUpBefore, takeSignals } from './first-signals.ts'
import type { RunningExchange } from './open.ts'

export interface Running {
  readonly exchange: RunningExchange
  readonly gateway: Gateway<Services>
  /** The listener for operators; null when they use the public one. */
  readonly operators: Gateway<Services> | null
  readonly sockets: SocketGateway
  readonly ticker: NodeJS.Timeout
  readonly stopWatching: () => Promise<void>
}

/** `doing` receives the name of the next thing that the stop waits for. */
export async function stop(
  log: Log,
  running: Running,
  stopDemo: () => Promise<void>,
  doing: (what: string) => void = () => {},
): Promise<void> {
  doing('the demo bots')
  await stopDemo()
  clearInterval(running.ticker)
  running.sockets.stop()
  doing('requests under way')
  await Promise.all([running.gateway.stop(), running.operators?.stop()])
  doing('the disk: commands in flight and the last snapshot')
  const last = await running.exchange.stop()
  await running.stopWatching()
  log.info(last, 'stopped')
  await log.output.end()
}

interface StopEnds {
  readonly deadlineSec: number
  readonly onDone: () => void
  readonly onFailure: (sentence: string) => void
  /** Called when the deadline has passed. */
  readonly onLate: (sentence: string) => void
}

/** Kills the process, because `process.exit` would wait for a thread that hangs in a write. */
export function endLate(log: Log, sentence: string): void {
  log.output.lastWords(`outcomex: ${sentence}\n`)
  process.kill(process.pid, 'SIGKILL')
}

/**
 * Stops at SIGTERM, SIGINT or SIGQUIT; a second one ends the process at once. Returns a function:
 * whether one has arrived.
 */
export function onSignals(
  log: Pick<Log, 'info'>,
  { deadlineSec, onDone, onFailure, onLate }: StopEnds,
  stopAll: (doing: (what: string) => void) => Promise<void>,
): () => boolean {
  let isStopping = false
  let waitsFor = ''
  const late = () =>
    onLate(
      `shutdown exceeded ${deadlineSec} s and was aborted; it was waiting for ${waitsFor}. ` +
        'All acknowledged commands are in the journal.',
    )
  const onSignal = (signal: string) => {
    if (isStopping) process.exit(1)
    isStopping = true
    log.info({ signal }, 'stopping')
    const timer = setTimeout(late, deadlineSec * MS_PER_SEC)
    const doing = (what: string) => {
      waitsFor = what
    }
    stopAll(doing)
      .then(onDone, (error) => onFailure(`shutdown failed: ${error}`))
      .finally(() => clearTimeout(timer))
  }
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGQUIT'] as const) {
    process.on(signal, () => onSignal(signal))
  }
  return () => isStopping
}

// SIGHUP: the certificate files were renewed, and new connections get the new certificates.

const SIGNAL = { signal: 'SIGHUP' } as const

/** A connection's certificate is chosen when it opens, so no connection ends. */
async function renew(log: Log, tls: TlsFiles, { gateway, operators }: Running): Promise<void> {
  const problem = tlsProblem(tls)
  if (problem !== null) {
    log.error(SIGNAL, `the certificate is unchanged: ${problem}`)
    return
  }
  try {
    await gateway.apps.renew()
    await operators?.apps.renew()
    const { subject, validTo } = new X509Certificate(readFileSync(tls.certFile))
    log.info({ ...SIGNAL, subject, validTo }, 'certificates reloaded')
  } catch (error) {
    log.error(SIGNAL, `the certificate could not be reloaded: ${error}`)
  }
}

export function onHangUp(log: Log, tls: TlsFiles | undefined, running: Running): void {
  const onSignal = () => {
    if (tls !== undefined) void renew(log, tls, running)
    else log.warn(SIGNAL, 'SIGHUP reloads certificates, but this exchange has none (--tls-cert)')
  }
  takeSignals({ SIGHUP: onSignal })
  if (hungUpBefore()) onSignal()
}
