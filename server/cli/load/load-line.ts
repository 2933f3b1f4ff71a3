import { availableParallelism } from 'node:os'
import type { Line, Usage } from '../../command-line.ts'
import { SETTINGS } from '../../config.ts'
import { flagOf, type Kind, readSetting, type Setting, WrongUse } from '../../settings/flags.ts'
import { count, onOff, optional } from '../../settings/kinds.ts'
import { DEFAULT_URL } from '../client.ts'
import { fileFlag, urlFlag } from '../common-flags.ts'
import { demoAt, findDemo } from '../demo-file.ts'
import { type Mix, OPERATIONS } from './load-plan.ts'

// Reads the words of `outcomex load`.

const DEFAULT_RATE = 1000
const MIX = /^\d{1,4}(?::\d{1,4}){3}$/

const mix: Kind<Mix> = {
  shape: OPERATIONS.join(':'),
  wants: 'four weights, like 50:40:5:5, of which the first is not 0',
  read(text) {
    const weights = MIX.test(text) ? text.split(':').map(Number) : [0]
    const [add, cancel, take, replace] = weights
    return add > 0 ? { add, cancel, take, replace } : undefined
  },
  show: (value) => OPERATIONS.map((each) => value[each]).join(':'),
}

const FLAGS = {
  url: urlFlag('url', 'Public address of the server; else the one in demo.json.'),
  opsUrl: urlFlag(
    'ops-url',
    'Where operators reach the server, when it has --ops-listen; else the address of --url.',
  ),
  rate: flagOf(
    'rate',
    optional(count(1, 1_000_000)),
    undefined,
    `Requests a second, whether earlier ones have ended or not (${DEFAULT_RATE}).`,
  ),
  max: flagOf(
    'max',
    onOff,
    false,
    'As fast as replies come: each connection sends one request at a time.',
  ),
  duration: flagOf('duration', count(1, 86_400, 'SEC'), 10, 'Seconds of load.'),
  connections: flagOf('connections', count(1, 16_384), 64, 'Connections, each kept open.'),
  traders: flagOf('traders', count(1, 1000), 8, 'Profiles that send the orders.'),
  markets: flagOf('markets', count(1, 1000), 4, 'Markets that they trade.'),
  mix: flagOf(
    'mix',
    mix,
    { add: 50, cancel: 40, take: 5, replace: 5 },
    'Weights of resting orders, cancels, orders that match, and replacements.',
  ),
  socket: flagOf('socket', count(0, 10_000), 0, 'Sockets that read the books meanwhile.'),
  threads: flagOf(
    'threads',
    optional(count(1, 64)),
    undefined,
    'Threads that send; half of the cores, at most 8.',
  ),
  hdr: fileFlag('hdr', 'Write the latencies of each second as a log of HdrHistogram.'),
  json: flagOf('json', onOff, false, 'Print the result as JSON.'),
  emit: fileFlag(
    'emit',
    'Send nothing; write signed requests for autocannon: FILE.har as HAR, else as JSON.',
  ),
} as const

export const LOAD_USAGE: Usage = {
  flags: [...Object.values(FLAGS), SETTINGS.adminToken, SETTINGS.data],
  notes: [
    'Makes its own traders and markets through the admin API, and resolves the markets at the end.',
    'Start the server with --no-rate-limit, or the load is limited like any caller.',
    '',
    '  outcomex load --rate 2000 --duration 30         latencies at 2,000 requests a second',
    '  outcomex load --max --connections 128           the highest rate',
  ].join('\n'),
}

export interface LoadLine {
  readonly url: string
  readonly opsUrl: string
  readonly adminToken: string
  /** Null for as fast as replies come. */
  readonly perSecond: number | null
  readonly seconds: number
  readonly connections: number
  readonly traders: number
  readonly markets: number
  readonly mix: Mix
  readonly sockets: number
  readonly threads: number
  readonly hdrFile: string | undefined
  readonly isJson: boolean
  readonly emitFile: string | undefined
}

const THREADS_MAX = 8

/** Each thread has a trader, a connection and a request a second at least. */
function threadsOf(given: number | undefined, ...bounds: readonly number[]): number {
  const own = Math.min(THREADS_MAX, Math.ceil(availableParallelism() / 2))
  return Math.min(given ?? own, ...bounds)
}

/** What the line wants; a wrong use throws a sentence. */
export function loadLineOf({ given }: Line): LoadLine {
  const get = <T>(row: Setting<T>) => readSetting(row, given)
  const demo = findDemo(get(SETTINGS.data))
  const url = get(FLAGS.url) ?? demo?.baseUrl ?? DEFAULT_URL
  if (!URL.canParse(url)) throw new WrongUse(`--url must be an address, not '${url}'`)
  const own = demoAt(url, demo)
  const adminToken = get(SETTINGS.adminToken) ?? own?.adminToken
  if (adminToken === undefined) {
    throw new WrongUse(
      'The admin token is missing, and the traders of the load are made with it: give ' +
        '--admin-token or OUTCOMEX_ADMIN_TOKEN; the first start of the server printed it',
    )
  }
  const isMax = get(FLAGS.max)
  const rate = get(FLAGS.rate)
  if (isMax && rate !== undefined) throw new WrongUse('give --rate or --max, not both')
  const perSecond = isMax ? null : (rate ?? DEFAULT_RATE)
  const emitFile = get(FLAGS.emit)
  if (emitFile !== undefined && perSecond === null) {
    throw new WrongUse('--emit writes --rate times --duration requests: give --rate, not --max')
  }
  const [connections, traders] = [get(FLAGS.connections), get(FLAGS.traders)]
  return {
    url: url.replace(/\/+$/, ''),
    opsUrl: (get(FLAGS.opsUrl) ?? own?.operatorsUrl ?? url).replace(/\/+$/, ''),
    adminToken,
    perSecond,
    seconds: get(FLAGS.duration),
    connections,
    traders,
    markets: get(FLAGS.markets),
    mix: get(FLAGS.mix),
    sockets: get(FLAGS.socket),
    threads: threadsOf(get(FLAGS.threads), connections, traders, perSecond ?? connections),
    hdrFile: get(FLAGS.hdr),
    isJson: get(FLAGS.json),
    emitFile,
  }
}
