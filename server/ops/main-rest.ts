// Gives the garbage of main back when main rests. A start leaves 20 MB of it.
import { RestCollector } from '../../engine/wire/rest-collector.ts'

const LOOK_MS = 1000
/** Main works when it is active for more than this part of the time between two looks. */
const WORKING = 0.02
/** A collection stops main for some 40 ms, so it must be worth it. */
const GROWTH_BYTES = 16 << 20

/** Watches main; the function that it gives ends the watch. */
export function watchRest(): () => void {
  const collector = new RestCollector(GROWTH_BYTES)
  let seen = performance.eventLoopUtilization()
  const look = () => {
    const all = performance.eventLoopUtilization()
    collector.waited(performance.eventLoopUtilization(all, seen).utilization > WORKING)
    seen = all
  }
  const timer = setInterval(look, LOOK_MS).unref()
  return () => clearInterval(timer)
}
