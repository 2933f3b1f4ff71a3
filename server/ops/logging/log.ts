// The only importer of pino. The log goes to standard error, because standard output is for the
// address line. A line is JSON, or human-readable text on a terminal.
import { createRequire } from 'node:module'
import { isatty } from 'node:tty'
import { pino } from 'pino'
import type * as Pretty from 'pino-pretty'
import type { LogLevel } from './log-level.ts'
import { LogOutput } from './log-output.ts'

export interface Log extends Pick<pino.Logger, 'debug' | 'info' | 'warn' | 'error' | 'fatal'> {
  readonly output: LogOutput
}

/** Fields whose values never appear in the log. */
const SECRETS = ['secret', 'privateKey', 'adminToken', 'cookie', 'authorization', 'signature']
const STDERR = 2

/** Formats a line of JSON for people. It is loaded only for a terminal. */
function readable(): (line: string) => string {
  const { prettyFactory }: typeof Pretty = createRequire(import.meta.url)('pino-pretty')
  return prettyFactory({
    colorize: process.env.NO_COLOR === undefined,
    singleLine: true,
    translateTime: false,
  })
}

export function openLog(
  level: LogLevel,
  output = new LogOutput(),
  isForPeople = isatty(STDERR),
): Log {
  const paths = SECRETS.flatMap((name) => [name, `*.${name}`])
  const shown = isForPeople ? readable() : (line: string) => line
  const logger = pino(
    {
      level,
      base: null,
      redact: { paths, censor: '[redacted]' },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (name) => ({ level: name }) },
    },
    { write: (line) => output.write(shown(line)) },
  )
  output.onLost = (dropped) => {
    logger.warn({ dropped }, 'log lines were lost: standard error was not read')
  }
  return Object.assign(logger, { output })
}
