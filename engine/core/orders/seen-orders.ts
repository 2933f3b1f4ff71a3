// Hot path. bench/core.bench.ts
// The signed orders and client order ids that are remembered (rules §1.3, §4.5). An order is
// identified by the first 64 bits of its EIP-712 hash, a client order id by 64 bits of a hash of
// the id and its account. Different keys collide only if they share these bits, and then one order
// is refused. Producing a collision takes 2^32 tries against oneself and 2^64 against another
// account. Hashes and client ids are in separate sets: an order may have the same 64 bits for both,
// and owns both.
//
// On a single thread, the set is exact and grows. In a server, the follower writes durable keys to
// tables and filters, which forget old ones. Main keeps only newer keys exactly, in generations by
// seq, and drops whole generations that the follower has passed. A thread that decides nothing
// (replay) keeps only the count and the fold.
// Invariant: every key admitted after `forgottenSeq` is in a generation, unless its market released
// it; every older key that is remembered was in the filters before it left its generation. The
// filters mix hashes and client ids, because a match there only causes a query of the tables, which
// compare whole values.

import { assert } from '../../domain/assert.ts'
import type { PlaceOrder } from '../../domain/command.ts'
import type { AccountId, Seq } from '../../domain/ids.ts'
import { KeySet } from '../cells/key-set.ts'
import { clientKey, findClientKey } from './client-key.ts'
import { type CapturedFilters, SeenFilters } from './seen-filters.ts'

/** PERHAPS: only the tables know. */
export const SEEN = { NO: 0, YES: 1, PERHAPS: 2 } as const

/** Keys per generation. Growing a larger one would block the thread for too long. */
const GENERATION_KEYS = 1 << 16

interface Keys {
  readonly hashes: KeySet
  readonly clientIds: KeySet
}

interface Generation {
  readonly keys: Keys
  /** Seq of the newest order in the generation, known once it is closed. */
  lastSeq: Seq
}

/** The whole set as plain values. */
export interface CapturedSeen {
  readonly count: number
  readonly clientIdCount: number
  readonly folded: readonly [high: number, low: number]
  /**
   * null if the state had no filters or the reader of a snapshot did not request it. A follower
   * cannot start from such a state.
   */
  readonly filters: CapturedFilters | null
}

/** The fields that identify an order, and the seq that selects its generation. */
export type SeenOrder = Pick<
  PlaceOrder,
  'seq' | 'accountId' | 'hashHigh' | 'hashLow' | 'clientOrderId'
>

function emptyKeys(seed = 0): Keys {
  return { hashes: new KeySet(seed), clientIds: new KeySet(seed) }
}

function setOf(keys: Keys, isId: boolean): KeySet {
  return isId ? keys.clientIds : keys.hashes
}

function countOf({ hashes, clientIds }: Keys): number {
  return hashes.count + clientIds.count
}

export class SeenOrders {
  #count = 0
  #clientIdCount = 0
  #foldedHigh = 0
  #foldedLow = 0
  /** null on a thread that decides nothing. */
  #young: Keys | null = emptyKeys()
  /** Oldest first. */
  #older: Generation[] = []
  #spare: Keys[] = []
  #seed = 0
  /** Main reads it, the follower writes it. Other threads have none. */
  #filters: SeenFilters | null = null
  #isWriter = false
  #lastSeq: Seq = 0
  #forgottenSeq: Seq = 0

  get count(): number {
    return this.#count
  }

  get clientIdCount(): number {
    return this.#clientIdCount
  }

