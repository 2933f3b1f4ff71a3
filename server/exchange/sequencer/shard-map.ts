// Maps each book to its thread. A book stays in one shard, whichever market holds it.

import { assert } from '../../../engine/domain/assert.ts'
import type { Book } from '../../../engine/domain/ids.ts'
import { LIMITS } from '../../../engine/domain/limits.ts'
import {
  type FrameVisitor,
  ShardHandle,
  type ShardThread,
} from '../../../engine/shard/shard-handle.ts'
import type { WakeUps } from '../../../engine/thread/wake-ups.ts'

/** With a number, the books share that many threads; 0 keeps the books on main (design §3). */
export type MarketThreads = 'auto' | 'each' | number

export interface ShardOptions extends Omit<ShardThread, 'inline' | 'wakeUp'> {
  readonly threads: MarketThreads
  readonly visitor: FrameVisitor
  /** Absent when main wakes the threads itself. */
  readonly wakeUps?: WakeUps
}

/** The maximum number of threads, assigned round-robin like the partitions of OrderTable. */
export function partitionsOf(threads: MarketThreads): number {
  if (threads === 'auto') return LIMITS.marketThreadsAutoMax
  return threads === 'each' ? LIMITS.marketThreadsEachMax : Math.max(1, threads)
}

/** The maximum number of books. More would share a thread, which `each` never does. */
export function booksMaxOf(threads: MarketThreads): number {
  return threads === 'each' ? LIMITS.marketThreadsEachMax : LIMITS.booksMax
}

export class Shards {
  readonly all: ShardHandle[] = []
  readonly #options: ShardOptions
  /** The number of books that start a thread; later books share one. */
  readonly #threadsMax: number

  constructor(options: ShardOptions) {
    this.#options = options
    this.#threadsMax = partitionsOf(options.threads)
  }

  get booksMax(): number {
    return booksMaxOf(this.#options.threads)
  }

  /** The book's shard; its thread starts with its first book. */
  of(book: Book): ShardHandle {
    assert(book > 0, 'a closed book has no shard')
    const index = (book - 1) % this.#threadsMax
    while (index >= this.all.length) this.all.push(this.#start(this.all.length))
    return this.all[index]
  }

  #start(index: number): ShardHandle {
    const { threads, visitor, wakeUps, ...thread } = this.#options
    const name = `market-${index}`
    const wakeUp = wakeUps === undefined ? {} : { wakeUp: { wakeUps, place: index } }
    return new ShardHandle(name, visitor, { ...thread, ...wakeUp, inline: threads === 0 })
  }

  get areIdle(): boolean {
    return this.all.every((shard) => shard.isIdle)
  }

  /** Digests of these books, in order. */
  digests(books: readonly Book[]): Promise<Uint8Array[]> {
    return Promise.all(books.map((book) => this.of(book).digest(book)))
  }

  async stop(): Promise<void> {
    await Promise.all(this.all.map((shard) => shard.stop()))
  }
}
