// The only importer of prom-client: the counts of the exchange as Prometheus text. Frequent events
// are counted in columns, which are rendered to text only when read.
import { createRequire } from 'node:module'
import type * as PromClient from 'prom-client'
import { Distribution, MICROS } from '../../engine/thread/distribution.ts'
import { KINDS, type KindOfCall, type OrderTimes, STEPS_OF } from './order-times.ts'

// The entry point of prom-client also loads unused code, including fifty files of OpenTelemetry.
const load = createRequire(import.meta.url)
const Counter: typeof PromClient.Counter = load('prom-client/lib/counter.js')
const Gauge: typeof PromClient.Gauge = load('prom-client/lib/gauge.js')
const Histogram: typeof PromClient.Histogram = load('prom-client/lib/histogram.js')
const Registry: typeof PromClient.Registry = load('prom-client/lib/registry.js')

/** The parts of an ended request that are counted. */
export interface IncomingRequest {
  readonly call: { readonly method: string; readonly receivedMs: number; readonly readMs: number }
  readonly route: {
    readonly method: string
    readonly path: string
    readonly rateClass: string
  } | null
  /** 0 when the client left before its reply. */
  readonly status: number
  readonly refusal: string | null
  readonly endedMs: number
}

/** Requests that ended where `http` was not called. */
export interface CountedElsewhere {
  /** The path of their GET route; null for requests that were refused before they had a route. */
  readonly path: string | null
  readonly status: number
  readonly count: number
}

/** One of the series of a histogram. */
export interface Series {
  readonly labels: Readonly<Record<string, string>>
  readonly values: Distribution
}

/** Any client can invent a method; metrics have a series only for these. */
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'])
const MICROS_PER_SECOND = 1e6
/** How long a rendered text is reused, because rendering costs main some milliseconds. */
const KEPT_MS = 1000

/** The counts of one route and one method. */
class RouteCounts {
  readonly method: string
  readonly path: string
  readonly kind: KindOfCall
  readonly byStatus = new Map<number, number>()
  readonly took = new Distribution(MICROS)

  constructor(method: string, route: IncomingRequest['route']) {
    this.method = method
    this.path = route?.path ?? 'none'
    this.kind = kindOf(route)
  }
}

function kindOf(route: IncomingRequest['route']): KindOfCall {
  if (route === null || route.method === 'GET') return 'query'
  if (route.rateClass !== 'trade') return 'change'
  return route.path === '/orders' ? 'order' : 'cancel'
}

function eachKind(): Record<KindOfCall, Distribution> {
  const [order, cancel, change, query] = KINDS.map(() => new Distribution(MICROS))
  return { order, cancel, change, query }
}

export class Metrics {
  readonly contentType = Registry.PROMETHEUS_CONTENT_TYPE
  readonly #registry = new Registry()
  readonly #routes = new Map<IncomingRequest['route'], Map<string, RouteCounts>>()
  readonly #refusals = new Map<string, number>()
  #countElsewhere: () => readonly CountedElsewhere[] = () => []
  readonly #read = eachKind()
  readonly #whole = eachKind()
  readonly #keptMs: number
  #kept: { readonly text: Promise<string>; readonly madeMs: number } | null = null

