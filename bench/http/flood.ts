import type { WorkloadFeed } from '../workload/workload-feed.ts'

/**
 * Sends the rows from `from` to `to` (excluded) with `inFlight` under way. Resolves when all are
 * durable.
 */
export function flood(
  feed: WorkloadFeed,
  { from, to, inFlight = 1024 }: { from: number; to: number; inFlight?: number },
): Promise<void> {
  let next = from
  let ended = from
  let isDue = false
  return new Promise((resolve) => {
    const done = () => {
      ended++
      if (ended === to) resolve()
      else if (!isDue) {
        isDue = true
        queueMicrotask(pump)
      }
    }
    const pump = () => {
      isDue = false
      while (next < to && next - ended < inFlight && feed.send(next, done)) {
        next++
      }
    }
    pump()
  })
}
