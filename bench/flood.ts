import type { WorkloadFeed } from './workload-feed.ts'

/** Commands under way at once: more than one group commit takes. */
const IN_FLIGHT = 1024

/** Sends rows from `from` up to `to`, `IN_FLIGHT` at once; resolves when all are durable. */
export function flood(feed: WorkloadFeed, from: number, to: number): Promise<void> {
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
      while (next < to && next - ended < IN_FLIGHT && feed.send(next, done)) next++
    }
    pump()
  })
}
