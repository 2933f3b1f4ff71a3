import { LIMITS } from '../../engine/domain/limits.ts'
import type { QueryHandle } from '../../persistence/query/query-handle.ts'
import { profiles } from '../../persistence/query/read/profiles.ts'

/**
 * Fills the queue of the query thread until it is stopped. Each answer is followed at once by
 * the next question, because late answers may end many questions at a time.
 */
export function crowd(query: QueryHandle): () => Promise<unknown> {
  const requested = new Set<Promise<void>>()
  let isOn = true
  const fill = () => {
    while (isOn && query.waiting < LIMITS.queryQueueMax) {
      const one = query.request(profiles, [1]).then(() => {
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
