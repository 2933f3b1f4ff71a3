// The costs of the process: loop delay, garbage collection, memory and processor time.
import { PerformanceObserver } from 'node:perf_hooks'
import { Distribution, MICROS } from '../../engine/thread/distribution.ts'
import type { Metrics, Series } from './metrics.ts'

/** From one look at the loop to the next: short while main works, long while it rests. */
const LOOK_MS_MIN = 10
const LOOK_MS_MAX = 640
/** Main works when it is active for more than this part of the time between two looks. */
const WORKING = 0.02

/** How late main runs each timer; a histogram, so that reading it changes nothing. */
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
  const help = 'How late main came to a timer of 10 ms (up to 640 ms while it rests).'
  metrics.seconds('outcomex_event_loop_delay_seconds', help, () => [{ labels: {}, values: delays }])
  return () => clearTimeout(timer)
}

/** Starts to watch; the returned function ends it. `ofOthers` gives the collections of threads. */
export function watchProcess(metrics: Metrics, ofOthers: () => Series[] = () => []): () => void {
  const endLoop = watchLoop(metrics)
  const pauses = new Distribution(MICROS)
  const observer = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) pauses.record(duration * 1000)
  })
  observer.observe({ entryTypes: ['gc'] })
  const collected =
    'Collections of garbage, by thread. Threads other than main tell theirs once a second.'
  metrics.seconds('outcomex_collection_seconds', collected, () => [
    { labels: { thread: 'main' }, values: pauses },
    ...ofOthers(),
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
