// SIGHUP: the certificate files were renewed, and new connections get the new certificates.

import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { type TlsFiles, tlsProblem } from '../edge/http/gateway/listening/listen-check.ts'
import type { Log } from '../ops/logging/log.ts'
import { hungUpBefore, takeSignals } from './first-signals.ts'
import type { Running } from './stopping.ts'

const SIGNAL = { signal: 'SIGHUP' } as const

/** A connection's certificate is chosen when it opens, so no connection ends. */
function renew(log: Log, tls: TlsFiles, { gateway, operators }: Running): void {
  const problem = tlsProblem(tls)
  if (problem !== null) {
    log.error(SIGNAL, `the certificate is unchanged: ${problem}`)
    return
  }
  try {
    gateway.apps.renew()
    operators?.apps.renew()
    const { subject, validTo } = new X509Certificate(readFileSync(tls.certFile))
    log.info({ ...SIGNAL, subject, validTo }, 'certificates reloaded')
  } catch (error) {
    log.error(SIGNAL, `the certificate could not be reloaded: ${error}`)
  }
}

export function onHangUp(log: Log, tls: TlsFiles | undefined, running: Running): void {
  const onSignal = () => {
    if (tls !== undefined) renew(log, tls, running)
    else log.warn(SIGNAL, 'SIGHUP reloads certificates, but this exchange has none (--tls-cert)')
  }
  takeSignals({ SIGHUP: onSignal })
  if (hungUpBefore()) onSignal()
}
