// Hot path. bench/core.bench.ts
// Assigns slots to partitions, one per market thread. A thread's columns are indexed by global
// slot, so slots are assigned in chunks of several pages: otherwise each thread would touch every
// page. Books are assigned to partitions round-robin.
// Invariant: a used slot belongs to the partition of its chunk.

import type { Book, Slot } from '../../domain/ids.ts'

const CHUNK_SHIFT = 12
const CHUNK_SLOTS = 1 << CHUNK_SHIFT

export class SlotPartitions {
  /** Head of each partition's free chain; 0 = none. The order table maintains the chains. */
  readonly freeOf: Int32Array
  readonly #capacity: number
  /** Partition + 1 of each chunk; 0 = unassigned. */
  readonly #ownerOf: Uint16Array
  /** Slots at the start of each chunk that were used or skipped. */
  readonly #usedOf: Uint16Array
  /** The chunk from which each partition takes new slots. */
  readonly #chunkOf: Uint16Array

  constructor(capacity: number, partitions: number) {
    this.#capacity = capacity
    this.freeOf = new Int32Array(partitions)
    this.#ownerOf = new Uint16Array(((capacity - 1) >> CHUNK_SHIFT) + 1)
    this.#usedOf = new Uint16Array(this.#ownerOf.length)
    // Slot 0 is not an order.
    this.#usedOf[0] = 1
    this.#chunkOf = new Uint16Array(partitions)
  }

  /** The partition of a used slot. */
  of(slot: Slot): number {
    return this.#ownerOf[slot >> CHUNK_SHIFT] - 1
  }

  /** A slot for the book's next order; 0 if no slot is free. */
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
   * Tries another chunk of the partition, then a free chunk. Last, it takes a slot of any
   * partition, which is better than a refusal.
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

  /** Assigns the slot's chunk to the book's partition, unless it is assigned already. */
  claim(slot: Slot, book: Book): void {
    const chunk = slot >> CHUNK_SHIFT
    if (this.#ownerOf[chunk] === 0) {
      this.#ownerOf[chunk] = ((book - 1) % this.freeOf.length) + 1
    }
  }

  /** Assigns the slot's chunk to any partition, unless it is assigned: no order is live in it. */
  claimForAny(slot: Slot): void {
    this.claim(slot, (slot >> CHUNK_SHIFT) + 1)
  }

  /** Marks the next slot of the chunk, up to `slot`, as used. Returns 0 if all of them are. */
  useNext(slot: Slot): number {
    const chunk = slot >> CHUNK_SHIFT
    const next = (chunk << CHUNK_SHIFT) + this.#usedOf[chunk]
    if (next > slot) return 0
    this.#usedOf[chunk]++
    return next
  }

  /** Marks the slot and the earlier slots of its chunk as used. */
  useUpTo(slot: Slot): void {
    this.#usedOf[slot >> CHUNK_SHIFT] = (slot & (CHUNK_SLOTS - 1)) + 1
  }
}
