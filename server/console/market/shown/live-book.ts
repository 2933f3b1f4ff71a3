// The book of the market that is shown, for all panels of it. A market without a book has null.

import type { BookCopy } from '../../exchange/book-copy.ts'
import { hasBook } from '../../exchange/market-words.ts'
import type { MarketView } from '../../exchange/shapes.ts'
import type { Streams } from '../../exchange/streams.ts'
import type { Unwatch } from '../../page/signal.ts'

export class LiveBook {
  copy: BookCopy | null = null
  readonly #watchers = new Set<() => void>()
  readonly #unwatch: Unwatch

  constructor(streams: Streams, market: MarketView) {
    const take = (copy: BookCopy): void => {
      this.copy = copy
      for (const watcher of [...this.#watchers]) watcher()
    }
    this.#unwatch = hasBook(market) ? streams.book(market.slug, take) : () => {}
  }

  /** Calls with each change; the copy itself is the same. */
  watch(watcher: () => void): Unwatch {
    this.#watchers.add(watcher)
    return () => void this.#watchers.delete(watcher)
  }

  stop(): void {
    this.#unwatch()
    this.#watchers.clear()
  }
}
