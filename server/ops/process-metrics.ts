// What the process costs the machine: loop, collections, memory, processor.
import { monitorEventLoopDelay, PerformanceObserver } from 'node:perf_hooks'
import { Distribution, MICROS } from './latency.ts'
import type { Metrics } from './metrics.ts'

const LOOP_STEP_MS = 10
const LOOP_QUANTILES = [0.5, 0.99, 0.999, 1]

/** Starts to watch; the returned function ends it. */
export function watchProcess(metrics: Metrics): () => void {
  const loop = monitorEventLoopDelay({ resolution: LOOP_STEP_MS })
  loop.enable()
  const help =
    'How late the main loop was since the metrics were last read; quantile 1 is the worst.'
  metrics.gauges('outcomex_event_loop_delay_seconds', help, ['quantile'], () => {
    // The monitor counts from one of its ticks to the next: what is above the step is the delay.
    const delays = LOOP_QUANTILES.map((quantile) => {
      const tickMs = loop.percentile(Math.max(quantile * 100, 1e-3)) / 1e6
      return { labels: { quantile: `${quantile}` }, value: late(tickMs) / 1000 }
    })
    loop.reset()
    return delays
  })
  const pauses = new Distribution(MICROS)
  const observer = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) pauses.record(duration * 1000)
  })
  observer.observe({ entryTypes: ['gc'] })
  metrics.seconds('outcomex_gc_seconds', 'Collections of garbage on main.', () => [
    { labels: {}, values: pauses },
  ])
  watchMemory(metrics)
  const cpu = 'Processor time of all threads.'
  metrics.totals('outcomex_cpu_seconds_total', cpu, ['mode'], () => {
    const { user, system } = process.cpuUsage()
    return [
      { labels: { mode: 'user' }, value: user / 1e6 },
      { labels: { mode: 'system' }, value: system / 1e6 },
    ]
  })
  return () => {
    loop.disable()
    observer.disconnect()
  }
}

function late(tickMs: number): number {
  return tickMs > LOOP_STEP_MS ? tickMs - LOOP_STEP_MS : 0
}

function watchMemory(metrics: Metrics): void {
  const { gauge } = metrics
  const add = gauge.bind(metrics)
  add('outcomex_resident_bytes', 'Memory of the process.', () => process.memoryUsage.rss())
  add('outcomex_heap_bytes', 'JavaScript heap in use on main.', () => {
    return process.memoryUsage().heapUsed
  })
  add('outcomex_external_bytes', 'Memory of main outside the JavaScript heap.', () => {
    return process.memoryUsage().external
  })
  add('outcomex_uptime_seconds', 'Since the start of the process.', () => process.uptime())
}
