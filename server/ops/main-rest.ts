// Gives back the garbage that a start leaves on main, 20 MB, when main rests for the first time. It
// stops main for some 40 ms, so it is done once; later V8 collects in its own small steps.
import { RestCollector } from '../../engine/thread/rest-collector.ts'

const LOOK_MS = 1000
/** Main works when it is active for more than this part of the time between two looks. */
const WORKING = 0.02
/** The whole heap is more, so the first rest collects. */
const GROWTH_BYTES = 16 << 20

/** Waits for the first rest; the function that it gives ends the wait. */
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
