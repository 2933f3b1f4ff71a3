// What the page shows of the metrics: steps of calls with their histograms, and figures in groups.

import type { Bucket, Figures } from '../../../ops/figures.ts'

export interface StepRow {
  readonly step: string
  readonly count: number
  readonly p50Sec: number | null
  readonly p99Sec: number | null
  /** A part of the highest bar for each bucket, from 0 to 1. */
  readonly bars: readonly number[]
}

export interface KindOfSteps {
  readonly kind: string
  readonly perSec: number
  readonly rows: readonly StepRow[]
}

export interface FigureGroup {
  readonly label: string
  readonly metadata: readonly (readonly [label: string, value: string, isBad?: boolean])[]
}

const KINDS = ['order', 'cancel', 'change', 'query'] as const
const STEPS = ['read', 'intake', 'sequence', 'journal', 'match', 'settle', 'publish', 'whole']
const STEP_METRIC = 'outcomex_step_seconds'
const MODES = ['normal', 'post_only', 'cancel_only', 'disabled']
const MEGA = 1_000_000
const GIGA = 1_000_000_000

const name = (short: string) => `outcomex_${short}`
const parts = (short: string) => ['_bucket', '_sum', '_count'].map((end) => name(short) + end)

const HISTOGRAMS = 'step_seconds commit_seconds event_loop_delay_seconds'.split(' ')
const NUMBERS = `
  uptime_seconds trading_mode open_orders check_passed faults_total durable_seq
  replies_waiting replies_waiting_for_disk journal_waiting_bytes market_waiting_bytes query_waiting
  disk_free_bytes follower_lag_commands journal_records_total snapshot_failures_total
  thread_busy_seconds_total sockets_open socket_frames_total socket_held_bytes
  sockets_refused_total sockets_slow_total connections_open resident_bytes heap_bytes
  cpu_seconds_total http_requests_total refusals_total rate_limited_total trades_waiting
  settlement_failures_total log_dropped_total`
/** The series that `stepsOf` and `metadataOf` read. */
export const WANTED: ReadonlySet<string> = new Set([
  ...HISTOGRAMS.flatMap(parts),
  ...NUMBERS.trim().split(/\s+/).map(name),
])

export function timeText(seconds: number | null): string {
  if (seconds === null) return '–'
  if (seconds === Number.POSITIVE_INFINITY) return '> 10 s'
  if (seconds < 0.001) return `${Math.round(seconds * 1e6)} µs`
  return seconds < 1 ? `${Number((seconds * 1000).toFixed(1))} ms` : `${seconds} s`
}

/** Heights of bars; a bucket with anything in it is never flat. */
export function barsOf(buckets: readonly Bucket[]): number[] {
  const most = Math.max(0, ...buckets.map(({ count }) => count))
  const LEAST = 0.04
  return buckets.map(({ count }) => (count === 0 ? 0 : Math.max(LEAST, count / most)))
}

export function stepsOf(figures: Figures): KindOfSteps[] {
  const count = (kind: string, step: string) =>
    figures.added(`${STEP_METRIC}_count`, { kind, step })
  const used = KINDS.filter((kind) => count(kind, 'whole') > 0)
  return used.map((kind) => {
    const rows = STEPS.filter((step) => count(kind, step) > 0).map((step) => ({
      step,
      count: count(kind, step),
      p50Sec: figures.quantile(STEP_METRIC, 0.5, { kind, step }),
      p99Sec: figures.quantile(STEP_METRIC, 0.99, { kind, step }),
      bars: barsOf(figures.buckets(STEP_METRIC, { kind, step })),
    }))
    const perSec = figures.perSecond(`${STEP_METRIC}_count`, { kind, step: 'whole' })
    return { kind, perSec, rows }
  })
}

export function rateText(perSec: number): string {
  return perSec < 10 ? perSec.toFixed(1) : String(Math.round(perSec))
}

export function bytesText(bytes: number): string {
  if (bytes < 0) return 'unknown'
  if (bytes >= GIGA * 10) return `${(bytes / GIGA).toFixed(1)} GB`
  return `${(bytes / MEGA).toFixed(bytes < MEGA * 10 ? 1 : 0)} MB`
}

function upText(seconds: number): string {
  const [days, hours, minutes] = [seconds / 86_400, (seconds / 3600) % 24, (seconds / 60) % 60]
  const parts = [`${Math.floor(hours)} h`, `${Math.floor(minutes)} min`]
  return [...(days >= 1 ? [`${Math.floor(days)} d`] : []), ...parts].join(' ')
}

/** A thread that works a little is not one that rests. */
function partText(part: number): string {
  const percent = part * 100
  return `${percent < 9.95 ? percent.toFixed(1) : Math.round(percent)}%`
}

