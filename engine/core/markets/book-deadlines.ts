// Order expirations: a heap of deadlines for each book, and a heap of the books by nearest
// deadline. So due orders of one book can be taken in parts, and an order of another book can check
// that nothing is due before it.
// Invariant: `#books` has each book with the nearest deadline of its heap, unless the heap is
// empty.

import { assert } from '../../domain/assert.ts'
import type { Book, Slot } from '../../domain/ids.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { TimeMs } from '../../domain/units.ts'
import { Deadlines, HeapPlaces } from './deadlines.ts'

export class BookDeadlines {
  readonly #places = new HeapPlaces(LIMITS.orderSlotsMax)
  /** By book. */
  readonly #heaps: (Deadlines | undefined)[] = []
  readonly #books = new Deadlines(new HeapPlaces(LIMITS.booksMax + 1))
  #count = 0

  get count(): number {
    return this.#count
  }

  /** The earliest due time of all books; Infinity if none. */
  get nextMs(): TimeMs {
    return this.#books.nextMs
  }

  /** The books with due deadlines, earliest first. */
  booksDue(nowMs: TimeMs): Book[] {
    const due: Book[] = []
    while (this.#books.nextMs <= nowMs) due.push(this.#books.pop())
    for (const book of due) this.#books.add(book, this.nextMsOf(book))
    return due
  }

  /** The earliest due time in a book; Infinity if none. */
  nextMsOf(book: Book): TimeMs {
    return this.#heaps[book]?.nextMs ?? Number.POSITIVE_INFINITY
  }

  add(book: Book, slot: Slot, dueMs: TimeMs): void {
    let heap = this.#heaps[book]
    if (heap === undefined) {
      heap = new Deadlines(this.#places)
      this.#heaps[book] = heap
    }
    const before = heap.nextMs
    heap.add(slot, dueMs)
    this.#count++
    if (heap.nextMs !== before) this.#move(book, heap)
  }

  /** Removes and returns the book's slot with the earliest deadline. */
  pop(book: Book): Slot {
    const heap = this.#heaps[book]
    assert(heap !== undefined, 'a popped deadline exists')
    const slot = heap.next
    this.remove(book, slot)
    return slot
  }

  /** Removes the deadline of a slot with an order of this book, if any. */
  remove(book: Book, slot: Slot): void {
    const heap = this.#heaps[book]
    if (heap === undefined || heap.count === 0) return
    const { nextMs: before, count } = heap
    heap.remove(slot)
    this.#count -= count - heap.count
    if (heap.nextMs !== before) this.#move(book, heap)
  }

  #move(book: Book, heap: Deadlines): void {
    this.#books.remove(book)
    if (heap.count > 0) this.#books.add(book, heap.nextMs)
  }
}
