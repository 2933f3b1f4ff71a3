import type { Figures } from '../../ops/figures.ts'
import { KINDS, STEPS_OF } from '../../ops/order-times.ts'

// The screen of `outcomex top` as lines of text, widest things last.

export interface Ticker {
  readonly slug: string
  readonly last: number | null
  readonly bid: number | null
  readonly ask: number | null
  /** Raw collateral. */
  readonly volume24h: string
}

export interface Shown {
  readonly url: string
  readonly figures: Figures
  readonly tickers: readonly Ticker[]
}

/** The steps of a call in the metrics. */
export const STEPS = ['read', ...STEPS_OF.order, 'whole']
const MODES = ['normal', 'post_only', 'cancel_only', 'disabled']
const BUSIEST = 8
/** Main, an edge, the journal, two markets and the follower: as many as the line holds. */
const BUSIEST_THREADS = 6
const LARGEST_TABLES = 6
const QUEUES = [
  ['replies', 'replies_waiting'],
  ['of them for the disk', 'replies_waiting_for_disk'],
  ['questions', 'query_waiting'],
  ['tables behind', 'follower_lag_commands'],
] as const

const MEGA = 1_000_000
const name = (short: string) => `outcomex_${short}`
/** The metric of the time of a step, by `kind` and `step`. */
export const STEP_METRIC = name('step_seconds')

/** Text of the server cannot move the cursor of a terminal. */
export function plain(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, '?')
}

function timeOf(seconds: number | null): string {
  if (seconds === null) return '-'
  if (seconds === Number.POSITIVE_INFINITY) return 'long'
  return seconds < 0.001 ? `${Math.round(seconds * 1e6)} µs` : `${(seconds * 1000).toFixed(1)} ms`
}

const bytesOf = (bytes: number) => `${(bytes / MEGA).toFixed(bytes < MEGA * 10 ? 1 : 0)} MB`
const rateOf = (rate: number) => (rate < 10 ? rate.toFixed(1) : String(Math.round(rate)))

function upOf(seconds: number): string {
  const parts = [seconds / 3600, (seconds / 60) % 60, seconds % 60].map(Math.floor)
  return parts.map((part, index) => String(part).padStart(index === 0 ? 1 : 2, '0')).join(':')
}

function row(head: string, cells: readonly string[]): string {
  return head.padEnd(10) + cells.map((cell) => cell.padStart(11)).join('')
}

/** How long the steps of each kind of call took. */
export function stepLines(figures: Figures, head = ''): string[] {
  const used = KINDS.filter((kind) => {
    return figures.added(`${STEP_METRIC}_count`, { kind, step: 'whole' }) > 0
  })
  const lines = used.flatMap((kind) =>
    [0.5, 0.99].map((part) => {
      const cells = STEPS.map((step) => timeOf(figures.quantile(STEP_METRIC, part, { kind, step })))
      return row(`${kind} p${part * 100}`, cells)
    }),
  )
  return ['', row(head, STEPS), ...(lines.length === 0 ? ['nothing came'] : lines)]
}

function threadLine(figures: Figures): string {
  const metric = name('thread_busy_seconds_total')
  const spent = figures.valuesOf(metric, 'thread').map((thread) => {
    return [thread, figures.perSecond(metric, { thread }) * 100] as const
  })
  const byShare = spent.sort(([a, ofA], [b, ofB]) => ofB - ofA || a.localeCompare(b))
  const output = byShare.slice(0, BUSIEST_THREADS).map(([thread, percent]) => {
    return `${thread} ${percent.toFixed(percent < 9.95 ? 1 : 0)}%`
  })
  return `threads   ${output.join(', ')}`
}

