// The book of the market that is shown, for all panels of it. A market without a book has none.

import type { BookCopy } from '../../exchange/book-copy.ts'
import { hasBook } from '../../exchange/market-format.ts'
import type { MarketView } from '../../exchange/shapes.ts'
import type { Streams } from '../../exchange/streams.ts'
import { signal } from '../../page/preact.ts'

export class LiveBook {
  readonly stop: () => void
  /** The copy is the same one each time, so what is set is a new value around it. */
  readonly #newest = signal<{ readonly copy: BookCopy | null }>({ copy: null })

  constructor(streams: Streams, market: MarketView) {
    const take = (copy: BookCopy): void => {
      this.#newest.value = { copy }
    }
    this.stop = hasBook(market) ? streams.book(market.slug, take) : () => {}
  }

  /** Whoever reads it follows its changes. */
  get copy(): BookCopy | null {
    return this.#newest.value.copy
  }
}