  constructor(keptMs = KEPT_MS) {
    this.#keptMs = keptMs
    this.totals('outcomex_http_requests_total', HTTP_HELP, ['method', 'route', 'status'], () => [
      ...this.#counts().flatMap(({ method, path: route, byStatus }) =>
        [...byStatus].map(([status, value]) => ({
          labels: { method, route, status: `${status}` },
          value,
        })),
      ),
      ...this.#countElsewhere().map(({ path, status, count: value }) => ({
        labels: {
          method: path === null ? 'other' : 'GET',
          route: path ?? 'none',
          status: `${status}`,
        },
        value,
      })),
    ])
    const refused = 'Refused HTTP requests by refusal.'
    this.totals('outcomex_refusals_total', refused, ['code'], () =>
      [...this.#refusals].map(([code, value]) => ({ labels: { code }, value })),
    )
    const took =
      'Time from the first byte of a request to its reply, by route; without the replies that ' +
      'edge threads give alone.'
    this.seconds('outcomex_http_seconds', took, () =>
      this.#counts().map(({ method, path: route, took: values }) => ({
        labels: { method, route },
        values,
      })),
    )
  }

  /** Adds the requests that end without `http`; `read` is called at each rendering. */
  countsElsewhere(read: () => readonly CountedElsewhere[]): void {
    this.#countElsewhere = read
  }

  #counts(): RouteCounts[] {
    return [...this.#routes.values()].flatMap((byMethod) => [...byMethod.values()])
  }

  /** Counts one ended request, and returns its kind. */
  http(round: IncomingRequest): KindOfCall {
    const { call, route, status, refusal, endedMs } = round
    const counts = this.#countsOf(METHODS.has(call.method) ? call.method : 'other', route)
    const tookMicros = (endedMs - call.receivedMs) * 1000
    counts.byStatus.set(status, (counts.byStatus.get(status) ?? 0) + 1)
    counts.took.record(tookMicros)
    this.#whole[counts.kind].record(tookMicros)
    const readMs = call.readMs - call.receivedMs
    if (call.readMs > 0) this.#read[counts.kind].record(readMs * 1000)
    if (refusal !== null) this.#refusals.set(refusal, (this.#refusals.get(refusal) ?? 0) + 1)
    return counts.kind
  }

  #countsOf(method: string, route: IncomingRequest['route']): RouteCounts {
    let byMethod = this.#routes.get(route)
    if (byMethod === undefined) {
      byMethod = new Map()
      this.#routes.set(route, byMethod)
    }
    let counts = byMethod.get(method)
    if (counts === undefined) {
      counts = new RouteCounts(method, route)
      byMethod.set(method, counts)
    }
    return counts
  }

  /** Adds the steps of every kind of call, and the total time of each. */
  steps(times: OrderTimes): void {
    const series = KINDS.flatMap((kind) => [
      { labels: { kind, step: 'read' }, values: this.#read[kind] },
      ...STEPS_OF[kind].map((step) => ({
        labels: { kind, step },
        values: times.step(kind, step),
      })),
      { labels: { kind, step: 'whole' }, values: this.#whole[kind] },
    ])
    this.seconds('outcomex_step_seconds', STEP_HELP, () => series)
  }

  /** Adds a value that is read at each rendering. */
  gauge(name: string, help: string, read: () => number): void {
    this.gauges(name, help, [], () => [{ labels: {}, value: read() }])
  }

  gauges(name: string, help: string, labelNames: readonly string[], read: () => Sample[]): void {
    const collect = function (this: PromClient.Gauge): void {
      this.reset()
      for (const { labels, value } of read()) this.set(labels, value)
    }
    const registers = [this.#registry]
    new Gauge({ name, help, labelNames, registers, collect })
  }

  /** Adds counters that are kept elsewhere. */
  totals(name: string, help: string, labelNames: readonly string[], read: () => Sample[]): void {
    const collect = function (this: PromClient.Counter): void {
      this.reset()
      for (const { labels, value } of read()) this.inc(labels, value)
    }
    const registers = [this.#registry]
    new Counter({ name, help, labelNames, registers, collect })
  }

  /** Adds distributions of microseconds, shown in seconds. */
  seconds(name: string, help: string, read: () => readonly Series[]): void {
    this.#histogram(name, help, MICROS_PER_SECOND, read)
  }

  /** Adds a distribution, shown in its own unit. */
  sizes(name: string, help: string, values: Distribution): void {
    this.#histogram(name, help, 1, () => [{ labels: {}, values }])
  }

  #histogram(name: string, help: string, scale: number, read: () => readonly Series[]): void {
    const histogram = new Histogram<string>({ name, help, registers: [this.#registry] })
    const filled = async () => {
      const values = read().flatMap((series) => samplesOf(name, scale, series))
      return { name, help, type: 'histogram', aggregator: 'sum', values }
    }
    // prom-client renders with the second function; older versions have only the first.
    Object.assign(histogram, { get: filled, getForPromString: filled })
  }

  /** All values as text, rendered at most once per KEPT_MS; reading changes no value. */
  text(): Promise<string> {
    const nowMs = performance.now()
    if (this.#kept === null || nowMs - this.#kept.madeMs >= this.#keptMs) {
      this.#kept = { text: this.#registry.metrics(), madeMs: nowMs }
    }
    return this.#kept.text
  }
}

export interface Sample {
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

const HTTP_HELP = 'HTTP requests by route and status; status 0 is a client that left.'
const STEP_HELP =
  'Time per step of orders, cancels, other changes and queries, as seen by the main thread; ' +
  'journal and match run in parallel.'

/** Cumulative counts, as Prometheus requires. */
function samplesOf(name: string, scale: number, { labels, values }: Series) {
  const metricName = `${name}_bucket`
  let count = 0
  const buckets = [...values.bounds, Infinity].map((bound, bucket) => {
    count += values.counts[bucket]
    const le = bound === Infinity ? '+Inf' : `${bound / scale}`
    return { metricName, labels: { ...labels, le }, value: count }
  })
  const sum = { metricName: `${name}_sum`, labels, value: values.sum / scale }
  return [...buckets, sum, { metricName: `${name}_count`, labels, value: count }]
}
