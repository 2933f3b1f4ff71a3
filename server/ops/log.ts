// The only importer of pino. The log goes to standard error: standard output is for the address
// line.
import { type DestinationStream, pino } from 'pino'

export type Log = Pick<pino.Logger, 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'flush'>

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

/** Names whose values never stand in a log, wherever they come from. */
const SECRETS = ['secret', 'privateKey', 'adminToken', 'cookie', 'authorization', 'signature']

/** Synchronous, so that the last line before a fatal end is written too. */
export function openLog(level: LogLevel, destination?: DestinationStream): Log {
  const paths = SECRETS.flatMap((name) => [name, `*.${name}`])
  const out = destination ?? pino.destination({ dest: 2, sync: true })
  return pino({ level, base: null, redact: { paths, censor: '[redacted]' } }, out)
}