/** Which part of the time each thread worked, busiest first, equal ones by their names. */
function threads(figures: Figures): FigureGroup['metadata'] {
  const metric = name('thread_busy_seconds_total')
  return figures
    .valuesOf(metric, 'thread')
    .map((thread) => [thread, figures.perSecond(metric, { thread })] as const)
    .sort(([a, partOfA], [b, partOfB]) => partOfB - partOfA || a.localeCompare(b))
    .map(([thread, part]) => [thread, partText(part), part > 0.9])
}

type Metadata = FigureGroup['metadata']

/** What the figures have under the short names of the metrics. */
class Words {
  readonly #figures: Figures

  constructor(figures: Figures) {
    this.#figures = figures
  }

  now(short: string): number {
    return this.#figures.now(name(short))
  }

  count(short: string): string {
    return String(this.now(short))
  }

  bytes(short: string): string {
    return bytesText(this.now(short))
  }

  rate(short: string): string {
    return rateText(this.#figures.perSecond(name(short)))
  }

  time(short: string, part: number): string {
    return timeText(this.#figures.quantile(name(short), part))
  }

  /** A figure that is bad above zero. */
  zero(label: string, short: string): Metadata[number] {
    return [label, this.count(short), this.now(short) > 0]
  }
}

function stateOf(words: Words): Metadata {
  const mode = MODES[words.now('trading_mode')] ?? '?'
  return [
    ['Up', upText(words.now('uptime_seconds'))],
    ['Trading', mode, mode !== 'normal'],
    ['Open orders', words.count('open_orders')],
    ['Newest command', words.count('durable_seq')],
    ['Requests per second', words.rate('http_requests_total')],
    ['Refusals per second', words.rate('refusals_total')],
  ]
}

function checksOf(figures: Figures): Metadata {
  const metric = name('check_passed')
  return figures.valuesOf(metric, 'check').map((check) => {
    const isPassed = figures.now(metric, { check }) === 1
    return [check, isPassed ? 'passes' : 'fails', !isPassed]
  })
}

function queuesOf(words: Words): Metadata {
  return [
    ['Replies', words.count('replies_waiting')],
    ['Waiting for disk', words.count('replies_waiting_for_disk')],
    ['For the journal', words.bytes('journal_waiting_bytes')],
    ['For market threads', words.bytes('market_waiting_bytes')],
    ['Queries', words.count('query_waiting')],
    ['Tables behind', `${words.count('follower_lag_commands')} commands`],
  ]
}

function journalOf(words: Words): Metadata {
  return [
    ['Commands per second', words.rate('journal_records_total')],
    ['Commit p50', words.time('commit_seconds', 0.5)],
    ['Commit p99', words.time('commit_seconds', 0.99)],
    ['Free on the disk', words.bytes('disk_free_bytes')],
    words.zero('Failed snapshots', 'snapshot_failures_total'),
  ]
}

function processOf(figures: Figures, words: Words): Metadata {
  const cpu = Math.round(figures.perSecond(name('cpu_seconds_total')) * 100)
  return [
    ['Processor', `${cpu}%`],
    ['Memory', words.bytes('resident_bytes')],
    ['Heap', words.bytes('heap_bytes')],
    ['Event-loop delay p99', words.time('event_loop_delay_seconds', 0.99)],
    words.zero('Lost log lines', 'log_dropped_total'),
  ]
}

function socketsOf(words: Words): Metadata {
  return [
    ['Open', words.count('sockets_open')],
    ['Frames per second', words.rate('socket_frames_total')],
    ['Held for readers', words.bytes('socket_held_bytes')],
    ['Connections', words.count('connections_open')],
    ['Refused', words.count('sockets_refused_total')],
    ['Too slow', words.count('sockets_slow_total')],
  ]
}

function faultsOf(words: Words): Metadata {
  return [
    words.zero('Faults', 'faults_total'),
    ['Rate-limited', words.count('rate_limited_total')],
    ['Unsettled trades', words.count('trades_waiting')],
    words.zero('Failed trades', 'settlement_failures_total'),
  ]
}

export function metadataOf(figures: Figures): FigureGroup[] {
  const words = new Words(figures)
  return [
    { label: 'State', metadata: stateOf(words) },
    { label: 'Checks', metadata: checksOf(figures) },
    { label: 'Queues', metadata: queuesOf(words) },
    { label: 'Threads at work', metadata: threads(figures) },
    { label: 'Journal and disk', metadata: journalOf(words) },
    { label: 'Process', metadata: processOf(figures, words) },
    { label: 'Sockets', metadata: socketsOf(words) },
    { label: 'Faults', metadata: faultsOf(words) },
  ]
}
