// Looks up orders in the tables that main no longer holds exactly, and drops from memory what the
// tables show. Invariant: while a lookup is open, main drops nothing that its answer may not show.
// So the first answer is enough.

import type { KnownInTables } from '../../../engine/core/decide/decide.ts'
import { type FilterAge, SeenFilters } from '../../../engine/core/orders/seen-filters.ts'
import type { SeenOrders } from '../../../engine/core/orders/seen-orders.ts'
import type { PlaceOrder } from '../../../engine/domain/command.ts'
import type { Seq } from '../../../engine/domain/ids.ts'
import type { Applied } from '../../../persistence/follower/follower-handle.ts'
import type { QueryHandle } from '../../../persistence/query/query-handle.ts'
import { knownInTables } from '../../../persistence/query/read/orders/known-orders.ts'

export class SeenLookups {
  readonly #seen: SeenOrders
  readonly #onForgotten: () => void
  readonly #filters = new SeenFilters()
  #appliedSeq: Seq
  /**
   * For each open lookup, the seq that the tables showed at least when it began; oldest first.
   */
  readonly #requested = new Set<{ readonly appliedSeq: Seq }>()
  #query: QueryHandle | null = null

  /**
   * A recovery found everything up to `seq`. Nobody outside knows `seed`. `onForgotten` is called
   * after `oldest` has changed.
   */
  constructor(seen: SeenOrders, seq: Seq, seed: number, onForgotten: () => void) {
    this.#seen = seen
    this.#onForgotten = onForgotten
    this.#appliedSeq = seq
    seen.decideWith(this.#filters, seq, seed)
  }

  connect(query: QueryHandle): void {
    this.#query = query
  }

  /** Memory of the filters (design §10). */
  get filterBytes(): number {
    return this.#filters.bytes
  }

  /** The first order of which everything since is remembered, and its time. */
  get oldest(): FilterAge {
    return this.#filters.oldest
  }

  /** How many orders wait for an answer. */
  get count(): number {
    return this.#requested.size
  }

  /** The follower's tables and filters show everything up to `applied.seq`. */
  applied({ seq, filters }: Applied): void {
    const { firstSeq } = this.oldest
    this.#filters.adopt(filters)
    if (this.oldest.firstSeq !== firstSeq) this.#onForgotten()
    this.#appliedSeq = Math.max(this.#appliedSeq, seq)
    this.#forget()
  }

  /**
   * Calls `decide` with what the tables hold of the order. Gives it undefined when there was no
   * answer in time, or when the question broke.
   */
  lookUp(
    order: PlaceOrder,
    decide: (inTables: KnownInTables | undefined, broke?: { readonly error: unknown }) => void,
  ): void {
    const { hashHigh, hashLow, accountId, clientOrderId } = order
    const requested = { appliedSeq: this.#appliedSeq }
    this.#requested.add(requested)
    const answer = this.#query?.request(knownInTables, {
      hashHigh,
      hashLow,
      accountId,
      clientOrderId,
      oldestSeq: this.#filters.oldest.firstSeq,
    })
    const ended = () => {
      this.#requested.delete(requested)
      this.#forget()
    }
    Promise.resolve(answer).then(
      (inTables) => {
        decide(inTables)
        ended()
      },
      (error: unknown) => {
        decide(undefined, { error })
        ended()
      },
    )
  }

  #forget(): void {
    const [oldest] = this.#requested
    this.#seen.forgetThrough(Math.min(this.#appliedSeq, oldest?.appliedSeq ?? this.#appliedSeq))
  }
}
