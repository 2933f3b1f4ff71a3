// SIGHUP: the files of the certificate were renewed, and new connections get what they hold now.

import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { type TlsFiles, tlsProblem } from '../edge/http/gateway/listening/listen-check.ts'
import type { Log } from '../ops/logging/log.ts'
import { hungUpBefore, takeSignals } from './first-signals.ts'
import type { Running } from './stopping.ts'

const SIGNAL = { signal: 'SIGHUP' } as const

/** What certificates a connection gets is decided at its beginning, so no connection ends. */
function renew(log: Log, tls: TlsFiles, { gateway, operators }: Running): void {
  const problem = tlsProblem(tls)
  if (problem !== null) {
    log.error(SIGNAL, `the certificate stays as it was: ${problem}`)
    return
  }
  try {
    gateway.apps.renew()
    operators?.apps.renew()
    const { subject, validTo } = new X509Certificate(readFileSync(tls.certFile))
    log.info({ ...SIGNAL, subject, validTo }, 'certificates read again')
  } catch (error) {
    log.error(SIGNAL, `the certificate could not be read again: ${error}`)
  }
}

export function onHangUp(log: Log, tls: TlsFiles | undefined, running: Running): void {
  const onSignal = () => {
    if (tls !== undefined) renew(log, tls, running)
    else
      log.warn(SIGNAL, 'SIGHUP reads certificates again, and this exchange has none (--tls-cert)')
  }
  takeSignals({ SIGHUP: onSignal })
  if (hungUpBefore()) onSignal()
}
