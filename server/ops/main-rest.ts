// Collects the garbage that a start leaves on main, 20 MB, when main is idle for the first time.
// The collection stops main for some 40 ms, so it is done once; later V8 collects in its own small
// steps.
import { RestCollector } from '../../engine/thread/rest-collector.ts'

const LOOK_MS = 1000
/** Main is busy when it is active for more than this fraction of the interval. */
const WORKING = 0.02
/** The whole heap is larger, so the first idle period collects. */
const GROWTH_BYTES = 16 << 20

/** Waits for the first idle period; the returned function ends the wait. */
export function watchRest(): () => void {
  const collector = new RestCollector(GROWTH_BYTES)
  let seen = performance.eventLoopUtilization()
  const look = () => {
    const all = performance.eventLoopUtilization()
    const isWorking = performance.eventLoopUtilization(all, seen).utilization > WORKING
    if (collector.waited(isWorking)) clearInterval(timer)
    seen = all
  }
  const timer = setInterval(look, LOOK_MS).unref()
  return () => clearInterval(timer)
}