  /** The fold of all hashes, independent of their order, for the state hash. */
  get folded(): readonly [high: number, low: number] {
    return [this.#foldedHigh >>> 0, this.#foldedLow >>> 0]
  }

  /** Whether `keep` must be called for each order that leaves a trace. */
  get isWriter(): boolean {
    return this.#isWriter
  }

  /** The filters that this thread writes. */
  get filters(): SeenFilters | null {
    return this.#isWriter ? this.#filters : null
  }

  /** Keys of later orders are kept exactly. */
  get forgottenSeq(): Seq {
    return this.#forgottenSeq
  }

  /** From now on this thread decides nothing. Retained keys go to `filters`, if given. */
  countOnly(filters: SeenFilters | null = null): void {
    this.#young = null
    this.#older = []
    this.#filters = filters
    this.#isWriter = filters !== null
  }

  /**
   * From now on main decides. All orders admitted so far are in the tables and in the filters that
   * the follower writes. `seed` is secret.
   */
  decideWith(filters: SeenFilters, seq: Seq, seed: number): void {
    this.#seed = seed
    this.#young = emptyKeys(seed)
    this.#filters = filters
    this.#isWriter = false
    this.#lastSeq = seq
    this.#forgottenSeq = seq
  }

  capture(): CapturedSeen {
    const { count, clientIdCount, folded } = this
    const filters = this.#isWriter ? this.#filters : this.#filtersOfYoung()
    return { count, clientIdCount, folded, filters: filters?.capture() ?? null }
  }

  /** Without a follower, the state has one set of the keys that would be in the filters. */
  #filtersOfYoung(): SeenFilters | null {
    if (this.#young === null || this.#filters !== null) return null
    const filters = new SeenFilters()
    this.#young.hashes.each((high, low) => filters.add(high, low))
    this.#young.clientIds.each((high, low) => filters.add(high, low))
    return filters
  }

  /** Restores for further replay only. A thread that decides must then call `decideWith`. */
  restore(captured: CapturedSeen): void {
    this.#count = captured.count
    this.#clientIdCount = captured.clientIdCount
    this.#foldedHigh = captured.folded[0]
    this.#foldedLow = captured.folded[1]
    this.countOnly(captured.filters === null ? null : SeenFilters.restore(captured.filters))
  }

  /** Whether an order's hash was seen, as a value of SEEN. */
  hash(high: number, low: number): number {
    return this.#find(high, low, false)
  }

  /** Whether the account's client order id was seen, as a value of SEEN. */
  clientId(accountId: AccountId, clientOrderId: string): number {
    findClientKey(accountId, clientOrderId)
    return this.#find(clientKey.high | 0, clientKey.low | 0, true)
  }

  #find(high: number, low: number, isId: boolean): number {
    const young = this.#young
    assert(young !== null, 'a thread that decides has a set of seen keys')
    if (setOf(young, isId).has(high, low)) return SEEN.YES
    for (const { keys } of this.#older) if (setOf(keys, isId).has(high, low)) return SEEN.YES
    return this.#filters?.mayHold(high, low) ? SEEN.PERHAPS : SEEN.NO
  }

  admit(order: SeenOrder): void {
    this.#count++
    this.#foldedHigh ^= order.hashHigh
    this.#foldedLow ^= order.hashLow
    this.#lastSeq = order.seq
    const named = order.clientOrderId !== ''
    if (named) this.#clientIdCount++
    const young = this.#young
    if (young === null) return
    young.hashes.add(order.hashHigh | 0, order.hashLow | 0)
    if (named) {
      findClientKey(order.accountId, order.clientOrderId)
      young.clientIds.add(clientKey.high | 0, clientKey.low | 0)
    }
    if (this.#filters !== null && countOf(young) >= GENERATION_KEYS) this.#round(young)
  }

  /** The order left no trace, so its hash and client id may be reused. */
  forget(order: SeenOrder): void {
    this.#count--
    this.#foldedHigh ^= order.hashHigh
    this.#foldedLow ^= order.hashLow
    const named = order.clientOrderId !== ''
    if (named) this.#clientIdCount--
    const keys = this.#generationOf(order.seq)
    if (keys === null) return
    keys.hashes.remove(order.hashHigh | 0, order.hashLow | 0)
    if (!named) return
    findClientKey(order.accountId, order.clientOrderId)
    keys.clientIds.remove(clientKey.high, clientKey.low)
  }

  /** The order left a trace, so its keys are remembered. */
  keep(order: SeenOrder): void {
    this.keepKey(order.hashHigh, order.hashLow)
    if (order.clientOrderId === '') return
    findClientKey(order.accountId, order.clientOrderId)
    this.keepKey(clientKey.high, clientKey.low)
  }

  keepKey(high: number, low: number): void {
    this.#filters?.add(high, low)
  }

  /** The tables and the filters, as seen by this thread, contain every order up to `seq`. */
  forgetThrough(seq: Seq): void {
    const older = this.#older
    const young = this.#young
    if (older.length === 0 && young !== null && countOf(young) > 0) this.#round(young)
    while (older.length > 0 && older[0].lastSeq <= seq) {
      const { keys, lastSeq } = older[0]
      keys.hashes.clear()
      keys.clientIds.clear()
      if (this.#spare.length < 2) this.#spare.push(keys)
      older.shift()
      this.#forgottenSeq = lastSeq
    }
  }

  #round(young: Keys): void {
    this.#older.push({ keys: young, lastSeq: this.#lastSeq })
    this.#young = this.#spare.pop() ?? emptyKeys(this.#seed)
  }

  /**
   * The generation of this seq; null if it was dropped. A market may answer after the follower
   * passed. By then the same order may have been sent again: it is in a later generation and must
   * stay there.
   */
  #generationOf(seq: Seq): Keys | null {
    if (seq <= this.#forgottenSeq) return null
    for (const { keys, lastSeq } of this.#older) if (seq <= lastSeq) return keys
    return this.#young
  }
}
