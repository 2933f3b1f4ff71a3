// Hot path. bench/core.bench.ts
// Which signed orders and client order ids were ever used (rules §1.3, §4.5).
// An order is known by the first 64 bits of its EIP-712 hash, a client order id by 64 bits of a
// hash of it and its account: two different ones that share them would need 2^32 tries against
// oneself and 2^64 against another, and then one is refused.
//
// Alone on its thread the set is exact and grows. Where a follower writes what is durable to tables
// and a filter, main holds exactly only what is newer, in generations by seq: those the follower
// has passed are dropped whole. Where nothing is decided (replay) only count and fold are kept.
// Invariant: every key admitted after `forgottenSeq` that its market did not give back is in a
// generation; every older one was in the filter before it left.

import { assert } from '../../domain/assert.ts'
import type { PlaceOrder } from '../../domain/command.ts'
import type { AccountId, Seq } from '../../domain/ids.ts'
import { KeySet } from '../cells/key-set.ts'
import { clientKey, findClientKey } from './client-key.ts'
import { type CapturedFilter, SeenFilter } from './seen-filter.ts'

/** PERHAPS: only the tables know. */
export const SEEN = { NO: 0, YES: 1, PERHAPS: 2 } as const

/** Keys of a generation: growing one further would take a stretch that others wait for. */
const GENERATION_KEYS = 1 << 16

interface Generation {
  readonly keys: KeySet
  /** Of the newest order in it; that of the youngest is not known yet. */
  lastSeq: Seq
}

/** All of it, as plain values. */
export interface CapturedSeen {
  readonly count: number
  readonly clientIdCount: number
  readonly folded: readonly [high: number, low: number]
  /** Null when the state had none: then it is no start for a follower. */
  readonly filter: CapturedFilter | null
}

/** What an order is known by, and the seq that tells its generation. */
export type SeenOrder = Pick<
  PlaceOrder,
  'seq' | 'accountId' | 'hashHigh' | 'hashLow' | 'clientOrderId'
>

export class SeenOrders {
  #count = 0
  #clientIdCount = 0
  #foldedHigh = 0
  #foldedLow = 0
  /** Null where nothing is decided. */
  #young: KeySet | null = new KeySet()
  /** Oldest first. */
  #older: Generation[] = []
  #spare: KeySet[] = []
  #seed = 0
  /** Read on main, written by the follower, absent elsewhere. */
  #filter: SeenFilter | null = null
  #isWriter = false
  #lastSeq: Seq = 0
  #forgottenSeq: Seq = 0

  get count(): number {
    return this.#count
  }

  get clientIdCount(): number {
    return this.#clientIdCount
  }