/** What the folder has, how it grows, and for how long its disk has space. */
function folderLine(figures: Figures): string {
  const [bytes, growth] = [name('folder_bytes'), name('folder_growth_bytes_per_day')]
  const parts = figures.valuesOf(bytes, 'part').map((part) => {
    const perDay = figures.now(growth, { part })
    const sign = perDay < 0 ? '-' : '+'
    const grows = perDay === 0 ? '' : ` (${sign}${bytesOf(Math.abs(perDay))} a day)`
    return `${part.replaceAll('_', ' ')} ${bytesOf(figures.now(bytes, { part }))}${grows}`
  })
  const days = figures.now(name('disk_full_days'))
  const full = days < 0 ? '' : `, full in ${Math.floor(days)} days`
  return [...parts, `disk free ${bytesOf(figures.now(name('disk_free_bytes')))}${full}`].join(', ')
}

/** The tables that take most of the disk. */
function tablesLines(figures: Figures): string[] {
  const metric = name('table_bytes_per_day')
  const tables = figures.valuesOf(metric, 'table').map((table) => {
    return [table, figures.now(metric, { table })] as const
  })
  const largest = tables.sort(([, a], [, b]) => b - a).slice(0, LARGEST_TABLES)
  const shown = largest
    .filter(([, perDay]) => perDay > 0)
    .map(([table, perDay]) => {
      return `${table} ${bytesOf(perDay)}`
    })
  return shown.length === 0 ? [] : [`a day     ${shown.join(', ')}`]
}

export function viewLines({ url, figures, tickers }: Shown): string[] {
  const now = (short: string) => figures.now(name(short))
  const rate = (short: string, labels = {}) => rateOf(figures.perSecond(name(short), labels))
  const done = (kind: string) => rate('step_seconds_count', { kind, step: 'whole' })
  const failing = figures
    .valuesOf(name('check_passed'), 'check')
    .filter((check) => figures.now(name('check_passed'), { check }) === 0)
  const cpu = figures.perSecond(name('cpu_seconds_total')) * 100
  const loop = timeOf(figures.quantile(name('event_loop_delay_seconds'), 0.99))
  const commit = [0.5, 0.99].map((part) => timeOf(figures.quantile(name('commit_seconds'), part)))
  return [
    `outcomex  ${url}  up ${upOf(now('uptime_seconds'))}`,
    `state     ${MODES[now('trading_mode')] ?? '?'}, seq ${now('durable_seq')}, ` +
      `${now('open_orders')} open orders, ` +
      (failing.length === 0 ? 'all checks pass' : `failing: ${failing.join(', ')}`),
    `a second  orders ${done('order')}, cancels ${done('cancel')}, changes ${done('change')}, ` +
      `reads ${done('query')}, requests ${rate('http_requests_total')}, ` +
      `refused ${rate('refusals_total')}, frames ${rate('socket_frames_total')}`,
    ...stepLines(figures),
    '',
    `queues    ${QUEUES.map(([what, short]) => `${what} ${now(short)}`).join(', ')}`,
    `journal   ${rate('journal_records_total')} commands a second, commit p50 ${commit[0]}, ` +
      `p99 ${commit[1]}`,
    `folder    ${folderLine(figures)}`,
    ...tablesLines(figures),
    `machine   CPU ${cpu.toFixed(0)}%, loop late p99 ${loop}, ` +
      `memory ${bytesOf(now('resident_bytes'))}, heap ${bytesOf(now('heap_bytes'))}`,
    threadLine(figures),
    `sockets   ${now('sockets_open')} open, ${bytesOf(now('socket_held_bytes'))} held, ` +
      `connections ${now('connections_open')}`,
    ...tickerLines(tickers),
  ].map(plain)
}

function tickerLines(tickers: readonly Ticker[]): string[] {
  if (tickers.length === 0) return []
  const byVolume = [...tickers].sort((a, b) => Number(b.volume24h) - Number(a.volume24h))
  const price = (value: number | null) => (value === null ? '-' : value.toFixed(3))
  const lines = byVolume.slice(0, BUSIEST).map(({ slug, last, bid, ask, volume24h }) => {
    const cells = [last, bid, ask].map(price)
    return row('', [...cells, (Number(volume24h) / MEGA).toFixed(2)]).concat(`  ${slug}`)
  })
  return ['', row('busiest', ['last', 'bid', 'ask', 'volume 24h']).concat('  market'), ...lines]
}
