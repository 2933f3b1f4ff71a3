// Hot path. bench/core.bench.ts
// Decides which lane takes which slots. A lane is a market thread. Its columns are indexed by
// global slot, so lanes get slots in chunks of some pages: otherwise each thread would touch every
// page. Books take the lanes in turn.
// Invariant: a slot that was used belongs to the lane of its chunk.

import type { Book, Slot } from '../../domain/ids.ts'

const CHUNK_SHIFT = 12
const CHUNK_SLOTS = 1 << CHUNK_SHIFT

export class SlotPartitions {
  /** Head of each lane's free chain; 0 = none. The order table keeps the chains. */
  readonly freeOf: Int32Array
  readonly #capacity: number
  /** Lane + 1 of each chunk; 0 = the chunk has no lane yet. */
  readonly #ownerOf: Uint16Array
  /** How many slots of each chunk, from its start, were used or passed over. */
  readonly #usedOf: Uint16Array
  /** The chunk from which each lane takes new slots. */
  readonly #chunkOf: Uint16Array

  constructor(capacity: number, partitions: number) {
    this.#capacity = capacity
    this.freeOf = new Int32Array(partitions)
    this.#ownerOf = new Uint16Array(((capacity - 1) >> CHUNK_SHIFT) + 1)
    this.#usedOf = new Uint16Array(this.#ownerOf.length)
    // Slot 0 is no order.
    this.#usedOf[0] = 1
    this.#chunkOf = new Uint16Array(partitions)
  }

  /** The lane of a slot that was used. */
  of(slot: Slot): number {
    return this.#ownerOf[slot >> CHUNK_SHIFT] - 1
  }

  /** A slot for the next order of the book; 0 when every slot is taken. */
  nextFor(book: Book): number {
    const partition = (book - 1) % this.freeOf.length
    if (this.freeOf[partition] !== 0) return this.freeOf[partition]
    const chunk = this.#chunkOf[partition]
    const fresh = this.#ownerOf[chunk] === partition + 1 && this.#hasFresh(chunk)
    return fresh ? (chunk << CHUNK_SHIFT) + this.#usedOf[chunk] : this.#elsewhere(partition)
  }

  #hasFresh(chunk: number): boolean {
    const used = this.#usedOf[chunk]
    return used < CHUNK_SLOTS && (chunk << CHUNK_SHIFT) + used < this.#capacity
  }

  /**
   * Looks in another chunk of the lane, then in a free chunk. At last it takes a slot of any lane:
   * that is better than a refusal.
   */
  #elsewhere(partition: number): number {
    const first = (mayTake: (owner: number) => boolean) =>
      this.#ownerOf.findIndex((owner, chunk) => mayTake(owner) && this.#hasFresh(chunk))
    let chunk = first((owner) => owner === partition + 1)
    if (chunk === -1) chunk = first((owner) => owner === 0)
    if (chunk === -1) chunk = first(() => true)
    if (chunk === -1) return this.freeOf.find((slot) => slot !== 0) ?? 0
    this.#chunkOf[partition] = chunk
    return (chunk << CHUNK_SHIFT) + this.#usedOf[chunk]
  }

  /** Gives the slot's chunk to the book's lane, unless another lane has it already. */
  claim(slot: Slot, book: Book): void {
    const chunk = slot >> CHUNK_SHIFT
    if (this.#ownerOf[chunk] === 0) {
      this.#ownerOf[chunk] = ((book - 1) % this.freeOf.length) + 1
    }
  }

  /** Gives the slot's chunk to any lane, unless a lane has it: no order lives in it. */
  claimForAny(slot: Slot): void {
    this.claim(slot, (slot >> CHUNK_SHIFT) + 1)
  }

  /**
   * Counts the next slot of the chunk as used, up to `slot`. 0 when all of them were counted
   * before.
   */
  useNext(slot: Slot): number {
    const chunk = slot >> CHUNK_SHIFT
    const next = (chunk << CHUNK_SHIFT) + this.#usedOf[chunk]
    if (next > slot) return 0
    this.#usedOf[chunk]++
    return next
  }

  /** Counts the slot and the slots before it in its chunk as used. */
  useUpTo(slot: Slot): void {
    this.#usedOf[slot >> CHUNK_SHIFT] = (slot & (CHUNK_SLOTS - 1)) + 1
  }
}