  /** What the set of hashes folds to, whatever order they came in; for the state hash. */
  get folded(): readonly [high: number, low: number] {
    return [this.#foldedHigh >>> 0, this.#foldedLow >>> 0]
  }

  /** Whether what stays must be told by `keep`. */
  get isWriter(): boolean {
    return this.#isWriter
  }

  /** The filter this thread writes. */
  get filter(): SeenFilter | null {
    return this.#isWriter ? this.#filter : null
  }

  /** What is younger is held exactly. */
  get forgottenSeq(): Seq {
    return this.#forgottenSeq
  }

  /** From here on nothing is decided on this thread; what stays goes to `filter`, if any. */
  countOnly(filter: SeenFilter | null = null): void {
    this.#young = null
    this.#older = []
    this.#filter = filter
    this.#isWriter = filter !== null
  }

  /**
   * From here on main decides: what was admitted up to now is in the tables, and in the filter that
   * the follower writes. `seed` is known to nobody outside.
   */
  decideWith(filter: SeenFilter, seq: Seq, seed: number): void {
    this.#seed = seed
    this.#young = new KeySet(seed)
    this.#filter = filter
    this.#isWriter = false
    this.#lastSeq = seq
    this.#forgottenSeq = seq
  }

  capture(): CapturedSeen {
    const { count, clientIdCount, folded } = this
    const filter = this.#isWriter ? this.#filter : this.#filterOfYoung()
    return { count, clientIdCount, folded, filter: filter?.capture() ?? null }
  }

  /** A state that is alone on its thread holds in one set what a follower's filter would. */
  #filterOfYoung(): SeenFilter | null {
    if (this.#young === null || this.#filter !== null) return null
    const filter = new SeenFilter()
    this.#young.each((high, low) => filter.add(high, low))
    return filter
  }

  /** Only to go on replaying: who decides calls `decideWith`. */
  restore(captured: CapturedSeen): void {
    this.#count = captured.count
    this.#clientIdCount = captured.clientIdCount
    this.#foldedHigh = captured.folded[0]
    this.#foldedLow = captured.folded[1]
    this.countOnly(captured.filter === null ? null : SeenFilter.restore(captured.filter))
  }

  /** Of an order's hash; see SEEN. */
  hash(high: number, low: number): number {
    const young = this.#young
    assert(young !== null, 'a thread that decides holds what was seen')
    if (young.has(high, low)) return SEEN.YES
    for (const { keys } of this.#older) if (keys.has(high, low)) return SEEN.YES
    return this.#filter?.mayHold(high, low) ? SEEN.PERHAPS : SEEN.NO
  }

  /** Of a client order id of an account; see SEEN. */
  clientId(accountId: AccountId, clientOrderId: string): number {
    findClientKey(accountId, clientOrderId)
    return this.hash(clientKey.high | 0, clientKey.low | 0)
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
    young.add(order.hashHigh | 0, order.hashLow | 0)
    if (named) {
      findClientKey(order.accountId, order.clientOrderId)
      young.add(clientKey.high | 0, clientKey.low | 0)
    }
    if (this.#filter !== null && young.count >= GENERATION_KEYS) this.#turn(young)
  }

  /** The order left no trace: what it was known by is free again. */
  forget(order: SeenOrder): void {
    this.#count--
    this.#foldedHigh ^= order.hashHigh
    this.#foldedLow ^= order.hashLow
    const named = order.clientOrderId !== ''
    if (named) this.#clientIdCount--
    const keys = this.#generationOf(order.seq)
    if (keys === null) return
    keys.remove(order.hashHigh | 0, order.hashLow | 0)
    if (!named) return
    findClientKey(order.accountId, order.clientOrderId)
    keys.remove(clientKey.high, clientKey.low)
  }

  /** The order did leave a trace: its key stays for ever. */
  keep(order: SeenOrder): void {
    this.#filter?.add(order.hashHigh, order.hashLow)
    if (order.clientOrderId === '') return
    findClientKey(order.accountId, order.clientOrderId)
    this.#filter?.add(clientKey.high, clientKey.low)
  }

  /** The tables and the filter, as this thread knows it, show everything up to `seq`. */
  forgetThrough(seq: Seq): void {
    const older = this.#older
    const young = this.#young
    if (older.length === 0 && young !== null && young.count > 0) this.#turn(young)
    while (older.length > 0 && older[0].lastSeq <= seq) {
      const { keys, lastSeq } = older[0]
      keys.clear()
      if (this.#spare.length < 2) this.#spare.push(keys)
      older.shift()
      this.#forgottenSeq = lastSeq
    }
  }

  #turn(young: KeySet): void {
    this.#older.push({ keys: young, lastSeq: this.#lastSeq })
    this.#young = this.#spare.pop() ?? new KeySet(this.#seed)
  }

  /**
   * Null when it was dropped. Its market may speak after the follower knew: by then the same order
   * may have come again, and stands in a younger generation.
   */
  #generationOf(seq: Seq): KeySet | null {
    if (seq <= this.#forgottenSeq) return null
    for (const { keys, lastSeq } of this.#older) if (seq <= lastSeq) return keys
    return this.#young
  }
}
