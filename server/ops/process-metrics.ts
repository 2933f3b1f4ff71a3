// The costs of the process: loop delay, garbage collection, memory and processor time.
import { PerformanceObserver } from 'node:perf_hooks'
import { Distribution, MICROS } from './latency.ts'
import type { Metrics } from './metrics.ts'

const LOOP_STEP_MS = 10

/** How late main runs each timer; a histogram, so that reading it changes nothing. */
function watchLoop(metrics: Metrics): () => void {
  const delays = new Distribution(MICROS)
  let dueMs = performance.now() + LOOP_STEP_MS
  const timer = setInterval(() => {
    const nowMs = performance.now()
    delays.record((nowMs - dueMs) * 1000)
    dueMs = nowMs + LOOP_STEP_MS
  }, LOOP_STEP_MS).unref()
  const help = 'How late the main loop came to a timer of 10 ms.'
  metrics.seconds('outcomex_event_loop_delay_seconds', help, () => [{ labels: {}, values: delays }])
  return () => clearInterval(timer)
}

/** Starts to watch; the returned function ends it. */
export function watchProcess(metrics: Metrics): () => void {
  const endLoop = watchLoop(metrics)
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
    endLoop()
    observer.disconnect()
  }
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
  add('outcomex_uptime_seconds', 'Time since the start of the process.', () => process.uptime())
}
