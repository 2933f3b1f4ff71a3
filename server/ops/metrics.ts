// The only importer of prom-client: what the exchange counts about itself, as Prometheus text.
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'

export interface HttpTurn {
  readonly method: string
  readonly route: string
  /** 0 when the client left before its reply. */
  readonly status: number
  readonly refusal: string | null
  readonly tookMs: number
}

/** Any client can make up a method; metrics keep only those that exist. */
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'])
const SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5]

export class Metrics {
  readonly contentType = Registry.PROMETHEUS_CONTENT_TYPE
  private readonly registry = new Registry()
  private readonly requests: Counter<'method' | 'route' | 'status'>
  private readonly refusals: Counter<'code'>
  private readonly seconds: Histogram<'route'>
  private readonly loop = monitorEventLoopDelay({ resolution: 10 })

  constructor() {
    const registers = [this.registry]
    this.requests = new Counter({
      name: 'outcomex_http_requests_total',
      help: 'HTTP requests by route and status; status 0 is a client that left.',
      labelNames: ['method', 'route', 'status'],
      registers,
    })
    this.refusals = new Counter({
      name: 'outcomex_refusals_total',
      help: 'Refused HTTP requests by refusal.',
      labelNames: ['code'],
      registers,
    })
    this.seconds = new Histogram({
      name: 'outcomex_http_seconds',
      help: 'Time from the first byte of a request to its reply.',
      labelNames: ['route'],
      buckets: SECONDS,
      registers,
    })
    this.loop.enable()
    this.gauge('outcomex_event_loop_delay_p99_seconds', 'Delay of the main loop.', () => {
      return this.loop.percentile(99) / 1e9
    })
    this.gauge('outcomex_resident_bytes', 'Memory of the process.', () => process.memoryUsage.rss())
  }

  /** Takes what the gateway saw of one request. */
  http(turn: HttpTurn): void {
    const method = METHODS.has(turn.method) ? turn.method : 'other'
    this.requests.inc({ method, route: turn.route, status: String(turn.status) })
    this.seconds.observe({ route: turn.route }, turn.tookMs / 1000)
    if (turn.refusal !== null) this.refusals.inc({ code: turn.refusal })
  }

  /** A figure that is read each time somebody asks. */
  gauge(name: string, help: string, read: () => number): void {
    const collect = function (this: Gauge): void {
      this.set(read())
    }
    new Gauge({ name, help, registers: [this.registry], collect })
  }

  /** A count that only grows; the returned function adds to it. */
  counter(name: string, help: string): (by?: number) => void {
    const counter = new Counter({ name, help, registers: [this.registry] })
    return (by = 1) => counter.inc(by)
  }

  /** Observes seconds; the returned function takes one. */
  histogram(
    name: string,
    help: string,
    buckets: readonly number[] = SECONDS,
  ): (seconds: number) => void {
    const registers = [this.registry]
    const histogram = new Histogram({ name, help, buckets: [...buckets], registers })
    return (seconds) => histogram.observe(seconds)
  }

  text(): Promise<string> {
    return this.registry.metrics()
  }

  stop(): void {
    this.loop.disable()
  }
}
