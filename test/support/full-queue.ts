import type { QueryHandle } from '../../persistence/query/query-handle.ts'
import { OWN_GROUP } from '../../persistence/query/query-queue.ts'
import { profiles } from '../../persistence/query/read/profiles.ts'

const HOUR_MS = 3_600_000

/**
 * Keeps the queue of the query thread full until it is stopped. No query of it misses its deadline:
 * one that did would keep its place until the thread answers it, and then leave it to others.
 */
export function crowd(query: QueryHandle): () => Promise<unknown> {
  const requested = new Set<Promise<void>>()
  const slice = { group: OWN_GROUP, owner: 0, untilMs: performance.now() + HOUR_MS }
  let isOn = true
  const fill = () => {
    while (isOn) {
      const { waiting } = query
      const answer = query.request(profiles, [1], slice)
      if (query.waiting === waiting) return
      const one = answer.then(() => {
        requested.delete(one)
        fill()
      })
      requested.add(one)
    }
  }
  fill()
  return () => {
    isOn = false
    return Promise.all(requested)
  }
}
