// The costs of the process: event-loop delay, garbage collection, memory and CPU time.
import { PerformanceObserver } from 'node:perf_hooks'
import { Distribution, MICROS } from '../../engine/thread/distribution.ts'
import type { Metrics, Series } from './metrics.ts'

/** The sampling interval of the event loop: short while main is busy, long while it is idle. */
const LOOK_MS_MIN = 10
const LOOK_MS_MAX = 640
/** Main is busy when it is active for more than this fraction of the interval. */
const WORKING = 0.02

/** The delay of each timer on main; a histogram, so reading it changes nothing. */
function watchLoop(metrics: Metrics): () => void {
  const delays = new Distribution(MICROS)
  let seen = performance.eventLoopUtilization()
  let waitMs = LOOK_MS_MIN
  let dueMs = performance.now() + waitMs
  let timer: NodeJS.Timeout
  const look = () => {
    const nowMs = performance.now()
    delays.record((nowMs - dueMs) * 1000)
    const all = performance.eventLoopUtilization()
    const isWorking = performance.eventLoopUtilization(all, seen).utilization > WORKING
    seen = all
    waitMs = isWorking ? LOOK_MS_MIN : Math.min(LOOK_MS_MAX, waitMs * 2)
    dueMs = nowMs + waitMs
    timer = setTimeout(look, waitMs).unref()
  }
  timer = setTimeout(look, waitMs).unref()
  const help = 'Event-loop delay of the main thread (10 ms timer, up to 640 ms while idle).'
  metrics.seconds('outcomex_event_loop_delay_seconds', help, () => [{ labels: {}, values: delays }])
  return () => clearTimeout(timer)
}

/** Starts the watch; the returned function ends it. `ofOthers` returns the threads' series. */
export function watchProcess(metrics: Metrics, ofOthers: () => Series[] = () => []): () => void {
  const endLoop = watchLoop(metrics)
  const pauses = new Distribution(MICROS)
  const observer = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) pauses.record(duration * 1000)
  })
  observer.observe({ entryTypes: ['gc'] })
  const collected =
    'Garbage collections, by thread. Threads other than main report theirs once a second.'
  metrics.seconds('outcomex_collection_seconds', collected, () => [
    { labels: { thread: 'main' }, values: pauses },
    ...ofOthers(),
  ])
  watchMemory(metrics)
  const cpu = 'CPU time of all threads.'
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
