import { emptyCells } from '../../engine/core/orders/seen-filter.ts'
import type { LiveExchange } from './live-exchange.ts'

/** Makes the filters unsure of every order, as they are while marks move: each is looked up. */
export function doubtEverything({ exchange }: LiveExchange): void {
  const shared = emptyCells()
  new Int32Array(shared)[0] = 1
  const { oldest } = exchange.lookups
  const filters = [{ ...oldest, segments: [{ depth: 0, prefix: 0, shared }] }]
  exchange.lookups.applied({ seq: 0, filters: { seed: 1, oldestSeq: oldest.firstSeq, filters } })
}
