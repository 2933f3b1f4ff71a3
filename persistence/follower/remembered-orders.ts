import { randomInt } from 'node:crypto'
import type { Clearing } from '../../engine/core/clearing.ts'
import { clientKey, findClientKey } from '../../engine/core/orders/client-key.ts'
import {
  type FiltersUpdate,
  type OrderMemory,
  SeenFilters,
  type SeqRange,
} from '../../engine/core/orders/seen-filters.ts'
import type { AccountId, Seq } from '../../engine/domain/ids.ts'
import type { Connection } from '../database.ts'
import type { SavedNames } from '../snapshot/names-file.ts'

// The filters of all remembered orders that left a trace. Main looks up orders that it does not
// have exactly.

const KEYS = `
SELECT owner, client_order_id AS clientOrderId, hash_high AS hashHigh, hash_low AS hashLow
FROM order_terms WHERE placed_seq >= ? AND placed_seq < ?`

interface KeysRow {
  readonly owner: AccountId
  readonly clientOrderId: string | null
  readonly hashHigh: number
  readonly hashLow: number
}

export class RememberedOrders {
  readonly #clearing: Clearing
  readonly #memory: OrderMemory
  readonly #filters: SeenFilters
  #dropping: Generator<undefined, void> | null = null

  /** The tables have at least the orders of the state. */
  constructor(clearing: Clearing, connection: Connection, memory: OrderMemory) {
    this.#clearing = clearing
    this.#memory = memory
    const { seen } = clearing
    this.#filters = seen.filters ?? new SeenFilters(randomInt(2 ** 32))
    seen.countOnly(this.#filters)
    const keysOf = connection.prepare<[Seq, Seq], KeysRow>(KEYS)
    const wasMissing = this.#filters.addMissing(function* ({ firstSeq, endSeq }: SeqRange) {
      for (const row of keysOf.iterate(firstSeq, Math.min(endSeq, clearing.lastSeq + 1))) {
        yield [row.hashHigh, row.hashLow] as const
        if (row.clientOrderId === null) continue
        findClientKey(row.owner, row.clientOrderId)
        yield [clientKey.high, clientKey.low] as const
      }
    })
    // Such a filter may also have had older orders that live.
    if (wasMissing) for (const _step of clearing.keepLive(clearing.lastSeq + 1));
    this.advance()
  }

  /** All orders from this one on are remembered. */
  get oldestSeq(): Seq {
    return this.#filters.oldest.firstSeq
  }

  /** Takes a step to forget what is older than the window, or exceeds the memory. */
  advance(): void {
    const { lastSeq: seq, lastNowMs: nowMs, orders } = this.#clearing
    const progress = { seq, nowMs, liveCount: orders.live.all }
    this.#filters.close(progress, this.#memory)
    const dueSeq = this.#dropping === null ? this.#filters.dueSeq(progress, this.#memory) : null
    if (dueSeq !== null) this.#dropping = this.#drop(dueSeq)
    if (this.#dropping?.next().done === true) this.#dropping = null
  }

  *#drop(beforeSeq: Seq): Generator<undefined, void> {
    yield* this.#clearing.keepLive(beforeSeq)
    this.#filters.drop(beforeSeq)
  }

  /** The additions since the last call. */
  takeUpdates(): FiltersUpdate {
    return this.#filters.takeUpdates()
  }

  /** These closed filters are in files. */
  areSaved(savedNames: readonly SavedNames[]): void {
    for (const each of savedNames) this.#filters.isSaved(each, each.mac)
  }
}
